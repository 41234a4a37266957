"""The closed tables of unit spellings: what people and datasheets write, and what it means.

Operations are the most treacherous family. They are read so:

- TFLOP/s, TFLOPS, teraFLOPS, TOPS and "4 petaflops" are rates: the capital S, or the prefix
  spelled out before small letters, is "per second".
- TFLOP, TFLOPs, teraFLOPs are counts: a small s behind capitals is a plural.
- Tflops, GFlops, Tops may be either and are refused, unless what they are divided by decides:
  Gflops/token is a count.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

# display symbol of a prefix -> pint prefix
DECIMAL = {"k": "kilo", "M": "mega", "G": "giga", "T": "tera", "P": "peta", "E": "exa"}
BINARY = {"Ki": "kibi", "Mi": "mebi", "Gi": "gibi", "Ti": "tebi", "Pi": "pebi"}
SMALL = {"m": "milli", "µ": "micro", "n": "nano", "p": "pico", "f": "femto"}
PREFIX_POWER = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "m": -3, "µ": -6, "n": -9}

# unit symbol as we print it -> (pint name, prefixes it takes)
UNITS: dict[str, tuple[str, dict[str, str]]] = {
    "byte": ("byte", DECIMAL | BINARY),
    "B": ("byte", DECIMAL | BINARY),
    "bit": ("bit", DECIMAL | BINARY),
    "FLOP": ("operation", DECIMAL),
    "OP": ("operation", DECIMAL),
    "s": ("second", SMALL),
    "min": ("minute", {}),
    "hour": ("hour", {}),
    "h": ("hour", {}),
    "day": ("day", {}),
    "d": ("day", {}),
    "token": ("token", DECIMAL),
    "param": ("parameter", DECIMAL),
    "element": ("element", DECIMAL),
    "request": ("request", DECIMAL),
    "device": ("device", {}),
    "USD": ("dollar", {}),
    "CNY": ("yuan", {}),
    "EUR": ("euro", {}),
    "J": ("joule", DECIMAL | SMALL),
    "W": ("watt", DECIMAL | SMALL),
    "Wh": ("watthour", DECIMAL),
    "%": ("percent", {}),
}

# What is counted one by one: these take "k", "M", "B" as thousand, million, billion before them.
COUNTING = ("token", "param", "element", "request", "device")

# Other spellings of whole unit words -> our symbol. Case matters.
ALIASES: dict[str, str] = {
    "bytes": "byte", "Byte": "byte", "Bytes": "byte", "字节": "byte",
    "bits": "bit", "Bit": "bit", "Bits": "bit", "比特": "bit",
    "FLOPs": "FLOP", "flop": "FLOP", "Flop": "FLOP", "OPs": "OP", "op": "OP",
    "operation": "FLOP", "operations": "FLOP", "次浮点运算": "FLOP", "次运算": "FLOP",
    "浮点运算": "FLOP", "次浮点计算": "FLOP", "次浮点操作": "FLOP", "浮点操作": "FLOP",
    "sec": "s", "second": "s", "seconds": "s", "secs": "s", "秒": "s", "秒钟": "s",
    "minute": "min", "minutes": "min", "mins": "min", "分钟": "min",
    "hours": "hour", "hr": "hour", "hrs": "hour", "小时": "hour",
    "days": "day", "天": "day",
    "tokens": "token", "tok": "token", "toks": "token", "Token": "token", "Tokens": "token",
    "词元": "token",
    "params": "param", "parameter": "param", "parameters": "param", "Param": "param",
    "参数": "param",
    "elements": "element", "元素": "element",
    "requests": "request", "req": "request", "reqs": "request", "sequence": "request",
    "sequences": "request", "seq": "request", "seqs": "request", "user": "request",
    "users": "request", "chats": "request", "sessions": "request", "conversations": "request",
    "会话": "request", "对话": "request", "stream": "request", "streams": "request",
    "请求": "request", "用户": "request", "序列": "request", "路": "request", "条": "request",
    "devices": "device", "GPU": "device", "GPUs": "device", "gpu": "device", "gpus": "device",
    "chip": "device", "chips": "device", "card": "device", "cards": "device",
    "accelerator": "device", "accelerators": "device", "卡": "device", "设备": "device",
    "显卡": "device", "加速卡": "device", "芯片": "device", "块": "device", "张": "device",
    "usd": "USD", "$": "USD", "dollar": "USD", "dollars": "USD", "美元": "USD",
    "yuan": "CNY", "RMB": "CNY", "元": "CNY", "元人民币": "CNY", "块钱": "CNY", "人民币": "CNY",
    "euro": "EUR", "euros": "EUR", "欧元": "EUR",
    "joule": "J", "joules": "J", "焦耳": "J", "焦": "J", "watt": "W", "watts": "W", "瓦": "W",
    "瓦特": "W", "瓦时": "Wh", "percent": "%", "pct": "%",
}  # fmt: skip

# Measure words: dropped before the word they belong to (3 张卡, 60 个 token), units where alone.
MEASURE_WORDS = ("个", "张", "块", "条", "路", "次", "位", "台")

# Whole words that already hold a "per second".
RATES: dict[str, str] = {
    "FLOPS": "FLOP", "OPS": "OP", "bps": "bit", "Bps": "B", "tps": "token", "TPS": "token",
    "rps": "request", "qps": "request", "RPS": "request", "QPS": "request",
}  # fmt: skip

# Counts or rates, nobody can tell; spelled-out prefixes before them make them rates (4 petaflops).
UNCLEAR: dict[str, str] = {"flops": "FLOP", "Flops": "FLOP", "ops": "OP", "Ops": "OP"}

LONG_PREFIXES = {
    "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E",
    "kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti", "pebi": "Pi",
    "milli": "m", "micro": "µ", "nano": "n",
}  # fmt: skip

# Spellings that follow no rule above.
SINGLE: dict[str, str] = {
    "KB": "kB", "Kbyte": "kbyte", "KByte": "kbyte", "Kbytes": "kbyte", "KBytes": "kbyte",
    "Kbit": "kbit", "Kbits": "kbit", "Kb": "kbit", "kb": "kbit", "Mb": "Mbit", "Gb": "Gbit",
    "Tb": "Tbit", "Pb": "Pbit", "Kib": "Kibit", "Gib": "Gibit", "Mib": "Mibit", "Tib": "Tibit",
    "us": "µs", "usec": "µs", "msec": "ms", "nsec": "ns", "毫秒": "ms", "微秒": "µs", "纳秒": "ns",
    "KW": "kW", "千瓦": "kW", "兆瓦": "MW", "千瓦时": "kWh", "度": "kWh",
    "千字节": "kB", "兆字节": "MB", "吉字节": "GB", "太字节": "TB",
}  # fmt: skip


@cache
def symbols() -> dict[str, tuple[str, str, str]]:
    """Every printable unit symbol -> (pint unit name with prefix, plain symbol, prefix)."""
    table: dict[str, tuple[str, str, str]] = {}
    for symbol, (name, prefixes) in UNITS.items():
        table[symbol] = (name, symbol, "")
        for short, long in prefixes.items():
            table[short + symbol] = (long + name, symbol, short)
    return table


def prefixed(word: str, symbol: str) -> Iterator[tuple[str, str, bool]]:
    """A word with every prefix its unit takes: (spelling, our symbol, prefix spelled out)."""
    prefixes = UNITS[symbol][1]
    for prefix in prefixes:
        yield prefix + word, prefix + symbol, False
    if len(word) > 2:
        for long, prefix in LONG_PREFIXES.items():
            if prefix in prefixes:
                yield long + word, prefix + symbol, True
                yield long.capitalize() + word, prefix + symbol, True


@cache
def spellings() -> dict[str, tuple[str, int]]:
    """Every accepted unit word -> (our symbol, time exponent it hides: 0 or -1)."""
    table: dict[str, tuple[str, int]] = {s: (s, 0) for s in symbols()}
    for word, symbol in SINGLE.items():
        table.setdefault(word, (symbol, 0))
    for word, symbol in ALIASES.items():
        table.setdefault(word, (symbol, 0))
    for word, symbol in RATES.items():
        table.setdefault(word, (symbol, -1))
        for written, found, _ in prefixed(word, symbol):
            table.setdefault(written, (found, -1))
    for word, symbol in [*ALIASES.items(), *((s, s) for s in UNITS)]:
        if word.isascii() and len(word) > 1:
            for written, found, _ in prefixed(word, symbol):
                table.setdefault(written, (found, 0))
    for word, symbol in UNCLEAR.items():
        for written, found, long in prefixed(word, symbol):
            if long:
                table[written] = (found, -1)
    return table


@cache
def unclear() -> dict[str, str]:
    """Words that may be a count or a rate -> our symbol of the count."""
    table = dict(UNCLEAR)
    for word, symbol in UNCLEAR.items():
        table |= {written: found for written, found, long in prefixed(word, symbol) if not long}
    return table


@cache
def counting() -> frozenset[str]:
    """Spellings of plain counting units."""
    return frozenset(w for w, (symbol, _) in spellings().items() if symbol in COUNTING)
