"""How a matrix of n_out x n_in is stored: bytes as a formula, scales included."""

from __future__ import annotations

from dataclasses import dataclass

from derive.architecture.symbols import Symbol, exact


@dataclass(frozen=True)
class Format:
    """A format by name; `text` is the bytes of one matrix over n_out and n_in.

    `kind` is the number format that this comes closest to; `compute` that of the products, where
    the activations are quantized too: else the weights are widened first and products take 16 bits.
    """

    name: str
    text: str
    kind: str = ""
    compute: str = ""
    group: int = 1  # inputs of a row must be a multiple of it

    def bytes(self, rows: int, columns: int) -> int | None:
        """Bytes of one matrix; None where its shape does not fit the format."""
        if columns % self.group:
            return None
        values = (("n_out", Symbol(rows, "")), ("n_in", Symbol(columns, "")))
        found = exact(self.text, values)
        return found.numerator if found.denominator == 1 else None


WEIGHTS = "n_out * n_in"


def plain(size: int) -> Format:
    """No quantization."""
    return Format(f"{8 * size}-bit", f"{size} * {WEIGHTS}")


def fp8_blocks(rows: int, columns: int, scale: int = 4, compute: str = "fp8") -> Format:
    """One byte a weight, one scale for each block."""
    text = f"{WEIGHTS} + {scale} * ceil(n_out / {rows}) * ceil(n_in / {columns})"
    return Format(f"fp8, {rows} x {columns} blocks, {scale}-byte scales", text, "fp8", compute)


def eight_bit_tensor(kind: str, compute: str, *, static: bool) -> Format:
    """One byte a weight, one scale for the matrix, and one for its input where that is fixed."""
    return Format(f"{kind}, one scale", f"{WEIGHTS} + {8 if static else 4}", kind, compute)


def eight_bit_channel(kind: str, scale: int, compute: str) -> Format:
    """One byte a weight, one scale for each row."""
    text = f"{WEIGHTS} + {scale} * n_out"
    return Format(f"{kind}, one scale per row", text, kind, compute)


def mxfp4(compute: str = "") -> Format:
    """Four bits a weight, one byte of scale for 32."""
    return Format("mxfp4", f"{WEIGHTS} / 2 + n_out * ceil(n_in / 32)", "fp4", compute)


def mxfp8() -> Format:
    """One byte a weight, one byte of scale for 32."""
    return Format("mxfp8", f"{WEIGHTS} + n_out * ceil(n_in / 32)", "fp8", "fp8")


def ternary() -> Format:
    """Four weights of -1, 0 or 1 a byte, one 2-byte scale for the matrix; 8-bit activations."""
    return Format("ternary, four weights a byte", f"{WEIGHTS} / 4 + 2", integer(2), "int8")


def additive(bits: int, codebooks: int, into: int, out: int) -> Format:
    """Codes of groups of weights, the 2-byte entries of the codebooks, a scale for each row."""
    code = 1 if bits <= 8 else 2
    entries = codebooks * 2**bits * into * out
    text = f"{code * codebooks} * {WEIGHTS} / {into * out} + {2 * entries} + 2 * n_out / {out}"
    name = f"aqlm, {codebooks} x {bits} bits for {into * out} weights"
    return Format(name, text, integer(code * 8 * codebooks // (into * out)))


def nvfp4(*, inputs: bool = True) -> Format:
    """Four bits a weight, one byte of scale for 16, one 4-byte scale for weight and for input."""
    name = "nvfp4" if inputs else "nvfp4, inputs in 16 bits"
    text = f"{WEIGHTS} / 2 + n_out * ceil(n_in / 16) + {8 if inputs else 4}"
    return Format(name, text, "fp4", "fp4" if inputs else "")


def integer(bits: int) -> str:
    """The integer format that so many bits come closest to."""
    return "int4" if bits <= 4 else "int8"


def groups_of(size: int) -> str:
    """How many groups a row has; -1 is one group."""
    return "1" if size == -1 else f"ceil(n_in / {size})"


def awq(bits: int, group: int, *, zeros: bool) -> Format:
    """Packed weights, 2-byte scales and packed zero points for each group."""
    n = groups_of(group)
    text = f"{bits} * {WEIGHTS} / 8 + 2 * n_out * {n}"
    text += f" + {bits} * n_out * {n} / 8" if zeros else ""
    name = f"awq {bits}-bit, groups of {group}"
    return Format(name, text, integer(bits), group=max(group, 1))


def gptq(bits: int, group: int) -> Format:
    """As awq, and for each input the number of its group."""
    n = groups_of(group)
    text = f"{bits} * {WEIGHTS} / 8 + 2 * n_out * {n} + {bits} * n_out * {n} / 8 + 4 * n_in"
    return Format(f"gptq {bits}-bit, groups of {group}", text, integer(bits))


def packed(bits: int, group: int, *, symmetric: bool, ordered: bool, compute: str = "") -> Format:
    """compressed-tensors: packed weights, 2-byte scales, the shape as two 8-byte numbers."""
    n = groups_of(group)
    text = f"{bits} * {WEIGHTS} / 8 + 2 * n_out * {n} + 16"
    text += "" if symmetric else f" + {bits} * n_out * {n} / 8"
    text += " + 4 * n_in" if ordered else ""
    return Format(f"int{bits} packed, groups of {group}", text, integer(bits), compute)


def bitsandbytes4(*, double: bool) -> Format:
    """Four bits a weight, one scale for 64, in one byte where it is quantized again."""
    blocks = f"ceil({WEIGHTS} / 64)"
    scales = f"{blocks} + 4 * ceil({blocks} / 256) + 1024" if double else f"4 * {blocks}"
    return Format("bitsandbytes 4-bit", f"{WEIGHTS} / 2 + {scales} + 64", "fp4")


def bitsandbytes8() -> Format:
    """One byte a weight, one 4-byte scale for each row."""
    return Format("bitsandbytes 8-bit", f"{WEIGHTS} + 4 * n_out + 1", "int8", "int8")
