"""Readers, one module a tool: READERS says what its files look like and how they are read."""
