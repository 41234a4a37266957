"""Prefill and decode on devices of their own: hand-over of the KV cache, and both pools."""

import derive.formulas.capacity
import derive.formulas.fleet
import derive.formulas.load
import derive.formulas.queue
import derive.formulas.targets
import derive.formulas.with_disaggregation_times  # noqa: F401
from derive.formula import formula

formula(
    "TTFT_apart", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="t_fill + t_move",
    calibre="reachable",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=("one prompt on an idle replica of prefill, and its KV cache handed over: only then decode goes on",
            "空闲的 prefill 副本上的单个请求，加上 KV cache 传输：此后才能继续 decode"),
    reading=("An engine that streams the first token from prefill shows it earlier by the transfer; the second token waits for it all the same.",
             "若引擎由 prefill 侧直接返回首个 token，可早一个传输时间看到；但第二个 token 仍要等传输完成。"),
    sources=("distserve2024",),
    example=({"t_fill": "280 ms", "t_move": "12.8 ms"}, "292.8 ms"),
)  # fmt: skip

formula(
    "t_turn", r"t_{\mathrm{turn}}", "s",
    section="fleet",
    is_="max(t_fill, t_move)",
    calibre="reachable",
    name=("time between two prompts of one prefill replica", "一个 prefill 副本处理相邻两个请求的间隔"),
    reason=("the next prompt is computed while the cache of the last one is on the link: the slower one sets the pace",
            "传输上一个请求的 KV cache 时可计算下一个请求：由较慢者决定节奏"),
    sources=("distserve2024",),
    example=({"t_fill": "280 ms", "t_move": "12.8 ms"}, "280 ms"),
)  # fmt: skip

formula(
    "B_need", r"B_{\mathrm{pd}}^{*}", "byte/s",
    section="fleet",
    is_="one_request * KV_move / t_fill",
    calibre="reachable",
    name=("link rate that keeps up with prefill", "跟得上 prefill 的链路带宽"),
    reason=("below it the hand-over takes longer than the prefill: the link is the bottleneck", "低于它，传输比 prefill 更久：链路成为瓶颈"),
    sources=("distserve2024",),
    example=({"KV_move": "640 MB/request", "t_fill": "320 ms"}, "2 GB/s"),
)  # fmt: skip

formula(
    "TTFT_burst_apart", "t", "s",
    section="ttft", instead_of="TTFT_burst",
    is_="(b / one_request - 1) * t_turn + TTFT",
    calibre="reachable",
    name=("first token of the last of b prompts that arrive together", "b 个请求同时到达时，最后一个的首 token 延迟"),
    reason=("one after the other on one prefill replica, computing and hand-over overlapped", "在一个 prefill 副本上逐个处理，计算与传输重叠"),
    sources=("distserve2024",),
    example=({"b": "3 request", "t_turn": "280 ms", "TTFT": "292.8 ms"}, "852.8 ms"),
)  # fmt: skip

formula(
    "replicas_pre", r"R_{\mathrm{pre}}", "",
    section="fleet",
    is_="ceil(arrival * t_turn / one_request / headroom)",
    calibre="reachable",
    name=("prefill replicas for the offered load", "承接到达率所需的 prefill 副本数"),
    reason=("busy time a prompt takes of a prefill replica or of its link, times the arrival rate, with headroom, rounded up",
            "每个请求占用 prefill 副本或其链路的忙时乘以到达率，计入余量后向上取整"),
    sources=("little1961", "distserve2024"),
    example=({"arrival": "5 request/s", "t_turn": "280 ms", "headroom": "0.7"}, "2"),
)  # fmt: skip

formula(
    "replicas_apart", "r", "",
    section="fleet", instead_of="replicas",
    is_="ceil(arrival * (T_out - one_token) * TPOT / b / headroom)",
    calibre="reachable",
    name=("replicas for the offered load", "承接到达率所需的副本数"),
    reason=("those of decode: busy time that a request's steps take of a replica, times the arrival rate (Little's law), with headroom, rounded up",
            "decode 侧：每个请求的各步占用副本的忙时乘以到达率（利特尔定律），计入余量后向上取整"),
    sources=("little1961", "distserve2024"),
    example=({"arrival": "5 request/s", "T_out": "101 token/request", "TPOT": "20 ms*request/token", "b": "10 request",
              "headroom": "0.7"}, "2"),
)  # fmt: skip

