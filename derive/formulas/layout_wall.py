"""The wall of decode where devices do not share all evenly: what a pass reads, copies and all.

A pass brings one micro-batch of one group; its weights are read for it alone. Of the KV cache every
device reads what it keeps, so KV_read · kappa_dev/kappa · TP · PP is what all devices read of it.
"""

import derive.formulas.layout_batch
import derive.formulas.products
import derive.formulas.structure_sparse
import derive.formulas.with_speculation  # noqa: F401
from derive.formula import formula

formula(
    "I_decode_laid", "i", "FLOP/byte",
    section="intensity", instead_of="I_decode",
    is_="F_tok * n * ceil(b / (PP * DP)) / (TP * (PP * W_read_dev + KV_dev))",
    name=("arithmetic intensity of decode", "decode 阶段的算术强度"),
    reason=("the fullest micro-batch brings n tokens of each of its requests, over what the devices of its group read for it, "
            "copies included; with speculation that of the pass that verifies them",
            "最满的微批中每个请求带来 n 个 token，除以该组设备为它读取的字节数（含副本）；启用投机解码时即校验的那次前向"),
    sources=("kipply2022", "gpipe2018"),
    example=({"F_tok": "140 GFLOP/token", "b": "15 request", "n": "1 token/request", "PP": "2", "DP": "1", "g": "4 device",
              "W_read_dev": "30 GB/device", "KV_dev": "10 GB/device"}, "8 FLOP/byte"),
)  # fmt: skip

formula(
    "I_decode_1_laid", "i", "FLOP/byte",
    section="intensity", instead_of="I_decode_1",
    is_="F_tok * one_request * one_token / W_read",
    name=("arithmetic intensity of decode, one request, no context", "单请求、无上下文时 decode 的算术强度"),
    reason=("the lower end: one token pays for all the weights", "下限：一个 token 独自承担全部权重搬运"),
    sources=("kipply2022",),
    example=({"F_tok": "140 GFLOP/token", "W_read": "140 GB"}, "1 FLOP/byte"),
)  # fmt: skip

formula(
    "I_decode_1_laid_experts", "i", "FLOP/byte",
    section="intensity", instead_of="I_decode_1",
    is_="F_tok * one_request * one_token / (N_fix * w_fix + N_exp * w_exp * k_exp / E)",
    name=("arithmetic intensity of decode, one request, no context", "单请求、无上下文时 decode 的算术强度"),
    reason=("the lower end: one token pays for all weights that it uses", "下限：一个 token 独自承担其用到的全部权重搬运"),
    sources=("kipply2022",),
    example=({"F_tok": "26 GFLOP/token", "N_fix": "4 Gparam", "w_fix": "2 byte/param", "N_exp": "40 Gparam",
              "w_exp": "1 byte/param", "k_exp": "2", "E": "16"}, "2 FLOP/byte"),
)  # fmt: skip

formula(
    "I_decode_1_laid_two", "i", "FLOP/byte",
    section="intensity", instead_of="I_decode_1",
    is_="F_tok * one_request * one_token / (N_fix * w_fix + ((N_exp - N_exp2) * k_exp / E + N_exp2 * k_exp2 / E2) * w_exp)",
    name=("arithmetic intensity of decode, one request, no context", "单请求、无上下文时 decode 的算术强度"),
    reason=("the lower end: one token pays for all weights that it uses", "下限：一个 token 独自承担其用到的全部权重搬运"),
    sources=("kipply2022",),
    example=({"F_tok": "43 GFLOP/token", "N_fix": "2 Gparam", "w_fix": "2 byte/param", "N_exp": "50 Gparam",
              "N_exp2": "10 Gparam", "w_exp": "1 byte/param", "k_exp": "2", "E": "8", "k_exp2": "3", "E2": "4"}, "2 FLOP/byte"),
)  # fmt: skip

