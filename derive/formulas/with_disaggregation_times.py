"""Prefill on devices of its own: what they hold, hand over and how long one prompt takes them."""

import derive.formulas.capacity
import derive.formulas.with_prefill_times  # noqa: F401
from derive.formula import formula

formula(
    "KV_move", r"\mathrm{KV}_{\mathrm{pd}}", "byte/request",
    section="ttft", switch="B_pd",
    of="KV_request", at={"T": "T_in"},
    name=("KV-cache bytes that prefill hands to decode", "prefill 交给 decode 的 KV cache 字节数"),
    reason=("the cache of the whole prompt", "整个输入的 KV cache"),
    sources=("distserve2024",),
    example=({"kappa": "320 kB/token", "T_in": "2000 token/request", "B_pd": "50 GB/s"}, "640 MB/request"),
)  # fmt: skip

formula(
    "t_move", r"t_{\mathrm{pd}}", "s",
    section="ttft",
    is_="one_request * KV_move / B_pd",
    name=("time to hand the KV cache of one request to decode", "单个请求的 KV cache 传到 decode 侧的时间"),
    reason=("bytes over the rate of the link, after prefill: nothing overlapped layer by layer",
            "字节数除以链路带宽；在 prefill 之后进行，不按层重叠"),
    sources=("distserve2024",),
    example=({"KV_move": "640 MB/request", "B_pd": "50 GB/s"}, "12.8 ms"),
)  # fmt: skip

formula(
    "g_fit_pre", r"g_{\mathrm{fit}}^{\mathrm{pre}}", "device",
    section="memory",
    is_="ceil((W + one_request * KV_move) / (M_frac * M_dev - M_other))",
    exists=("M_other < M_frac * M_dev", ("nothing is left of a device's memory once the runtime has its share", "运行时占用后，单设备已无可用显存")),
    name=("devices that hold the weights and one prompt", "容纳权重与一个请求输入所需的设备数"),
    reason=("the pool of prefill needs a copy of the weights of its own", "prefill 侧要另存一份权重"),
    sources=("distserve2024",),
    example=({"W": "140 GB", "KV_move": "5 GB/request", "M_frac": "0.9", "M_dev": "80 GB/device",
              "M_other": "0 byte/device"}, "3 device"),
)  # fmt: skip

formula(
    "t_fill", r"t_{\mathrm{fill}}", "s",
    section="ttft",
    is_="max(F_tok * one_request * T_in / (g_pre * MFU * P_peak), W_read / (g_pre * MBU * B_peak))",
    calibre="reachable",
    name=("time to prefill one prompt on devices of its own", "在专用设备上 prefill 单个请求的时间"),
    reason=("operations or bytes of one prompt on the devices that only prefill", "单个请求的运算或搬运，由只做 prefill 的设备完成"),
    sources=("distserve2024",),
    example=({"F_tok": "140 GFLOP/token", "g_pre": "2 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.35 TB/s/device", "T_in": "2000 token/request", "W_read": "140 GB", "MFU": "0.5",
              "MBU": "0.6"}, "280 ms"),
)  # fmt: skip

