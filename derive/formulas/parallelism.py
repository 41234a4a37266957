"""Several devices: how weights and KV cache are split over them, and what each device holds and reads."""

import derive.formulas.second_order
import derive.formulas.structure_experts  # noqa: F401
from derive.formula import formula

formula(
    "TP", r"\mathrm{TP}", "device",
    section="parallel",
    is_="g / (PP * DP)",
    name=("tensor parallelism: devices that share each layer", "张量并行：共同承担每一层的设备数"),
    reason=("every device belongs to one stage of one group: g = TP · PP · DP",
            "每个设备属于某一组的某一级：g = TP · PP · DP"),
    reading=("Expert parallelism adds no devices: experts are spread over the TP · DP ranks that exist.",
             "专家并行不增加设备：专家分布在已有的 TP · DP 个 rank 上。"),
    sources=("megatron2021",),
    example=({"g": "16 device", "PP": "2", "DP": "2"}, "4 device"),
)  # fmt: skip

formula(
    "kappa_dev", r"\kappa_{\mathrm{dev}}", "byte/token/device",
    section="parallel",
    is_="c_kv * (L / PP) * max(1, H_kv * one_device / TP) * d_head * w_kv / one_device",
    name=("KV-cache bytes per token on one device", "单设备上每 token 的 KV cache 字节数"),
    reason=("a stage keeps its layers; a device keeps its share of the KV heads, and one whole head where devices outnumber "
            "them",
            "每级只存自己的层；每个设备分得一部分 KV 头，设备多于头数时仍须存一整个头"),
    reading=("Past TP = H_kv further devices hold copies: the KV cache of a device shrinks no more.",
             "TP 超过 H_kv 后，再加的设备只存副本：单设备 KV cache 不再变小。"),
    sources=("pope2022", "gqa2023"),
    example=({"L": "80", "PP": "1", "H_kv": "8", "g": "16 device", "DP": "1", "d_head": "128 element/token",
              "w_kv": "2 byte/element"}, "40960 byte/token/device"),
)  # fmt: skip

formula(
    "kappa_dev_kinds", "k", "byte/token/device",
    section="parallel", instead_of="kappa_dev",
    is_="kappa / H_kv * max(1, H_kv * one_device / TP) / PP / one_device",
    name=("KV-cache bytes per token on one device", "单设备上每 token 的 KV cache 字节数"),
    reason=("layers are spread over the stages, heads over the devices of a stage; a device keeps at least one whole head",
            "层分布到各级，头分布到级内各设备；每个设备至少存一整个头"),
    sources=("pope2022", "gqa2023"),
    example=({"kappa": "80000 byte/token", "H_kv": "8", "g": "32 device", "PP": "2", "DP": "1"},
             "5000 byte/token/device"),
)  # fmt: skip

formula(
    "kappa_dev_state", "k", "byte/token/device",
    section="parallel", instead_of="kappa_dev",
    is_="((kappa - S_kv / T) / H_kv * max(1, H_kv * one_device / TP) + S_kv * one_device / T / TP) / PP / one_device",
    name=("KV-cache bytes per token on one device", "单设备上每 token 的 KV cache 字节数"),
    reason=("KV heads as elsewhere, one whole head at least; the channels of a constant state are split over all devices of a "
            "stage",
            "KV 头同前，每个设备至少存一整个头；常量状态的通道由级内各设备均分"),
    sources=("pope2022", "gqa2023"),
    example=({"kappa": "81000 byte/token", "S_kv": "1 MB/request", "T": "1000 token/request", "H_kv": "8", "g": "32 device",
              "PP": "2", "DP": "1"}, "5031.25 byte/token/device"),
)  # fmt: skip

