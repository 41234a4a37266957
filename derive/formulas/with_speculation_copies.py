"""The KV cache of a draft model on the devices that share it: its heads are copied where they are fewer."""

import derive.formulas.parallelism  # noqa: F401
from derive.formula import formula

formula(
    "kappa_draft_dev", r"\kappa_{\mathrm{drf},\mathrm{dev}}", "byte/token/device",
    section="parallel",
    is_="kappa_draft / (TP * PP)",
    name=("KV-cache bytes per token of the draft model on one device", "单设备上草稿模型每 token 的 KV cache 字节数"),
    reason=("the devices of a group share the cache evenly; its KV heads are not known or of several numbers: optimistic where the "
            "devices are more",
            "由组内各设备均分；KV 头数未知或各层不一，设备多于头数时偏乐观"),
    sources=("leviathan2022", "pope2022"),
    example=({"kappa_draft": "0.2 MB/token", "g": "4 device", "PP": "2", "DP": "1"}, "0.05 MB/token/device"),
)  # fmt: skip

formula(
    "kappa_draft_dev_heads", "k", "byte/token/device",
    section="parallel", instead_of="kappa_draft_dev",
    is_="kappa_draft / min(TP * PP, H_draft * one_device)",
    name=("KV-cache bytes per token of the draft model on one device", "单设备上草稿模型每 token 的 KV cache 字节数"),
    reason=("the devices of a group, of all its stages, share the KV heads of the draft model; each keeps a whole head at least",
            "组内（含各级）全部设备分担草稿模型的 KV 头；每个设备至少存一整个头"),
    sources=("leviathan2022", "gqa2023"),
    example=({"kappa_draft": "0.2 MB/token", "H_draft": "8", "g": "16 device", "PP": "1", "DP": "1"}, "0.025 MB/token/device"),
)  # fmt: skip
