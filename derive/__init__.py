"""Derive, prove and report the capacity of LLM inference."""

__version__ = "0.1.0"
