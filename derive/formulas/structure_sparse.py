"""Attention to what an indexer picks: a step reads part of the cache, memory holds all of it."""

import derive.formulas.batching
import derive.formulas.structure
import derive.formulas.utilisation  # noqa: F401
from derive.formula import formula

formula(
    "KV_read_request", r"\mathrm{KV}_{\mathrm{read}}^{\mathrm{req}}", "byte/request",
    section="kv",
    is_="((e_full - e_pick) * T + e_pick * min(T, T_pick)) * w_kv",
    name=("KV-cache bytes of one request that a step reads", "一步中读取的单请求 KV cache 字节数"),
    reason=("the tokens that the indexer picks, and of every token what the indexer itself reads; memory holds all",
            "索引器选出的 token，以及每个 token 供索引器读取的部分；显存仍保存全部"),
    sources=("dsa2025",),
    example=({"e_full": "3000 element/token", "e_pick": "2000 element/token", "T": "4000 token/request",
              "T_pick": "1000 token/request", "w_kv": "2 byte/element"}, "12 MB/request"),
)  # fmt: skip

formula(
    "KV_total_sparse", "k", "byte",
    section="kv", instead_of="KV_total",
    is_="b * KV_read_request",
    name=("KV-cache bytes of the batch that a step reads", "整批一步读取的 KV cache 字节数"),
    reason=("each request reads what was picked of its own cache", "每个请求读自己 KV cache 中选出的部分"),
    sources=("dsa2025",),
    example=({"b": "8 request", "KV_read_request": "12 MB/request"}, "96 MB"),
)  # fmt: skip

formula(
    "Q_step_sparse", "q", "byte",
    section="bytes", instead_of="Q_step",
    is_="W_read + b * KV_read_request",
    name=("bytes one forward pass moves", "一次前向搬运的字节数"),
    reason=("weights once for the batch, of the KV cache what was picked, once for each request",
            "权重整批只读一遍，KV cache 中选出的部分每个请求各读一遍"),
    sources=("kipply2022", "dsa2025"),
    example=({"W_read": "140 GB", "b": "8 request", "KV_read_request": "2 GB/request"}, "156 GB"),
)  # fmt: skip

formula(
    "F_att_sparse", "f", "FLOP/token",
    section="second", instead_of="F_att",
    is_="a_full * T + a_pick * min(T, T_pick)",
    name=("attention operations of one decode token", "decode 单个 token 的注意力运算量"),
    reason=("the indexer scores every token, attention works on those it picks", "索引器对每个 token 打分，注意力只处理选出的 token"),
    sources=("dsa2025",),
    example=({"a_full": "1000000 FLOP*request/token^2", "a_pick": "2000000 FLOP*request/token^2",
              "T": "4000 token/request", "T_pick": "1000 token/request"}, "6 GFLOP/token"),
)  # fmt: skip

formula(
    "share_att_prefill_sparse", "s", "",
    section="second", instead_of="share_att_prefill",
    is_="(a_pre * T_in / 2 + a_pick * (min(T_in, T_pick) - min(T_in, T_pick) ^ 2 / T_in / 2)) / F_tok",
    name=("attention operations over weight operations, prefill", "prefill 注意力运算与权重运算之比"),
    reason=("the mean over the prompt: half of it is scored, at most the picked tokens are attended to, in the absorbed form",
            "对输入取平均：打分看到其一半，注意力至多处理选出的 token，按吸收形式计"),
    sources=("dsa2025",),
    example=({"a_pre": "1 MFLOP*request/token^2", "a_pick": "2 MFLOP*request/token^2", "T_in": "2000 token/request",
              "T_pick": "1000 token/request", "F_tok": "50 GFLOP/token"}, "0.05"),
)  # fmt: skip

formula(
    "I_wall_att_sparse", "i", "FLOP/byte",
    section="second", instead_of="I_wall_att",
    is_="(F_tok + F_att) * n / KV_read_request",
    name=("KV wall with attention operations counted", "计入注意力运算的 KV 墙"),
    reason=("an endless batch, with the operations on the KV cache itself", "批大小趋于无穷，并计入对 KV cache 本身的运算"),
    sources=("jax-book",),
    example=({"F_tok": "140 GFLOP/token", "F_att": "4 GFLOP/token", "n": "1 token/request",
              "KV_read_request": "640 MB/request"}, "225 FLOP/byte"),
)  # fmt: skip

formula(
    "I_att_sparse", "i", "FLOP/byte",
    section="wall", instead_of="I_att",
    is_="F_att * n / KV_read_request",
    name=("attention intensity", "注意力的算术强度"),
    reason=("attention operations per byte of KV cache that is read", "每读取一字节 KV cache 对应的注意力运算量"),
    sources=("gqa2023", "jax-book"),
    example=({"F_att": "6 GFLOP/token", "n": "1 token/request", "KV_read_request": "750 MB/request"}, "8 FLOP/byte"),
)  # fmt: skip

formula(
    "T_cross_sparse", "t", "token/request",
    section="kv", instead_of="T_cross",
    solve=("b * KV_read_request", "W_read", "T"),
    closed="(W_read / (b * w_kv) - e_pick * T_pick) / (e_full - e_pick)",
    name=("context at which KV bytes equal weight bytes", "KV 字节数追平权重字节数的上下文长度"),
    reason=("beyond it a step reads more KV than weights", "超过它，一步读取的 KV 多于权重"),
    sources=("jax-book",),
    example=({"W_read": "10 GB", "b": "1 request", "e_full": "3000 element/token", "e_pick": "2000 element/token",
              "T_pick": "1000 token/request", "w_kv": "2 byte/element"}, "4998000 token/request"),
)  # fmt: skip

formula(
    "MBU_meas_sparse", "m", "",
    section="measured", instead_of="MBU_meas",
    is_="(W_read + b * ((e_full - e_pick) * T_mean + e_pick * min(T_mean, T_pick)) * w_kv) / (n * TPOT_meas) / (g * B_peak)",
    name=("measured bandwidth utilization", "实测带宽利用率（MBU）"),
    reason=("bytes of a step at the mean context over the measured time and the peak bandwidth",
            "按平均上下文计的一步字节数，除以实测时间与峰值带宽"),
    sources=("databricks2023",),
    example=({"W_read": "14 GB", "b": "1 request", "e_full": "3000 element/token", "e_pick": "2000 element/token",
              "T_mean": "1000 token/request", "T_pick": "1000 token/request", "w_kv": "2 byte/element",
              "n": "1 token/request", "TPOT_meas": "14.006 ms*request/token", "g": "1 device",
              "B_peak": "2 TB/s/device"}, "0.5"),
)  # fmt: skip
