"""Stored bytes of a checkpoint by its recipe of quantization."""

from derive.architecture.quantization.recipes import Plan, read_plan
from derive.architecture.quantization.stored import Stored, stored_bytes
from derive.architecture.quantization.unmatched import unmatched

__all__ = ["Plan", "Stored", "read_plan", "stored_bytes", "unmatched"]
