"""What can be measured: every figure that a reader may yield, with unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass

from derive.text import Text
from derive.units import Unit, unit


@dataclass(frozen=True)
class Measurable:
    """One kind of figure. Where the formulas know it, its id is theirs."""

    id: str
    unit: Unit
    meaning: Text


DECLARED = (
    # times a user feels
    ("TTFT_meas", "s", "time to first token", "首 token 时延"),
    ("TPOT_meas", "s*request/token", "time per output token of a request, its first token left out",
     "单请求每输出 token 时间，不含首 token"),
    ("ITL_meas", "s", "gap between stream events, pooled over all requests",
     "流式事件的间隔，所有请求合并统计"),
    ("TPOT_all", "s*request/token", "whole request over its output tokens, the first included",
     "整个请求时间除以输出 token 数，含首 token"),
    ("E2E_meas", "s", "end-to-end time of a request", "单请求端到端时间"),
    ("t_step_meas", "s", "one decode step", "一步 decode 的时间"),
    ("t_prefill_meas", "s", "one prefill pass", "一次 prefill 的时间"),
    ("duration", "s", "duration of the run", "测试时长"),
    # rates
    ("X_meas", "token/s", "output tokens per second of the whole system",
     "全系统每秒输出 token 数"),
    ("X_all", "token/s", "input and output tokens per second of the whole system",
     "全系统每秒输入与输出 token 数之和"),
    ("X_in", "token/s", "prompt tokens per second of the whole system", "全系统每秒输入 token 数"),
    ("R_meas", "token/s/request", "output tokens per second of one request, prefill left out",
     "单请求每秒输出 token 数，不含 prefill"),
    ("R_all", "token/s/request", "output tokens per second of one request, prefill included",
     "单请求每秒输出 token 数，含 prefill"),
    ("rate", "request/s", "completed requests per second", "每秒完成的请求数"),
    # the load
    ("b_meas", "request", "mean number of requests in flight", "平均在途请求数"),
    ("b_asked", "request", "largest number of requests in flight that was allowed",
     "允许的最大在途请求数"),
    ("T_in_meas", "token/request", "mean input length", "平均输入长度"),
    ("T_out_meas", "token/request", "mean output length", "平均输出长度"),
    ("requests", "request", "completed requests", "完成的请求数"),
    ("failed", "request", "failed requests", "失败的请求数"),
    ("waiting", "request", "requests waiting for a place in the batch", "排队等待的请求数"),
    ("tokens_in", "token", "input tokens of the run", "测试的输入 token 总数"),
    ("tokens_out", "token", "output tokens of the run", "测试的输出 token 总数"),
    ("tokens_all", "token", "input and output tokens of the run", "测试的输入与输出 token 总数"),
    ("T_depth", "token/request", "tokens in the KV cache before the test begins",
     "测试开始前 KV cache 中已有的 token 数"),
    # what changes the denominator
    ("accepted", "token/request", "tokens per decode step of a request, the bonus token counted",
     "单请求每步得到的 token 数，含额外的一个"),
    ("acceptance", "", "share of draft tokens that were accepted", "草稿 token 的接受率"),
    ("T_hit", "token/request", "prompt tokens of a request found in the prefix cache",
     "单请求命中前缀缓存的输入 token 数"),
    ("hit", "", "share of prompt tokens found in the prefix cache", "前缀缓存命中率"),
    # memory
    ("M_weights", "byte/device", "weights on one device", "单卡权重字节数"),
    ("M_pool", "byte/device", "KV cache pool of one device", "单卡 KV cache 池字节数"),
    ("tokens_pool", "token", "tokens that the KV cache pool of a replica holds",
     "一个副本的 KV cache 池可容纳的 token 数"),
    ("blocks", "", "blocks of the KV cache pool", "KV cache 池的块数"),
    ("T_block", "token/request", "tokens in one block", "每块 token 数"),
    ("T_asked", "token/request", "context that the engine states its concurrency at",
     "引擎给出并发数所用的上下文长度"),
    ("b_pool", "request", "requests of that context that the pool holds",
     "该上下文下池可容纳的请求数"),
    ("M_need", "byte/device", "KV cache that the engine asks for one request of that context",
     "引擎要求的该上下文下单请求 KV cache 字节数"),
    ("M_avail", "byte/device", "memory free before the KV cache pool was cut from it",
     "划出 KV cache 池之前的空闲显存"),
    ("use", "", "share of the KV cache pool in use", "KV cache 池使用率"),
    ("preempted", "", "preemptions", "抢占次数"),
    # the machine
    ("g", "device", "devices of one replica", "一个副本的设备数"),
    ("g_tensor", "device", "devices of a tensor-parallel group", "一个张量并行组的设备数"),
    ("stages", "", "pipeline stages", "流水线级数"),
    ("devices", "device", "devices of the whole system", "全系统设备数"),
    ("N", "param", "parameters", "参数量"),
    ("W", "byte", "weight bytes", "权重字节数"),
    # a profile
    ("t_kernels", "s", "times of all kernels added up over streams",
     "各 stream 上 kernel 时间之和"),
    ("t_busy", "s", "time in which at least one kernel ran", "至少有一个 kernel 在运行的时间"),
    ("graphs", "", "launches of CUDA graphs", "CUDA graph 启动次数"),
    # one kernel
    ("time", "s", "time on the device", "设备上的时间"),
    ("flops", "FLOP", "operations", "运算量"),
    ("traffic", "byte", "bytes moved to and from memory", "显存读写字节数"),
)  # fmt: skip

MEASURABLE = {i: Measurable(i, unit(u), Text(en, zh)) for i, u, en, zh in DECLARED}
