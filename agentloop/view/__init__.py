"""What people see: progress lines, summaries, result files and listings. Nothing here changes a run."""
