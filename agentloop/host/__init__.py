"""Where a run meets this machine: its log and blobs, its run folder, git, trees on disk and the sandbox."""
