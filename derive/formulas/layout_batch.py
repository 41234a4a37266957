"""A decode step of several stages or groups: whole requests, the fullest micro-batch paces all.

Each of DP groups parts its requests into PP micro-batches at most, which take turns on its stages.
"""

import derive.formulas.collectives
import derive.formulas.layout
import derive.formulas.second_decode
import derive.formulas.structure_sparse  # noqa: F401
from derive.formula import formula

formula(
    "KV_dev_batch", "k", "byte/device",
    section="parallel", instead_of="KV_dev",
    is_="T * kappa_dev * PP * ceil(b / (PP * DP))",
    name=("KV-cache bytes one device reads for one decode step", "单设备为一个 decode 步读取的 KV cache 字节数"),
    reason=("in each of PP turns its layers and heads of the requests of one micro-batch, copies included; the fullest of PP · DP "
            "micro-batches of whole requests paces the others",
            "在 PP 个节拍的每一拍读取一个微批各请求中自己的层与头，含副本；PP · DP 个微批各含整数个请求，最满的一个决定节拍"),
    sources=("pope2022", "gpipe2018"),
    example=({"T": "25000 token/request", "b": "5 request", "kappa_dev": "20000 byte/token/device", "PP": "2", "DP": "2"},
             "2 GB/device"),
)  # fmt: skip

formula(
    "KV_dev_batch_sparse", "k", "byte/device",
    section="parallel", instead_of="KV_dev",
    is_="KV_read_request * PP * ceil(b / (PP * DP)) * kappa_dev / kappa",
    name=("KV-cache bytes one device reads for one decode step", "单设备为一个 decode 步读取的 KV cache 字节数"),
    reason=("in each of PP turns, of the requests of one micro-batch, what a step reads of the cache, its layers and heads of it, "
            "copies included; the fullest of PP · DP micro-batches of whole requests paces the others",
            "在 PP 个节拍的每一拍读取一个微批各请求的 KV cache 中一步所读的部分，只计自己的层与头，含副本；PP · DP 个微批各含整数个请求，"
            "最满的一个决定节拍"),
    sources=("pope2022", "gpipe2018"),
    example=({"KV_read_request": "2 GB/request", "b": "5 request", "kappa_dev": "20000 byte/token/device",
              "kappa": "80000 byte/token", "PP": "2", "DP": "2"}, "2 GB/device"),
)  # fmt: skip

formula(
    "t_step_batch", "t", "s",
    section="step", instead_of="t_step",
    is_="max(F_step / b * ceil(b / (PP * DP)) / (TP * P_peak), (PP * W_read_dev + KV_dev) / B_peak)",
    name=("time of one decode step at peak rates", "峰值速率下一个 decode 步的时间"),
    reason=("the slower of operations and movement of PP turns of the fullest micro-batch, on the TP devices of a stage",
            "最满的微批走完 PP 个节拍，在一级的 TP 个设备上取运算与搬运中较慢者"),
    reading=("Where requests do not part evenly, groups with fewer of them are faster.", "请求不能均分时，请求较少的组更快。"),
    sources=("williams2009", "gpipe2018"),
    example=({"F_step": "1120 GFLOP", "b": "8 request", "g": "4 device", "P_peak": "1000 TFLOP/s/device", "PP": "2", "DP": "2",
              "W_read_dev": "18 GB/device", "KV_dev": "3 GB/device", "B_peak": "3 TB/s/device"}, "13 ms"),
)  # fmt: skip

formula(
    "t_step_eff_batch", "t", "s",
    section="step", instead_of="t_step_eff",
    is_="max(F_step / b * ceil(b / (PP * DP)) / (TP * MFU * P_peak), (PP * W_read_dev + KV_dev) / (MBU * B_peak))",
    name=("time of one decode step at reachable rates", "可达速率下一个 decode 步的时间"),
    reason=("the same two times at the share of each peak that is reachable", "同样两个时间，各按峰值中可达的比例计算"),
    sources=("databricks2023", "gpipe2018"),
    example=({"F_step": "1120 GFLOP", "b": "8 request", "g": "4 device", "P_peak": "1000 TFLOP/s/device", "PP": "2", "DP": "2",
              "W_read_dev": "18 GB/device", "KV_dev": "3 GB/device", "B_peak": "3 TB/s/device", "MFU": "0.5",
              "MBU": "0.5"}, "26 ms"),
)  # fmt: skip

# --- the second order ------------------------------------------------------------------------------

