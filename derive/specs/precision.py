"""Number formats: which exist, and what one stored number takes."""

from __future__ import annotations

from fractions import Fraction

from derive.text import Text

# in the order tables print them; the peak of a device is stated for one of these
PRECISIONS = ("bf16", "fp16", "fp8", "fp4", "int8", "int4", "tf32", "fp32", "fp64")

# bytes of one stored number, exactly: a parameter (w) or an element of the KV cache (w_kv)
BYTES: dict[str, Fraction] = {
    "fp32": Fraction(4),
    "bf16": Fraction(2),
    "fp16": Fraction(2),
    "fp8": Fraction(1),
    "int8": Fraction(1),
    "fp4": Fraction(1, 2),
    "int4": Fraction(1, 2),
}
STORED = tuple(BYTES)

BASES = ("dense", "with_sparsity")

# formats whose values usually travel with scales per block or channel
SCALED = ("fp8", "int8", "fp4", "int4")
SCALES_NOTE = Text(
    "bytes of the numbers alone: scales and zero points of quantised blocks are not included",
    "只计数值本身的字节：量化块的缩放因子与零点未计入",
)


def bytes_per(precision: str) -> Fraction:
    """Bytes one number takes in storage; KeyError for formats that are not stored."""
    return BYTES[precision]
