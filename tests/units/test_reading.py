"""Quantities as people, datasheets and Chinese texts write them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derive.units import Quantity, read, read_quantity, unit

# written -> value and unit in our notation
READS = {
    # operations: rates and counts
    "989.5 TFLOP/s": ("989.5", "TFLOP/s"),
    "989.5 TFLOPS": ("989.5", "TFLOP/s"),
    "1,979 teraFLOPS": ("1979", "TFLOP/s"),
    "4 petaFLOPS": ("4", "PFLOP/s"),
    "4 petaflops": ("4", "PFLOP/s"),
    "15 PetaFLOPS": ("15", "PFLOP/s"),
    "42.5 exaflops": ("42.5", "EFLOP/s"),
    "1 exaFLOPs": ("1", "EFLOP"),
    "1979 TOPS": ("1979", "TOP/s"),
    "100 teraops": ("100", "TOP/s"),
    "4 TFLOPs": ("4", "TFLOP"),
    "400 TFLOPs/s": ("400", "TFLOP/s"),
    "140 GFLOPs/token": ("140", "GFLOP/token"),
    "140 Gflops/token": ("140", "GFLOP/token"),
    "2 flops/param/token": ("2", "FLOP/param/token"),
    "4.398e12 FLOP": ("4398000000000", "FLOP"),
    "2 FLOP/(param·token)": ("2", "FLOP/param/token"),
    "2 FLOP/(param*token)": ("2", "FLOP/param/token"),
    "2 TFLOPS/W": ("2", "TFLOP/s/W"),
    "每秒 989 万亿次浮点运算": ("989", "TFLOP/s"),
    # information
    "80 GB": ("80", "GB"),
    "80GB": ("80", "GB"),
    "80 gigabyte": ("80", "GB"),
    "80 gigabytes": ("80", "GB"),
    "80 Gigabytes": ("80", "GB"),
    "80 GByte": ("80", "GB"),
    "80 GiB": ("80", "GiB"),
    "80 gibibytes": ("80", "GiB"),
    "81,559 MiB": ("81559", "MiB"),
    "16 MiB": ("16", "MiB"),
    "5 KB": ("5000", "byte"),
    "5 kB": ("5000", "byte"),
    "5 KiB": ("5120", "byte"),
    "2 B": ("2", "byte"),
    "2 bytes per parameter": ("2", "byte/param"),
    "2B/param": ("2", "byte/param"),
    "80 Gb": ("10", "GB"),
    "400 Gbit": ("50", "GB"),
    "400 gigabits": ("50", "GB"),
    "400 Gb/s": ("50", "GB/s"),
    "400 Gbps": ("50", "GB/s"),
    "900 GBps": ("900", "GB/s"),
    "800 GiBps": ("800", "GiB/s"),
    "9.6 Tb/s": ("1200", "GB/s"),
    "3.35 TB/s": ("3.35", "TB/s"),
    "3.35TB/s": ("3.35", "TB/s"),
    "3.35 TB/sec": ("3.35", "TB/s"),
    "3.35 TB / s": ("3.35", "TB/s"),
    "3.35 TB per second": ("3.35", "TB/s"),
    "5 Gigabyte/sec": ("5", "GB/s"),
    "3.35 TB/s/GPU": ("3.35", "TB/s/device"),
    "3.35 TB/s per GPU": ("3.35", "TB/s/device"),
    "80 GB/卡": ("80", "GB/device"),
    "3.35 万亿字节": ("3.35", "TB"),
    "每秒 3.35 万亿字节": ("3.35", "TB/s"),
    "每秒约 3.35 TB": ("3.35", "TB/s"),
    "每张卡每秒 3.35 TB": ("3.35", "TB/s/device"),
    "一万亿字节": ("1", "TB"),
    "128 GB/秒": ("128", "GB/s"),
    # time
    "41.8 ms": ("41.8", "ms"),
    "41.8 毫秒": ("41.8", "ms"),
    "5 us": ("5", "µs"),
    "5 μs": ("5", "µs"),
    "1.5h": ("5400", "s"),
    "2 min": ("120", "s"),
    "14 days": ("1209600", "s"),
    # tokens, requests, parameters, devices
    "41.8 ms/token": ("41.8", "ms/token"),
    "25 ms per token": ("25", "ms/token"),
    "约 41.8 毫秒/词元": ("41.8", "ms/token"),
    "每 token 41.8 毫秒": ("41.8", "ms/token"),
    "25 ms*request/token": ("25", "ms*request/token"),
    "25 ms·request/token": ("25", "ms*request/token"),
    "60 tok/s": ("60", "token/s"),
    "23.9 tokens/s/user": ("23.9", "token/s/request"),
    "23.9 tokens/s per stream": ("23.9", "token/s/request"),
    "100 tokens per second per user": ("100", "token/s/request"),
    "100 token/s/GPU": ("100", "token/s/device"),
    "60 token·s⁻¹": ("60", "token/s"),
    "每秒 60 个 token": ("60", "token/s"),
    "60 token 每秒": ("60", "token/s"),
    "13,540 tokens per minute": ("13540", "token/min"),
    "10k tokens": ("10000", "token"),
    "10K tokens": ("10000", "token"),
    "1 M tok/s": ("1000000", "token/s"),
    "15T tokens": ("15000000000000", "token"),
    "10 Mtokens": ("10000000", "token"),
    "20 QPS": ("20", "request/s"),
    "64 路请求": ("64", "request"),
    "64 路": ("64", "request"),
    "每个请求 2048 token": ("2048", "token/request"),
    "8 张 GPU": ("8", "device"),
    "两张卡": ("2", "device"),
    "3 台设备": ("3", "device"),
    "700 亿参数": ("70000000000", "param"),
    "700 亿个参数": ("70000000000", "param"),
    "七百亿参数": ("70000000000", "param"),
    "1.75 千亿参数": ("175000000000", "param"),
    "70 billion parameters": ("70000000000", "param"),
    "70B params": ("70000000000", "param"),
    "70 B 参数": ("70000000000", "param"),
    "70Bparams": ("70000000000", "param"),
    "7e9 params": ("7000000000", "param"),
    # money, energy
    "2.50 USD/hour/device": ("2.5", "USD/hour/device"),
    "$2.50/hour/GPU": ("2.5", "USD/hour/device"),
    "2.5 $/h": ("2.5", "USD/hour"),
    "0.35 USD/GPU-hour": ("0.35", "USD/hour/device"),
    "3 GPU-hour": ("3", "device*hour"),
    "0.5 USD/Mtoken": ("0.5", "USD/Mtoken"),
    "USD 0.5/Mtoken": ("0.5", "USD/Mtoken"),
    "$0.5/1M tokens": ("0.5", "USD/Mtoken"),
    "$0.5 per million tokens": ("0.5", "USD/Mtoken"),
    "5 USD/1,000 tokens": ("0.005", "USD/token"),
    "5 美元/百万 token": ("5", "USD/Mtoken"),
    "每百万 token 5 美元": ("5", "USD/Mtoken"),
    "每百万 token 16 元": ("16", "CNY/Mtoken"),
    "160 元/小时": ("160", "CNY/hour"),
    "0.7 EUR/Mtoken": ("0.7", "EUR/Mtoken"),
    "每 1000 token 5 美元": ("0.005", "USD/token"),
    "700 W/GPU": ("700", "W/device"),
    "1.2 kWh": ("4320000", "J"),
    # pure numbers and numbers in other dress
    "40%": ("0.4", ""),
    "0.4 %": ("0.004", ""),
    "1/2 GB": ("0.5", "GB"),
    "68,900,104/8,981,153 FLOP/byte": ("68900104/8981153", "FLOP/byte"),
    "1.979e3 TFLOP/s": ("1979", "TFLOP/s"),
    "1.5 x 10^3 GB": ("1500", "GB"),
    "1.5×10³ GB": ("1500", "GB"),
    "-5 GB": ("-5", "GB"),
    "−5 GB": ("-5", "GB"),
    ".5 GB": ("0.5", "GB"),
    "012 GB": ("12", "GB"),
    "３．３５ ＴＢ/ｓ": ("3.35", "TB/s"),
    "８０ ＧＢ": ("80", "GB"),
    "3 ㎇": ("3", "GB"),
    "3\u00a0GB": ("3", "GB"),
    "3\u3000GB": ("3", "GB"),
}


@pytest.mark.parametrize("text", READS)
def test_reads(text: str) -> None:
    value, contract = READS[text]
    found, wanted = read_quantity(text), unit(contract)
    assert found.dimension == wanted.dimension
    assert found.to(wanted) == Quantity(Fraction(value), wanted)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.979e3", "1979"),
        ("1,234", "1234"),
        ("8", "8"),
        ("0.40", "0.4"),
        ("1/3", "1/3"),
        ("二", "2"),
        ("3.35 万亿", "3350000000000"),
        ("70 billion", "70000000000"),
        ("-2", "-2"),
        ("１２８", "128"),
    ],
)
def test_a_bare_number_has_no_unit(text: str, value: str) -> None:
    assert read(text).unit is None
    assert read(text).value == Fraction(value)


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("十", 10),
        ("十二", 12),
        ("二十", 20),
        ("三百二十一", 321),
        ("一百零二", 102),
        ("两千", 2000),
        ("九", 9),
        ("七千零五十", 7050),
    ],
)
def test_chinese_numerals(numeral: str, value: int) -> None:
    assert read(f"{numeral} 个请求").value == value


@pytest.mark.parametrize("numeral", ["一百二", "二三", "百百", "千十千", "零百"])
def test_numerals_of_speech_are_refused(numeral: str) -> None:
    from derive.units.numerals import chinese

    assert chinese(numeral) is None


def test_the_printed_unit_is_kept() -> None:
    """The unit stays the writer's: a half unit of the last digit must keep its meaning."""
    assert read("$0.5/1M tokens").unit == unit("USD/Mtoken")
    assert read("3.35 TB/s/GPU").unit == unit("TB/s/device")
    assert read("81,559 MiB").unit == unit("MiB")


@pytest.mark.parametrize("name", ["GB", "Gb", "GiB", "Gib", "MB", "Mb", "MiB", "kB", "KB", "KiB"])
def test_bits_and_bytes_decimal_and_binary_stay_apart(name: str) -> None:
    decimal, binary = {"G": (10**9, 2**30), "M": (10**6, 2**20)}.get(name[0], (10**3, 2**10))
    size = binary if "i" in name else decimal
    assert read_quantity(f"8 {name}").base == (8 * size if name.endswith("B") else size)


def test_every_spelling_reads_as_what_the_table_says() -> None:
    from derive.units.names import spellings

    for word, (symbol, hidden_time) in spellings().items():
        found = read_quantity(f"3 {word}")
        per_second = unit("1/s") if hidden_time else unit("")
        assert found.base == 3 * unit(symbol).factor, word
        assert found.dimension == unit(symbol).dimension * per_second.dimension, word
