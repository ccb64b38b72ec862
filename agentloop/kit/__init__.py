"""Scripts run inside the sandbox by the user's interpreter: standard library only, nothing of agentloop's."""
