"""What a pass of prefill finds of its prompt where layers have a window: the last tokens alone.

With C tokens a pass, pass i of N finds (i − 1)·C tokens, of which a window shows min((i − 1)·C, W). The
first m = min(N, 1 + ⌊W/C⌋) passes find less than W, (m − 1)·C/2 on average, all others W.
"""

import derive.formulas.structure
import derive.formulas.with_prefill  # noqa: F401
from derive.formula import formula

formula(
    "T_near", r"T_{\mathrm{near}}", "token",
    section="ttft", switch="T_chunk",
    is_="one_request * T_win - min(N_pass, 1 + floor(one_request * T_win / T_chunk)) "
        "* (one_request * T_win - (min(N_pass, 1 + floor(one_request * T_win / T_chunk)) - 1) * T_chunk / 2) / N_pass",
    name=("tokens of the prompt that a pass finds within the window, on average",
          "一次前向在窗口内平均可见的此前输入 token 数"),
    reason=("the first passes find all that those before them wrote; once the window is full the later ones find a window",
            "靠前的各次前向可见之前写入的全部 token；窗口满后，其余各次只见一个窗口"),
    sources=("sarathi2024",),
    example=({"N_pass": "5", "T_chunk": "500 token", "T_win": "1200 token/request"}, "780 token"),
)  # fmt: skip

formula(
    "T_near_found", "t", "token",
    section="ttft", instead_of="T_near",
    is_="min(one_request * T_hit + (N_pass - 1) * T_chunk / 2, one_request * T_win)",
    name=("tokens of the prompt that a pass finds within the window, on average",
          "一次前向在窗口内平均可见的此前输入 token 数"),
    reason=("the prefix and half of the rest, a window at most: an upper figure, for the first passes find less",
            "前缀加上其余部分的一半，至多一个窗口；靠前的各次前向见到的更少，故偏高"),
    sources=("sarathi2024", "radix2023"),
    example=({"N_pass": "5", "T_chunk": "500 token", "T_win": "1500 token/request", "T_hit": "300 token/request"}, "1300 token"),
)  # fmt: skip

formula(
    "T_near2", r"T_{\mathrm{near},2}", "token",
    section="ttft", switch="T_chunk",
    is_="one_request * T_win2 - min(N_pass, 1 + floor(one_request * T_win2 / T_chunk)) "
        "* (one_request * T_win2 - (min(N_pass, 1 + floor(one_request * T_win2 / T_chunk)) - 1) * T_chunk / 2) / N_pass",
    name=("the same within the other window", "同上，另一种窗口"),
    reason=("the first passes find all that those before them wrote; once the window is full the later ones find a window",
            "靠前的各次前向可见之前写入的全部 token；窗口满后，其余各次只见一个窗口"),
    sources=("sarathi2024",),
    example=({"N_pass": "5", "T_chunk": "500 token", "T_win2": "1200 token/request"}, "780 token"),
)  # fmt: skip

formula(
    "T_near2_found", "t", "token",
    section="ttft", instead_of="T_near2",
    is_="min(one_request * T_hit + (N_pass - 1) * T_chunk / 2, one_request * T_win2)",
    name=("the same within the other window", "同上，另一种窗口"),
    reason=("the prefix and half of the rest, a window at most: an upper figure, for the first passes find less",
            "前缀加上其余部分的一半，至多一个窗口；靠前的各次前向见到的更少，故偏高"),
    sources=("sarathi2024", "radix2023"),
    example=({"N_pass": "5", "T_chunk": "500 token", "T_win2": "1500 token/request", "T_hit": "300 token/request"}, "1300 token"),
)  # fmt: skip

formula(
    "KV_seen_window", "k", "byte",
    section="ttft", instead_of="KV_seen",
    is_="(e_full * (N_pass - 1) * T_chunk / 2 + e_win * T_near) * w_kv + one_request * S_kv * (N_pass - 1) / N_pass",
    name=("KV-cache bytes of the prompt that a pass reads, on average", "一次前向平均读取的输入 KV cache 字节数"),
    reason=("of layers without a window half of the prompt on average, of the others what is within it; states from the second "
            "pass on",
            "无窗口的层平均读取输入的一半，有窗口的层只读窗口内的部分；状态从第二次前向起读取"),
    sources=("sarathi2024", "gqa2023"),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "w_kv": "2 byte/element", "N_pass": "5",
              "T_chunk": "500 token", "T_near": "780 token", "S_kv": "1 MB/request"}, "9.04 MB"),
)  # fmt: skip

