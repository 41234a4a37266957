"""The wall counted by the products that are really made: no lookups, no norms, a shared matrix each time."""

import derive.formulas.batching
import derive.formulas.second_order
import derive.formulas.structure  # noqa: F401
from derive.formula import formula

formula(
    "I_wall_mat", r"I_{\mathrm{decode},\infty}^{\mathrm{mat}}", "FLOP/byte",
    section="wall",
    is_="(c_op * N_mat + F_att) * n * b / KV_total",
    name=("KV wall counted by matrix products and attention alone", "只计矩阵乘与注意力的 KV 墙"),
    reason=("an endless batch, with the operations that are made: F_tok also counts tables that are looked up",
            "批大小趋于无穷，只计真正执行的运算；F_tok 还计入了只查表的参数"),
    reading=("Where it and the wall of F_tok lie on two sides of the ridge, this one decides.",
             "若它与按 F_tok 计的墙分居脊点两侧，以它为准。"),
    sources=("kaplan2020", "jax-book"),
    example=({"N_mat": "70 Gparam", "F_att": "4 GFLOP/token", "n": "1 token/request", "b": "2 request",
              "KV_total": "1.28 GB"}, "225 FLOP/byte"),
)  # fmt: skip

formula(
    "b_crit_mat", r"b_{\mathrm{crit}}^{\mathrm{mat}}(T)", "request",
    section="batch",
    solve=("(c_op * N_mat + F_att) * b * n / Q_step", "I_ridge", "b"),
    closed="I_ridge * W_read / ((c_op * N_mat + F_att) * n - I_ridge * kappa * T)",
    exists=("I_ridge < I_wall_mat",
            ("counted by matrix products and attention alone, no batch reaches the ridge",
             "只计矩阵乘与注意力时，没有批大小能到达脊点")),
    name=("critical batch at context T, counted by matrix products and attention alone",
          "上下文为 T 时的临界批大小（只计矩阵乘与注意力）"),
    reason=("the same equation with the operations that are really made", "同一方程，只计真正执行的运算"),
    sources=("kaplan2020", "jax-book"),
    example=({"I_ridge": "300 FLOP/byte", "W_read": "140 GB", "N_mat": "70 Gparam", "F_att": "10 GFLOP/token",
              "b": "2 request", "kappa": "100 kB/token", "T": "1000 token/request"}, "350 request"),
)  # fmt: skip