formula(
    "kappa_dev_even", "k", "byte/token/device",
    section="parallel", instead_of="kappa_dev",
    is_="kappa / PP / TP",
    name=("KV-cache bytes per token on one device", "单设备上每 token 的 KV cache 字节数"),
    reason=("layers are spread over the stages and heads over the devices of a stage; evenly, since layers differ in their heads",
            "层分布到各级，头分布到级内各设备；各层头数不同，按均分计"),
    sources=("pope2022",),
    example=({"kappa": "80000 byte/token", "g": "8 device", "PP": "2", "DP": "1"}, "10000 byte/token/device"),
)  # fmt: skip

formula(
    "kappa_dev_latent", "k", "byte/token/device",
    section="parallel", instead_of="kappa_dev",
    is_="kappa / PP / one_device",
    name=("KV-cache bytes per token on one device", "单设备上每 token 的 KV cache 字节数"),
    reason=("a latent has no heads to split: every device of a stage holds all of it; data-parallel attention is TP = 1 and "
            "DP > 1",
            "潜向量没有头可分：级内每个设备都存一整份；数据并行注意力即 TP = 1、DP > 1"),
    sources=("sglang2024",),
    example=({"kappa": "70000 byte/token", "PP": "2"}, "35000 byte/token/device"),
)  # fmt: skip

formula(
    "KV_read", r"\mathrm{KV}_{\mathrm{read}}", "byte",
    section="second",
    is_="KV_total",
    name=("KV-cache bytes one decode step reads", "一个 decode 步读取的 KV cache 字节数"),
    reason=("each request's own cache once, copies on several devices not counted",
            "每个请求自己的 KV cache 读一遍，不计多设备上的副本"),
    sources=("kipply2022",),
    example=({"KV_total": "5 GB"}, "5 GB"),
)  # fmt: skip

