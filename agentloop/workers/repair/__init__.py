"""Repair without a model: find the suspicious lines, try small program changes there, keep what all tests accept."""