formula(
    "cost_token_apart", "c", "USD/token",
    section="fleet", instead_of="cost_token",
    is_="price * (g_pre * t_turn / one_request + g * (T_out - one_token) * TPOT / b) / T_out",
    calibre="reachable",
    name=("cost per output token, prefill included", "每输出 token 成本（含 prefill）"),
    reason=("device time of a whole request in both pools over its output tokens", "整个请求在两侧占用的设备时间分摊到输出 token"),
    sources=("databricks2023", "distserve2024"),
    example=({"g": "4 device", "g_pre": "2 device", "t_turn": "200 ms", "T_out": "101 token/request",
              "TPOT": "20 ms*request/token", "b": "10 request",
              "price": "3.6 USD/hour/device"}, "0.00001188118811881188 USD/token"),
)  # fmt: skip

formula(
    "energy_token_apart", "e", "J/token",
    section="fleet", instead_of="energy_token",
    is_="TDP * (g_pre * t_turn / one_request + g * (T_out - one_token) * TPOT / b) / T_out",
    calibre="reachable",
    name=("energy per output token at TDP", "每输出 token 能耗（按 TDP）"),
    reason=("the same device time at the thermal design power: an upper figure", "同样的设备时间乘以热设计功耗：偏高估计"),
    sources=("databricks2023", "distserve2024"),
    example=({"g": "4 device", "g_pre": "2 device", "t_turn": "200 ms", "T_out": "101 token/request",
              "TPOT": "20 ms*request/token", "b": "10 request", "TDP": "700 W/device"}, "8.3168 J/token"),
)  # fmt: skip

formula(
    "cost_fleet_apart", "c", "USD/token",
    section="fleet", instead_of="cost_fleet",
    is_="(replicas_pre * g_pre + replicas * g) * price / (arrival * T_out)",
    calibre="reachable",
    name=("cost per output token of the fleet at the offered load", "按到达率计，整个集群的每输出 token 成本"),
    reason=("every device of both pools is paid for, busy or not; over the tokens that the load asks for",
            "两侧的全部设备都要付费，无论忙闲；分摊到负载所需的 token"),
    sources=("little1961", "distserve2024"),
    example=({"replicas_pre": "2", "g_pre": "2 device", "replicas": "2", "g": "4 device", "price": "3.6 USD/hour/device",
              "arrival": "2 request/s", "T_out": "300 token/request"}, "20 USD/Mtoken"),
)  # fmt: skip

formula(
    "share_prefill_apart", "s", "",
    section="fleet", instead_of="share_prefill",
    is_="0 / replicas",
    calibre="reachable",
    name=("share of a replica's time that prefill takes", "prefill 占副本时间的比例"),
    reason=("a replica of decode prefills nothing: no step of decode waits", "decode 副本不做 prefill：没有 decode 步需要等待"),
    sources=("distserve2024",),
    example=({"replicas": "3"}, "0"),
)  # fmt: skip

formula(
    "cost_in_apart", "c", "USD/token",
    section="fleet", instead_of="cost_in",
    is_="g_pre * price * t_turn / one_request / T_in",
    calibre="reachable",
    name=("cost per input token", "每输入 token 成本"),
    reason=("the time of the devices of prefill over the tokens of the prompt", "prefill 侧的设备时间分摊到输入 token"),
    sources=("databricks2023", "distserve2024"),
    example=({"g_pre": "4 device", "price": "3.6 USD/hour/device", "t_turn": "500 ms",
              "T_in": "2000 token/request"}, "1 USD/Mtoken"),
)  # fmt: skip

formula(
    "b_load_apart", "b", "request",
    section="fleet", instead_of="b_load",
    is_="arrival * (T_out - one_token) * TPOT / replicas",
    calibre="reachable",
    name=("requests in flight on one replica", "单副本的在途请求数"),
    reason=("those in decode, over its replicas, spread evenly", "decode 中的在途请求，均摊到 decode 各副本"),
    sources=("little1961", "distserve2024"),
    example=({"arrival": "5 request/s", "T_out": "101 token/request", "TPOT": "20 ms*request/token",
              "replicas": "2"}, "5 request"),
)  # fmt: skip

