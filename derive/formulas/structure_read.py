"""Caches of which a step reads less or more than memory holds: compressed entries, shared layers."""

import derive.formulas.structure_sparse  # noqa: F401
from derive.formula import formula

formula(
    "KV_read_compressed", "k", "byte/request",
    section="kv", instead_of="KV_read_request",
    is_="(e_full * T + e_win * min(T, T_win) + (e_cmp - e_pick) * floor(T / T_cmp) * T_cmp "
        "+ e_pick * min(floor(T / T_cmp) * T_cmp, T_pick) + e_cmp2 * floor(T / T_cmp2) * T_cmp2) * w_kv",
    name=("KV-cache bytes of one request that a step reads", "一步中读取的单请求 KV cache 字节数"),
    reason=("the last tokens, the entries that the indexer picks, of every entry what the indexer itself reads, and "
            "all entries of the layers without an indexer; memory holds all",
            "最近的 token、索引器选出的条目、每个条目供索引器读取的部分，以及无索引器的层的全部条目；显存仍保存全部"),
    sources=("config-deepseek-v4-flash",),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "e_cmp": "500 element/token",
              "e_pick": "400 element/token", "T_pick": "2000 token/request",
              "e_cmp2": "100 element/token", "T": "4002 token/request", "T_win": "1000 token/request",
              "T_cmp": "4 token/request", "T_cmp2": "100 token/request", "w_kv": "2 byte/element"},
             "19.204 MB/request"),
)  # fmt: skip

formula(
    "F_att_compressed_sparse", "f", "FLOP/token",
    section="second", instead_of="F_att",
    is_="a_full * T + a_win * min(T, T_win) + a_cmp * floor(T / T_cmp) * T_cmp "
        "+ a_pick * min(floor(T / T_cmp) * T_cmp, T_pick) + a_cmp2 * floor(T / T_cmp2) * T_cmp2",
    name=("attention operations of one decode token", "decode 单个 token 的注意力运算量"),
    reason=("the indexer scores every entry, attention works on the last tokens, on the entries that are picked and on "
            "all of the layers without an indexer",
            "索引器对每个条目打分；注意力处理最近的 token、选出的条目，以及无索引器的层的全部条目"),
    sources=("config-deepseek-v4-flash",),
    example=({"a_full": "1000000 FLOP*request/token^2", "a_win": "2000000 FLOP*request/token^2",
              "a_cmp": "500000 FLOP*request/token^2", "a_pick": "1000000 FLOP*request/token^2",
              "T_pick": "2000 token/request", "a_cmp2": "10000 FLOP*request/token^2",
              "T": "4002 token/request", "T_win": "1000 token/request", "T_cmp": "4 token/request",
              "T_cmp2": "100 token/request"}, "10.042 GFLOP/token"),
)  # fmt: skip

formula(
    "share_att_prefill_compressed_sparse", "s", "",
    section="second", instead_of="share_att_prefill",
    is_="((a_pre + a_cmp + a_cmp2) * T_in / 2 "
        "+ a_win * (min(T_in, T_win) - min(T_in, T_win) ^ 2 / T_in / 2) "
        "+ a_pick * (min(T_in, T_pick) - min(T_in, T_pick) ^ 2 / T_in / 2)) / F_tok",
    name=("attention operations over weight operations, prefill", "prefill 注意力运算与权重运算之比"),
    reason=("the mean over the prompt of what each token sees: half of the entries are scored, at most the picked ones "
            "and a window of tokens are attended to",
            "输入中各 token 可见内容的平均：打分看到条目的一半，注意力至多处理选出的条目与一个窗口的 token"),
    sources=("palm2022",),
    example=({"a_pre": "1 MFLOP*request/token^2", "a_win": "2 MFLOP*request/token^2",
              "a_pick": "2 MFLOP*request/token^2", "T_pick": "1000 token/request",
              "a_cmp": "0.75 MFLOP*request/token^2", "a_cmp2": "0.25 MFLOP*request/token^2",
              "T_in": "2000 token/request", "T_win": "1000 token/request", "F_tok": "50 GFLOP/token"}, "0.1"),
)  # fmt: skip

formula(
    "KV_read_again", "k", "byte/request",
    section="kv", instead_of="KV_read_request",
    is_="((e_full + e_again) * T + (e_win + e_again_win) * min(T, T_win)) * w_kv + S_kv",
    name=("KV-cache bytes of one request that a step reads", "一步中读取的单请求 KV cache 字节数"),
    reason=("each layer reads the cache it works on; one that several layers share is held once and read by each",
            "每层都要读取其所用的 KV cache；多层共享的 KV 只存一份，但每层各读一遍"),
    sources=("jax-book",),
    example=({"e_full": "1000 element/token", "e_again": "500 element/token", "e_win": "2000 element/token",
              "e_again_win": "1000 element/token", "T": "4000 token/request", "T_win": "1000 token/request",
              "w_kv": "2 byte/element", "S_kv": "0 byte/request"}, "18 MB/request"),
)  # fmt: skip

formula(
    "MBU_meas_again", "m", "",
    section="measured", instead_of="MBU_meas",
    is_="(W_read + b * (((e_full + e_again) * T_mean + (e_win + e_again_win) * min(T_mean, T_win)) * w_kv + S_kv)) "
        "/ (n * TPOT_meas) / (g * B_peak)",
    name=("measured bandwidth utilization", "实测带宽利用率（MBU）"),
    reason=("bytes of a step at the mean context over the measured time and the peak bandwidth",
            "按平均上下文计的一步字节数，除以实测时间与峰值带宽"),
    sources=("databricks2023",),
    example=({"W_read": "14 GB", "b": "1 request", "e_full": "1000 element/token", "e_again": "500 element/token",
              "e_win": "2000 element/token", "e_again_win": "1000 element/token", "T_mean": "4000 token/request",
              "T_win": "1000 token/request", "w_kv": "2 byte/element", "S_kv": "0 byte/request",
              "n": "1 token/request", "TPOT_meas": "14.018 ms*request/token", "g": "1 device",
              "B_peak": "2 TB/s/device"}, "0.5"),
)  # fmt: skip

formula(
    "MBU_meas_compressed", "m", "",
    section="measured", instead_of="MBU_meas",
    is_="(W_read + b * (e_full * T_mean + e_win * min(T_mean, T_win) "
        "+ (e_cmp - e_pick) * floor(T_mean / T_cmp) * T_cmp "
        "+ e_pick * min(floor(T_mean / T_cmp) * T_cmp, T_pick) + e_cmp2 * floor(T_mean / T_cmp2) * T_cmp2) * w_kv) "
        "/ (n * TPOT_meas) / (g * B_peak)",
    name=("measured bandwidth utilization", "实测带宽利用率（MBU）"),
    reason=("bytes of a step at the mean context over the measured time and the peak bandwidth",
            "按平均上下文计的一步字节数，除以实测时间与峰值带宽"),
    sources=("databricks2023",),
    example=({"W_read": "14 GB", "b": "1 request", "e_full": "1000 element/token", "e_win": "4000 element/token",
              "e_cmp": "500 element/token", "e_pick": "400 element/token", "T_pick": "2000 token/request",
              "e_cmp2": "100 element/token", "T_mean": "4002 token/request", "T_win": "1000 token/request",
              "T_cmp": "4 token/request", "T_cmp2": "100 token/request", "w_kv": "2 byte/element",
              "n": "1 token/request", "TPOT_meas": "14.019204 ms*request/token", "g": "1 device",
              "B_peak": "2 TB/s/device"}, "0.5"),
)  # fmt: skip
