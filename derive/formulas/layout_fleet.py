"""Fleet, money and queue where a replica prefills several prompts side by side."""

import derive.formulas.fleet
import derive.formulas.layout_prefill
import derive.formulas.load
import derive.formulas.queue
import derive.formulas.targets
import derive.formulas.with_speculation  # noqa: F401
from derive.formula import formula

formula(
    "replicas_layout", "r", "",
    section="fleet", instead_of="replicas",
    is_="ceil(arrival * (t_busy / one_request + (T_out - one_token) * TPOT / b) / headroom)",
    calibre="reachable",
    name=("replicas for the offered load", "承接到达率所需的副本数"),
    reason=("busy time a request takes of a whole replica times the arrival rate (Little's law), with headroom, rounded up; "
            "prompts are prefilled side by side in stages and groups",
            "每个请求占用整个副本的忙时乘以到达率（利特尔定律），计入余量后向上取整；各级、各组同时 prefill 不同的请求"),
    sources=("little1961", "gpipe2018"),
    example=({"arrival": "2 request/s", "t_busy": "100 ms", "T_out": "101 token/request", "TPOT": "20 ms*request/token",
              "b": "8 request", "headroom": "0.7"}, "1"),
)  # fmt: skip

formula(
    "cost_token_layout", "c", "USD/token",
    section="fleet", instead_of="cost_token",
    is_="g * price * (t_busy / one_request + (T_out - one_token) * TPOT / b) / T_out",
    calibre="reachable",
    name=("cost per output token, prefill included", "每输出 token 成本（含 prefill）"),
    reason=("device time of a whole request over its output tokens, prompts side by side in stages and groups",
            "整个请求占用的设备时间分摊到输出 token；各级、各组同时 prefill 不同的请求"),
    sources=("databricks2023", "gpipe2018"),
    example=({"g": "4 device", "price": "3.6 USD/hour/device", "t_busy": "100 ms", "T_out": "101 token/request",
              "TPOT": "20 ms*request/token", "b": "10 request"}, "0.00001188118811881188 USD/token"),
)  # fmt: skip

formula(
    "energy_token_layout", "e", "J/token",
    section="fleet", instead_of="energy_token",
    is_="g * TDP * (t_busy / one_request + (T_out - one_token) * TPOT / b) / T_out",
    calibre="reachable",
    name=("energy per output token at TDP", "每输出 token 能耗（按 TDP）"),
    reason=("the same device time at the thermal design power: an upper figure", "同样的设备时间乘以热设计功耗：偏高估计"),
    sources=("databricks2023", "gpipe2018"),
    example=({"g": "4 device", "TDP": "700 W/device", "t_busy": "100 ms", "T_out": "101 token/request",
              "TPOT": "20 ms*request/token", "b": "10 request"}, "8.3168 J/token"),
)  # fmt: skip

formula(
    "share_prefill_layout", "s", "",
    section="fleet", instead_of="share_prefill",
    is_="arrival * t_busy / one_request / replicas",
    calibre="reachable",
    name=("share of a replica's time that prefill takes", "prefill 占副本时间的比例"),
    reason=("while a stage prefills, the decode steps that pass it wait, unless prefill is chunked or apart",
            "某一级做 prefill 时，经过它的 decode 要等待，除非分块 prefill 或 PD 分离"),
    sources=("databricks2023", "gpipe2018"),
    example=({"arrival": "2 request/s", "t_busy": "150 ms", "replicas": "3"}, "0.1"),
)  # fmt: skip

formula(
    "cost_in_layout", "c", "USD/token",
    section="fleet", instead_of="cost_in",
    is_="g * price * t_busy / one_request / T_in",
    calibre="reachable",
    name=("cost per input token", "每输入 token 成本"),
    reason=("the device time of prefill over the tokens of the prompt, replica always busy, a prompt in every stage of every "
            "group",
            "prefill 占用的设备时间分摊到输入 token（副本始终繁忙，每组的每一级各有一个请求）"),
    sources=("databricks2023", "gpipe2018"),
    example=({"g": "4 device", "price": "3.6 USD/hour/device", "t_busy": "100 ms", "T_in": "1000 token/request"},
             "0.4 USD/Mtoken"),
)  # fmt: skip

formula(
    "t_queue_layout", "t", "s",
    section="queue", instead_of="t_queue",
    is_="share_prefill * DP * t_busy * (1 + C2_in) / (2 * (1 - share_prefill)) + t_step_eff / (2 * PP)",
    calibre="reachable",
    name=("mean wait before prefill, estimated", "prefill 前平均等待时间（估计）"),
    reason=("each group is a server of its own (M/G/1 with vacations): Poisson arrivals sent to the groups at random, a group "
            "takes the next prompt once its first stage is free again, ahead of decode; a micro-batch of decode that has begun "
            "on that stage runs to its end",
            "每组各为一个服务台（带休假的 M/G/1）：到达为泊松过程、随机分到各组，组的第一级空出即接下一个请求，优先于 decode；"
            "该级上已开始的 decode 微批会执行完"),
    reading=("An estimate, no bound: a router that knows the load of the groups waits less, bursts wait longer; with chunked "
             "prefill the turns that carry chunks are what is queued for.",
             "这是估计，不是界：按各组负载路由等待更短，突发流量等待更长；分块 prefill 时，排队的是携带块的节拍。"),
    sources=("kleinrock1975", "levy1975", "gpipe2018"),
    example=({"share_prefill": "0.2", "t_busy": "80 ms", "DP": "2", "C2_in": "1", "t_step_eff": "20 ms", "PP": "2"}, "45 ms"),
)  # fmt: skip


