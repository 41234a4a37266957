"""Causal attention over whole prompts, by what a model keeps of the context."""

import derive.formulas.second_decode  # noqa: F401
from derive.formula import formula

formula(
    "F_att_whole", r"F_{\mathrm{att}}^{\mathrm{all}}", "FLOP",
    section="second",
    is_="c_att * L * H_q * d_head * b_pre * T_in * (T_in + one_token) / 2",
    name=("attention operations of b_pre whole prompts", "b_pre 个请求全部输入的注意力运算量"),
    reason=("the causal mask leaves n (n + 1) / 2 pairs of a prompt of n tokens", "因果掩码下，n 个 token 的输入只剩 n (n + 1) / 2 对"),
    sources=("palm2022", "jax-book"),
    example=({"L": "80", "H_q": "64", "d_head": "128 element/token", "b_pre": "8 request", "T_in": "2048 token/request"},
             "44.00193994752 TFLOP"),
)  # fmt: skip

formula(
    "F_att_whole_flat", "f", "FLOP",
    section="second", instead_of="F_att_whole",
    is_="b_pre * (a_pre * T_in * (T_in + one_token) / 2)",
    name=("attention operations of b_pre whole prompts", "b_pre 个请求全部输入的注意力运算量"),
    reason=("all layers see every earlier token",
            "各层都看到此前的全部 token"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2"}, "10 MFLOP"),
)  # fmt: skip

formula(
    "F_att_whole_window", "f", "FLOP",
    section="second", instead_of="F_att_whole",
    is_="b_pre * (a_pre * T_in * (T_in + one_token) / 2 "
        "+ a_win * min(T_in, T_win) * (T_in + T_in - min(T_in, T_win) + one_token) / 2)",
    name=("attention operations of b_pre whole prompts", "b_pre 个请求全部输入的注意力运算量"),
    reason=("layers with a window see at most its length",
            "有窗口的层至多看到窗口长度"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_win": "1 MFLOP*request/token^2", "T_win": "2 token/request"}, "17 MFLOP"),
)  # fmt: skip

formula(
    "F_att_whole_windows", "f", "FLOP",
    section="second", instead_of="F_att_whole",
    is_="b_pre * (a_pre * T_in * (T_in + one_token) / 2 "
        "+ a_win * min(T_in, T_win) * (T_in + T_in - min(T_in, T_win) + one_token) / 2 "
        "+ a_win2 * min(T_in, T_win2) * (T_in + T_in - min(T_in, T_win2) + one_token) / 2)",
    name=("attention operations of b_pre whole prompts", "b_pre 个请求全部输入的注意力运算量"),
    reason=("layers with a window see at most its length",
            "有窗口的层至多看到各自的窗口长度"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_win": "1 MFLOP*request/token^2", "T_win": "2 token/request",
              "a_win2": "1 MFLOP*request/token^2", "T_win2": "1 token/request"}, "21 MFLOP"),
)  # fmt: skip

formula(
    "F_att_whole_compressed", "f", "FLOP",
    section="second", instead_of="F_att_whole",
    is_="b_pre * ((a_pre + a_cmp + a_cmp2) * T_in * (T_in + one_token) / 2 "
        "+ a_win * min(T_in, T_win) * (T_in + T_in - min(T_in, T_win) + one_token) / 2)",
    name=("attention operations of b_pre whole prompts", "b_pre 个请求全部输入的注意力运算量"),
    reason=("compressed entries of all earlier tokens, and at most a window of tokens",
            "此前全部 token 的压缩条目，以及至多一个窗口的 token"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_cmp": "1 MFLOP*request/token^2", "a_cmp2": "1 MFLOP*request/token^2",
              "a_win": "1 MFLOP*request/token^2", "T_win": "2 token/request"}, "37 MFLOP"),
)  # fmt: skip

formula(
    "F_att_whole_sparse", "f", "FLOP",
    section="second", instead_of="F_att_whole",
    is_="b_pre * (a_pre * T_in * (T_in + one_token) / 2 "
        "+ a_pick * min(T_in, T_pick) * (T_in + T_in - min(T_in, T_pick) + one_token) / 2)",
    name=("attention operations of b_pre whole prompts", "b_pre 个请求全部输入的注意力运算量"),
    reason=("the indexer scores every earlier token, attention works on those it picks",
            "索引器对此前的每个 token 打分，注意力只处理选出的 token"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_pick": "1 MFLOP*request/token^2", "T_pick": "3 token/request"}, "19 MFLOP"),
)  # fmt: skip

formula(
    "F_att_whole_compressed_sparse", "f", "FLOP",
    section="second", instead_of="F_att_whole",
    is_="b_pre * ((a_pre + a_cmp + a_cmp2) * T_in * (T_in + one_token) / 2 "
        "+ a_win * min(T_in, T_win) * (T_in + T_in - min(T_in, T_win) + one_token) / 2 "
        "+ a_pick * min(T_in, T_pick) * (T_in + T_in - min(T_in, T_pick) + one_token) / 2)",
    name=("attention operations of b_pre whole prompts", "b_pre 个请求全部输入的注意力运算量"),
    reason=("the indexer scores every entry; attention works on those it picks and on a window of tokens",
            "索引器对每个条目打分；注意力只处理选出的条目与一个窗口的 token"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_cmp": "1 MFLOP*request/token^2", "a_cmp2": "1 MFLOP*request/token^2",
              "a_win": "1 MFLOP*request/token^2", "T_win": "2 token/request",
              "a_pick": "1 MFLOP*request/token^2", "T_pick": "3 token/request"}, "46 MFLOP"),
)  # fmt: skip
