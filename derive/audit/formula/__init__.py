"""Claims that are a formula: reading it, the units that close it, the same one in the catalogue."""