formula(
    "t_prefill_apart", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_tok * one_request * T_in / (g_pre * P_peak), W_read / (g_pre * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("on the devices that only prefill", "由只做 prefill 的设备完成"),
    sources=("distserve2024",),
    example=({"F_tok": "140 GFLOP/token", "g_pre": "2 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.35 TB/s/device", "T_in": "2000 token/request", "W_read": "140 GB"}, "140 ms"),
)  # fmt: skip

formula(
    "t_fill_apart_experts", "t", "s",
    section="ttft", instead_of="t_fill",
    is_="max(F_tok * one_request * T_in / (g_pre * MFU * P_peak), W_prefill / (g_pre * MBU * B_peak))",
    calibre="reachable",
    name=("time to prefill one prompt on devices of its own", "在专用设备上 prefill 单个请求的时间"),
    reason=("operations or bytes of one prompt on the devices that only prefill", "单个请求的运算或搬运，由只做 prefill 的设备完成"),
    sources=("distserve2024",),
    example=({"F_tok": "140 GFLOP/token", "g_pre": "2 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.35 TB/s/device", "T_in": "2000 token/request", "W_prefill": "140 GB", "MFU": "0.5",
              "MBU": "0.6"}, "280 ms"),
)  # fmt: skip

formula(
    "t_prefill_apart_experts", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_tok * one_request * T_in / (g_pre * P_peak), W_prefill / (g_pre * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("on the devices that only prefill", "由只做 prefill 的设备完成"),
    sources=("distserve2024",),
    example=({"F_tok": "140 GFLOP/token", "g_pre": "2 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.35 TB/s/device", "T_in": "2000 token/request", "W_prefill": "140 GB"}, "140 ms"),
)  # fmt: skip

formula(
    "share_comm_prefill_apart", "s", "",
    section="second", instead_of="share_comm_prefill",
    is_="c_ring * L * (g_pre - one_device) / g_pre * one_request * T_in * d_model * w_act / (B_link * one_device) / t_prefill",
    exists=("one_device < g_pre", ("one device: there is no all-reduce", "单个设备：没有 all-reduce")),
    name=("all-reduce transfer over the prefill time at peak", "all-reduce 传输时间与峰值 prefill 时间之比"),
    reason=("two ring all-reduces a layer among the devices of prefill, not overlapped with computing",
            "prefill 侧各设备之间每层两次 ring all-reduce，按不与计算重叠计"),
    sources=("pope2022", "jax-book"),
    example=({"L": "80", "g_pre": "4 device", "T_in": "2048 token/request", "d_model": "8192 element/token",
              "w_act": "2 byte/element", "B_link": "450 GB/s/device", "t_prefill": "73 ms"}, "0.2451"),
)  # fmt: skip

formula(
    "t_fill_found_apart", "t", "s",
    section="ttft", instead_of="t_fill",
    is_="max(F_tok * one_request * T_new / (g_pre * MFU * P_peak), (W_read + KV_hit) / (g_pre * MBU * B_peak))",
    calibre="reachable",
    name=("time to prefill one prompt on devices of its own", "在专用设备上 prefill 单个请求的时间"),
    reason=("operations or bytes of one prompt on the devices that only prefill", "单个请求的运算或搬运，由只做 prefill 的设备完成"),
    sources=("distserve2024",),
    example=({"F_tok": "140 GFLOP/token", "g_pre": "2 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.35 TB/s/device", "T_new": "2000 token/request", "W_read": "140 GB", "KV_hit": "0 GB",
              "MFU": "0.5", "MBU": "0.6"}, "280 ms"),
)  # fmt: skip

formula(
    "t_prefill_found_apart", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_tok * one_request * T_new / (g_pre * P_peak), (W_read + KV_hit) / (g_pre * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("on the devices that only prefill", "由只做 prefill 的设备完成"),
    sources=("distserve2024",),
    example=({"F_tok": "140 GFLOP/token", "g_pre": "2 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.35 TB/s/device", "T_new": "2000 token/request", "W_read": "140 GB",
              "KV_hit": "0 GB"}, "140 ms"),
)  # fmt: skip

formula(
    "t_fill_found_apart_experts", "t", "s",
    section="ttft", instead_of="t_fill",
    is_="max(F_tok * one_request * T_new / (g_pre * MFU * P_peak), (W_prefill + KV_hit) / (g_pre * MBU * B_peak))",
    calibre="reachable",
    name=("time to prefill one prompt on devices of its own", "在专用设备上 prefill 单个请求的时间"),
    reason=("operations or bytes of one prompt on the devices that only prefill", "单个请求的运算或搬运，由只做 prefill 的设备完成"),
    sources=("distserve2024",),
    example=({"F_tok": "140 GFLOP/token", "g_pre": "2 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.35 TB/s/device", "T_new": "2000 token/request", "W_prefill": "140 GB", "KV_hit": "0 GB",
              "MFU": "0.5", "MBU": "0.6"}, "280 ms"),
)  # fmt: skip

formula(
    "t_prefill_found_apart_experts", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_tok * one_request * T_new / (g_pre * P_peak), (W_prefill + KV_hit) / (g_pre * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("on the devices that only prefill", "由只做 prefill 的设备完成"),
    sources=("distserve2024",),
    example=({"F_tok": "140 GFLOP/token", "g_pre": "2 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.35 TB/s/device", "T_new": "2000 token/request", "W_prefill": "140 GB",
              "KV_hit": "0 GB"}, "140 ms"),
)  # fmt: skip

formula(
    "share_comm_prefill_found_apart", "s", "",
    section="second", instead_of="share_comm_prefill",
    is_="c_ring * L * (g_pre - one_device) / g_pre * one_request * T_new * d_model * w_act / (B_link * one_device) / t_prefill",
    exists=("one_device < g_pre", ("one device: there is no all-reduce", "单个设备：没有 all-reduce")),
    name=("all-reduce transfer over the prefill time at peak", "all-reduce 传输时间与峰值 prefill 时间之比"),
    reason=("two ring all-reduces a layer among the devices of prefill, not overlapped with computing",
            "prefill 侧各设备之间每层两次 ring all-reduce，按不与计算重叠计"),
    sources=("pope2022", "jax-book"),
    example=({"L": "80", "g_pre": "4 device", "T_new": "2048 token/request", "d_model": "8192 element/token",
              "w_act": "2 byte/element", "B_link": "450 GB/s/device", "t_prefill": "73 ms"}, "0.2451"),
)  # fmt: skip
