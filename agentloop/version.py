"""The one place that says which agentloop this is."""

__version__ = "0.1.0"
