"""Every symbol and named constant: id, LaTeX, unit, meaning. Formulas are declared over these."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.text import Text
from derive.units import Quantity, Unit, read_quantity, unit


@dataclass(frozen=True)
class Symbol:
    """An input of the formulas; `about` groups it: hardware, model, workload, and so on.

    `range` is what occurs in practice, in base units: the points of a proof are drawn from it.
    """

    id: str
    latex: str
    unit: Unit
    range: tuple[float, float]
    meaning: Text
    about: str


@dataclass(frozen=True)
class Constant:
    """A number of the articles that must not stay bare: a value with unit and reason."""

    id: str
    latex: str
    value: Quantity
    reason: Text

    @property
    def unit(self) -> Unit:
        """The unit of its value."""
        return self.value.unit


def _table(about: str, rows: str) -> list[Symbol]:
    made = []
    for row in rows.strip().splitlines():
        name, latex, units, span, en, zh = (cell.strip() for cell in row.split("|"))
        low, high = (float(end) for end in span.split(" to "))
        made.append(Symbol(name, latex, unit(units), (low, high), Text(en, zh), about))
    return made


_SYMBOLS = [
    *_table(
        "hardware",
        r"""
P_peak      | P_{\mathrm{peak}}            | FLOP/s/device    | 5e13 to 3e15     | peak compute of one device at a stated precision and sparsity | 单设备峰值算力（须注明精度与稀疏口径）
B_peak      | B_{\mathrm{peak}}            | byte/s/device    | 3e11 to 8e12     | peak memory bandwidth of one device | 单设备峰值显存带宽
M_dev       | M_{\mathrm{dev}}             | byte/device      | 1.6e10 to 3e11   | memory of one device                          | 单设备显存
B_link      | B_{\mathrm{link}}            | byte/s/device    | 1e10 to 9e11     | interconnect bandwidth, one direction | 互联带宽（单向）
t_hop       | t_{\mathrm{hop}}             | s                | 1e-06 to 1e-05   | fixed latency of one collective operation | 一次集合通信的固定时延
TDP         | \mathrm{TDP}                 | W/device         | 70 to 1400       | power of one device at its thermal design limit | 单设备热设计功耗
price       | c_{\mathrm{dev}}             | USD/hour/device  | 1e-05 to 0.003   | price of one device for one hour | 单设备每小时价格
""",
    ),
    *_table(
        "model",
        r"""
