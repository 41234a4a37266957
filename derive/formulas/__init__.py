"""The formulas: declarations only, one topic a module; discovered by listing this folder."""
