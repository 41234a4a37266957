"""What people call things beside the notation, and what follows where an input is not given. Data.

Expressions are read by the one grammar over ids of the notation, of the catalogue and of LOCAL.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from derive.expression.grammar import parse
from derive.expression.tree import Node, names
from derive.text import Text
from derive.units import Unit, unit

# names of claims that are no symbol of the notation: unit and meaning
LOCAL: dict[str, tuple[str, Text]] = {
    "achieved": ("FLOP/s/device", Text("achieved compute", "实际算力")),
    "tokens": ("token", Text("tokens of the whole run", "全程 token 数")),
    "device_hours": ("device*hour", Text("devices times hours", "设备数乘小时数")),
    "d_qk": ("element/token", Text("size of a query and key head", "query/key 每头维度")),
    "d_v": ("element/token", Text("size of a value head", "value 每头维度")),
    "forward": ("FLOP/param/token", Text("operations of the forward pass", "前向运算量")),
    "backward": ("FLOP/param/token", Text("operations of the backward pass", "反向运算量")),
    "F_train": ("FLOP/token", Text("training operations per token", "训练每 token 运算量")),
    "c_shape": ("param*token^2/element^2",
                Text("12: four attention and eight FFN matrices of d_model squared a layer",
                     "12：每层注意力 4 个、FFN 8 个 d_model 平方的矩阵")),
}  # fmt: skip
LOCAL_CONSTANTS = {"c_shape": 12}
# names in use -> the expression over ids that they stand for
ALIASES: dict[str, str] = {
    "I": "I_step",
    "B_effective": "g * MBU * B_peak",
    "B_eff": "g * MBU * B_peak",
    "BW_effective": "g * MBU * B_peak",
    "P_effective": "g * MFU * P_peak",
    "P_eff": "g * MFU * P_peak",
    "KV_per_token": "kappa",
    "kv_per_token": "kappa",
    "kv_bytes_per_token": "kappa",
    "KV_per_request": "KV_request",
    "H": "H_kv",
    "n_heads": "H_q",
    "n_kv_heads": "H_kv",
    "num_layers": "L",
    "n_layers": "L",
    "head_dim": "d_head",
    "d_k": "d_head",
    "hidden_size": "d_model",
    "params": "N",
    "P": "P_peak",
    "P_max": "P_peak",
    "BW": "B_peak",
    "B": "B_peak",
    "bandwidth": "B_peak",
    "batch": "b",
    "batch_size": "b",
    "seq_len": "T",
    "S": "T",
    "AI": "I_step",
    "throughput": "X",
}


@dataclass(frozen=True)
class Stand:
    """What stands for an input that is not given, where everything in `needs` is given."""

    name: str
    text: str
    needs: tuple[str, ...]
    under: Text

    @property
    def tree(self) -> Node:
        """The expression."""
        return read(self.text)


STANDS = (
    Stand("I_step", "I", ("I",), Text("the intensity that is given", "所给的算术强度")),
    Stand("d_head", "(d_qk + d_v) / 2", ("d_qk", "d_v"),
          Text("mean of the query-key and the value head", "query-key 与 value 每头维度的平均")),
    Stand("X_meas", "tokens / device_hours * g", ("tokens", "device_hours"),
          Text("tokens over device time", "token 数除以设备时间")),
    Stand("MFU_meas", "achieved / P_peak", ("achieved", "P_peak"),
          Text("achieved over peak compute", "实际算力除以峰值算力")),
    Stand("MBU_meas", "W / (n * TPOT_meas) / (g * B_peak)", ("W", "TPOT_meas", "B_peak"),
          Text("weights alone: KV bytes are not given", "只计权重：未给出 KV 字节数")),
    Stand("F_train", "(forward + backward) * N", ("forward", "backward"),
          Text("forward and backward pass", "前向加反向")),
    Stand("H_kv", "d_model / d_head", ("d_model", "d_head"),
          Text("as many KV heads as query heads", "KV 头数等于查询头数")),
    Stand("H_kv", "d_model", ("d_model",),
          Text("as many KV heads as query heads", "KV 头数等于查询头数")),
    Stand("N", "c_shape * L * d_model ^ 2", ("L", "d_model"),
          Text("matrices of the layers, embeddings left out", "各层矩阵之和，不含嵌入表")),
)  # fmt: skip
# for one token in a pass the bytes read are those of the activated parameters
ACTIVE_READ = Stand("W_read", "N_act * w", ("N", "N_act"),
                    Text("one token reads the activated parameters alone",
                         "单个 token 只读取激活参数"))  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """Another way to count a quantity; it is the plain one where `needs` are given."""

    text: str
    under: Text
    needs: tuple[str, ...] = ()


_ATTENTION = ("L", "H_q", "T")
VARIANTS: dict[str, tuple[Variant, ...]] = {
    "MFU_training": (
        Variant("MFU_training", Text("without attention operations", "不计注意力运算")),
        Variant("(c_op + c_bwd) * (N_act + F_att / c_op) * X_meas / (g * P_peak)",
                Text("with attention operations, every pair of tokens",
                     "计入注意力运算，全部 token 对"), _ATTENTION),
        Variant("(c_op + c_bwd) * (N_act + F_att / 2 / c_op) * X_meas / (g * P_peak)",
                Text("with attention operations, causal half", "计入注意力运算，因果掩码取半"),
                _ATTENTION),
    ),
}  # fmt: skip
DEFAULTS = {"g": 1, "b": 1, "n": 1, "M_other": 0, "M_frac": 1, "headroom": 1}
SHARES = ("MFU_meas", "MFU_prefill_meas", "MFU_training", "MBU_meas")  # never above 1
BOUNDS = ("TPOT_floor", "R_max", "t_step", "t_prefill", "P_attain")  # need weights that fit
CAPACITIES = ("M_free", "M_dev", "M_other")


@cache
def read(text: str) -> Node:
    """A declared expression as a tree."""
    return parse(text)


@cache
def local_unit(name: str) -> Unit | None:
    """The unit of a name of claims."""
    return unit(LOCAL[name][0]) if name in LOCAL else None


@cache
def aliased(name: str) -> Node | None:
    """The tree that a name in use stands for."""
    return read(ALIASES[name]) if name in ALIASES else None


def uses(text: str) -> tuple[str, ...]:
    """Ids in an expression."""
    return tuple(names(read(text)))