N           | N                            | param            | 1e09 to 4e11     | parameters resident in memory | 驻留显存的参数量
N_act       | N_{\mathrm{act}}             | param            | 1e09 to 4e11     | parameters that one token activates; all of them for a dense model | 单个 token 激活的参数量（稠密模型即全部）
N_emb       | N_{\mathrm{emb}}             | param            | 1e07 to 9e08     | parameters of an untied input embedding table | 未与输出头共享的输入嵌入表参数量
N_head      | N_{\mathrm{head}}            | param            | 1e07 to 9e08     | parameters of the output head, which prefill needs for the last position only | 输出头的参数量，prefill 只在末位置用到
N_side      | N_{\mathrm{side}}            | param            | 1e08 to 9e08     | parameters of towers for images or sound, which text does not use | 图像、音频塔的参数量，处理文本时不用
N_mat       | N_{\mathrm{mat}}             | param            | 1e09 to 4e11     | parameters that multiply an activation, for one token | 单个 token 参与矩阵乘的参数量
w           | w                            | byte/param       | 0.5 to 4         | bytes that store one parameter | 每个参数的存储字节数
r_fix       | r_{\mathrm{fix}}             |                  | 1 to 3           | bytes of a parameter outside the routed experts over the mean | 路由专家以外每参数字节数与均值之比
r_exp       | r_{\mathrm{exp}}             |                  | 0.5 to 1         | bytes of a parameter of the routed experts over the mean | 路由专家每参数字节数与均值之比
r_side      | r_{\mathrm{side}}            |                  | 1 to 3           | bytes of a parameter of the towers over the mean | 图像、音频塔每参数字节数与均值之比
s_idle      | s_{\mathrm{idle}}            |                  | 0.01 to 0.3      | share of the weight bytes in tables that are looked up, not read | 只查表、不读取的权重字节占比
L           | L                            |                  | 16 to 126        | layers | 层数
d_model     | d_{\mathrm{model}}           | element/token    | 1024 to 16384    | hidden size | 隐藏维度
H_q         | H_{\mathrm{q}}               |                  | 8 to 128         | query heads | 查询头数
H_kv        | H_{\mathrm{kv}}              |                  | 1 to 64          | key-value heads | KV 头数
d_head      | d_{\mathrm{head}}            | element/token    | 64 to 256        | size of one head | 每头维度
w_kv        | w_{\mathrm{kv}}              | byte/element     | 0.5 to 2         | bytes that store one element of the KV cache | KV cache 每个元素的字节数
E           | E                            |                  | 8 to 256         | routed experts of a layer | 每层的路由专家数
k_exp       | k                            |                  | 1 to 8           | routed experts that one token activates | 每个 token 激活的路由专家数
E2          | E_2                          |                  | 8 to 256         | the same in layers with another number of experts | 同上，另一种专家数的层
k_exp2      | k_2                          |                  | 1 to 8           | routed experts that one token activates in such a layer | 每个 token 在这类层激活的路由专家数
N_fix       | N_{\mathrm{fix}}             | param            | 1e9 to 2e10      | parameters that every forward pass reads: all but the routed experts and towers | 每次前向都要读取的参数：除路由专家与图像、音频塔外的全部
N_exp       | N_{\mathrm{exp}}             | param            | 1e10 to 7e11     | parameters of all routed experts | 全部路由专家的参数量
N_exp2      | N_{\mathrm{exp},2}           | param            | 1e9 to 9e9       | of these the parameters in layers with another number of experts | 其中另一种专家数的层的参数量
T_max       | T_{\max}                     | token/request    | 1024 to 1048576  | longest context that the model is made for | 模型设计支持的最长上下文
e_full      | e_{\mathrm{full}}            | element/token    | 1e3 to 1e5       | KV elements that one token adds in layers without a window | 无窗口的层中，每 token 增加的 KV 元素数
e_pick      | e_{\mathrm{top}}             | element/token    | 1e3 to 1e5       | of these the elements that a step reads only for tokens an indexer picks | 其中仅对索引器选出的 token 读取的元素数
T_pick      | T_{\mathrm{top}}             | token/request    | 128 to 8192      | tokens that the indexer picks at most | 索引器最多选出的 token 数
e_win       | e_{\mathrm{win}}             | element/token    | 1e3 to 1e5       | KV elements that one token adds in layers with a window | 有窗口的层中，每 token 增加的 KV 元素数
T_win       | T_{\mathrm{win}}             | token/request    | 128 to 8192      | window: tokens that such a layer keeps at most | 窗口：这类层最多保留的 token 数
e_again     | e_{\mathrm{again}}          | element/token    | 1e3 to 1e5       | KV elements that layers without a window read again from the cache of an earlier layer | 无窗口的层从更早层的 KV cache 再次读取的元素数
e_again_win | e_{\mathrm{again},\mathrm{win}} | element/token | 1e3 to 1e5       | the same in layers with a window | 同上，有窗口的层
e_win2      | e_{\mathrm{win},2}           | element/token    | 1e3 to 1e5       | the same in layers with another window | 同上，另一种窗口的层
T_win2      | T_{\mathrm{win},2}           | token/request    | 128 to 8192      | the other window | 另一种窗口长度
e_cmp       | e_{\mathrm{cmp}}             | element/token    | 1e2 to 1e4       | KV elements of compressed entries, per token that they stand for | 压缩条目的 KV 元素数，按其代表的每个 token 计
T_cmp       | T_{\mathrm{cmp}}             | token/request    | 2 to 16          | tokens that one compressed entry stands for | 一个压缩条目代表的 token 数
e_cmp2      | e_{\mathrm{cmp},2}           | element/token    | 1e1 to 1e3       | the same in layers that compress at another rate | 同上，另一种压缩率的层
T_cmp2      | T_{\mathrm{cmp},2}           | token/request    | 32 to 256        | tokens that one such entry stands for | 一个这类条目代表的 token 数
S_kv        | S_{\mathrm{kv}}              | byte/request     | 1e5 to 1e8       | constant state of one request in layers without a KV cache | 不用 KV cache 的层中，单请求的常量状态
a_full      | a_{\mathrm{full}}            | FLOP*request/token^2 | 1e5 to 1e7   | attention operations per token and context token, layers without a window | 每 token、每上下文 token 的注意力运算量（无窗口的层）
a_pre       | a_{\mathrm{pre}}             | FLOP*request/token^2 | 1e5 to 1e7   | attention operations per token and context token in prefill, layers without a window | prefill 中每 token、每上下文 token 的注意力运算量（无窗口的层）
a_pick      | a_{\mathrm{top}}             | FLOP*request/token^2 | 1e5 to 1e7   | attention operations per token and context token that an indexer picked | 每 token、每个选出的上下文 token 的注意力运算量
a_win       | a_{\mathrm{win}}             | FLOP*request/token^2 | 1e5 to 1e7   | attention operations per token and context token, layers with a window | 每 token、每上下文 token 的注意力运算量（有窗口的层）
a_win2      | a_{\mathrm{win},2}           | FLOP*request/token^2 | 1e5 to 1e7   | the same in layers with another window | 同上，另一种窗口的层
a_cmp       | a_{\mathrm{cmp}}             | FLOP*request/token^2 | 1e4 to 1e6   | attention operations on compressed entries, per token that they stand for | 对压缩条目的注意力运算量，按其代表的每个 token 计
a_cmp2      | a_{\mathrm{cmp},2}           | FLOP*request/token^2 | 1e4 to 1e6   | the same in layers that compress at another rate | 同上，另一种压缩率的层
w_act       | w_{\mathrm{act}}             | byte/element     | 1 to 4           | bytes that store one activation element | 激活值每个元素的字节数
""",
    ),
    *_table(
        "workload",
        r"""
