"""``python -m agentloop``."""

from __future__ import annotations

from agentloop.cli import main

if __name__ == "__main__":
    main()
