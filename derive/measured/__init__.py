"""Measured runs: what files of tools say (`readers/`), held against the bound (`against/`)."""
