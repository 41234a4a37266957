"""An estimate of waiting: what a queue adds to the physical bound of TTFT, under a stated assumption."""

import derive.formulas.fleet
import derive.formulas.latency  # noqa: F401
from derive.formula import formula

formula(
    "t_queue",
    r"t_{\mathrm{queue}}",
    "s",
    section="queue",
    is_="share_prefill * TTFT * (1 + C2_in) / (2 * (1 - share_prefill)) + t_step_eff / 2",
    calibre="reachable",
    exists=(
        "share_prefill < 1",
        (
            "prefill alone asks for more time than the replicas have: the queue grows without end",
            "仅 prefill 所需的时间就已超过全部副本的时间：队列无限增长",
        ),
    ),
    name=("mean wait before prefill, estimated", "prefill 前平均等待时间（估计）"),
    reason=(
        "M/G/1 with vacations (Pollaczek-Khinchine; Levy and Yechiali): Poisson arrivals sent to replicas at "
        "random, prompts one at a time in order and ahead of decode; a decode step that has begun runs to its end",
        "带休假的 M/G/1（Pollaczek-Khinchine 公式；Levy 与 Yechiali）：到达为泊松过程、随机分到各副本，"
        "输入逐个按序 prefill 并优先于 decode；已开始的 decode 步会执行完",
    ),
    reading=(
        "An estimate, no bound: a router that knows the load waits less, bursts wait longer; with chunked "
        "prefill the steps that carry chunks are what is queued for.",
        "这是估计，不是界：按负载路由等待更短，突发流量等待更长；分块 prefill 时，排队的是携带块的步。",
    ),
    sources=("kleinrock1975", "levy1975"),
    example=(
        {"share_prefill": "0.2", "TTFT": "160 ms", "C2_in": "1", "t_step_eff": "20 ms"},
        "50 ms",
    ),
)

formula(
    "TTFT_queue",
    r"\mathrm{TTFT}_{\mathrm{queue}}",
    "s",
    section="queue",
    is_="t_queue + TTFT",
    calibre="reachable",
    name=("mean TTFT with the queue, estimated", "含排队的平均 TTFT（估计）"),
    reason=(
        "the estimated wait before the prompt's own prefill",
        "估计的等待时间，加上该请求自身的 prefill 时间",
    ),
    reading=(
        "Half of the requests may see more; TTFT without a queue is the physical side of it.",
        "部分请求会更久；不含排队的 TTFT 才是其中的物理部分。",
    ),
    sources=("kleinrock1975", "levy1975"),
    example=({"t_queue": "50 ms", "TTFT": "150 ms"}, "200 ms"),
)
