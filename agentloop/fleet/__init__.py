"""Running many goals at once; not available yet."""
