"""Who takes part in a run: the planners, the verifier, the reviewer, and the teller that pays for model calls."""
