"""Values and pure functions: no clock, no file, no process, no model."""