g           | g                            | device           | 1 to 16          | devices that form one replica | 一个副本使用的设备数
g_tp        | g_{\mathrm{TP}}              | device           | 1 to 16          | devices of a tensor-parallel group, each of which holds the whole latent cache | 张量并行组的设备数，组内每个设备都存一整份潜向量 KV cache
PP          | \mathrm{PP}                  |                  | 1 to 8           | pipeline parallelism: stages that hold a part of the layers each | 流水线并行：各级分别持有一部分层
DP          | \mathrm{DP}                  |                  | 1 to 8           | data parallelism: groups that serve requests of their own | 数据并行：各组服务各自的请求
EP          | \mathrm{EP}                  |                  | 1 to 64          | expert parallelism: ranks over which the routed experts are spread; it adds no devices | 专家并行：路由专家分布到多少个 rank；不增加设备
N_par       | N_{\mathrm{par}}            |                  | 2 to 16          | prompts that a replica prefills side by side: one in each of PP stages of each of DP groups | 副本可同时 prefill 的请求数：DP 组、每组 PP 级，每级各一个
N_mb        | N_{\mathrm{mb}}             |                  | 2 to 16          | micro-batches that a replica decodes in turns: one for each of PP stages of each of DP groups | 副本轮流 decode 的微批数：DP 组、每组 PP 级，每级各一个
b_pre       | b_{\mathrm{pre}}             | request          | 1 to 64          | prompts prefilled in one pass | 一次 prefill 的请求数
b           | b                            | request          | 1 to 512         | requests in one forward pass | 一次前向中的请求数（批大小）
n           | n                            | token/request    | 1 to 1           | new tokens each request brings to one forward pass | 一次前向中每个请求的新 token 数
T_in        | T_{\mathrm{in}}              | token/request    | 16 to 16384      | input length | 输入长度
T_out       | T_{\mathrm{out}}             | token/request    | 2 to 4096        | output length | 输出长度
T           | T                            | token/request    | 16 to 16384      | context held in the KV cache at the step considered | 所考察的一步中 KV cache 已存的上下文长度
arrival     | \lambda                      | request/s        | 0.1 to 100       | offered load of the whole fleet | 整个集群的到达率
hit         | h                            |                  | 0.05 to 0.9      | share of the prompt that the prefix cache already holds | 输入中已在前缀缓存内的比例
T_chunk     | C                            | token            | 64 to 8192       | prompt tokens that one pass takes at most | 一次前向最多处理的输入 token 数（块长）
alpha       | \alpha                       |                  | 0.3 to 0.95      | probability that verification accepts a drafted token | 校验接受一个草稿 token 的概率（接受率）
k_draft     | k_{\mathrm{drf}}             | token/request    | 1 to 8           | tokens that a round of speculation drafts for each request | 投机解码每轮为每个请求起草的 token 数
N_draft     | N_{\mathrm{drf}}             | param            | 1e8 to 1e10      | parameters of the draft model | 草稿模型的参数量
w_draft     | w_{\mathrm{drf}}             | byte/param       | 0.5 to 4         | bytes that store one parameter of the draft model | 草稿模型每个参数的存储字节数
kappa_draft | \kappa_{\mathrm{drf}}        | byte/token       | 1e3 to 1e5       | KV-cache bytes per token of the draft model | 草稿模型每 token 的 KV cache 字节数
g_pre       | g_{\mathrm{pre}}             | device           | 1 to 16          | devices of one replica that only prefills | 只做 prefill 的一个副本所用的设备数
B_pd        | B_{\mathrm{pd}}              | byte/s           | 1e9 to 4e11      | rate at which one prefill replica hands KV cache to decode | 一个 prefill 副本向 decode 侧传输 KV cache 的带宽
headroom    | \rho_{\max}                  |                  | 0.3 to 1         | largest share of a replica's time that may be busy | 副本允许的最高忙时占比
target_TTFT | \mathrm{TTFT}^{*}            | s                | 0.05 to 5        | target for the time to first token | 首 token 延迟目标
target_TPOT | \mathrm{TPOT}^{*}            | s*request/token  | 0.01 to 0.2      | target for the time per output token | 每输出 token 时间目标
""",
    ),
    *_table(
        "calibration",
        r"""