formula(
    "t_ops_batch", "t", "s",
    section="second", instead_of="t_ops",
    is_="(c_op * N_mat + F_att) * ceil(b / (PP * DP)) * n / (TP * P_peak)",
    name=("time of a step's operations at peak, attention counted", "峰值速率下一步的运算时间（计入注意力）"),
    reason=("matrix products and attention alone, of PP turns of the fullest micro-batch: lookups and scales multiply nothing",
            "只计矩阵乘与注意力（最满的微批走完 PP 个节拍）：查表与缩放不做乘法"),
    sources=("kaplan2020", "gpipe2018"),
    example=({"N_mat": "70 Gparam", "F_att": "4 GFLOP/token", "b": "7 request", "n": "1 token/request", "g": "4 device",
              "PP": "2", "DP": "1", "P_peak": "1000 TFLOP/s/device"}, "0.288 ms"),
)  # fmt: skip

formula(
    "Q_more_dev_batch", "q", "byte/device",
    section="second", instead_of="Q_more_dev",
    is_="(KV_write * kappa_dev / kappa + Q_act / (PP * one_device)) / b * PP * ceil(b / (PP * DP))",
    name=("bytes that one device writes or moves besides", "单设备另外写入与搬运的字节数"),
    reason=("the KV cache of the new tokens of the fullest micro-batch, copies included, and their activations, which every device "
            "of a tensor-parallel group moves",
            "最满的微批中新 token 的 KV cache（含副本）与激活，后者在张量并行组内每个设备都要搬运"),
    sources=("jax-book", "gpipe2018"),
    example=({"KV_write": "7 MB", "kappa_dev": "20 kB/token/device", "kappa": "320 kB/token", "b": "7 request", "DP": "1",
              "PP": "2", "Q_act": "35 MB"}, "20.5 MB/device"),
)  # fmt: skip

formula(
    "t_ring_batch", "t", "s",
    section="second", instead_of="t_ring",
    is_="c_ring * L * (TP - one_device) / TP * ceil(b / (PP * DP)) * n * d_model * w_act / (B_link * one_device)",
    name=("transfer time of the ring all-reduces that one token waits for", "单个 token 所等待的 ring all-reduce 传输时间"),
    reason=("two ring all-reduces a layer over the devices that share it, for the requests of the fullest micro-batch; a model of "
            "the ring, not a bound: in-network reduction moves less",
            "每层在共享该层的设备间做两次 ring all-reduce，数据为最满微批的请求；这是 ring 的模型而非界：网内归约搬运更少"),
    sources=("pope2022", "gpipe2018"),
    example=({"L": "80", "g": "8 device", "PP": "2", "DP": "1", "b": "15 request", "n": "1 token/request",
              "d_model": "8192 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"}, "69.9050666667 µs"),
)  # fmt: skip

formula(
    "t_a2a_batch", "t", "s",
    section="second", instead_of="t_a2a",
    is_="c_a2a * L_exp * k_exp / E * (E - E / EP) * ceil(b / (PP * DP)) * n * d_model * w_act / (TP * B_link)",
    name=("transfer time of the expert all-to-alls of one decode step", "一个 decode 步中专家 all-to-all 的传输时间"),
    reason=("every token of the fullest micro-batch goes to k of E experts and back, of which E − E/EP are on other ranks; the "
            "devices of a group share its tokens evenly; in every layer with experts, a copy for each expert: an upper figure",
            "最满微批的每个 token 发往 E 个专家中的 k 个再收回，其中 E − E/EP 个在其他 rank；组内设备均分其 token；"
            "含专家的每一层各一次，每个专家各发一份：偏高"),
    sources=("gshard2020", "gpipe2018"),
    example=({"L_exp": "60", "E": "64", "EP": "8", "k_exp": "8", "b": "57 request", "n": "1 token/request", "g": "8 device", "PP": "1", "DP": "8", "d_model": "7000 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"},
             "209.066667 µs"),
)  # fmt: skip

formula(
    "t_send_batch", "t", "s",
    section="second", instead_of="t_send",
    is_="(PP - 1) * ceil(b / (PP * DP)) * n * d_model * w_act / (B_link * one_device)",
    name=("time to hand a micro-batch from stage to stage", "微批在各级间传递的时间"),
    reason=("the hidden state of the tokens of the fullest micro-batch crosses PP − 1 links", "最满微批的 token 的隐藏状态经过 PP − 1 段链路"),
    sources=("gpipe2018",),
    example=({"PP": "2", "DP": "1", "b": "7 request", "n": "1 token/request", "d_model": "8000 element/token",
              "w_act": "2 byte/element", "B_link": "50 GB/s/device"}, "1.28 µs"),
)  # fmt: skip