formula(
    "P_attain_laid", "p", "FLOP/s/device",
    section="ridge", instead_of="P_attain",
    is_="min(P_peak, I_decode * B_peak)",
    name=("attainable compute", "可达算力"),
    reason=("the lower of the two roofs at the intensity of decode in this layout", "该并行方式下 decode 算术强度处两条屋顶中较低的一条"),
    sources=("williams2009",),
    example=({"P_peak": "312 TFLOP/s/device", "B_peak": "2039 GB/s/device", "I_decode": "1 FLOP/byte"}, "2.039 TFLOP/s/device"),
)  # fmt: skip

formula(
    "bytes_per_token_laid", "q", "byte/token",
    section="bytes", instead_of="bytes_per_token",
    is_="Q_laid / (b * n)",
    name=("bytes moved per output token", "每输出 token 搬运的字节数"),
    reason=("the bytes that all devices move in a step, shared by the tokens it yields", "全部设备一步搬运的字节由该步产出的 token 分摊"),
    sources=("databricks2023",),
    example=({"Q_laid": "156 GB", "b": "8 request", "n": "1 token/request"}, "19.5 GB/token"),
)  # fmt: skip

formula(
    "bytes_per_token_laid_spec", "q", "byte/token",
    section="bytes", instead_of="bytes_per_token",
    is_="Q_laid / (b * n_gain)",
    name=("bytes moved per token", "每 token 搬运的字节数"),
    reason=("with speculation: the bytes of a round shared by the tokens it yields", "启用投机解码：一轮搬运的字节由该轮产出的 token 分摊"),
    sources=("leviathan2022", "chen2023"),
    example=({"Q_laid": "140 GB", "b": "8 request", "alpha": "0.5", "k_draft": "2 token/request"}, "10 GB/token"),
)  # fmt: skip

# --- walls: an endless batch -----------------------------------------------------------------------

formula(
    "I_decode_inf_laid", "i", "FLOP/byte",
    section="wall", instead_of="I_decode_inf",
    is_="F_step / (KV_read * kappa_dev / kappa * TP * PP)",
    name=("KV wall: intensity of decode at an endless batch", "KV 墙：批大小趋于无穷时 decode 的算术强度"),
    reason=("weights are shared by ever more requests, KV is not: what is left is the KV that all devices read, copies included",
            "权重由越来越多的请求分摊，KV 不能分摊：极限下只剩全部设备读取的 KV（含副本）"),
    sources=("mindgap2025", "pope2022"),
    example=({"F_step": "1120 GFLOP", "KV_read": "14 GB", "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token",
              "g": "4 device", "PP": "1", "DP": "1"}, "40 FLOP/byte"),
)  # fmt: skip

formula(
    "I_wall_att_laid", "i", "FLOP/byte",
    section="second", instead_of="I_wall_att",
    is_="(F_tok + F_att) * n * b / (KV_read * kappa_dev / kappa * TP * PP)",
    name=("KV wall with attention operations counted", "计入注意力运算的 KV 墙"),
    reason=("an endless batch, with the operations on the KV cache itself and the copies that devices read",
            "批大小趋于无穷，计入对 KV cache 自身的运算与各设备读取的副本"),
    sources=("jax-book", "pope2022"),
    example=({"F_tok": "136 GFLOP/token", "F_att": "4 GFLOP/token", "n": "1 token/request", "b": "8 request",
              "KV_read": "14 GB", "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "g": "4 device",
              "PP": "1", "DP": "1"}, "40 FLOP/byte"),
)  # fmt: skip

formula(
    "I_wall_mat_laid", "i", "FLOP/byte",
    section="wall", instead_of="I_wall_mat",
    is_="(c_op * N_mat + F_att) * n * b / (KV_read * kappa_dev / kappa * TP * PP)",
    name=("KV wall counted by matrix products and attention alone", "只计矩阵乘与注意力的 KV 墙"),
    reason=("an endless batch, with the operations that are made and the copies that devices read: F_tok also counts tables that "
            "are looked up",
            "批大小趋于无穷，只计真正执行的运算与各设备读取的副本；F_tok 还计入了只查表的参数"),
    sources=("kaplan2020", "pope2022"),
    example=({"N_mat": "68 Gparam", "F_att": "4 GFLOP/token", "n": "1 token/request", "b": "8 request",
              "KV_read": "14 GB", "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "g": "4 device",
              "PP": "1", "DP": "1"}, "40 FLOP/byte"),
)  # fmt: skip

