"""Invoices: lines, tax, and what is due when they are paid."""
