"""The wait where prompts are prefilled in chunks: the chunk slots of a group are what is queued for."""

import derive.formulas.queue
import derive.formulas.with_mixed_load  # noqa: F401
from derive.formula import formula

formula(
    "t_slots", r"t_{\mathrm{slots}}", "s",
    section="queue",
    is_="TTFT_mix",
    calibre="reachable",
    name=("time for which one prompt takes the chunk slots of its group", "单个请求占用本组块位的时间"),
    reason=("a step carries one chunk: the next prompt begins once the last chunk of this one is through",
            "每一步只携带一块：本请求的最后一块走完，下一个请求才开始"),
    sources=("sarathi2024",),
    example=({"TTFT_mix": "300 ms"}, "300 ms"),
)  # fmt: skip

formula(
    "t_slots_layout", "t", "s",
    section="queue", instead_of="t_slots",
    is_="((N_pass - 1) * t_mix + t_last) / PP",
    calibre="reachable",
    name=("time for which one prompt takes the chunk slots of its group", "单个请求占用本组块位的时间"),
    reason=("a group takes a chunk in each of the PP turns of a step: the next prompt begins once the first stage has the last "
            "chunk of this one behind it",
            "一步含 PP 个节拍，每组每拍携带一块：本请求的最后一块走出第一级，下一个请求即可开始"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"N_pass": "4", "t_mix": "40 ms", "t_last": "30 ms", "PP": "2"}, "75 ms"),
)  # fmt: skip

formula(
    "t_slots_layout_spec", "t", "s",
    section="queue", instead_of="t_slots",
    is_="((N_pass - 1) * t_mix + t_last + N_pass * (t_round - t_step_eff)) / PP",
    calibre="reachable",
    name=("time for which one prompt takes the chunk slots of its group", "单个请求占用本组块位的时间"),
    reason=("a group takes a chunk in each of the PP turns of a round: the next prompt begins once the first stage has the last "
            "chunk of this one behind it",
            "一轮投机解码含 PP 个节拍，每组每拍携带一块：本请求的最后一块走出第一级，下一个请求即可开始"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"N_pass": "4", "t_mix": "40 ms", "t_last": "30 ms", "t_round": "22 ms", "t_step_eff": "20 ms", "PP": "2"},
             "79 ms"),
)  # fmt: skip

formula(
    "share_slots", r"\sigma_{\mathrm{slots}}", "",
    section="queue",
    is_="arrival * t_slots / one_request / (replicas * DP)",
    calibre="reachable",
    name=("share of the time in which the steps of a group carry chunks", "一组的各步携带块的时间占比"),
    reason=("the time that each arriving prompt takes of the chunk slots, spread over the groups of all replicas",
            "每个到达的请求占用块位的时间，均摊到各副本的各组"),
    sources=("little1961", "sarathi2024"),
    example=({"arrival": "4 request/s", "t_slots": "100 ms", "replicas": "1", "DP": "2"}, "0.2"),
)  # fmt: skip

formula(
    "t_queue_chunk", "t", "s",
    section="queue", instead_of="t_queue",
    is_="share_slots * t_slots * (1 + C2_in) / (2 * (1 - share_slots)) + t_step_eff / (2 * PP)",
    calibre="reachable",
    exists=("share_slots < 1", ("the chunks of the prompts ask for more steps than the replicas have: the queue grows without end",
                                "各请求的块所需的步数已超过全部副本的步数：队列无限增长")),
    otherwise=("arrival * (t_load / one_request + (T_out - one_token) * TPOT / b) < replicas", (
        "beside b requests the chunks of the prompts ask for more time than the replicas have; as fewer decode beside them, the "
        "replicas keep up, and the wait is not estimated",
        "按 b 个请求同时 decode 计，各块所需的时间已超过全部副本的时间；实际同时 decode 的请求更少，副本仍能承接，但此处不估计等待")),
    name=("mean wait before prefill, estimated", "prefill 前平均等待时间（估计）"),
    reason=("the chunk slots of a group are a server (M/G/1 with vacations): Poisson arrivals sent to the groups at random, "
            "prompts one at a time in order, a chunk on every step or turn with b requests decoding beside it; a step of decode, "
            "or with stages its micro-batch, that has begun without a chunk runs to its end",
            "一组的块位是一个服务台（带休假的 M/G/1）：到达为泊松过程、随机分到各组，输入逐个按序处理，每一步（有流水级时每一拍）携带一块，"
            "并有 b 个请求同时 decode；未带块而已开始的 decode 步（有流水级时为其微批）会执行完"),
    reading=("An estimate, no bound: a router that knows the load waits less, bursts wait longer; while fewer than b requests "
             "decode, steps and waits are shorter.",
             "这是估计，不是界：按负载路由等待更短，突发流量等待更长；同时 decode 的请求少于 b 时，步与等待都更短。"),
    sources=("kleinrock1975", "levy1975", "sarathi2024"),
    example=({"share_slots": "0.2", "t_slots": "160 ms", "C2_in": "1", "t_step_eff": "20 ms", "PP": "1"}, "50 ms"),
)  # fmt: skip

formula(
    "TTFT_queue_chunk", "t", "s",
    section="queue", instead_of="TTFT_queue",
    is_="t_queue + TTFT_mix",
    calibre="reachable",
    name=("mean TTFT with the queue, estimated", "含排队的平均 TTFT（估计）"),
    reason=("the estimated wait, then the steps of decode on which the prompt's own chunks ride",
            "估计的等待时间，加上该请求自身各块所搭载的 decode 步的时间"),
    reading=("Half of the requests may see more; TTFT without a queue is that of an idle replica, the physical side of it.",
             "部分请求会更久；不含排队的 TTFT 是空闲副本上的，才是其中的物理部分。"),
    sources=("kleinrock1975", "sarathi2024"),
    example=({"t_queue": "50 ms", "TTFT_mix": "300 ms"}, "350 ms"),
)  # fmt: skip
