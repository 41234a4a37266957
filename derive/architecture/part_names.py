"""What the parts of a model and the kinds of their tensors and caches are called in Chinese.

The English names are those of the declarations in `families/` and `layers/`.
"""

from __future__ import annotations

from derive.text import Text, same

# how a layer mixes tokens, where a name goes on with its network
MIXERS = {
    "attention": "注意力",
    "full": "全注意力",
    "full_attention": "全注意力",
    "sliding": "滑动窗口",
    "chunked": "分块注意力",
    "latent": "潜向量注意力",
    "delta": "delta 网络",
    "mamba": "Mamba ",
    "conv": "短卷积",
}
NETWORKS = {"dense": "稠密层", "experts": "专家层"}
SHARED = " with shared keys and values"
PARTS = {
    "embedding": "词嵌入",
    "input": "输入层",
    "last norm": "末层归一化",
    "head": "输出头",
    "decoder": "解码层",
    "hybrid": "混合层",
    "network only": "仅含 FFN 的层",
    "mlp": "FFN 层",
    "shared keys and values": "共享 K、V 的层",
    "shared block": "共享块",
    "mamba": "Mamba 层",
    "mamba2": "Mamba-2 层",
    "mamba2 after a shared block": "共享块之后的 Mamba-2 层",
    "delta-net": "delta 网络层",
    "lightning": "lightning 注意力层",
    "recurrent": "循环层",
    "compressed_sparse": "压缩稀疏注意力层",
    "heavily_compressed": "高压缩注意力层",
    "cross-attention": "交叉注意力层",
    "mtp": "多 token 预测层",
    "moe": "专家层",
    "projector": "投影层",
    "double": "双注意力层",
    "connector": "连接层",
    "merger": "合并层",
    "indexed experts": "带索引器的专家层",
    "vision input": "视觉输入层",
    "vision layer": "视觉层",
    "global vision layer": "全局视觉层",
    "vision norm": "视觉归一化",
    "vision pooling": "视觉池化层",
    "vision merger": "视觉合并层",
    "resampler": "重采样层",
    "vision adapter": "视觉适配层",
    "vision projector": "视觉投影层",
    "deepstack merger": "DeepStack 合并层",
    "audio input": "音频输入层",
    "audio layer": "音频层",
    "audio projector": "音频投影层",
    **NETWORKS,
}
KINDS = {
    "attention": "注意力",
    "embedding": "词嵌入",
    "embedding_per_layer": "逐层嵌入",
    "indexer": "索引器",
    "lm_head": "输出头",
    "mlp": "FFN",
    "norm": "归一化",
    "other": "其他",
    "routed_expert": "路由专家",
    "router": "路由器",
    "shared_expert": "共享专家",
    "ssm": "状态层",
    "vision": "视觉",
    "audio": "音频",
    "projector": "投影",
    "mha": "MHA",
    "gqa": "GQA",
    "mqa": "MQA",
    "mla": "MLA",
    "mla+indexer": "MLA 加索引器",
    "mha-sliding": "MHA，滑动窗口",
    "gqa-sliding": "GQA，滑动窗口",
    "mqa-sliding": "MQA，滑动窗口",
    "mha-chunked": "MHA，分块",
    "gqa-chunked": "GQA，分块",
    "mqa-chunked": "MQA，分块",
    "gqa+indexer": "GQA 加索引器",
    "mqa-latent-sliding": "MQA 潜向量，滑动窗口",
    "compressed-sparse(1/4)+indexer": "压缩稀疏（4 取 1）加索引器",
    "heavily-compressed(1/128)": "高压缩（128 取 1）",
    "kv-shared": "共享 K、V",
    "cross-attn": "交叉注意力",
    "gated-deltanet": "门控 delta 网络",
    "kimi-delta": "Kimi delta 网络",
    "lightning": "lightning 注意力",
    "mamba1": "Mamba-1",
    "mamba2": "Mamba-2",
    "rg-lru": "RG-LRU",
    "short-conv": "短卷积",
}


def part_name(name: str) -> Text:
    """A part, or several that are counted on one line."""
    return Text(name, "、".join(one_part(part) for part in name.split(", ")))


def one_part(name: str) -> str:
    """One part in Chinese; a name without an entry stays as it is."""
    if name.endswith(SHARED):
        return f"{one_part(name.removesuffix(SHARED))}（共享 K、V）"
    mixer, _, network = name.partition(" ")
    if mixer in MIXERS and network in NETWORKS:
        return MIXERS[mixer] + NETWORKS[network]
    return PARTS.get(name) or (f"{MIXERS[name]}层" if name in MIXERS else name)


def kind_name(name: str) -> Text:
    """A kind of tensor or cache; caches beside each other in one layer are joined."""
    parts = name.split("||")
    if any(part not in KINDS for part in parts):
        return same(name)
    return Text(name, " 与 ".join(KINDS[part] for part in parts))
