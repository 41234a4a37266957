"""Ties between the figures of one claim: each is one declaration, checked under every reading."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from derive.audit.consistency.check import check
from derive.audit.consistency.law import Form, Law
from derive.audit.rule import rule
from derive.text import Text

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Finding

TIMES = ("time", "latency", "e2e")
FLIGHT = ("concurrency", "batch")
PER_REQUEST = Text("the rate of one request", "单个请求的速率")
ALL = Text("the sum over all requests in flight", "全部在途请求之和")
BOTH = Text("input tokens are counted as well", "把输入 token 也算在内")

LAWS = (
    Law(
        "CONS010", "tokens",
        (
            Form("speed * time", without=("prompt",)),
            Form("speed * time / flight", ALL, without=("prompt",), bars=(("user", "one"),)),
            Form("speed * time * flight", PER_REQUEST, without=("prompt",), bars=(("user", "all"),)),
        ),
        {"tokens": ("tokens", "output"), "speed": ("speed",), "time": TIMES, "flight": FLIGHT, "prompt": ("prompt", "ttft")},
        ("tokens = token rate × time", "token 数 = token 速率 × 时间"),
        ("A token rate times a time is a number of tokens. With requests in flight the rate may be that of one "
         "request or of all of them.",
         "token 速率乘以时间就是 token 数。有多个在途请求时，速率可能指单个请求，也可能指全部请求之和。"),
        "At 50 token/s it generates 1,000 tokens in 2 s.",
        "At 50 token/s it generates 1,000 tokens in 20 s.",
        ("以 50 token/s 的速度，2 秒生成 1,000 个 token。", "以 50 token/s 的速度，20 秒生成 1,000 个 token。"),
    ),
    Law(
        "CONS011", "speed",
        (
            Form("output / time", without=("ttft",), bars=(("tokens", "both"),)),
            Form("output / time", Text("only generated tokens are counted", "只计生成的 token"), plain=False,
                 without=("ttft",), needs=(("tokens", "both"),)),
            Form("(prompt + output) / time", BOTH, plain=False, without=("ttft",)),
        ),
        {"speed": ("speed",), "prompt": ("prompt",), "output": ("output",), "time": TIMES, "ttft": ("ttft", "concurrency", "batch")},
        ("token rate = generated tokens / time", "token 速率 = 生成的 token 数 / 时间"),
        ("A token rate counts generated tokens. Where the input tokens are counted as well the number cannot be "
         "compared with a decode rate: with long prompts it grows although decoding slows down.",
         "token 速率只计生成的 token。若把输入 token 也算进去，就不能与 decode 速率比较：输入越长数字越大，而 decode 反而变慢。"),
        "6,144 input tokens and 2,048 output tokens in 100 s are 400 token/s.",
        "6,144 input tokens and 2,048 output tokens in 100 s are 20.5 token/s.",
        ("输入 6,144 token、输出 2,048 token，用时 100 s，即 400 token/s。", "输入 6,144 token、输出 2,048 token，用时 100 s，即 20.5 token/s。"),
    ),
    Law(
        "CONS012", "speed",
        (
            Form("flight / tpot", ALL, bars=(("user", "one"),)),
            Form("1 / tpot", PER_REQUEST, plain=False, bars=(("user", "all"),)),
        ),
        {"speed": ("speed",), "flight": FLIGHT, "tpot": ("tpot", "itl")},
        ("throughput = requests in flight / TPOT", "吞吐 = 在途请求数 / TPOT"),
        ("Each request in flight yields one token every TPOT, so the sum over all of them is their number over "
         "TPOT. The reciprocal of a total is no TPOT.",
         "每个在途请求每隔一个 TPOT 产出一个 token，因此总吞吐等于在途请求数除以 TPOT。总吞吐的倒数不是 TPOT。"),
        "529 token/s in total with 57 requests in flight means a TPOT of 1.9 ms.",
        "529 token/s in total with 57 requests in flight means a TPOT of 108 ms.",
        ("总吞吐 529 token/s、57 个在途请求，TPOT 为 1.9 ms。", "总吞吐 529 token/s、57 个在途请求，TPOT 为 108 ms。"),
        must=("flight",), silent=("speculative",),
    ),
    Law(
        "CONS013", "speed",
        (
            Form("1 / tpot", PER_REQUEST, without=("flight",), bars=(("user", "all"),)),
            Form("1 / tpot", ALL, plain=False, without=("flight",), bars=(("user", "one"),), times=True),
        ),
        {"speed": ("speed",), "tpot": ("tpot", "itl"), "flight": FLIGHT},
        ("rate of one request = 1 / TPOT", "单请求速率 = 1 / TPOT"),
        ("The rate of one request is the reciprocal of its TPOT; a larger rate can only be the sum over several "
         "requests.",
         "单请求速率是其 TPOT 的倒数；更高的速率只能是多个请求之和。"),
        "A TPOT of 40 ms is 2.5 token/s per user.",
        "A TPOT of 40 ms is 25 token/s per user.",
        ("TPOT 40 ms，即单用户 2.5 token/s。", "TPOT 40 ms，即单用户 25 token/s。"),
        silent=("speculative",),
    ),
    Law(
        "CONS026", "speed",
        (
            Form("requests * output", bars=(("tokens", "both"),)),
            Form("requests * (prompt + output)", BOTH, plain=False),
        ),
        {"speed": ("speed",), "requests": ("request_rate",), "output": ("output", "tokens"), "prompt": ("prompt",)},
        ("token rate = request rate × tokens of a request", "token 速率 = 请求速率 × 每请求 token 数"),
        ("Requests a second times the tokens that each of them generates are the tokens a second of all together.",
         "每秒请求数乘以每个请求生成的 token 数，就是全部请求合计的每秒 token 数。"),
        "500 requests per second with 200 output tokens each are 10,000 tokens/s.",
        "500 requests per second with 200 output tokens each are 100,000 tokens/s.",
        ("每秒 500 个请求，每个请求输出 200 token，合计 10,000 token/s。", "每秒 500 个请求，每个请求输出 200 token，合计 100,000 token/s。"),
        unlike=(("user", "one"),),
    ),
    Law(
        "CONS027", "flight",
        (Form("requests * latency"),),
        {"flight": FLIGHT, "requests": ("request_rate",), "latency": ("e2e", "latency")},
        ("requests in flight = request rate × latency", "在途请求数 = 请求速率 × 延迟"),
        ("Little's law: as many requests are in flight on average as come in during the time of one.",
         "Little 定律：平均在途请求数等于单个请求耗时内到达的请求数。"),
        "At 20 requests per second and an end-to-end latency of 5 s, 10 requests are in flight.",
        "At 20 requests per second and an end-to-end latency of 5 s, 100 requests are in flight.",
        ("每秒 20 个请求、端到端延迟 5 s，在途请求 10 个。", "每秒 20 个请求、端到端延迟 5 s，在途请求 100 个。"),
        bound=">=",  # more may be admitted than are there
    ),
    Law(
        "CONS014", "bandwidth",
        (Form("width / one_bit * pin"),),
        {"bandwidth": ("memory_bandwidth", "data_rate"), "width": ("bus_width",), "pin": ("pin_rate",)},
        ("bandwidth = bus width × rate of one pin", "带宽 = 位宽 × 单引脚速率"),
        ("A bus moves one bit per pin and transfer: its width in bits times the rate of one pin, over 8 for bytes.",
         "总线每个引脚每次传 1 bit：位宽乘以单引脚速率，再除以 8 得到字节。"),
        "A 256-bit bus at 10 Gb/s per pin gives 32 GB/s.",
        "A 256-bit bus at 10 Gb/s per pin gives 320 GB/s.",
        ("256 位总线、每引脚 10 Gb/s，带宽为 32 GB/s。", "256 位总线、每引脚 10 Gb/s，带宽为 320 GB/s。"),
    ),
    Law(
        "CONS015", "kappa",
        (
            Form("kv / tokens"),
            Form("kv / (flight * tokens)", Text("each request in flight has that many tokens", "每个在途请求各有这么多 token")),
        ),
        {"kappa": ("kappa",), "kv": ("kv", "bytes", "memory"), "tokens": ("tokens", "context", "prompt", "output"), "flight": FLIGHT},
        ("bytes of the KV cache = tokens × bytes per token", "KV cache 字节数 = token 数 × 每 token 字节数"),
        ("Bytes per token times the tokens held are the bytes of the cache; the usual slip is KB for bytes.",
         "每 token 字节数乘以所存 token 数就是 KV cache 的字节数；常见错误是把 KB 当成字节。"),
        "150,000 tokens of KV cache in 7.7 GiB are 56 bytes per token.",
        "150,000 tokens of KV cache in 7.7 GiB are 55.1 kB per token.",
        ("150,000 token 的 KV cache 占 7.7 GiB，每 token 56 字节。", "150,000 token 的 KV cache 占 7.7 GiB，每 token 55.1 kB。"),
    ),
    Law(
        "CONS016", "bytes",
        (
            Form("parameters * each"),
            Form("parameters * w", without=("each",), bars=(("precision", "fp4"), ("precision", "int4"))),
        ),
        {"bytes": ("weights", "bytes"), "parameters": ("parameters",), "each": ("per_parameter",)},
        ("weight bytes = parameters × bytes per parameter", "权重字节数 = 参数量 × 每参数字节数"),
        ("Every parameter is stored once. Formats of 4 bits are left out: their scales add a share that differs.",
         "每个参数存一份。4 bit 格式不在此列：其缩放因子占用的比例各不相同。"),
        "A model with 7 billion parameters at 2 bytes per parameter has 140 GB of weights.",
        "A model with 7 billion parameters at 2 bytes per parameter has 14 GB of weights.",
        ("70 亿参数的模型，每参数 2 字节，权重 140 GB。", "70 亿参数的模型，每参数 2 字节，权重 14 GB。"),
        bare=True,
    ),
    Law(
        "CONS017", "kv",
        (Form("k + v"),),
        {"kv": ("kv", "bytes", "memory"), "k": ("kv_k",), "v": ("kv_v",)},
        ("KV cache = K + V", "KV cache = K + V"),
        ("The cache is the K part and the V part together; engines that log both mean two separate amounts.",
         "KV cache 是 K 与 V 两部分之和；分别打印二者的引擎指的是两份独立的显存。"),
        "K size 8.23 GB, V size 8.23 GB, KV cache 8.23 GB in total.",
        "K size 8.23 GB, V size 8.23 GB, KV cache 16.46 GB in total.",
        ("K 大小 8.23 GB，V 大小 8.23 GB，KV cache 共 8.23 GB。", "K 大小 8.23 GB，V 大小 8.23 GB，KV cache 共 16.46 GB。"),
    ),
    Law(
        "CONS018", "e2e",
        (
            Form("ttft + (tokens - one_token) * tpot"),
            Form("ttft + tokens * tpot", Text("the output length counts the tokens after the first", "输出长度只计首个之后的 token"), plain=False),
        ),
        {"e2e": TIMES, "ttft": ("ttft",), "tokens": ("output", "tokens"), "tpot": ("tpot", "itl")},
        ("whole request = TTFT + (output − 1) × TPOT", "整个请求时间 = TTFT +（输出 − 1）× TPOT"),
        ("The first token comes with TTFT, each further one after a TPOT.",
         "首个 token 随 TTFT 给出，其后每个 token 各花一个 TPOT。"),
        "With a TTFT of 200 ms and a TPOT of 20 ms a request of 101 output tokens takes 20.2 s end to end.",
        "With a TTFT of 200 ms and a TPOT of 20 ms a request of 101 output tokens takes 2.2 s end to end.",
        ("TTFT 200 ms、TPOT 20 ms，输出 101 token 的请求端到端 20.2 s。", "TTFT 200 ms、TPOT 20 ms，输出 101 token 的请求端到端 2.2 s。"),
    ),
    Law(
        "CONS019", "tpot",
        (
            Form("itl", without=()),
            Form("(ttft + (tokens - one_token) * itl) / tokens",
                 Text("whole request time, TTFT included, over all output tokens", "整个请求的时间（含 TTFT）除以全部输出 token"), plain=False),
        ),
        {"tpot": ("tpot",), "itl": ("itl",), "ttft": ("ttft",), "tokens": ("output", "tokens")},
        ("TPOT and inter-token latency", "TPOT 与 token 间延迟"),
        ("TPOT is the time after the first token over the tokens after it, which is the mean inter-token latency. "
         "Some tools divide the whole request time by all tokens under the same name.",
         "TPOT 是首 token 之后的时间除以其后的 token 数，也就是平均 token 间延迟。有的工具把整个请求时间除以全部 token 也叫 TPOT。"),
        "TTFT 1,000 ms, 100 output tokens with an ITL of 10 ms: a TPOT of 19.9 ms.",
        "TTFT 1,000 ms, 100 output tokens with an ITL of 10 ms: a TPOT of 10 ms.",
        ("TTFT 1,000 ms，输出 100 token，ITL 10 ms：TPOT 为 19.9 ms。", "TTFT 1,000 ms，输出 100 token，ITL 10 ms：TPOT 为 10 ms。"),
    ),
    Law(
        "CONS020", "tpot",
        (
            Form("(e2e - ttft) / (tokens - one_token)"),
            Form("e2e / tokens", Text("whole request time, TTFT included, over all output tokens", "整个请求的时间（含 TTFT）除以全部输出 token"), plain=False),
        ),
        {"tpot": ("tpot",), "e2e": TIMES, "ttft": ("ttft",), "tokens": ("output", "tokens")},
        ("TPOT = (whole request − TTFT) / (output − 1)", "TPOT =（整个请求时间 − TTFT）/（输出 − 1）"),
        ("The definition of TPOT; dividing the whole request time by all tokens is another quantity.",
         "TPOT 的定义；用整个请求时间除以全部 token 得到的是另一个量。"),
        "TTFT 2 s, total latency 12 s, 101 output tokens: TPOT 10 ms.",
        "TTFT 2 s, total latency 12 s, 101 output tokens: TPOT 100 ms.",
        ("TTFT 2 s，总延迟 12 s，输出 101 token：TPOT 10 ms。", "TTFT 2 s，总延迟 12 s，输出 101 token：TPOT 100 ms。"),
        silent=("speculative",),
    ),
    Law(
        "CONS021", "ridge",
        (Form("compute / bandwidth"),),
        {"ridge": ("ridge",), "compute": ("peak_rate",), "bandwidth": ("memory_bandwidth", "data_rate")},
        ("ridge point = peak compute / bandwidth", "脊点 = 峰值算力 / 带宽"),
        ("Where both roofs meet; its unit is FLOP/byte.", "两条屋顶的交点，单位 FLOP/byte。"),
        "312 TFLOP/s and 2,039 GB/s put the ridge at 15.3 FLOP/byte.",
        "312 TFLOP/s and 2,039 GB/s put the ridge at 153 FLOP/byte.",
        ("312 TFLOP/s 与 2,039 GB/s 对应的脊点为 15.3 FLOP/byte。", "312 TFLOP/s 与 2,039 GB/s 对应的脊点为 153 FLOP/byte。"),
    ),
    Law(
        "CONS022", "work",
        (Form("rate * time"),),
        {"work": ("work",), "rate": ("peak_rate", "achieved_rate"), "time": TIMES},
        ("operations = compute rate × time", "运算量 = 算力 × 时间"),
        ("A rate times a time is an amount; at a peak rate no more than that can be done.",
         "算力乘以时间等于运算量；按峰值算力只会更少，不会更多。"),
        "At 400 TFLOP/s a run of 10 s does 40 PFLOP of work.",
        "At 400 TFLOP/s a run of 10 s does 4 PFLOP of work.",
        ("以 400 TFLOP/s 运行 10 s，总运算量 40 PFLOP。", "以 400 TFLOP/s 运行 10 s，总运算量 4 PFLOP。"),
        bound="<=",
    ),
    Law(
        "CONS023", "bytes",
        (Form("rate * time"),),
        {"bytes": ("bytes", "weights", "kv"), "rate": ("memory_bandwidth", "data_rate", "link", "network", "host", "cache"), "time": (*TIMES, "tpot")},
        ("bytes = data rate × time", "字节数 = 带宽 × 时间"),
        ("A data rate times a time is an amount of data; at a peak rate no more than that is moved.",
         "带宽乘以时间等于数据量；按峰值带宽只会更少，不会更多。"),
        "At 50 GB/s a transfer of 5,000 GB takes 10 s.",
        "At 50 GB/s a transfer of 500 GB takes 10 s.",
        ("以 50 GB/s 传输 5,000 GB 需要 10 s。", "以 50 GB/s 传输 500 GB 需要 10 s。"),
        bound="<=", bare=True,
    ),
    Law(
        "CONS035", "cost",
        (
            Form("each * devices / speed"),
            Form("each / speed", without=("devices",)),
            Form("price / speed", Text("the price is that of all devices", "价格为全部设备合计")),
            Form("price * devices / speed", Text("the price is that of each device", "价格为单个设备的价格")),
        ),
        {"cost": ("token_cost",), "price": ("price",), "each": ("device_price",), "speed": ("speed",), "devices": ("devices",)},
        ("price per token = price per time / token rate", "每 token 价格 = 单位时间价格 / token 速率"),
        ("What an hour costs over the tokens that are made in it. Where several devices are named the price may be that "
         "of each or of all of them.",
         "每小时的价格除以这一小时产出的 token 数。写有多个设备时，价格可指单个设备，也可指全部设备合计。"),
        "At $2.50 per hour and 1,000 token/s, tokens cost $0.25 per million tokens.",
        "At $2.50 per hour and 1,000 token/s, tokens cost $0.69 per million tokens.",
        ("每小时 2.5 美元，每秒 1000 token，每百万 token 0.25 美元。", "每小时 2.5 美元，每秒 1000 token，每百万 token 0.69 美元。"),
    ),
    Law(
        "CONS040", "energy",
        (
            Form("power / speed"),
            Form("power * devices / speed", Text("the power is that of each device", "功率为单个设备的功率")),
        ),
        {"energy": ("token_energy",), "power": ("power",), "speed": ("speed",), "devices": ("devices",)},
        ("energy per token = power / token rate", "每 token 能耗 = 功率 / token 速率"),
        ("Watts over tokens a second are joules per token. Where several devices are named the power may be that of each "
         "or of all of them.",
         "功率（W）除以每秒 token 数就是每 token 的能耗（J）。写有多个设备时，功率可指单个设备，也可指全部设备合计。"),
        "At 700 W and 1,000 token/s the energy is 7 J per token.",
        "At 700 W and 1,000 token/s the energy is 0.7 J per token.",
        ("功耗 700 W、吞吐 1,000 token/s，每 token 能耗 7 J。", "功耗 700 W、吞吐 1,000 token/s，每 token 能耗 0.7 J。"),
        unlike=(("user", "one"),),
    ),
    Law(
        "CONS041", "energy",
        (
            Form("power * time"),
            Form("power * devices * time", Text("the power is that of each device", "功率为单个设备的功率")),
        ),
        {"energy": ("energy",), "power": ("power",), "time": TIMES, "devices": ("devices",)},
        ("energy = power × time", "能量 = 功率 × 时间"),
        ("A power over a time is an energy: a kilowatt for an hour is a kilowatt-hour, 3.6 MJ.",
         "功率乘以时间等于能量：1 千瓦用 1 小时是 1 千瓦时（1 度），即 3.6 MJ。"),
        "700 W for 10 hours are 70 kWh.",
        "700 W for 10 hours are 7 kWh.",
        ("功耗 700 W，跑 10 小时耗电 70 度。", "功耗 700 W，跑 10 小时耗电 7 度。"),
        bound="<=",
    ),
    Law(
        "CONS042", "money",
        (
            Form("price * time"),
            Form("price * devices * time", Text("the price is that of each device", "价格为单个设备的价格")),
            Form("each * devices * time"),
            Form("each * time", without=("devices",)),
        ),
        {"money": ("money",), "price": ("price",), "each": ("device_price",), "time": TIMES, "devices": ("devices",)},
        ("cost = price per time × time", "费用 = 单位时间价格 × 时间"),
        ("What a device costs an hour, times the hours. Where several devices are named the price may be that of each or "
         "of all of them.",
         "每小时价格乘以小时数。写有多个设备时，价格可指单个设备，也可指全部设备合计。"),
        "At $2.50 per hour 100 hours cost $2,500.",
        "At $2.50 per hour 100 hours cost $250.",
        ("每小时 2.5 美元，跑 100 小时要 2500 美元。", "每小时 2.5 美元，跑 100 小时要 250 美元。"),
    ),
    Law(
        "CONS047", "price",
        (Form("each * devices"),),
        {"price": ("price",), "each": ("device_price",), "devices": ("devices",)},
        ("price of all devices = devices × price of each", "全部设备的价格 = 设备数 × 单设备价格"),
        ("What all devices cost an hour or a day is what one of them costs, times their number.",
         "全部设备每小时（每天）的价格等于单设备价格乘以设备数。"),
        "At $2.50 per GPU-hour 8 GPUs cost $28 per hour.",
        "At $2.50 per GPU-hour 8 GPUs cost $20 per hour.",
        ("每卡每小时 2.50 美元，8 张卡每小时 28 美元。", "每卡每小时 2.50 美元，8 张卡每小时 20 美元。"),
        must=("devices",),
    ),
    Law(
        "CONS043", "money",
        (Form("cost * speed * time"),),
        {"money": ("money",), "cost": ("token_cost",), "speed": ("speed",), "time": TIMES},
        ("money = price per token × token rate × time", "金额 = 每 token 价格 × token 速率 × 时间"),
        ("What the tokens of a time cost, or bring in.", "一段时间内产出的 token 的费用或收入。"),
        "At $2 per million tokens and 1,000 token/s a run of 10 hours brings in $720.",
        "At $2 per million tokens and 1,000 token/s a run of 10 hours brings in $72.",
        ("每百万 token 2 元、每秒 1000 token，10 小时收入 720 元。", "每百万 token 2 元、每秒 1000 token，10 小时收入 72 元。"),
        bound="<=",
    ),
    Law(
        "CONS024", "mfu",
        (Form("achieved / peak"),),
        {"mfu": ("mfu",), "achieved": ("achieved_rate",), "peak": ("peak_rate",)},
        ("MFU = achieved compute / peak compute", "MFU = 实际算力 / 峰值算力"),
        ("Both at the same precision and for the same devices.", "二者须为同一精度、同样的设备。"),
        "450 TFLOP/s achieved, of a peak of 989 TFLOP/s, is an MFU of 91 %.",
        "450 TFLOP/s achieved, of a peak of 989 TFLOP/s, is an MFU of 46 %.",
        ("实际算力 450 TFLOP/s，峰值 989 TFLOP/s，MFU 为 91 %。", "实际算力 450 TFLOP/s，峰值 989 TFLOP/s，MFU 为 46 %。"),
        bare=True,
    ),
)  # fmt: skip


def declare(law: Law) -> None:
    """One rule a law."""

    def holds(law: Law, claim: Claim, _: Library) -> Iterable[Finding]:
        return check(law, claim)

    rule(law.id, name=law.name, page=law.page, fires=law.fires, quiet=law.quiet,
         chinese=law.chinese)(partial(holds, law))  # fmt: skip


for _law in LAWS:
    declare(_law)