formula(
    "KV_seen_found_window", "k", "byte",
    section="ttft", instead_of="KV_seen",
    is_="(e_full * (one_request * T_hit + (N_pass - 1) * T_chunk / 2) + e_win * T_near) * w_kv + one_request * S_kv",
    name=("KV-cache bytes of the prompt that a pass reads, on average", "一次前向平均读取的输入 KV cache 字节数"),
    reason=("the prefix in each pass and half of what the passes before it wrote, of layers with a window what is within it; "
            "states in each",
            "每次都读前缀，另加之前各次前向写入的一半；有窗口的层只读窗口内的部分；状态每次都读"),
    sources=("sarathi2024", "gqa2023"),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "w_kv": "2 byte/element", "N_pass": "5",
              "T_hit": "300 token/request", "T_chunk": "500 token", "T_near": "1300 token", "S_kv": "1 MB/request"}, "14 MB"),
)  # fmt: skip

formula(
    "KV_hit_window", "k", "byte",
    section="ttft", instead_of="KV_hit",
    is_="one_request * ((e_full * T_hit + e_win * min(T_hit, T_win)) * w_kv + S_kv)",
    name=("KV-cache bytes of the prefix that prefill reads", "prefill 读取的前缀 KV cache 字节数"),
    reason=("every new token attends to the prefix, layers with a window to its last tokens; read once",
            "每个新 token 都要关注前缀，有窗口的层只关注其末尾的 token；按读一遍计"),
    sources=("radix2023", "gqa2023"),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "T_hit": "2000 token/request",
              "T_win": "1000 token/request", "w_kv": "2 byte/element", "S_kv": "0 byte/request"}, "12 MB"),
)  # fmt: skip

formula(
    "KV_seen_windows", "k", "byte",
    section="ttft", instead_of="KV_seen",
    is_="(e_full * (N_pass - 1) * T_chunk / 2 + e_win * T_near + e_win2 * T_near2) * w_kv + one_request * S_kv * (N_pass - 1) / N_pass",
    name=("KV-cache bytes of the prompt that a pass reads, on average", "一次前向平均读取的输入 KV cache 字节数"),
    reason=("of layers without a window half of the prompt on average, of the others what is within it; states from the second "
            "pass on",
            "无窗口的层平均读取输入的一半，有窗口的层只读窗口内的部分；状态从第二次前向起读取"),
    sources=("sarathi2024", "gqa2023"),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "w_kv": "2 byte/element", "N_pass": "5",
              "T_chunk": "500 token", "T_near": "780 token", "S_kv": "1 MB/request", "e_win2": "0 element/token", "T_near2": "0 token"}, "9.04 MB"),
)  # fmt: skip

formula(
    "KV_seen_found_windows", "k", "byte",
    section="ttft", instead_of="KV_seen",
    is_="(e_full * (one_request * T_hit + (N_pass - 1) * T_chunk / 2) + e_win * T_near + e_win2 * T_near2) * w_kv + one_request * S_kv",
    name=("KV-cache bytes of the prompt that a pass reads, on average", "一次前向平均读取的输入 KV cache 字节数"),
    reason=("the prefix in each pass and half of what the passes before it wrote, of layers with a window what is within it; "
            "states in each",
            "每次都读前缀，另加之前各次前向写入的一半；有窗口的层只读窗口内的部分；状态每次都读"),
    sources=("sarathi2024", "gqa2023"),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "w_kv": "2 byte/element", "N_pass": "5",
              "T_hit": "300 token/request", "T_chunk": "500 token", "T_near": "1300 token", "S_kv": "1 MB/request", "e_win2": "0 element/token", "T_near2": "0 token"}, "14 MB"),
)  # fmt: skip

formula(
    "KV_hit_windows", "k", "byte",
    section="ttft", instead_of="KV_hit",
    is_="one_request * ((e_full * T_hit + e_win * min(T_hit, T_win) + e_win2 * min(T_hit, T_win2)) * w_kv + S_kv)",
    name=("KV-cache bytes of the prefix that prefill reads", "prefill 读取的前缀 KV cache 字节数"),
    reason=("every new token attends to the prefix, layers with a window to its last tokens; read once",
            "每个新 token 都要关注前缀，有窗口的层只关注其末尾的 token；按读一遍计"),
    sources=("radix2023", "gqa2023"),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "T_hit": "2000 token/request",
              "T_win": "1000 token/request", "w_kv": "2 byte/element", "S_kv": "0 byte/request", "e_win2": "0 element/token", "T_win2": "1000 token/request"}, "12 MB"),
)  # fmt: skip
