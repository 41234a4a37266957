"""The words of claims: conditions, quantities and relations, in English and in Chinese. Data only.

Each entry is a kind, what it says, and the spellings as small regular expressions over the normal
text (case does not matter; a space may also be a hyphen or nothing; Latin words end at a border).
"""

from __future__ import annotations

import re
from functools import cache

from derive.audit.reading.spellings import Spellings

LEXICON: dict[str, dict[str, tuple[str, ...]]] = {
    "precision": {
        "fp64": ("FP64", "double precision", "双精度"),
        "tf32": ("TF32", "TensorFloat 32"),
        "fp32": ("FP32", "single precision", "32 bit float(?:ing point)?", "单精度"),
        "bf16": ("BF16", "bfloat16", "16 bits?(?! ?(?:bus|per|an? (?:weight|param|value|element|number|pin|transfer|cell|lane)|/))", "16 位", "半精度", "half precision"),
        "fp16": ("FP16", "float16"),
        "fp8": ("FP8", "float8", "E4M3", "E5M2"),
        "int8": ("INT8", "Q8(?:_0)?", "8 bits?(?! ?(?:bus|per|an? (?:weight|param|value|element|number|pin|transfer|cell|lane)|/))", "8 位", "W8A8"),
        "fp4": ("FP4", "NVFP4", "MXFP4"),
        "int4": ("INT4", "4 bits?(?! ?(?:bus|per|an? (?:weight|param|value|element|number|pin|transfer|cell|lane)|/))", "4 位", "W4A16", "Q4"),
    },
    "sparsity": {
        "dense": ("dense(?! model)", "without (?:structured )?sparsity", "non sparse", "稠密(?!模型)", "非稀疏", "不含稀疏",
                  "无稀疏", "不带稀疏"),
        "with_sparsity": ("with (?:structured )?sparsity", "(?:2 ?: ?4 )?(?:structured )?spars(?:e|ity)", "2 ?: ?4 稀疏",
                          "(?:含|带|启用|开启)?(?:结构化)?稀疏", r"(?<=[A-Za-z0-9])\*(?! ?[0-9A-Za-z(])"),
    },
    "engine": {
        "matrix": ("tensor ?cores?(?! GPU)", "matrix (?:cores?|units?|engines?)", "矩阵(?:核心|单元|引擎)", "张量核心"),
        "vector": ("vector(?: units?| cores?| engines?)?", "CUDA cores?", "non ?tensor", "向量(?:单元|核心)?", "非 ?tensor(?: ?core)?"),
    },
    "scope": {
        "device": ("per (?:GPU|card|chip|accelerator|device)", "(?:on |of |from )?(?:each|every|one|a single|single) (?:GPU|card|chip|accelerator|device)",
                   "单(?:张|块)?卡", "每(?:张|块|个|颗|片)? ?(?:卡|GPU|芯片|设备)", "每[张块颗片](?= ?[0-9])", "单张", "单块", "单芯片", "每颗芯片"),
        "node": ("per (?:node|server|host|box)", "8 GPU (?:node|server|box)", "DGX(?! Spark)", "整机", "单机", "每(?:个)?节点", "每台服务器"),
        "rack": ("NVL72", "per rack", "rack", "机柜", "整柜"),
        "pod": ("pod", "superpod", "集群"),
    },
    "direction": {
        "one": ("(?:in|per|for) (?:each|one|either) direction", "each direction", "per direction", "one way", "each way",
                "(?:one|single) direction", "unidirectional", "单向", "每个方向", "每方向", "各方向"),
        "both": ("bi ?directional(?:ly)?", "both directions", "both ways", "two way", "双向"),
    },
    "user": {
        "one": (r"(?<=/s[ ])each(?![A-Za-z ]*(?:way|direction))", "(?:per|a single|each|every|one|for one|single) (?:user|stream|request|sequence|client|session)", "single (?:user|stream)", "an? (?:user|stream|client|session)(?= (?:emits|gets|sees|receives|reads|generates|outputs|produces))",
                "batch size 1", "单路", "每路(?!由)", "per slot", "单用户", "单请求", "单个(?:用户|请求|会话)", "每(?:个|条)?(?:用户|请求)", "每人(?!民)", "单流", "单并发"),
        "all": ("in total", "totals?", "aggregate", "overall", "combined", "across all (?:users|requests|streams)", "all (?:users|requests)",
                "总(?!线)(?:吞吐|计|共)?", "(?:一|总)?共(?:有|计)?(?=[ 约]*[0-9])", "系统(?:总)?吞吐(?:量|率)?", "system throughput",
                "(?:server|system|service|cluster|node|engine|deployment) (?:as a whole )?(?:delivers?|produces?|generates?|outputs?|pushes|serves|sustains?|yields?|does)(?= (?:about |around |roughly |~|≈)?[0-9])", "合计", "总吞吐量", "聚合", "全部请求", "所有(?:用户|请求)"),
    },
    "calibre": {
        "peak": ("peak", "theoretical", "峰值", "理论(?:峰值)?"),
        "achieved": ("achiev(?:es?|ed|ing)", "reach(?:es|ed)?", "sustain(?:s|ed)?", "attain(?:s|ed)?", "measured", "actual(?:ly)?", "effective(?:ly)?", "real world", "(?:reading|streaming|moving)(?= (?:about |around |roughly )?[0-9.,]+ ?[GT]B/s)",
                     r"g[eo]ts?(?= ?[0-9.,]+ ?[TP]F)", r"(?:只有|只跑|仅有) ?(?=[0-9.,]+ ?[TP]F)", "跑出", "实测", "达到", "实际", "跑到", "持续"),
    },
    "bound": {
        "<=": ("(?<!add\\s)(?<!adds\\s)(?<!sum\\s)(?<!sums\\s)up to", "at most", "no more than", "maximum(?: of)?", "max\\.?", "upper bound", "≤", "<", "最高", "至多", "最多", "上限", "不超过", "高达"),
        ">=": ("at least", "no less than", "minimum(?: of)?", "over(?! (?:an?|the|its|one|each) )", "more than", "≥", ">", "至少", "不少于", "不低于", "超过", "最少"),
    },
    "tokens": {
        "both": ("prompt and (?:generated|output|completion) tokens(?: together)?", "(?:input|prompt) (?:and|plus) (?:output|generated)(?: tokens)?",
                 "(?:prompt|input) ?\\+ ?(?:generated|output)(?: tokens)?", "total tokens", "输入(?:和|与|加|\\+|及)输出",
                 "(?:提示词?|prompt|输入)(?:和|与|加|\\+|及)(?:生成|输出)", "输入输出合计"),
        "output": ("output(?: tokens| length)?", "generated tokens", "generation", "decod(?:e|es|ed|ing)", "生成", "输出", "解码"),
        "input": ("prompt(?:s)?", "input(?: tokens| length)?", "prefill(?:s|ed|ing)?", "提示词?", "输入", "预填充"),
    },
    "per": {
        "token": ("per token", "(?:for )?each token", "a token", "(?:for )?every token", "单个 ?token(?= ?的 ?KV)", "每(?:个)? ?token", "每(?:个)?词元"),
        "layer": ("per layer", "(?:each|every|one|a single|a) (?:[a-z]+ )?layer", "[每单](?:个|一)?层"),
        "link": ("per (?:link|port|lane)", "(?:links|ports|lanes)(?= ?(?:of|at|x|×|\\*|@|each|on|carr|in))", "each (?:link|port|lane)", "每条(?! ?(?:请求|序列|消息))", "每(?:条|个)?(?:链路|端口)", "单(?:条)?(?:链路|端口)"),
    },
    "noun": {
        "memory_bandwidth": ("memory bandwidth", "HBM\\d?e?(?: memory)? bandwidth", "bandwidth of (?:the )?(?:memory|HBM\\d?e?)", "显存带宽", "内存带宽"),
        "bandwidth": ("bandwidth", "带宽"),
        "link": ("NVLink(?:[1-6](?![0-9.]))?(?: bandwidth)?", "interconnect(?: bandwidth)?", "Infinity Fabric", "scale up", "ICI", "互[联连](?:带宽)?", "卡间(?:带宽|互[联连])?"),
        "network": ("network(?:ing)?", "Ethernet(?: port)?", "NICs?", "InfiniBand", "RoCE", "网络", "以太网", "网卡"),
        "bus_bandwidth": ("bus ?bandwidth", "busbw", "all ?reduce", "总线带宽"),
        "bisection": ("bisection(?: bandwidth)?", "(?:对分|二分|等分|二等分)带宽"),
        "host": ("PCIe(?: \\d(?:\\.0)?)?", "PCI Express", "host link", "NVLink C2C", "C2C", "主机互[联连]"),
        "cache": ("L[12](?: cache)?", "SRAM", "shared memory", "SMEM", "register file", "SSD", "NVMe", "disk", "DRAM", "DDR\\d",
                  "CPU memory", "host memory", "system memory", "二级缓存", "片上缓存", "共享内存", "硬盘", "主机内存", "系统内存"),
        "memory": ("memory", "memory capacity", "capacity(?= (?:of|as|is|rises|rose|grows|grew|goes|went|up|by) )", "显存容量", "(?<![并机装集])容量(?= ?(?:约|也|却|则|更)?(?:[多高大少小增提降减翻]|是(?!并)|为))", "HBM\\d?e?", "VRAM", "显存", "内存"),
        "compute": ("compute(?:s)?", "performance", "AI performance", "算力", "性能", "浮点"),
        "weights": ("weights?", "权重"),
        "kv": ("KV(?: ?cache| 缓存)?(?![A-Za-z0-9_])", "key value cache", "键值缓存"),
        "kv_k": ("K (?:size|cache|part)", "K (?:缓存|大小|部分)", "K(?= ?[占为是共=])", r"K(?=(?: ?: ?| )(?:(?:at|of|is) )?[0-9.]+ ?[KMGT]i?B)"),
        "kv_v": ("V (?:size|cache|part)", "V (?:缓存|大小|部分)", "V(?= ?[占为是共=])", r"V(?=(?: ?: ?| )(?:(?:at|of|is) )?[0-9.]+ ?[KMGT]i?B)"),
        "ttft": ("TTFT", "time to first token", "first token(?: latency| time)?", "首 ?token(?: ?延迟| ?时间)?", "首字(?:延迟|时间)?"),
        "tpot": ("TPOT", "time per output token", "每 ?(?:个 ?)?token(?: ?的)?(?: ?生成)? ?(?:时间|延迟|耗时)",
                 "(?:per|a|each) (?:decode |decoding )?step", "decod(?:e|ing) step(?: time)?", "(?<=ms\\s)steps?(?![a-z])", "每(?:个)?(?:解码)?步(?:长)?(?:耗时|用时|时间|延迟)?(?!骤)", "单步(?:耗时|用时|时间|延迟)?"),
        "itl": ("ITL", "inter token latency", "between (?:two |consecutive )?tokens", "token 间延迟", "token ?之间", "token 间隔"),
        "e2e": ("waits?(?= (?:about |around |roughly |only |~|≈)?[0-9.]+ ?(?:s|ms|seconds?)(?![a-z]))", "end to end(?: latency)?", "request (?:latency|time)", "whole request", "端到端(?:延迟|时延)?", "整个请求"),
        "latency": ("latency", "延迟", "时延"),
        "throughput": ("throughput", "吞吐(?:量|率)?"),
        "speed": ("(?:inference|training) performance", "(?:推理|训练)性能", "inference speed", "speed", "rate", "(?:推理|生成|解码)?速度", "速率"),
        "qps": ("QPS", "RPS(?= ?[:=0-9])", "每秒请求数"),
        "mfu": ("MFU", "model flops utili[sz]ation", "算力利用率"),
        "mbu": ("MBU", "(?:model )?bandwidth utili[sz]ation", "带宽利用率"),
        "parameters": ("parameters?", "params?", "参数(?:量)?"),
        "active": ("active(?: parameters)?", "activated(?: parameters)?", "激活(?:参数)?(?:量)?",
                   "activates", "activating", "(?:each|every|a|per) token (?:only )?uses", "uses(?: only| just| about)?(?= [0-9.]+ ?B (?:per|for each) token)",
                   "(?:(?:is|are) )?(?:used|read|run|involved|engaged) (?:per|for (?:each|every|a|any)|by (?:each|every|a)) token", "每(?:个)? ?token ?(?:实际)?(?:只|仅)?(?:会)?(?:用到?|使用|动用|参与|经过)", "touch(?:es|ing)"),
        "batch": ("batch(?: size)?", "批大小", "批量", "批次"),
        "context": ("context(?: length)?", "sequence length", "上下文(?:长度)?", "(?<![入出词引])(?:序列|文本)?长度(?= ?[为是:]? ?[0-9])"),
        "concurrency": ("requests in flight", "concurren(?:t|cy)(?: requests| users)?", "in flight", "并发(?:数|请求|量)?", "在途请求"),
        "tp": ("tensor parallel(?:ism|ly)?", "TP(?= ?[=0-9])", "张量并行(?:度)?"),
        "ridge": ("ridge(?: point)?", "脊点", "拐点"),
        "intensity": ("arithmetic intensity", "operational intensity", "算术强度", "计算强度", "运算强度"),
        "power": ("TDP", "power(?: draw)?", "耗电(?:量)?", "功耗", "功率"),
        "work": ("(?:total |amount of )?work(?:load)?(?= of| done| was| is)", "of work", "(?:总|全部)?(?:计算|运算|工作)总?量"),
        "matmul": ("mat ?mul", "GEMM", "matrix multipl(?:y|ication)", "矩阵乘(?:法)?"),
        "mac": ("MACs?", "multiply accumulates?", "乘加"),
        "flop": ("FLOPs?(?![/A-Za-z])", "浮点运算(?:次数)?"),
        "bus_width": ("bit (?:bus|interface)", "bus width", "位宽", "位总线"),
        "pin": ("per pin", "pins", "/ ?pin", "(?:每|单)(?:个)?引脚"),
        "device": ("GPUs?", "cards?", "devices?", "chips?", "accelerators?", "hardware", "卡", "芯片", "设备"),
        "training": ("train(?:ing)?", "训练"),
        "error": ("error", "off", "within", "误差"),
    },
    "relation": {
        "equal": ("=", "≈", "is(?! (?:larger|smaller|faster|slower|slightly|greater|less|more|below|above))", "are", "equals?", "the same as", "means?", "gives?",
                  "takes?", "makes?", "为", "是", "等于", "即", "意味着"),
        "than": ("than", "vs\\.?", "versus", "compared (?:with|to)", "比(?!值|例|如|特|重|较)", "对比", "相比"),
        "more": ("larger", "greater", "faster", "higher", "bigger", "above", "exceeds?", "大于", "高于", "更(?:大|快|高)", "快于", "多于", "优于", "胜过"),
        "less": ("smaller", "slower", "lower", "less", "below", "fewer", "小于", "逊于", "不及", "不如", "trails?", "lags?(?: behind)?", "低于", "更(?:小|慢|低|少)", "慢于", "少于"),
        "times": ("times", "fold", "(?<=[0-9])x(?![A-Za-z0-9])", "×(?! ?10)", "倍", "twice", "doubles?", "两倍", "翻倍"),
        "instead": ("instead of", "rather than", "not(?= [0-9])", "而(?:不是|非)"),
        "share": ("of", "only", "only about", "的"),
    },
    "use": {
        "needs": ("needs?", "requires?", "takes? up", "occup(?:y|ies)", "consum(?:es?|ing)", "draw(?:s|ing|n)?(?= ?(?:about |around |~|≈)?[0-9])", "uses?", "using", "used", "allocat(?:es?|ed)",
                  "remain(?:s|ing)?", "left", "free", "需要", "占用", "占", "消耗", "用了", "剩余", "剩下", "空闲", "需(?!要)"),
    },
    "variant": {
        "sxm": ("SXM\\d?",), "pcie": ("PCIe (?:card|version|variant|form factor|版)",), "nvl": ("NVL(?![0-9])",),
    },
    "subject": {
        "moe": ("MoE", "mixture of experts", "混合专家"),
        "dense_model": ("dense model", "稠密模型"),
        "adding": ("adding (?:more )?(?:cards|GPUs|devices)", "more (?:cards|GPUs|devices)", "加卡", "增加 ?(?:卡|GPU|设备)(?: ?数量)?"),
        "edge": ("edge(?: devices?)?", "端侧(?:设备)?", "边缘(?:设备)?"),
        "ridge_batch": ("compute bound(?:ed)?", "算力受限", "计算受限", "compute side"),
        "speculative": ("speculative(?: decoding)?", "speculation", "EAGLE(?:-?[0-9])?", "Medusa", "MTP", "draft(?: model)?",
                        "multi token prediction", "lookahead decoding", "投机(?:解码|采样)?", "推测解码", "草稿模型"),
        "not_speculative": ("(?:without|no) (?:speculative decoding|speculation|MTP|(?:a )?draft(?: model)?)",
                            "(?:不|未|没有)(?:使用|采用|启用|用)?(?:投机|推测)(?:解码|采样)?"),
        "cached": ("prefix cach(?:e|ing)", "cached(?: prompt| tokens| prefix)?", "cache hits?", "前缀缓存", "缓存命中"),
        "offload": ("offload(?:ing|ed|s)?", "卸载"),
        "bound": ("(?:theoretical |physical |lower |upper )?bound(?! by)", "floor", "ceiling", "roof", "下限", "下界", "上界", "天花板", "硬上限"),
        "fits": ("fits?(?: (?:on|in|into|onto))?", "deployed? on", "runs?(?: [a-z]+ly| fine| well| just fine)? on", "can (?:be )?(?:run|served?|host(?:ed)?|load(?:ed)?|h[eo]ld) (?:on|by|in)",
                 "(?:can|could|will|able to) (?:run|serve|host|hold|load)(?! at)", "enough (?:to (?:run|hold|serve)|for)",
                 "(?:comfortably|easily|happily|readily|just(?: about)?) (?:holds?|hosts?|accommodates?|fits?)", "绰绰有余", "毫无压力", "(?:显存)?够用", "放得下", "装得下", "跑得(?:动|了|起来)",
                 "(?:带|塞|载)得(?:动|下)", "(?:能|可以?)?(?:放|装|塞)(?:进|下|入)", "(?:能|可以?|够)(?:部署|运行|跑|装|放|加载)(?!到|出|满|[在进下入])",
                 "(?:能|可以?)?(?:部署|运行|跑)在", "(?:能够?|可以?)(?=(?:用|以) ?[A-Za-z0-9]{2,6} ?(?:精度|格式|量化)? ?(?:部署|运行|跑|加载)(?!到|出|满))", "(?:足)?够(?:放下|装下|跑|运行)", "(?:能够?|可以?)(?=在 ?[^,.;]{1,24}[上里中](?:运行|跑|部署|放下|装下|加载))"),
        "unfit": ("放不(?:下|进)", "装不(?:下|进)", "塞不(?:下|进)", "跑不(?:动|了|起来)", "带不动", "too (?:large|big) (?:for|to fit)", "out of memory", "爆显存", "显存不(?:够|足)"),
        "not": ("does not", "do not", "doesn't", "don't", "cannot", "can't", "不(?:会|能)", "并不", "无法", "没法"),
        "dominates": ("dominat(?:es?|ing|ed)", "占(?:据)?主导", "主导"),
        "traffic": ("bytes (?:moved|read|streamed)", "memory traffic", "weight traffic", "搬运(?:的)?字节(?:数)?", "访存量",
                    "读取(?:的)?字节(?:数)?"),
        "follows": ("follows?", "proportional to", "depends? only on", "scales? (?:only )?with", "(?:都)?(?:只)?(?:取决于|跟随|跟着|跟(?=激活|总))", "正比于"),
        "replica": ("data parallel(?:ism|ly)?", "replicas?", "数据并行", "副本"),
        "single_token": ("(?:a )?single token", "one token (?:per pass|at a time)", "单个 ?token"),
        "shrinks": ("shrinks?", "reduces?", "变小", "减少", "降低"),
        "memory_bound": ("memory bound(?:ed)?", "bandwidth bound(?:ed)?", "bandwidth side", "带宽受限", "访存受限", "带宽侧"),
    },
}  # fmt: skip