formula(
    "I_att_laid", "i", "FLOP/byte",
    section="wall", instead_of="I_att",
    is_="F_att * n * b / (KV_read * kappa_dev / kappa * TP * PP)",
    name=("attention intensity", "注意力的算术强度"),
    reason=("attention operations per byte of KV cache that devices read, copies included", "各设备读取的每字节 KV cache（含副本）对应的注意力运算量"),
    sources=("gqa2023", "pope2022"),
    example=({"F_att": "14 GFLOP/token", "n": "1 token/request", "b": "8 request", "KV_read": "14 GB",
              "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "g": "4 device", "PP": "1", "DP": "1"},
             "4 FLOP/byte"),
)  # fmt: skip

# --- critical batches: of the whole replica, every micro-batch full --------------------------------

formula(
    "b_crit_laid", "b", "request",
    section="batch", instead_of="b_crit",
    solve=("F_step / (g * PP * W_read_dev)", "I_ridge", "b"),
    name=("critical batch without context", "临界批大小（不计上下文）"),
    reason=("every micro-batch reads the weights for itself, so each needs the batch that one copy of the model would; limit of a "
            "vanishing context",
            "每个微批各读一遍权重，因此每个微批都需要单份模型所需的批大小；上下文趋于零的极限"),
    sources=("kipply2022", "gpipe2018"),
    example=({"I_ridge": "150 FLOP/byte", "F_tok": "140 GFLOP/token", "g": "4 device", "PP": "2", "W_read_dev": "35 GB/device"},
             "300 request"),
)  # fmt: skip

formula(
    "b_crit_state_laid", "b", "request",
    section="batch", instead_of="b_crit",
    solve=("F_step / (g * PP * W_read_dev + b * S_kv)", "I_ridge", "b"),
    exists=("I_ridge * S_kv < F_tok * n",
            ("a request's constant state alone takes longer to read than its operations: no batch reaches the ridge",
             "单个请求的常量状态本身就比其运算耗时更久：任何批大小都到不了脊点")),
    name=("critical batch without context", "临界批大小（不计上下文）"),
    reason=("every micro-batch reads the weights for itself; limit of a vanishing context, where the constant state of each request "
            "is still read",
            "每个微批各读一遍权重；上下文趋于零的极限，但每个请求的常量状态仍须读取"),
    sources=("kipply2022", "gpipe2018"),
    example=({"I_ridge": "150 FLOP/byte", "F_tok": "140 GFLOP/token", "g": "4 device", "PP": "2", "W_read_dev": "35 GB/device",
              "S_kv": "200 MB/request"}, "381.818181818 request"),
)  # fmt: skip

formula(
    "b_crit_T_laid", "b", "request",
    section="batch", instead_of="b_crit_T",
    solve=("F_step / (g * PP * W_read_dev + KV_read * kappa_dev / kappa * TP * PP)", "I_ridge", "b"),
    name=("critical batch at context T", "上下文为 T 时的临界批大小"),
    reason=("the same equation with the KV cache that all devices read", "同一方程，计入全部设备读取的 KV cache"),
    sources=("mindgap2025", "gpipe2018"),
    example=({"I_ridge": "300 FLOP/byte", "F_tok": "140 GFLOP/token", "g": "4 device", "PP": "2", "DP": "1",
              "W_read_dev": "35 GB/device", "b": "2 request", "T": "1000 token/request", "kappa": "100 kB/token", "kappa_dev": "25 kB/token/device"}, "763.636363636 request"),
)  # fmt: skip

formula(
    "b_crit_att_laid", "b", "request",
    section="batch", instead_of="b_crit_att",
    solve=("(F_step + F_att * b * n) / (g * PP * W_read_dev + KV_read * kappa_dev / kappa * TP * PP)", "I_ridge", "b"),
    name=("critical batch at context T, attention operations counted", "上下文为 T 时的临界批大小（计入注意力运算）"),
    reason=("the same equation with the operations on the KV cache", "同一方程，计入对 KV cache 的运算"),
    sources=("jax-book", "gpipe2018"),
    example=({"I_ridge": "300 FLOP/byte", "F_tok": "130 GFLOP/token", "F_att": "10 GFLOP/token", "g": "4 device", "PP": "2",
              "DP": "1", "W_read_dev": "35 GB/device", "b": "2 request", "T": "1000 token/request", "kappa": "100 kB/token", "kappa_dev": "25 kB/token/device"}, "763.636363636 request"),
)  # fmt: skip

formula(
    "b_crit_mat_laid", "b", "request",
    section="batch", instead_of="b_crit_mat",
    solve=("(c_op * N_mat + F_att) * b * n / (g * PP * W_read_dev + KV_read * kappa_dev / kappa * TP * PP)", "I_ridge", "b"),
    name=("critical batch at context T, counted by matrix products and attention alone", "上下文为 T 时的临界批大小（只计矩阵乘与注意力）"),
    reason=("the same equation with the operations that are really made", "同一方程，只计真正执行的运算"),
    sources=("kaplan2020", "gpipe2018"),
    example=({"I_ridge": "300 FLOP/byte", "N_mat": "65 Gparam", "F_att": "10 GFLOP/token", "g": "4 device", "PP": "2",
              "DP": "1", "W_read_dev": "35 GB/device", "b": "2 request", "T": "1000 token/request", "kappa": "100 kB/token", "kappa_dev": "25 kB/token/device"}, "763.636363636 request"),
)  # fmt: skip

formula(
    "T_cross_laid", "t", "token/request",
    section="kv", instead_of="T_cross",
    solve=("KV_laid", "W_laid", "T"),
    name=("context at which KV bytes equal weight bytes", "KV 字节数追平权重字节数的上下文长度"),
    reason=("beyond it a step moves more KV than weights, copies and readings for each micro-batch counted",
            "超过它，一步搬运的 KV 多于权重（计入副本与每个微批的重读）"),
    sources=("jax-book", "gpipe2018"),
    example=({"W_laid": "280 GB", "b": "2 request", "PP": "2", "DP": "1", "g": "4 device", "T": "1000 token/request", "kappa": "100 kB/token", "kappa_dev": "25 kB/token/device", "N_mb": "2"},
             "1400000 token/request"),
)  # fmt: skip

# --- measured --------------------------------------------------------------------------------------

formula(
    "Q_laid_mean", r"\overline{Q}_{\mathrm{lay}}", "byte",
    section="measured", switch="TPOT_meas",
    of="Q_laid", at={"T": "T_mean"},
    name=("bytes that all devices move in a step at the mean context", "平均上下文下全部设备一步搬运的字节数"),
    reason=("what a measured mean over the output is held against", "用于对照输出期间的实测均值"),
    sources=("databricks2023", "gpipe2018"),
    example=({"g": "4 device", "PP": "2", "DP": "1", "b": "3 request", "W_laid": "144 GB",
              "T_mean": "1000 token/request", "kappa_dev": "25000 byte/token/device", "kappa": "100000 byte/token",
              "N_mb": "2", "TPOT_meas": "20 ms*request/token"}, "144.3 GB"),
)  # fmt: skip

formula(
    "MBU_meas_laid", "m", "",
    section="measured", instead_of="MBU_meas",
    is_="Q_laid_mean / (n * TPOT_meas) / (g * B_peak)",
    name=("measured bandwidth utilization", "实测带宽利用率（MBU）"),
    reason=("bytes that all devices move in a step at the mean context over the measured time and the peak bandwidth",
            "平均上下文下全部设备一步搬运的字节数，除以实测时间与峰值带宽"),
    sources=("databricks2023", "gpipe2018"),
    example=({"Q_laid_mean": "120 GB", "n": "1 token/request", "TPOT_meas": "20 ms*request/token", "g": "4 device",
              "B_peak": "3 TB/s/device"}, "0.5"),
)  # fmt: skip
