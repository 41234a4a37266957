"""What a sentence says to grow, to shrink or to stay: quantity words with words of change around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from derive.text import Text

UP = 1
DOWN = -1

# quantity -> (spellings, symbol of the notation that it sets, name)
WORDS: tuple[tuple[str, str, str, Text], ...] = (
    ("kv_device", r"(?:kv(?: cache| size| bytes)?|kv 缓存|键值缓存)(?: \w+){0,2} (?:on|per|of) (?:each|every|one|a|the)? ?(?:card|gpu|device)s?|per[- ](?:card|gpu|device) kv(?: cache)?|(?:每(?:张|块|个)?(?:卡|gpu|设备)|单卡)(?:上)?(?:的)? ?kv(?: ?cache| ?缓存)?", "", Text("the KV cache on each device", "每设备上的 KV cache")),
    ("weights_device", r"weights (?:on|per|of) (?:each|every|one|a)? ?(?:card|gpu|device)|(?:每(?:张|块|个)?(?:卡|gpu|设备)|单卡)(?:上)?(?:的)? ?权重", "", Text("the weights on each device", "每设备上的权重")),
    ("critical_batch", r"critical batch(?: size)?|b_crit|临界批(?:大小|量)?", "", Text("the critical batch", "临界批大小")),
    ("devices_needed", r"(?:number of )?(?:cards|gpus|devices) (?:that are )?needed|所需(?:的)?(?:卡|设备)数", "", Text("the devices needed", "所需设备数")),
    ("memory_side", r"(?:almost |nearly )?(?:every|all|most|more)(?: \w+)? loads? (?:is|are|falls?|become)?(?: \w+){0,2} ?(?:on the )?(?:bandwidth|memory)[- ](?:side|bound)|(?:几乎)?(?:所有|全部|多数|绝大多数)(?:负载|任务|算子)都?(?:落)?(?:在|处于|是)?(?:带宽侧|访存侧|带宽受限|访存受限)", "", Text("loads on the memory side", "处于带宽侧的负载")),
    ("compute_side", r"(?:almost |nearly )?(?:every|all|most|more)(?: \w+)? loads? (?:is|are|falls?|become)?(?: \w+){0,2} ?(?:on the )?compute[- ](?:side|bound)|(?:几乎)?(?:所有|全部|多数|绝大多数)(?:负载|任务|算子)都?(?:落)?(?:在|处于|是)?(?:算力侧|计算受限|算力受限)", "", Text("loads on the compute side", "处于算力侧的负载")),
    ("ridge", r"ridge(?: point)?|脊点|拐点", "", Text("the ridge point", "脊点")),
    ("intensity", r"(?:arithmetic |operational )?intensity|(?:算术|计算|运算)强度", "", Text("the arithmetic intensity", "算术强度")),
    ("tpot", r"tpot|time per output token|inter[- ]token latency|itl|decode latency|每 ?(?:个 ?)?token(?: ?的)?(?:生成)?(?:时间|延迟|耗时)", "", Text("TPOT", "TPOT")),
    ("ttft", r"ttft|time to first token|首 ?token(?:的)? ?(?:延迟|时间)?|首字(?:延迟|时间)", "", Text("TTFT", "TTFT")),
    ("throughput", r"throughput|吞吐(?:量|率)?", "", Text("throughput", "吞吐")),
    ("concurrency", r"concurrency|concurrent (?:requests|users)|requests that fit|并发(?:数|量)?", "", Text("the requests that fit", "可容纳的并发数")),
    ("kappa", r"kv(?: cache)?(?: bytes)? per token|每 ?(?:个 ?)?token ?(?:的)? ?kv(?: ?cache| ?缓存)?", "", Text("the KV cache per token", "每 token 的 KV cache")),
    ("bandwidth", r"(?:memory |hbm )?bandwidth(?![- ](?:side|bound))|(?:显存|内存)?带宽(?!侧|受限)", "B_peak", Text("bandwidth", "带宽")),
    ("kv", r"kv(?: cache| size)?|kv ?缓存|键值缓存", "", Text("the KV cache", "KV cache")),
    ("compute", r"(?:peak )?compute(?![- ](?:side|bound))|flops|算力(?!侧|受限)", "P_peak", Text("compute", "算力")),
    ("batch", r"batch(?:es|ing)?(?: sizes?)?|批(?:大小|量|次|处理)|拼批", "b", Text("the batch", "批大小")),
    ("context", r"contexts?(?: lengths?)?|sequence(?: length)?s?|上下文(?:长度)?|序列(?:长度)?", "T", Text("the context", "上下文长度")),
    ("prompt", r"prompts?(?: length)?|input(?:s| length)?|输入(?:长度)?|提示词(?:长度)?", "T_in", Text("the prompt", "输入长度")),
    ("devices", r"cards?|gpus?|devices?(?! bandwidth)|卡(?:数)?|设备(?:数)?", "g", Text("the number of devices", "设备数")),
    ("weight_bytes", r"bytes per (?:parameter|weight)|weight (?:precision|bits)|precision|(?:权重)?精度|每参数字节数", "w", Text("bytes per parameter", "每参数字节数")),
    ("memory", r"(?:device |gpu )?memory(?![- ](?:side|bound|bandwidth))|vram|显存(?:容量)?", "M_dev", Text("device memory", "显存")),
    ("heads", r"kv heads|kv 头(?:数)?", "H_kv", Text("KV heads", "KV 头数")),
)  # fmt: skip
NAMES = {name: text for name, _, _, text in WORDS}
SYMBOL = {name: symbol for name, _, symbol, _ in WORDS if symbol}
QUANTITY = re.compile(
    "|".join(f"(?P<{name}>(?<![a-z])(?:{spelled}))" for name, spelled, _, _ in WORDS)
)

ADVERB = r"(?:only |very |extremely |much |far |so |quite |even |too |also |increasingly |further |slightly |significantly |会|也|就|因此|于是|所以|自然|因而|都|则|将|很|更|越|极其|极为|极|非常|太|特别|比较|变得|随之|反而|明显|显著|更加|越来越| )*"
MORE_WORD = r"(?:more|higher|high|larger|large|bigger|greater|longer|long|faster|better|rising|growing|added|extra)(?![a-z])"
LESS_WORD = r"(?:less|lower|low|smaller|small|fewer|shorter|short|slower|reduced|narrower|narrow|limited|little|scarce|tens of|weaker)(?![a-z])"
RAISES = r"(?:rais(?:es?|ing)|increas(?:es?|ing)|adding|adds?|grows?|lengthen(?:s|ing)?|boost(?:s|ing)?|improv(?:es?|ing)|doubl(?:es|ing)|push(?:es)? up|enlarg(?:es?|ing)|expand(?:s|ing)?)(?![a-z])"
LOWERS = r"(?:lower(?:s|ing)?|reduc(?:es?|ing)|cut(?:s|ting)?|decreas(?:es?|ing)|shrink(?:s|ing)?|shorten(?:s|ing)?|halv(?:es|ing)|shrinks|push(?:es)? down|remov(?:es|ing))(?![a-z])"
ZH_UP = r"(?:增大|增加|提高|提升|加大|扩大|拉长|抬高|升高|上升|增长|变大|变高|变长|变多|翻倍|加|大|高|多|长|快)"
ZH_DOWN = r"(?:减小|减少|降低|缩短|缩小|压低|下降|变小|变低|变短|变少|减半|只有几十|仅几十|几十|小|低|少|短|窄|慢)"
AHEAD = re.compile(
    rf"(?P<not>(?:not|n't|never|without|不(?:会|能)?) ?(?:make |making )?)?(?P<verb>{RAISES}|{LOWERS}|{MORE_WORD}|{LESS_WORD}|{ZH_UP}了?|{ZH_DOWN}了?)(?: (?:the|its|a|of|up|number of|more|peak|memory|[mgt]b/s))* ?$"
)
BEHIND = re.compile(
    rf"^ ?(?:of the \w+ |the )?(?P<not>(?:does not|do not|doesn't|will not|is not|isn't|不(?:会)?|并不(?:会)?|没有|never) ?)?(?P<why>因为?[^,.;]{{1,10}}?而)?(?:is|are|gets?|becomes?|be|goes|stays|were|to|是|为)? ?{ADVERB}"
    rf"(?P<verb>up(?![a-z])|down(?![a-z])|ris(?:es?|ing)(?![a-z])|falls?(?![a-z])|drops?(?![a-z])|grow(?:s|ing)?(?![a-z])|{MORE_WORD}|{LESS_WORD}|increases?(?![a-z])|decreases?(?![a-z])|shrinks?(?![a-z])|doubles?(?![a-z])|halves(?![a-z])|{ZH_UP}|{ZH_DOWN}|(?P<same>unchanged|the same|constant|不变|持平))"
)
DOWNWARD = re.compile(rf"{LOWERS}|{LESS_WORD}|{ZH_DOWN}|down|fall|drop|decrease|shrink|halve")
MAKES = re.compile(
    r"(?P<not>(?:not|n't|never|不(?:会|能)?) ?)?(?:make|makes|making|leaves?|使得?|让|令|导致)(?: the| its)? ?$"
)
NO_EFFECT = re.compile(
    r"no (?:effect|influence) on|not (?:change|affect|influence|alter)|independent of|无关|不影响|不改变|does not depend on"
)
BECAUSE = re.compile(
    r"(?: when | if | because | since | as | with | under | once |因为?|由于)(?!此|而)"
)
STANDING = {"batch": re.compile(r"batching|拼批|批处理")}
QUANTISED = re.compile(r"quanti[sz](?:ing|ation)(?: the)?(?: weights)?|量化(?:权重)?")


@dataclass(frozen=True)
class Change:
    """A quantity that a claim says to grow, shrink or stay."""

    quantity: str
    allowed: frozenset[int]  # signs of its change that the words admit
    start: int
    end: int

    @property
    def sign(self) -> int:
        """The direction of a cause."""
        return next(iter(self.allowed)) if len(self.allowed) == 1 else 0


def changes(text: str) -> list[Change]:
    """The changes that a sentence tells, in its order."""
    found: list[Change] = []
    for match in QUANTITY.finditer(text):
        name = match.lastgroup or ""
        used = found[-1].end if found else 0  # a word of change belongs to one quantity
        ahead, behind = (
            text[max(used, match.start() - 36) : match.start()],
            text[match.end() : match.end() + 44],
        )
        if found and match.start() < found[-1].end:
            continue
        change = changed(name, match, ahead, behind)
        if change:
            found.append(change)
    found += [
        Change("weight_bytes", frozenset({DOWN}), m.start(), m.end())
        for m in QUANTISED.finditer(text)
    ]
    return sorted(found, key=lambda c: c.start)


def changed(name: str, match: re.Match[str], ahead: str, behind: str) -> Change | None:
    """How one quantity changes by the words around it."""
    start, end = match.span()
    if name in ("memory_side", "compute_side"):
        return Change(name, frozenset({UP}), start, end)
    made, told = MAKES.search(ahead), BEHIND.match(behind)
    before = AHEAD.search(ahead)
    if told and (made or not before):
        if told["same"]:
            return Change(name, frozenset({0}), start, end + told.end())
        sign = DOWN if DOWNWARD.match(told["verb"]) else UP
        negated = bool(told["not"]) or bool(made and made["not"])
        behind_it = end if told["why"] else end + told.end()
        return Change(name, admitted(sign, negated), start, behind_it)
    if before:
        sign = DOWN if DOWNWARD.match(before["verb"]) else UP
        return Change(name, admitted(sign, bool(before["not"])), start, end)
    if name in STANDING and STANDING[name].match(match[0]):
        return Change(name, frozenset({UP}), start, end)
    if NO_EFFECT.search(ahead[-24:] + "|") or NO_EFFECT.search(behind[:8]):
        return Change(name, frozenset({0}), start, end)
    return None


def admitted(sign: int, negated: bool) -> frozenset[int]:
    """The signs that "grows" or "does not grow" admit."""
    return frozenset({0, -sign}) if negated else frozenset({sign})