MFU         | \mathrm{MFU}                 |                  | 0.2 to 0.9       | model FLOPs utilization: share of peak compute that is reachable | 模型算力利用率：峰值算力中可达的比例
MBU         | \mathrm{MBU}                 |                  | 0.2 to 0.9       | model bandwidth utilization: share of peak bandwidth that is reachable | 模型带宽利用率：峰值带宽中可达的比例
t_launch    | t_{\mathrm{launch}}          | s                | 1e-06 to 5e-05   | kernel-launch floor of one layer: its kernels start and drain, and no bytes stream | 每层的 kernel 启动下限：kernel 起停期间不搬运数据
M_frac      | f_{\mathrm{mem}}             |                  | 0.5 to 0.95      | share of device memory the server may use | 推理服务可使用的显存比例
T_block     | T_{\mathrm{blk}}            | token/request    | 1 to 256         | block: tokens for which the engine sets memory aside at a time | 块：引擎一次为一个请求预留的 token 数
M_other     | M_{\mathrm{other}}           | byte/device      | 1e08 to 8e09     | memory for activations, CUDA graphs and runtime | 激活值、CUDA graph 与运行时占用的显存
""",
    ),
    *_table(
        "workload",
        r"""
T_in_tail   | T_{\mathrm{in},\mathrm{tail}} | token/request    | 16 to 65536      | input length at the highest quantile given | 给定的最高分位输入长度
T_tail      | T_{\mathrm{tail}}            | token/request    | 16 to 65536      | context of a request at the highest quantiles given | 输入与输出都取最高分位时的上下文长度
C2_in       | C_{\mathrm{in}}^{2}          |                  | 0.1 to 4         | variance of the input length over its squared mean | 输入长度的方差与均值平方之比
PUE         | \mathrm{PUE}                |                  | 1.02 to 2        | power of the site over that of its devices | 机房总功耗与设备功耗之比
""",
    ),
    *_table(
        "measured",
        r"""
TTFT_meas   | \mathrm{TTFT}_{\mathrm{meas}} | s                | 0.01 to 10       | measured time to first token | 实测首 token 延迟
TPOT_meas   | \mathrm{TPOT}_{\mathrm{meas}} | s*request/token  | 0.002 to 0.5     | measured time per output token | 实测每输出 token 时间
X_meas      | X_{\mathrm{meas}}            | token/s          | 1 to 100000      | measured output tokens per second of one replica | 实测单副本每秒输出 token 数
""",
    ),
    # last, since the points of proofs are drawn symbol by symbol: those of the others stay
    *_table(
        "model",
        r"""
