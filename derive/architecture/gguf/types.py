"""Types of the GGUF format: of the values of keys, and of the elements of tensors."""

from __future__ import annotations

from dataclasses import dataclass

from derive.architecture.quantization.formats import WEIGHTS, Format

# number in the file -> (name, letter of `struct`)
VALUES = {
    0: ("uint8", "B"), 1: ("int8", "b"), 2: ("uint16", "H"), 3: ("int16", "h"),
    4: ("uint32", "I"), 5: ("int32", "i"), 6: ("float32", "f"), 7: ("bool", "B"),
    10: ("uint64", "Q"), 11: ("int64", "q"), 12: ("float64", "d"),
}  # fmt: skip
BOOL, STRING, ARRAY = 7, 8, 9


@dataclass(frozen=True)
class Kind:
    """How a tensor is stored: `size` bytes for a block of `block` elements of one row."""

    name: str
    block: int
    size: int

    @property
    def format(self) -> Format:
        """The bytes of a matrix as a formula."""
        share = f" / {self.block}" if self.block > 1 else ""
        return Format(self.name, f"{self.size} * {WEIGHTS}{share}")


# ggml.h, enum ggml_type; the numbers left out were formats that llama.cpp no longer reads
TENSORS = {
    number: Kind(name, block, size)
    for number, name, block, size in (
        (0, "F32", 1, 4), (1, "F16", 1, 2), (30, "BF16", 1, 2), (28, "F64", 1, 8),
        (24, "I8", 1, 1), (25, "I16", 1, 2), (26, "I32", 1, 4), (27, "I64", 1, 8),
        (2, "Q4_0", 32, 18), (3, "Q4_1", 32, 20), (6, "Q5_0", 32, 22), (7, "Q5_1", 32, 24),
        (8, "Q8_0", 32, 34), (9, "Q8_1", 32, 40),
        (10, "Q2_K", 256, 84), (11, "Q3_K", 256, 110), (12, "Q4_K", 256, 144),
        (13, "Q5_K", 256, 176), (14, "Q6_K", 256, 210), (15, "Q8_K", 256, 292),
        (16, "IQ2_XXS", 256, 66), (17, "IQ2_XS", 256, 74), (22, "IQ2_S", 256, 82),
        (18, "IQ3_XXS", 256, 98), (21, "IQ3_S", 256, 110),
        (19, "IQ1_S", 256, 50), (29, "IQ1_M", 256, 56),
        (20, "IQ4_NL", 32, 18), (23, "IQ4_XS", 256, 136),
        (34, "TQ1_0", 256, 54), (35, "TQ2_0", 256, 66),
        (39, "MXFP4", 32, 17), (40, "NVFP4", 64, 36), (41, "Q1_0", 128, 18),
    )
}  # fmt: skip