# words without a meaning of their own here: not told as "not understood"
FILLER = frozenset(["a", "an", "the", "on", "in", "of", "at", "with", "for", "and", "its", "it", "has", "have", "by", "one", "each", "as", "to", "per", "is", "was", "be", "that", "which", "run", "runs", "delivers", "deliver", "offers", "offer", "moves", "move", "needs", "need", "keeps", "keep", "provides", "gets", "uses", "was", "does", "can", "will", "its", "this", "these", "offers", "offer", "provides", "provide", "delivers", "deliver", "features", "comes", "ships", "boasts", "carries", "gets", "about", "respectively", "GPU", "拥", "提", "供", "配", "备", "具", "搭", "载", "达", "共", "的", "在", "上", "下", "有", "与", "和", "了", "时", "每", "模", "型", "个", "从", "到", "以", "对", "于"])  # fmt: skip


def fragment(spelling: str) -> str:
    """A spelling as a pattern: spaces may be hyphens or nothing, Latin ends at a border."""
    loose = re.sub(r"(?<![\[(?!<= ]) (?![?*+])", "[ -]?", spelling)
    head = r"(?<![A-Za-z0-9])" if re.match(r"\(?\??:?[A-Za-z0-9]", spelling) else ""
    tail = r"(?![A-Za-z0-9])" if re.search(r"[A-Za-z0-9)?]$", spelling) and not re.search(
        r"[\u4e00-\u9fff][)?]*$", spelling) else ""  # fmt: skip
    return f"{head}(?:{loose}){tail}"


@cache
def words() -> Spellings[tuple[str, str]]:
    """All spellings, longer ones first, and what each says: kind and meaning."""
    rows = [
        (spelling, (kind, says))
        for kind, entries in LEXICON.items()
        for says, spellings in entries.items()
        for spelling in spellings
    ]
    rows.sort(key=lambda row: -len(row[0]))
    return Spellings((fragment(spelling), said) for spelling, said in rows)
