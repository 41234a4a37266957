"""Printers over the ledger: they know no arithmetic."""
