"""A prefix cache, and prefill in chunks on an idle replica."""

import derive.formulas.latency
import derive.formulas.structure
import derive.formulas.structure_experts  # noqa: F401
from derive.formula import formula

formula(
    "T_new", r"T_{\mathrm{new}}", "token/request",
    section="ttft",
    is_="max(one_token, ceil((1 - hit) * T_in / one_token) * one_token)",
    name=("prompt tokens that prefill computes", "prefill 实际计算的输入 token 数"),
    reason=("what the prefix cache does not hold, whole tokens; the last one at least, whose logits give the first output",
            "前缀缓存未命中的部分，取整数个 token；至少计算最后一个，首个输出由它得到"),
    sources=("radix2023",),
    example=({"hit": "0.75", "T_in": "2000 token/request"}, "500 token/request"),
)  # fmt: skip

formula(
    "T_new_whole", "t", "token/request",
    section="ttft", instead_of="T_new",
    is_="T_in",
    name=("prompt tokens that prefill computes", "prefill 实际计算的输入 token 数"),
    reason=("no prefix cache: all of them", "无前缀缓存：全部计算"),
    sources=("pope2022",),
    example=({"T_in": "2000 token/request"}, "2000 token/request"),
)  # fmt: skip

formula(
    "T_hit", r"T_{\mathrm{hit}}", "token/request",
    section="ttft", switch="hit",
    is_="T_in - T_new",
    name=("prompt tokens that the prefix cache holds", "命中前缀缓存的输入 token 数"),
    reason=("the rest of the prompt: its KV is read, not computed", "输入的其余部分：只读取其 KV，不再计算"),
    sources=("radix2023",),
    example=({"hit": "0.75", "T_in": "2000 token/request"}, "1500 token/request"),
)  # fmt: skip

formula(
    "KV_hit", r"\mathrm{KV}_{\mathrm{hit}}", "byte",
    section="ttft",
    is_="one_request * T_hit * kappa",
    name=("KV-cache bytes of the prefix that prefill reads", "prefill 读取的前缀 KV cache 字节数"),
    reason=("every new token attends to the prefix; read once, at the bytes per token of the scenario's context",
            "每个新 token 都要关注前缀；按读一遍计，每 token 字节数取本场景上下文下的值"),
    sources=("radix2023",),
    example=({"T_hit": "1500 token/request", "kappa": "320 kB/token"}, "480 MB"),
)  # fmt: skip

formula(
    "share_att_new", r"\sigma_{\mathrm{att}}^{\mathrm{new}}", "",
    section="second",
    is_="share_att_prefill * (T_in + T_hit) / T_in",
    name=("attention operations over weight operations, of the tokens that prefill computes", "prefill 实际计算部分的注意力运算与权重运算之比"),
    reason=("new tokens see the longest contexts: T_hit and half of T_new on average; an upper figure where layers have a window",
            "新 token 面对的上下文最长：平均为 T_hit 加 T_new 的一半；有窗口的层则为偏高估计"),
    sources=("palm2022",),
    example=({"share_att_prefill": "0.04", "T_in": "4000 token/request", "T_hit": "2000 token/request"}, "0.06"),
)  # fmt: skip

formula(
    "I_prefill_found", "i", "FLOP/byte",
    section="intensity", instead_of="I_prefill",
    of="I_step", at={"b": "one_request", "n": "T_new", "T": "T_hit"}, held=("kappa",),
    name=("arithmetic intensity of prefill", "prefill 阶段的算术强度"),
    reason=("one prompt brings the tokens that the prefix cache does not hold and reads the KV of the others",
            "一个请求带来前缀缓存未命中的 token，并读取其余 token 的 KV"),
    sources=("radix2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "1000 token/request", "W_read": "139.5 GB",
              "T_hit": "1000 token/request", "kappa": "500 kB/token"}, "1000 FLOP/byte"),
)  # fmt: skip

formula(
    "T_pass", r"T_{\mathrm{pass}}", "token",
    section="ttft",
    is_="min(T_chunk, one_request * T_new)",
    name=("prompt tokens of one prefill pass", "一次 prefill 前向的输入 token 数"),
    reason=("a chunk, or the prompt where that is shorter", "一块；输入更短时即整个输入"),
    sources=("sarathi2024",),
    example=({"T_chunk": "512 token", "T_new": "2000 token/request"}, "512 token"),
)  # fmt: skip

formula(
    "N_pass", r"N_{\mathrm{pass}}", "",
    section="ttft", switch="T_chunk",
    is_="ceil(one_request * T_new / T_chunk)",
    name=("passes that prefill one prompt", "单个请求 prefill 所需的前向次数"),
    reason=("whole passes, the last one only partly filled", "取整数次，最后一次可能不满"),
    sources=("sarathi2024",),
    example=({"T_new": "2000 token/request", "T_chunk": "512 token"}, "4"),
)  # fmt: skip

formula(
    "T_last", r"T_{\mathrm{last}}", "token",
    section="ttft", switch="T_chunk",
    is_="one_request * T_new - (N_pass - 1) * T_chunk",
    name=("prompt tokens of the last prefill pass", "最后一次 prefill 前向的输入 token 数"),
    reason=("what the full chunks before it leave", "此前各满块之后余下的 token"),
    sources=("sarathi2024",),
    example=({"T_new": "2000 token/request", "N_pass": "4", "T_chunk": "512 token"}, "464 token"),
)  # fmt: skip

formula(
    "KV_seen", r"\mathrm{KV}_{\mathrm{seen}}", "byte",
    section="ttft",
    is_="kappa * (N_pass - 1) * T_chunk / 2",
    name=("KV-cache bytes of the prompt that a pass reads, on average", "一次前向平均读取的输入 KV cache 字节数"),
    reason=("pass i reads what the i − 1 before it wrote: half of the prompt on average",
            "第 i 次前向读取之前 i − 1 次写入的 KV：平均为输入的一半"),
    sources=("sarathi2024",),
    example=({"kappa": "320 kB/token", "N_pass": "5", "T_chunk": "500 token"}, "320 MB"),
)  # fmt: skip

formula(
    "KV_seen_found", "k", "byte",
    section="ttft", instead_of="KV_seen",
    is_="KV_hit + kappa * (N_pass - 1) * T_chunk / 2",
    name=("KV-cache bytes of the prompt that a pass reads, on average", "一次前向平均读取的输入 KV cache 字节数"),
    reason=("the prefix in each pass, and what the passes before it wrote", "每次都读前缀，另加之前各次前向写入的 KV"),
    sources=("sarathi2024", "pope2022"),
    example=({"KV_hit": "480 MB", "kappa": "320 kB/token", "N_pass": "5", "T_chunk": "500 token"}, "800 MB"),
)  # fmt: skip

formula(
    "I_prefill_chunk", "i", "FLOP/byte",
    section="intensity", instead_of="I_prefill",
    of="I_step", at={"b": "one_request", "n": "T_pass / one_request", "T": "0"}, held=("kappa",),
    name=("arithmetic intensity of prefill", "prefill 阶段的算术强度"),
    reason=("one chunk of one prompt; KV traffic neglected", "单个请求的一块；忽略 KV 读写"),
    sources=("sarathi2024", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_pass": "512 token", "W_read": "140 GB"}, "512 FLOP/byte"),
)  # fmt: skip