formula(
    "KV_dev", r"\mathrm{KV}_{\mathrm{dev}}", "byte/device",
    section="parallel",
    is_="KV_read * kappa_dev / kappa / DP",
    name=("KV-cache bytes one device reads for one decode step", "单设备为一个 decode 步读取的 KV cache 字节数"),
    reason=("a group holds its part of the requests, a device its layers and heads of them, copies included",
            "每组只存一部分请求，每个设备存其中自己的层与头，含副本"),
    sources=("pope2022",),
    example=({"KV_read": "8 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "DP": "2"},
             "1 GB/device"),
)  # fmt: skip

formula(
    "W_dev", r"W_{\mathrm{dev}}", "byte/device",
    section="parallel",
    is_="W / (TP * PP)",
    name=("weight bytes on one device", "单设备上的权重字节数"),
    reason=("tensor and pipeline parallelism split the weights, data parallelism copies them; norms, which every device of a "
            "stage holds, are too small to count apart",
            "张量并行与流水线并行切分权重，数据并行则复制；级内每个设备都存的归一化参数太小，不另计"),
    sources=("megatron2021", "pope2022"),
    example=({"W": "140 GB", "g": "8 device", "PP": "2", "DP": "2"}, "35 GB/device"),
)  # fmt: skip

formula(
    "W_dev_experts", "w", "byte/device",
    section="parallel", instead_of="W_dev",
    is_="(W - N_exp * w_exp) / (TP * PP) + N_exp * w_exp / (max(TP, EP * one_device) * PP)",
    name=("weight bytes on one device", "单设备上的权重字节数"),
    reason=("the routed experts are spread over EP ranks, or over TP where that is more; the rest is split by TP and copied by DP",
            "路由专家分布到 EP 个 rank（TP 更大时按 TP）；其余按 TP 切分、按 DP 复制"),
    sources=("pope2022", "gshard2020"),
    example=({"W": "100 GB", "N_exp": "80 Gparam", "w_exp": "1 byte/param", "g": "8 device", "PP": "1", "DP": "8",
              "EP": "8"}, "30 GB/device"),
)  # fmt: skip

formula(
    "W_hit", r"W_{\mathrm{hit}}", "byte",
    section="parallel",
    is_="N_exp * w_exp * E_hit / E",
    name=("bytes of the routed experts that one forward pass reads", "一次前向读取的路由专家字节数"),
    reason=("the share of the experts that the tokens of the pass hit", "该次前向的 token 所命中的那部分专家"),
    sources=("pope2022",),
    example=({"N_exp": "40 Gparam", "w_exp": "1 byte/param", "E_hit": "4", "E": "8"}, "20 GB"),
)  # fmt: skip

formula(
    "W_hit_two", "w", "byte",
    section="parallel", instead_of="W_hit",
    is_="((N_exp - N_exp2) * E_hit / E + N_exp2 * E_hit2 / E2) * w_exp",
    name=("bytes of the routed experts that one forward pass reads", "一次前向读取的路由专家字节数"),
    reason=("the share of the experts that the tokens of the pass hit, by the number of experts of a layer",
            "该次前向的 token 所命中的那部分专家，按各层的专家数分别计"),
    sources=("pope2022",),
    example=({"N_exp": "50 Gparam", "N_exp2": "10 Gparam", "w_exp": "1 byte/param", "E_hit": "4", "E": "8",
              "E_hit2": "3", "E2": "4"}, "27.5 GB"),
)  # fmt: skip

formula(
    "W_read_dev", r"W_{\mathrm{read},\mathrm{dev}}", "byte/device",
    section="parallel",
    is_="W_read / (TP * PP)",
    name=("weight bytes one device reads in a forward pass", "单设备一次前向读取的权重字节数"),
    reason=("its share of a stage; every data-parallel group reads its own copy",
            "每级中的一份；每个数据并行组各读自己的副本"),
    sources=("megatron2021", "pope2022"),
    example=({"W_read": "140 GB", "g": "8 device", "PP": "2", "DP": "2"}, "35 GB/device"),
)  # fmt: skip

formula(
    "W_read_dev_experts", "w", "byte/device",
    section="parallel", instead_of="W_read_dev",
    is_="(W_read - W_hit) / (TP * PP) + W_hit / (max(TP, EP * one_device) * PP)",
    name=("weight bytes one device reads in a forward pass", "单设备一次前向读取的权重字节数"),
    reason=("the experts that are hit are spread over EP ranks, or over TP where that is more, taken as evenly hit",
            "命中的专家分布到 EP 个 rank（TP 更大时按 TP），按均匀命中计"),
    sources=("pope2022", "gshard2020"),
    example=({"W_read": "60 GB", "W_hit": "40 GB", "g": "8 device", "PP": "1", "DP": "8", "EP": "8"}, "25 GB/device"),
)  # fmt: skip

formula(
    "W_stream_dev", r"W_{\mathrm{stream},\mathrm{dev}}", "byte/device",
    section="parallel",
    is_="W_read_dev - (W_read - W_stream) / (TP * PP)",
    name=("weight bytes one device really streams in a decode step", "单设备一个 decode 步真正流式读取的权重字节数"),
    reason=("the same without its share of the tables that are only looked up", "同上，减去其分得的只查表部分"),
    sources=("jax-book", "pope2022"),
    example=({"W_read_dev": "35 GB/device", "W_read": "140 GB", "W_stream": "136 GB", "g": "8 device", "PP": "2", "DP": "2"},
             "34 GB/device"),
)  # fmt: skip

formula(
    "b_max_dev", r"b_{\max,\mathrm{dev}}", "request",
    section="parallel",
    is_="max(0, DP * floor((M_frac * M_dev - M_other - W_dev) / (T * kappa_dev)))",
    name=("requests that fit by what each device holds", "按单设备存放量计可容纳的请求数"),
    reason=("whole requests of each group, each with its full context on every device that keeps a part of it, copies included",
            "每组只计整数个请求，每个请求在保存其一部分的各设备上都带完整上下文，含副本"),
    sources=("vllm2023",),
    example=({"DP": "2", "M_frac": "0.9", "M_dev": "80 GB/device", "M_other": "0 byte/device", "W_dev": "35 GB/device",
              "T": "2000 token/request", "kappa_dev": "1 MB/token/device"}, "36 request"),
)  # fmt: skip