formula(
    "g_slo_layout", "g", "device",
    section="targets", instead_of="g_slo",
    is_="PP * DP * ceil(max(g_fit, g_ttft, g_tpot, EP * PP * one_device) / (PP * DP))",
    needed=True,
    calibre="reachable",
    name=("devices of a replica that meet both targets", "同时满足两个目标的单副本设备数"),
    reason=("memory, TTFT and TPOT each ask for some devices; the most demanding decides, every stage of every group has as many, "
            "and a stage has a device at least for each of EP ranks",
            "显存、TTFT、TPOT 各有所需的设备数，由要求最高者决定；每组的每一级设备数相同，故向上取整到 PP · DP 的倍数；"
            "每一级的设备数不少于 EP 个 rank"),
    sources=("pope2022", "gpipe2018"),
    example=({"g_fit": "2 device", "g_ttft": "3 device", "g_tpot": "5 device", "PP": "2", "DP": "2",
              "EP": "1"}, "8 device"),
)  # fmt: skip

formula(
    "g_slo_layout_apart", "g", "device",
    section="targets", instead_of="g_slo",
    is_="PP * DP * ceil(max(g_fit, g_tpot, EP * PP * one_device) / (PP * DP))",
    needed=True,
    calibre="reachable",
    name=("devices of a replica that meet both targets", "同时满足两个目标的单副本设备数"),
    reason=("of decode: memory and TPOT ask for them, and every stage of every group has as many; TTFT asks for devices of prefill, "
            "g_ttft",
            "指 decode 副本：由显存与 TPOT 决定，每组的每一级设备数相同；TTFT 由 prefill 副本的设备数 g_ttft 决定"),
    sources=("pope2022", "distserve2024"),
    example=({"g_fit": "2 device", "g_tpot": "5 device", "PP": "2", "DP": "2", "EP": "1"}, "8 device"),
)  # fmt: skip

formula(
    "TPOT_floor_layout", "t", "s*request/token",
    section="floor", instead_of="TPOT_floor",
    is_="PP * W_read_dev / B_peak / n",
    name=("TPOT floor", "TPOT 下限"),
    reason=("a token passes the stages one after another, and each of them reads its weights; groups read copies of their own",
            "token 须依次经过各级，每一级都要读自己的权重；各组各读自己的副本"),
    sources=("kipply2022", "pope2022"),
    example=({"PP": "2", "W_read_dev": "30 GB/device", "B_peak": "3 TB/s/device", "n": "1 token/request"},
             "20 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_floor_layout_spec", "t", "s*request/token",
    section="floor", instead_of="TPOT_floor",
    is_="PP * W_read_dev / B_peak / n_gain",
    name=("TPOT floor", "TPOT 下限"),
    reason=("a round passes the stages one after another, each of which reads its weights; it yields n_gain tokens on average",
            "一轮须依次经过各级，每一级都要读自己的权重；一轮平均产出 n_gain 个 token"),
    reading=("A mean: a request whose drafts are all accepted is faster.", "这是均值：草稿全被接受的请求会更快。"),
    sources=("leviathan2022", "pope2022"),
    example=({"PP": "2", "W_read_dev": "52.5 GB/device", "B_peak": "3 TB/s/device", "alpha": "0.5",
              "k_draft": "2 token/request"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_floor_layout_draft", "t", "s*request/token",
    section="floor", instead_of="TPOT_floor",
    is_="(PP * W_read_dev + k_draft / one_token * W_draft / (TP * PP)) / B_peak / n_gain",
    name=("TPOT floor", "TPOT 下限"),
    reason=("a round passes the stages one after another, each of which reads its weights; the devices of a group split the "
            "draft model and read it once for each drafted token; a round yields n_gain tokens on average",
            "一轮须依次经过各级，每一级都要读自己的权重；草稿模型由组内设备切分，每个草稿 token 读一遍；一轮平均产出 n_gain 个 token"),
    reading=("A mean: a request whose drafts are all accepted is faster.", "这是均值：草稿全被接受的请求会更快。"),
    sources=("leviathan2022", "pope2022"),
    example=({"PP": "2", "W_read_dev": "50.5 GB/device", "W_draft": "4 GB", "TP": "1 device", "B_peak": "3 TB/s/device",
              "alpha": "0.5", "k_draft": "2 token/request"}, "20 ms*request/token"),
)  # fmt: skip
