"""Settings of all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How fast the machine is, is nothing that a test may fail for.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")
