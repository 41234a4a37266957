"""Prefill in chunks on several stages or groups, to the second order.

Each turn is paced by its own operations or bytes, the last one perhaps part full.
"""

import derive.formulas.layout_second
import derive.formulas.with_second_chunks  # noqa: F401
from derive.formula import formula

formula(
    "Q_pre_dev_last", r"Q_{\mathrm{pre},\mathrm{dev}}^{\mathrm{last}}", "byte/device",
    section="second", switch="N_par",
    is_="Q_pre_dev - (W_pre - W_pre_last) / g_exp",
    name=("bytes one device reads for the last pass of prefill, summed over the stages", "单设备为最后一次 prefill 前向读取的字节数（各级之和）"),
    reason=("as in a full chunk, less the experts that the tokens of the last one do not hit, which are spread over g_exp devices",
            "同满块，减去最后一块未命中的专家，它们分布在 g_exp 个设备上"),
    sources=("gpipe2018", "sarathi2024"),
    example=({"Q_pre_dev": "70 GB/device", "W_pre": "100 GB", "W_pre_last": "20 GB", "g_exp": "8 device", "N_par": "8"}, "60 GB/device"),
)  # fmt: skip

formula(
    "TTFT_ideal_chunk_layout", "t", "s",
    section="second", instead_of="TTFT_ideal",
    is_="(N_turn - 1) * max(t_turn_pre, Q_pre_dev / PP / B_peak) "
        "+ max(t_turn_pre * T_last / T_pass, Q_pre_dev_last / PP / B_peak)",
    name=("ideal TTFT of b_pre prompts, second order at peak", "b_pre 个请求的理想 TTFT（二阶，峰值速率）"),
    reason=("turn by turn the operations of a chunk, or the bytes that a device reads if these take longer; the last chunk paces its "
            "own last turn alone; without collectives",
            "逐个节拍取一块的运算时间与单设备读取字节的时间中较长者；最后一块只决定自己的最后一拍；不计集合通信"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"N_turn": "5", "t_turn_pre": "25 ms", "T_last": "100 token", "T_pass": "500 token", "Q_pre_dev": "60 GB/device",
              "Q_pre_dev_last": "60 GB/device", "PP": "2", "B_peak": "3 TB/s/device"}, "110 ms"),
)  # fmt: skip

formula(
    "TTFT_second_chunk_layout", "t", "s",
    section="second", instead_of="TTFT_second",
    is_="(N_turn - 1) * max(t_turn_pre, (Q_pre_dev + KV_fill_dev) / PP / B_peak) "
        "+ max(t_turn_pre * T_last / T_pass, (Q_pre_dev_last + KV_fill_dev * T_last / T_pass) / PP / B_peak) + t_over_pre",
    name=("TTFT of b_pre prompts, second order at peak, overheads counted", "峰值速率下 b_pre 个请求的二阶 TTFT（计入开销）"),
    reason=("the ideal, with the KV cache that is written, kernel launches, collectives and the hand-over from stage to stage",
            "理想值，另计写入 KV cache、kernel 启动、集合通信与各级间的传递"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"N_turn": "5", "t_turn_pre": "25 ms", "T_last": "100 token", "T_pass": "500 token", "Q_pre_dev": "60 GB/device",
              "Q_pre_dev_last": "59 GB/device", "KV_fill_dev": "5 GB/device", "PP": "2", "B_peak": "3 TB/s/device",
              "t_over_pre": "15 ms"}, "125 ms"),
)  # fmt: skip

formula(
    "TTFT_exp_chunk_layout", "t", "s",
    section="second", instead_of="TTFT_exp",
    is_="(N_turn - 1) * max(t_turn_pre / MFU, (Q_pre_dev + KV_fill_dev) / PP / (MBU * B_peak)) "
        "+ max(t_turn_pre * T_last / T_pass / MFU, (Q_pre_dev_last + KV_fill_dev * T_last / T_pass) / PP / (MBU * B_peak)) + t_over_pre",
    name=("expected TTFT of b_pre prompts, second order at reachable rates", "b_pre 个请求的预期 TTFT（二阶，可达速率）"),
    reason=("the same at the share of each peak that is reachable; overheads added in full", "同上，各按峰值中可达的比例；开销全部相加"),
    sources=("databricks2023", "sarathi2024"),
    example=({"N_turn": "5", "t_turn_pre": "25 ms", "T_last": "100 token", "T_pass": "500 token", "Q_pre_dev": "60 GB/device",
              "Q_pre_dev_last": "59 GB/device", "KV_fill_dev": "5 GB/device", "PP": "2", "B_peak": "3 TB/s/device",
              "t_over_pre": "15 ms", "MFU": "0.5", "MBU": "0.5"}, "235 ms"),
)  # fmt: skip
