"""Claims with fields in files: reading them, and the printed value against the catalogue."""
