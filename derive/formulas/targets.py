"""Targets: how far from them, what is the most that meets them, how many devices both need."""

import derive.formulas.capacity
import derive.formulas.latency  # noqa: F401
from derive.formula import formula

formula(
    "TTFT_one",
    r"\mathrm{TTFT}_{1}",
    "s",
    section="targets",
    of="TTFT",
    at={"T_in": "one_token"},
    calibre="reachable",
    name=("TTFT of a prompt of one token", "输入仅一个 token 时的 TTFT"),
    reason=(
        "the least that a prompt can take: one reading of the weights",
        "prefill 最少要花的时间：把权重读一遍",
    ),
    reading=(
        "A TTFT target below it is met by no prompt, however short.",
        "TTFT 目标若低于它，输入再短也达不到。",
    ),
    sources=("kipply2022", "databricks2023"),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "g": "1 device",
            "W_read": "140 GB",
            "P_peak": "1000 TFLOP/s/device",
            "B_peak": "3.5 TB/s/device",
            "MFU": "0.5",
            "MBU": "0.8",
        },
        "50 ms",
    ),
)

formula(
    "TPOT_one",
    r"\mathrm{TPOT}_{1}",
    "s*request/token",
    section="targets",
    of="TPOT",
    at={"b": "one_request"},
    calibre="reachable",
    name=("TPOT of a single request", "单个请求独占时的 TPOT"),
    reason=(
        "the least that a step takes at this context: no other request shares it",
        "该上下文下一步最少要花的时间：没有其他请求同批",
    ),
    reading=(
        "A TPOT target below it is met by no batch.",
        "TPOT 目标若低于它，任何批大小都达不到。",
    ),
    sources=("kipply2022", "databricks2023"),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "W_read": "140 GB",
            "g": "4 device",
            "MFU": "0.5",
            "MBU": "0.5",
            "P_peak": "1000 TFLOP/s/device",
            "B_peak": "3.5 TB/s/device",
            "kappa": "500 kB/token",
            "T": "2000 token/request",
        },
        "20.142857 ms*request/token",
    ),
)

formula(
    "margin_TTFT",
    r"\mu_{\mathrm{TTFT}}",
    "",
    section="targets",
    is_="1 - TTFT / target_TTFT",
    calibre="reachable",
    name=("margin to the TTFT target", "距 TTFT 目标的余量"),
    reason=(
        "the share of the target that is left; below nought the target is missed",
        "目标中尚余的比例；小于零即未达标",
    ),
    sources=("databricks2023",),
    example=({"TTFT": "400 ms", "target_TTFT": "500 ms"}, "0.2"),
)

formula(
    "margin_TPOT",
    r"\mu_{\mathrm{TPOT}}",
    "",
    section="targets",
    is_="1 - TPOT / target_TPOT",
    calibre="reachable",
    name=("margin to the TPOT target", "距 TPOT 目标的余量"),
    reason=(
        "the share of the target that is left; below nought the target is missed",
        "目标中尚余的比例；小于零即未达标",
    ),
    sources=("databricks2023",),
    example=({"TPOT": "30 ms*request/token", "target_TPOT": "25 ms*request/token"}, "-0.2"),
)

formula(
    "T_in_slo",
    r"T_{\mathrm{in},\mathrm{SLO}}",
    "token/request",
    section="targets",
    largest=("TTFT", "target_TTFT", "T_in"),
    calibre="reachable",
    exists=(
        "TTFT_one <= target_TTFT",
        (
            "reading the weights once already takes longer than the target: no prompt is short enough",
            "仅把权重读一遍就已超过目标：输入再短也无法达标",
        ),
    ),
    name=("longest prompt that meets the TTFT target", "满足 TTFT 目标的最长输入"),
    reason=(
        "the time of the operations grows with the prompt, that of reading the weights does not; the "
        "last whole token at or below the target, on an idle replica",
        "运算时间随输入增长，读权重的时间不变；取不超过目标的最后一个整数 token，按空闲副本计",
    ),
    reading=(
        "No queue is in it: the estimate with a queue is TTFT_queue.",
        "未计排队；含排队的估计见 TTFT_queue。",
    ),
    sources=("databricks2023",),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "g": "4 device",
            "W_read": "140 GB",
            "P_peak": "1000 TFLOP/s/device",
            "B_peak": "3.35 TB/s/device",
            "MFU": "0.5",
            "MBU": "0.6",
            "target_TTFT": "500 ms",
        },
        "7142 token/request",
    ),
)

formula(
    "g_ttft",
    r"g_{\mathrm{TTFT}}",
    "device",
    section="targets",
    smallest=("TTFT", "target_TTFT", "g"),
    calibre="reachable",
    needed=True,
    name=("devices that meet the TTFT target", "满足 TTFT 目标所需的设备数"),
    reason=(
        "both times shrink with the devices of a replica at first order; collectives are not counted",
        "一阶下两项时间都随副本的设备数缩短；未计集合通信",
    ),
    sources=("pope2022",),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "T_in": "2000 token/request",
            "W_read": "140 GB",
            "P_peak": "1000 TFLOP/s/device",
            "B_peak": "3.35 TB/s/device",
            "MFU": "0.5",
            "MBU": "0.6",
            "target_TTFT": "100 ms",
        },
        "6 device",
    ),
)

formula(
    "g_tpot",
    r"g_{\mathrm{TPOT}}",
    "device",
    section="targets",
    smallest=("TPOT", "target_TPOT", "g"),
    calibre="reachable",
    needed=True,
    name=("devices that meet the TPOT target", "满足 TPOT 目标所需的设备数"),
    reason=(
        "both times shrink with the devices of a replica at first order; collectives are not counted",
        "一阶下两项时间都随副本的设备数缩短；未计集合通信",
    ),
    sources=("pope2022",),
    example=(
        {
            "F_step": "1120 GFLOP",
            "Q_step": "156 GB",
            "P_peak": "989.5 TFLOP/s/device",
            "B_peak": "3 TB/s/device",
            "MFU": "0.5",
            "MBU": "0.5",
            "target_TPOT": "25 ms*request/token",
        },
        "5 device",
    ),
)

formula(
    "g_slo",
    r"g_{\mathrm{SLO}}",
    "device",
    section="targets",
    is_="max(g_fit, g_ttft, g_tpot)",
    calibre="reachable",
    needed=True,
    name=("devices of a replica that meet both targets", "同时满足两个目标的单副本设备数"),
    reason=(
        "memory, TTFT and TPOT each ask for some devices; the most demanding decides",
        "显存、TTFT、TPOT 各有所需的设备数，由要求最高者决定",
    ),
    reading=(
        "Rounding up to a size that is sold and that divides the heads is left to the reader.",
        "是否取整到在售且能整除注意力头数的规模，由读者决定。",
    ),
    sources=("pope2022",),
    example=({"g_fit": "2 device", "g_ttft": "3 device", "g_tpot": "5 device"}, "5 device"),
)
