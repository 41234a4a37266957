"""What the symbols of the derivations mean, and how they are set."""

from __future__ import annotations

from derive.text import Text

_ROWS = r"""
V | V | rows of the vocabulary table | 词表行数
L | L | layers | 层数
P | P | rows of the position table | 位置表行数
d_model | d_{\mathrm{model}} | hidden size | 隐藏维度
H_q | H_{\mathrm{q}} | query heads | 查询头数
H_kv | H_{\mathrm{kv}} | key-value heads | KV 头数
H_kv_full | H_{\mathrm{kv,full}} | key-value heads of full layers | 全注意力层的 KV 头数
H_swa | H_{\mathrm{q,win}} | query heads of window layers | 窗口层的查询头数
H_kv_swa | H_{\mathrm{kv,win}} | key-value heads of window layers | 窗口层的 KV 头数
d_head | d_{\mathrm{head}} | size of a head | 每头维度
d_full | d_{\mathrm{head,full}} | size of a head in full layers | 全注意力层的每头维度
d_v | d_{\mathrm{v}} | size of a value head | 值头维度
d_swa | d_{\mathrm{head,win}} | size of a head in window layers | 窗口层的每头维度
d_v_swa | d_{\mathrm{v,win}} | size of a value head in window layers | 窗口层的值头维度
d_nope | d_{\mathrm{nope}} | part of a head without rotation | 每头中不旋转的维度
d_rope | d_{\mathrm{rope}} | part of a head with rotation | 每头中旋转的维度
r_q | r_{\mathrm{q}} | rank of the queries | 查询的秩
r_kv | r_{\mathrm{kv}} | rank of keys and values | 键值的秩
g_o | g_{\mathrm{o}} | groups of the output projection | 输出投影的组数
r_o | r_{\mathrm{o}} | rank of an output group | 每个输出组的秩
H_i | H_{\mathrm{idx}} | heads of the indexer | 索引器头数
d_i | d_{\mathrm{idx}} | size of a head of the indexer | 索引器每头维度
k_i | k_{\mathrm{idx}} | tokens that the indexer chooses | 索引器选出的 token 数
B_i | B_{\mathrm{idx}} | tokens of a block that the indexer chooses | 索引器所选块的 token 数
W | W | tokens of the window | 窗口 token 数
c_4 | c_{4} | tokens in one compressed entry | 每个压缩项含的 token 数
c_p | c_{\mathrm{p}} | tokens of a pool of the indexer | 索引器每池的 token 数
c_128 | c_{128} | tokens in one compressed entry | 每个压缩项含的 token 数
m_hc | m_{\mathrm{hc}} | parallel residual streams | 并行残差流数
d_ff | d_{\mathrm{ff}} | width of the feed-forward network | 前馈网络宽度
E | E | routed experts of a layer | 每层路由专家数
E_0 | E_{0} | experts that do nothing | 不做计算的专家数
k | k | routed experts that work on a token | 每 token 激活的路由专家数
d_e | d_{\mathrm{e}} | width of an expert | 专家宽度
n_s | n_{\mathrm{s}} | shared experts | 共享专家数
d_s | d_{\mathrm{s}} | width of the shared expert | 共享专家宽度
d_lat | d_{\mathrm{lat}} | width of the space of the experts | 专家所在空间的宽度
d_inner | d_{\mathrm{inner}} | inner width of the scan | 扫描的内部宽度
d_state | d_{\mathrm{state}} | size of the state of a channel | 每通道状态维度
d_conv | d_{\mathrm{conv}} | tokens of the convolution | 卷积核长度
n_g | n_{\mathrm{g}} | groups of the scan | 扫描的组数
H_m | H_{\mathrm{m}} | heads of the scan | 扫描的头数
d_hm | d_{\mathrm{hm}} | size of a head of the scan | 扫描的每头维度
r_dt | r_{\Delta} | rank of the step size | 步长的秩
d_lru | d_{\mathrm{lru}} | width of the recurrence | 循环单元宽度
H_lk | H_{\mathrm{lk}} | key heads of linear attention | 线性注意力的键头数
H_lv | H_{\mathrm{lv}} | value heads of linear attention | 线性注意力的值头数
d_lk | d_{\mathrm{lk}} | size of a key head of linear attention | 线性注意力的键头维度
d_lv | d_{\mathrm{lv}} | size of a value head of linear attention | 线性注意力的值头维度
H_l | H_{\mathrm{l}} | heads of delta attention | delta 注意力的头数
d_l | d_{\mathrm{l}} | size of a head of delta attention | delta 注意力的每头维度
V_pl | V_{\mathrm{pl}} | rows of the per-layer table | 逐层嵌入表行数
d_pl | d_{\mathrm{pl}} | width of a per-layer embedding | 逐层嵌入宽度
n_alt | n_{\mathrm{alt}} | alternating streams | 交替流数
r_lau | r_{\mathrm{lau}} | rank of the low-rank branch | 低秩支路的秩
r_g | r_{\mathrm{g}} | rank of the gate behind a norm | 归一化之后门控的秩
r_a | r_{\mathrm{a}} | rank of the adapters | 适配器的秩
d_vit | d_{\mathrm{vit}} | width of the vision tower | 视觉塔宽度
d_vff | d_{\mathrm{vff}} | width of the network of the vision tower | 视觉塔前馈宽度
L_v | L_{\mathrm{v}} | layers of the vision tower | 视觉塔层数
H_v | H_{\mathrm{v}} | heads of the vision tower | 视觉塔头数
H_vkv | H_{\mathrm{vkv}} | key-value heads of the vision tower | 视觉塔 KV 头数
d_hv | d_{\mathrm{hv}} | size of a head of the vision tower | 视觉塔每头维度
n_p | n_{\mathrm{p}} | rows of the position table of the tower | 塔的位置表行数
p | p | side of a patch | 图块边长
t | t | frames of a patch | 图块帧数
s | s | side of a merged group of patches | 合并图块的边长
c_in | c_{\mathrm{in}} | channels of an image | 图像通道数
d_out | d_{\mathrm{out}} | width behind the tower | 塔输出宽度
d_vo | d_{\mathrm{vo}} | width behind the tower | 塔输出宽度
d_vp | d_{\mathrm{vp}} | inner width of the adapter of the tower | 塔适配器的内部宽度
d_pj | d_{\mathrm{pj}} | width of the projector | 投影器宽度
n_t | n_{\mathrm{t}} | tiles of an image | 图像分片数
n_q | n_{\mathrm{q}} | queries that sample an image | 采样图像的查询数
n_a | n_{\mathrm{a}} | aspect ratios | 宽高比种数
h_p | h_{\mathrm{p}} | height of the position table | 位置表高度
w_p | w_{\mathrm{p}} | width of the position table | 位置表宽度
L_g | L_{\mathrm{g}} | global layers of the tower | 塔的全局层数
d_aud | d_{\mathrm{aud}} | width of the audio tower | 音频塔宽度
d_aff | d_{\mathrm{aff}} | width of the network of the audio tower | 音频塔前馈宽度
n_f | n_{\mathrm{f}} | bins of the spectrum behind the convolutions | 卷积之后的频带数
d_ao | d_{\mathrm{ao}} | width behind the audio tower | 音频塔输出宽度
H_a | H_{\mathrm{a}} | heads of the audio tower | 音频塔头数
L_a | L_{\mathrm{a}} | layers of the audio tower | 音频塔层数
c_1 | c_{1} | channels of the first convolution | 第一层卷积通道数
c_2 | c_{2} | channels of the second convolution | 第二层卷积通道数
c_k | c_{\mathrm{k}} | length of the convolution over time | 时间卷积长度
n_mel | n_{\mathrm{mel}} | bins of the spectrum | 频谱的频带数
w_kv | w_{\mathrm{kv}} | bytes of an element of the cache | KV cache 每元素字节数
"""


def letters() -> dict[str, tuple[str, Text]]:
    """LaTeX and meaning of every symbol that a derivation can name."""
    rows = (row.split(" | ") for row in _ROWS.strip().splitlines())
    return {name: (latex, Text(en, zh)) for name, latex, en, zh in rows}