L_exp       | L_{\mathrm{exp}}             |                  | 16 to 126        | layers with routed experts | 含路由专家的层数
""",
    ),
    *_table(
        "workload",
        r"""
N_emb_draft | N_{\mathrm{emb},\mathrm{drf}} | param            | 1e6 to 9e7       | parameters of the draft model's input table, which is looked up | 草稿模型只查表的输入嵌入表参数量
L_draft     | L_{\mathrm{drf}}             |                  | 1 to 64          | layers of the draft model | 草稿模型的层数
d_draft     | d_{\mathrm{drf}}             | element/token    | 512 to 8192      | hidden size of the draft model | 草稿模型的隐藏维度
H_draft     | H_{\mathrm{kv},\mathrm{drf}} |                  | 1 to 64          | key-value heads of the draft model | 草稿模型的 KV 头数
""",
    ),
]

SYMBOLS: dict[str, Symbol] = {s.id: s for s in _SYMBOLS}

_CONSTANTS = (
    (
        "c_op",
        r"c_{\mathrm{op}}",
        "2 FLOP/param/token",
        "one multiply and one add per parameter and token",
        "每个参数对每个 token 做一次乘、一次加",
    ),
    (
        "c_bwd",
        r"c_{\mathrm{bwd}}",
        "4 FLOP/param/token",
        "backward pass: gradients of inputs and of weights, twice the forward pass",
        "反向传播：对输入与对权重各求一次梯度，是前向的两倍",
    ),
    (
        "c_att",
        r"c_{\mathrm{att}}",
        "4 FLOP*request/element/token",
        "QKᵀ and AV, a multiply and an add each, per query-key pair and element",
        "QKᵀ 与 AV 各一乘一加，按每个查询—键对、每个元素计",
    ),
    (
        "one_token",
        r"1_{\mathrm{tok}}",
        "1 token/request",
        "the decode step's own token; the first output token comes from prefill",
        "decode 一步自身的那个 token；首个输出 token 由 prefill 产生",
    ),
    ("one_request", r"1_{\mathrm{req}}", "1 request", "a single prompt", "单个请求"),
    ("one_device", r"1_{\mathrm{dev}}", "1 device", "one device", "一个设备"),
)

CONSTANTS: dict[str, Constant] = {
    name: Constant(name, latex, read_quantity(value), Text(en, zh))
    for name, latex, value, en, zh in _CONSTANTS
}
CONSTANTS["c_kv"] = Constant(
    "c_kv",
    r"c_{\mathrm{kv}}",
    Quantity(Fraction(2), Unit()),
    Text("one K and one V vector", "K 与 V 各一份"),
)
CONSTANTS["c_ring"] = Constant(
    "c_ring",
    r"c_{\mathrm{ring}}",
    Quantity(Fraction(4), Unit()),
    Text(
        "two all-reduces a layer, each passing the data twice (reduce-scatter, all-gather)",
        "每层两次 all-reduce，每次数据传两遍（reduce-scatter 与 all-gather）",
    ),
)


CONSTANTS["c_ar"] = Constant(
    "c_ar",
    r"c_{\mathrm{ar}}",
    Quantity(Fraction(2), Unit()),
    Text(
        "two all-reduces a layer: after attention and after the FFN",
        "每层两次 all-reduce：注意力之后与 FFN 之后",
    ),
)

CONSTANTS["c_act"] = Constant(
    "c_act",
    r"c_{\mathrm{act}}",
    Quantity(Fraction(4), Unit()),
    Text(
        "attention and FFN each read the hidden state and write it back",
        "注意力与 FFN 各读一遍隐藏状态并写回",
    ),
)
CONSTANTS["c_a2a"] = Constant(
    "c_a2a",
    r"c_{\mathrm{a2a}}",
    Quantity(Fraction(2), Unit()),
    Text(
        "two all-to-alls a layer: tokens go to their experts and come back",
        "每层两次 all-to-all：token 分发到专家，再收回",
    ),
)


def known() -> dict[str, Symbol | Constant]:
    """Symbols and constants by id."""
    return {**SYMBOLS, **CONSTANTS}
