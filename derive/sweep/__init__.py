"""Grids of scenarios: the formulas as NumPy code, streamed block by block to CSV and Parquet."""
