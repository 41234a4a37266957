"""What a figure is a figure of: by what it measures, and by the words nearest to it. Data first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from derive.text import Text
from derive.units import Dimension, unit


@dataclass(frozen=True)
class Role:
    """A role: its name, the symbol of the notation that it gives a value to, words that tell it."""

    name: Text
    symbol: str = ""
    nouns: tuple[str, ...] = ()


ROLES: dict[str, Role] = {
    "peak_rate": Role(Text("peak compute", "峰值算力"), "P_peak", ("compute",)),
    "achieved_rate": Role(Text("achieved compute", "实际算力")),
    "achieved_bandwidth": Role(Text("achieved bandwidth", "实际带宽")),
    "work": Role(Text("amount of work", "运算量"), "", ("work", "flop")),
    "token_work": Role(Text("operations per token", "每 token 运算量"), "F_tok"),
    "memory_bandwidth": Role(Text("memory bandwidth", "显存带宽"), "B_peak", ("memory_bandwidth",)),
    "link": Role(Text("interconnect bandwidth", "互联带宽"), "B_link", ("link",)),
    "network": Role(Text("network bandwidth", "网络带宽"), "", ("network",)),
    "bus_bandwidth": Role(Text("all-reduce bus bandwidth", "all-reduce 总线带宽"), "", ("bus_bandwidth",)),
    "bisection": Role(Text("bisection bandwidth", "对分带宽"), "", ("bisection",)),
    "host": Role(Text("link to the host", "主机互联"), "", ("host",)),
    "cache": Role(Text("another memory than the device's", "设备显存以外的存储"), "", ("cache",)),
    "pin_rate": Role(Text("rate of one pin", "单引脚速率"), "", ("pin",)),
    "data_rate": Role(Text("data rate", "数据速率")),
    "bus_width": Role(Text("bus width", "位宽"), "", ("bus_width",)),
    "memory": Role(Text("device memory", "显存容量"), "M_dev", ("memory",)),
    "weights": Role(Text("weight bytes", "权重字节数"), "W", ("weights",)),
    "kv_k": Role(Text("K cache", "K 缓存"), "", ("kv_k",)),
    "kv_v": Role(Text("V cache", "V 缓存"), "", ("kv_v",)),
    "kv": Role(Text("KV cache", "KV cache"), "KV_total", ("kv",)),
    "bytes": Role(Text("bytes", "字节数")),
    "kappa": Role(Text("KV-cache bytes per token", "每 token 的 KV cache 字节数"), "kappa"),
    "per_parameter": Role(Text("bytes per parameter", "每参数字节数"), "w"),
    "ttft": Role(Text("time to first token", "首 token 延迟"), "TTFT_meas", ("ttft",)),
    "tpot": Role(Text("time per output token", "每 token 时间"), "TPOT_meas", ("tpot",)),
    "itl": Role(Text("inter-token latency", "token 间延迟"), "", ("itl",)),
    "e2e": Role(Text("time of a whole request", "整个请求的时间"), "", ("e2e",)),
    "latency": Role(Text("latency", "延迟"), "", ("latency",)),
    "time": Role(Text("time", "时间")),
    "speed": Role(Text("token rate", "token 速率"), "X_meas", ("speed", "throughput")),
    "request_rate": Role(Text("request rate", "请求速率"), "", ("qps",)),
    "parameters": Role(Text("parameters", "参数量"), "N", ("parameters",)),
    "active": Role(Text("active parameters", "激活参数量"), "N_act", ("active",)),
    "mfu": Role(Text("MFU", "MFU"), "MFU_meas", ("mfu",)),
    "mbu": Role(Text("MBU", "MBU"), "MBU_meas", ("mbu",)),
    "share": Role(Text("share", "占比")),
    "ratio": Role(Text("ratio", "倍数")),
    "prompt": Role(Text("input length", "输入长度"), "T_in"),
    "output": Role(Text("output length", "输出长度"), "T_out"),
    "context": Role(Text("context", "上下文长度"), "T", ("context",)),
    "tokens": Role(Text("tokens", "token 数")),
    "batch": Role(Text("batch", "批大小"), "b", ("batch",)),
    "concurrency": Role(Text("requests in flight", "在途请求数"), "b", ("concurrency",)),
    "devices": Role(Text("devices", "设备数"), "g", ("device",)),
    "tp": Role(Text("tensor parallelism", "张量并行度"), "", ("tp",)),
    "price": Role(Text("price per time", "单位时间价格")),
    "device_price": Role(Text("price of a device per time", "单设备单位时间价格")),
    "token_cost": Role(Text("price per token", "每 token 价格")),
    "money": Role(Text("amount of money", "金额")),
    "power": Role(Text("power", "功率"), "TDP", ("power",)),
    "energy": Role(Text("energy", "能量")),
    "token_energy": Role(Text("energy per token", "每 token 能耗")),
    "ridge": Role(Text("ridge point", "脊点"), "I_ridge", ("ridge",)),
    "intensity": Role(Text("arithmetic intensity", "算术强度"), "", ("intensity",)),
    "shape": Role(Text("size of a matrix product", "矩阵乘的尺寸")),
    "rejected": Role(Text("what the text rejects", "文中否定的数字")),
    "number": Role(Text("number", "数")),
}  # fmt: skip

# what is measured -> the roles it can have, the first where no word decides
BY_UNIT: dict[str, tuple[str, ...]] = {
    "FLOP/s": ("peak_rate",),
    "byte/s": ("data_rate", "bisection", "bus_bandwidth", "link", "network", "host", "cache", "pin_rate", "memory_bandwidth"),
    "byte": ("bytes", "kv_k", "kv_v", "kv", "weights", "memory", "cache", "bus_width"),
    "byte/request": ("kv",),
    "byte/token": ("kappa",),
    "byte/param": ("per_parameter",),
    "token/s": ("speed",),
    "token/s/request": ("speed",),
    "request/s": ("request_rate",),
    "s": ("time", "ttft", "tpot", "itl", "e2e", "latency"),
    "s/token": ("tpot", "itl"),
    "s*request/token": ("tpot",),
    "param": ("parameters", "active"),
    "token": ("tokens", "context"),
    "token/request": ("context",),
    "request": ("concurrency", "batch"),
    "device": ("devices",),
    "FLOP": ("work",),
    "FLOP/token": ("token_work",),
    "W": ("power",),
    "USD/s/device": ("device_price",),
    "USD/s": ("price",),
    "USD/token": ("token_cost",),
    "USD": ("money",),
    "CNY/s/device": ("device_price",), "CNY/s": ("price",), "CNY/token": ("token_cost",), "CNY": ("money",),
    "EUR/s/device": ("device_price",), "EUR/s": ("price",), "EUR/token": ("token_cost",), "EUR": ("money",),
    "J": ("energy",),
    "J/token": ("token_energy",),
    "FLOP/byte": ("intensity", "ridge"),
    "": ("number", "mfu", "mbu", "batch", "concurrency", "tp", "context", "devices", "ridge"),
}  # fmt: skip


def possible(dimension: Dimension) -> tuple[str, ...]:
    """The roles of a dimension; a rate or an amount per device reads as the whole."""
    of_device = dimension * unit("device").dimension
    for text, roles in BY_UNIT.items():
        if unit(text).dimension in ((dimension, of_device) if dimension.powers else (dimension,)):
            return roles
    return ()


WAYS: dict[tuple[str, ...], str] = {("input",): "prompt", ("output",): "output"}
# (role by the unit alone, what the claim names) -> the role where no word decides
DEFAULTS: dict[tuple[str, ...], str] = {
    ("bytes", "model"): "weights", ("bytes", "hardware"): "memory",
    ("data_rate", "hardware"): "memory_bandwidth", ("data_rate", "model"): "memory_bandwidth",
}  # fmt: skip


def role_of(dimension: Dimension, nouns: Sequence[str], conditions: Mapping[str, tuple[str, ...]],
            about: Collection[str], *, percent: bool) -> str:  # fmt: skip
    """The role by the dimension and the nouns, nearest first; "" for what nothing is known of.

    `about` holds "model" or "hardware" where the claim names one.
    """
    choices = possible(dimension)
    if not choices:
        return ""
    told = [r for noun in nouns for r in choices if noun in ROLES[r].nouns]
    chosen = next(iter(told), choices[0])
    if percent:
        return chosen if chosen in ("mfu", "mbu") else "share"
    if chosen == "peak_rate":
        work = "work" in nouns
        return (
            "achieved_rate" if "achieved" in conditions.get("calibre", ()) and not work else chosen
        )
    if chosen == "tokens":
        way = conditions.get("tokens", ())
        return WAYS.get(way, chosen)
    if not told and "bandwidth" in nouns and "memory_bandwidth" in choices:
        return "memory_bandwidth"  # a bandwidth of nothing else is that of the memory
    if not told:
        named = next((w for w in ("model", "hardware") if w in about), "")
        return DEFAULTS.get((chosen, named), chosen)
    if chosen == "memory" and "model" in about and "hardware" not in about:
        return "weights"  # the memory that a model needs
    return chosen