formula(
    "g_fleet_apart", "g", "device",
    section="fleet", instead_of="g_fleet",
    is_="replicas * g + replicas_pre * g_pre",
    calibre="reachable",
    name=("devices of the fleet", "集群设备数"),
    reason=("both pools: replicas of decode and of prefill", "两侧合计：decode 副本与 prefill 副本"),
    sources=("little1961", "distserve2024"),
    example=({"replicas": "3", "g": "4 device", "replicas_pre": "2", "g_pre": "2 device"}, "16 device"),
)  # fmt: skip

formula(
    "g_ttft_apart", "g", "device",
    section="targets", instead_of="g_ttft",
    is_="ceil(g_pre * t_fill / (target_TTFT - t_move))",
    needed=True,
    calibre="reachable",
    exists=("t_move < target_TTFT", ("handing the KV cache over takes longer than the target: no number of devices meets it", "仅传输 KV cache 就已超过目标：设备再多也无法达标")),
    name=("devices that meet the TTFT target", "满足 TTFT 目标所需的设备数"),
    reason=("those of a prefill replica: its time shrinks with them at first order, that of the link does not",
            "指一个 prefill 副本的设备数：一阶下 prefill 时间随其缩短，传输时间不变"),
    sources=("pope2022", "distserve2024"),
    example=({"g_pre": "2 device", "t_fill": "500 ms", "target_TTFT": "250 ms", "t_move": "50 ms"}, "5 device"),
)  # fmt: skip

formula(
    "g_slo_apart", "g", "device",
    section="targets", instead_of="g_slo",
    is_="max(g_fit, g_tpot)",
    needed=True,
    calibre="reachable",
    name=("devices of a replica that meet both targets", "同时满足两个目标的单副本设备数"),
    reason=("of decode: memory and TPOT ask for them; TTFT asks for devices of prefill, g_ttft",
            "指 decode 副本：由显存与 TPOT 决定；TTFT 由 prefill 副本的设备数 g_ttft 决定"),
    sources=("pope2022", "distserve2024"),
    example=({"g_fit": "2 device", "g_tpot": "5 device"}, "5 device"),
)  # fmt: skip

formula(
    "share_pool", r"\sigma_{\mathrm{pool}}", "",
    section="queue",
    is_="arrival * t_turn / one_request / replicas_pre",
    calibre="reachable",
    name=("share of its time that a prefill replica is busy", "prefill 副本的忙时占比"),
    reason=("the time of a turn for every prompt that arrives, spread over the replicas of prefill", "每个到达的请求占用一个节拍，均摊到各 prefill 副本"),
    sources=("little1961", "distserve2024"),
    example=({"arrival": "2 request/s", "t_turn": "200 ms", "replicas_pre": "2"}, "0.2"),
)  # fmt: skip

formula(
    "t_queue_apart", "t", "s",
    section="queue", instead_of="t_queue",
    is_="share_pool * t_turn * (1 + C2_in) / (2 * (1 - share_pool))",
    calibre="reachable",
    exists=("share_pool < 1", ("prefill alone asks for more time than its replicas have: the queue grows without end",
                               "仅 prefill 所需的时间就已超过全部 prefill 副本的时间：队列无限增长")),
    name=("mean wait before prefill, estimated", "prefill 前平均等待时间（估计）"),
    reason=("M/G/1 (Pollaczek-Khinchine): Poisson arrivals sent to the replicas of prefill at random, prompts one at a time in "
            "order, each for one turn; no decode step stands in the way",
            "M/G/1（Pollaczek-Khinchine 公式）：到达为泊松过程、随机分到各 prefill 副本，输入逐个按序处理，每个占一个节拍；没有 decode 步挡在前面"),
    reading=("An estimate, no bound: a router that knows the load waits less, bursts wait longer.",
             "这是估计，不是界：按负载路由等待更短，突发流量等待更长。"),
    sources=("kleinrock1975", "distserve2024"),
    example=({"share_pool": "0.2", "t_turn": "160 ms", "C2_in": "1"}, "40 ms"),
)  # fmt: skip
