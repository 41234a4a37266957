"""A saved `/metrics` page of vLLM: totals since the server's start, by model and engine."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from derive.errors import DeriveError, Place, Problem, printable
from derive.measured.exposition import Sample, samples
from derive.measured.files import Found, refuse
from derive.measured.histogram import Histogram
from derive.measured.metric_names import COUNTER, ENGINE_LABEL, HISTOGRAM, INFO, MODEL_LABEL, VLLM
from derive.measured.quantities import MEASURABLE
from derive.measured.reader import TEXT, Reader
from derive.measured.record import MEAN, Fact, Figure, Run
from derive.text import Text, tr
from derive.units import Quantity, unit

TOOL = "vLLM /metrics"
STARTED = "process_start_time_seconds"
PARTS = ("_bucket", "_sum", "_count")
FAILED = {"abort", "error"}
TIMES = {  # metric -> figure and unit
    "ttft": ("TTFT_meas", "s"),
    "tpot": ("TPOT_meas", "s*request/token"),
    "step": ("ITL_meas", "s"),
    "e2e": ("E2E_meas", "s"),
    "prefill": ("t_prefill_meas", "s"),
}


def spellings() -> dict[str, tuple[str, int, str]]:
    """Name of a sample -> its metric, how old the name is, and the part of a histogram."""
    made = {}
    for key, metric in VLLM.items():
        for age, name in enumerate(metric.names):
            if metric.kind == HISTOGRAM:
                made.update({name + part: (key, age, part) for part in PARTS})
            else:
                made[name] = made[name.removesuffix("_total")] = key, age, ""
    return made


SPELLINGS = spellings()
# Ray and KServe put a word before the name, and Ray an underscore for the colon
BEFORE = re.compile(r"(?:[a-z0-9]+_)?vllm:|ray_vllm_")
WITHIN = {"le", "finished_reason", "position"}  # labels that tell parts of one metric apart
Who = tuple[tuple[str, str], ...]


def spelt(name: str) -> str:
    """The name as vLLM itself spells it."""
    return BEFORE.sub("vllm:", name, count=1)


class Page:
    """What one engine of one model exposes."""

    def __init__(self) -> None:
        self.samples: dict[str, tuple[int, list[Sample]]] = {}
        self.histograms: dict[str, tuple[int, Histogram]] = {}
        self.started: Fraction | None = None  # when the process did, where the page says it

    def take(self, key: str, age: int, part: str, sample: Sample) -> None:
        """One sample; of two names of one thing the newer one counts."""
        if sample.value is None:
            return
        if not part:
            known, listed = self.samples.get(key, (age, []))
            if age <= known:
                self.samples[key] = age, [*(listed if age == known else []), sample]
            return
        known, histogram = self.histograms.get(key, (age, Histogram(sample.place)))
        if age > known:
            return
        if age < known:
            histogram = Histogram(sample.place)
        self.histograms[key] = age, histogram
        if part == "_bucket":
            histogram.buckets[limit(sample)] = sample.value
        elif part == "_sum":
            histogram.sum = sample.value
        else:
            histogram.count = sample.value

    def continues(self, earlier: Page) -> bool:
        """Whether no counter is below what it was."""
        for key, (_, listed) in earlier.samples.items():
            now = {by_labels(s): s.value for s in self.samples.get(key, (0, []))[1]}
            if VLLM[key].kind == COUNTER and any(
                (s.value or 0) > (now.get(by_labels(s)) or 0) for s in listed
            ):
                return False
        counts = {k: h.count or 0 for k, (_, h) in self.histograms.items()}
        return all(counts.get(k, 0) >= (h.count or 0) for k, (_, h) in earlier.histograms.items())

    @property
    def worked(self) -> bool:
        """Whether anything was counted."""
        totals = [s.value for k, (_, listed) in self.samples.items() if VLLM[k].kind == COUNTER
                  for s in listed]  # fmt: skip
        return any(totals) or any(h.count for _, h in self.histograms.values())

    def since(self, earlier: Page) -> Page:
        """Counters and histograms less what they were; the state at a moment as it is now."""
        made = Page()
        for key, (age, listed) in self.samples.items():
            old = {by_labels(s): s.value for s in earlier.samples.get(key, (0, []))[1]}
            if VLLM[key].kind != COUNTER:
                made.samples[key] = age, listed
                continue
            made.samples[key] = (
                age,
                [
                    replace(s, value=(s.value or Fraction(0)) - (old.get(by_labels(s)) or 0))
                    for s in listed
                ],
            )
        for key, (age, histogram) in self.histograms.items():
            before = earlier.histograms.get(key)
            made.histograms[key] = age, histogram.since(before[1]) if before else histogram
        return made

    def total(self, *keys: str) -> tuple[Fraction, Sample] | None:
        """The sum of a metric's samples: one metric may have several further labels."""
        for key in keys:
            if key in self.samples:
                listed = self.samples[key][1]
                return sum((s.value or Fraction(0) for s in listed), Fraction(0)), listed[0]
        return None


def by_labels(sample: Sample) -> Who:
    """What tells samples of one name apart."""
    return (("", sample.name), *sorted(sample.labels.items()))


def limit(sample: Sample) -> Fraction | None:
    """A bucket's upper limit; None for the one that has none."""
    text = sample.labels.get("le", "")
    if text in ("+Inf", "inf", "Inf"):
        return None
    try:
        return Fraction(text)
    except ValueError:
        what = tr("the bucket's limit le is {found}; a number or +Inf is expected",
                  found=printable(text, 40) or '""')  # fmt: skip
        raise DeriveError(Problem("B106", what, sample.place)) from None


def read(found: Found) -> list[Run]:
    """A run for each model and engine; the page's counters are totals since the start."""
    pages, shared = scraped(found)
    note = tr("counters and histograms are totals since the server's start, idle times included")
    return runs(found, pages, shared, note)


def window(before: Found, after: Found) -> list[Run] | None:
    """What lies between two scrapes of one server; None where they are not of the same counters."""
    (earlier, first), (later, shared) = scraped(before), scraped(after)
    if first.started != shared.started:
        return None
    made = {}
    for who, page in later.items():
        if who in earlier and not page.continues(earlier[who]):
            return None
        made[who] = page.since(earlier[who]) if who in earlier else page
    if not earlier.keys() & later.keys() or not any(page.worked for page in made.values()):
        return None
    names = [printable(file.path.name, 120) for file in (before, after)]
    note = tr("counters and histograms are what lies between {before} and {after}",
              before=names[0], after=names[1])  # fmt: skip
    return runs(after, made, shared, note)


def scraped(found: Found) -> tuple[dict[Who, Page], Page]:
    """The page by model and engine, and what all of them share."""
    pages: dict[Who, Page] = {}
    shared = Page()
    wanted = {*SPELLINGS, STARTED}
    for sample in samples(found.text, found.name, lambda name: spelt(name) in wanted):
        if sample.name == STARTED:
            shared.started = sample.value
            continue
        key, age, part = SPELLINGS[spelt(sample.name)]
        if sample.value is not None and sample.value < 0:
            what = tr("{metric} is negative", metric=sample.name)
            raise DeriveError(Problem("B106", what, sample.place))
        if VLLM[key].kind == INFO:  # its labels are the configuration itself
            shared.take(key, age, part, sample)
            continue
        who = tuple(sorted((k, v) for k, v in sample.labels.items() if k not in WITHIN))
        pages.setdefault(who, Page()).take(key, age, part, sample)
    return pages, shared


def runs(found: Found, pages: dict[Who, Page], shared: Page, note: Text) -> list[Run]:
    """A run for each model and engine that has figures."""
    made = [run(found, dict(who), page, shared, note, many=len(pages) > 1)
            for who, page in pages.items()]  # fmt: skip
    if not any(r.figures for r in made):
        refuse("B105", tr("the page has no figure of vLLM"), found.place)
    return [r for r in made if r.figures]


def run(
    found: Found, who: dict[str, str], page: Page, shared: Page, note: Text, *, many: bool
) -> Run:
    """The figures of one engine."""
    from derive.measured.identities import unlike

    engine = who.get(ENGINE_LABEL, "")
    figures = [*times(page), *lengths(page), *counts(page), *batch(page), *shares(page),
               *cache(shared, engine)]  # fmt: skip
    facts = {}
    if who.get(MODEL_LABEL) and figures:
        facts["model"] = Fact(printable(who[MODEL_LABEL], 120), figures[0].place)
    notes = [note]
    if not found.text.endswith("\n"):
        notes.append(tr("the page does not end with a line feed: it may be cut off"))
    notes += without_mean(page)
    parts = [who[MODEL_LABEL]] if who.get(MODEL_LABEL) else []
    parts += [f"{label} {value}" for label, value in who.items() if label != MODEL_LABEL]
    label = printable(", ".join(parts), 120) if many else ""
    made = Run(TOOL, found.place, "serving", tuple(figures), facts, (), (), label)
    return Run(**{**made.__dict__, "notes": (*notes, *unlike(made))})


def figure(
    name: str, value: Fraction, units: str, place: Place, statistic: str = "one",
    note: Text | None = None,
) -> Figure:  # fmt: skip
    """A figure in its own unit."""
    return Figure(name, Quantity(value, unit(units)).to(MEASURABLE[name].unit), place, statistic,
                  note)  # fmt: skip


def times(page: Page) -> list[Figure]:
    """Means and quantiles of the time histograms; which TPOT it is."""
    made = []
    for key, (name, units) in TIMES.items():
        _, histogram = page.histograms.get(key, (0, None))
        if histogram is None:
            continue
        histogram.checked()
        made += means(page, key, histogram)
        for statistic, value, note in histogram.quantiles():
            made.append(figure(name, value, units, histogram.place, statistic, note))
    return made


def means(page: Page, key: str, histogram: Histogram) -> list[Figure]:
    """The mean, if it is known, and the mean TPOT that it stands in for in older versions."""
    value = histogram.mean
    if value is None:
        return []
    name, units = TIMES[key]
    note = tr("sum / count of the histogram")
    if key == "step":
        note = tr("sum / count over steps: every token weighs the same, not every request")
    made = [figure(name, value, units, histogram.place, MEAN, note)]
    if key == "step" and "tpot" not in page.histograms and not drafts(page):
        note = tr("mean over tokens, as this version has no mean over requests")
        made.append(figure("TPOT_meas", value, "s*request/token", histogram.place, MEAN, note))
    return made


def without_mean(page: Page) -> list[Text]:
    """Histograms that counted something and yet have no sum: NaN, infinite or cut off."""
    return [
        tr("{metric} has no finite sum: its mean is not known", metric=VLLM[key].names[age])
        for key, (age, histogram) in page.histograms.items()
        if histogram.count and histogram.sum is None
    ]


def drafts(page: Page) -> bool:
    """Whether tokens were drafted: a step then brings more than one."""
    total = page.total("drafts", "draft_tokens")
    return (total is not None and total[0] > 0) or "acceptance" in page.samples


def lengths(page: Page) -> list[Figure]:
    """Mean lengths of the requests that ended."""
    made = []
    for key, name in (("prompt_length", "T_in_meas"), ("output_length", "T_out_meas")):
        _, histogram = page.histograms.get(key, (0, None))
        if histogram and histogram.mean is not None:
            made.append(figure(name, histogram.mean, "token/request", histogram.place, MEAN))
    return made


def counts(page: Page) -> list[Figure]:
    """Totals, and the state at the moment of the scrape."""
    made = []
    moment = tr("at the moment of the scrape")
    for key, name, note in (
        ("prompt", "tokens_in", None), ("output", "tokens_out", None),
        ("preemptions", "preempted", None), ("running", "b_meas", moment),
        ("waiting", "waiting", moment),
    ):  # fmt: skip
        if total := page.total(key):
            made.append(figure(name, total[0], MEASURABLE[name].unit.text, total[1].place, "one",
                               note))  # fmt: skip
    _, ended = page.samples.get("success", (0, []))
    for name, failed in (("requests", False), ("failed", True)):
        fitting = [s for s in ended if (s.labels.get("finished_reason") in FAILED) == failed]
        if fitting:
            value = sum((s.value or Fraction(0) for s in fitting), Fraction(0))
            note = tr("aborted by the client or ended in an error") if failed else None
            made.append(figure(name, value, "request", fitting[0].place, "one", note))
    return made


def batch(page: Page) -> list[Figure]:
    """Output tokens over steps of the engine: the mean batch of a step, whenever it was scraped."""
    _, steps = page.histograms.get("iteration", (0, None))
    output = page.total("output")
    if steps is None or not steps.count or output is None or not output[0]:
        return []
    each = next((f.quantity.base for f in speculation(page) if f.id == "accepted"), Fraction(1))
    note = tr("output tokens / steps of the engine; steps of prefill alone count too")
    if each != 1:
        note = tr("output tokens / (steps of the engine × tokens of a step with speculation)")
    return [figure("b_meas", output[0] / (steps.count * each), "request", steps.place, MEAN, note)]


def shares(page: Page) -> list[Figure]:
    """Use of the cache, hits of the prefix cache, acceptance of drafts."""
    made = []
    if use := page.total("kv_usage"):
        if use[0] > 1:
            what = tr("{metric} is {found}; a share from 0 to 1 is expected",
                      metric=use[1].name, found=float(use[0]))  # fmt: skip
            raise DeriveError(Problem("B106", what, use[1].place))
        made.append(figure("use", use[0], "", use[1].place, "one",
                           tr("at the moment of the scrape")))  # fmt: skip
    hits, queries = page.total("cached"), page.total("queried")
    note = tr("tokens found / tokens looked up")
    if hits is None or queries is None:
        hits, queries = page.total("cached_blocks"), page.total("queried_blocks")
        note = tr("found / looked up, in blocks or tokens by version")
    if hits and queries and queries[0]:
        made.append(figure("hit", hits[0] / queries[0], "", hits[1].place, MEAN, note))
    made += speculation(page)
    return made


def speculation(page: Page) -> list[Figure]:
    """Accepted tokens a step with the bonus token, and the share of drafts that was accepted."""
    made = []
    accepted, drafted = page.total("accepted_tokens"), page.total("draft_tokens")
    steps, share = page.total("drafts"), page.total("acceptance")
    if accepted and drafted and drafted[0]:
        made.append(figure("acceptance", accepted[0] / drafted[0], "", accepted[1].place, MEAN))
    elif share:
        made.append(figure("acceptance", share[0], "", share[1].place, MEAN))
    if accepted and steps and steps[0]:
        note = tr("1 + accepted tokens / drafts")
        made.append(figure("accepted", 1 + accepted[0] / steps[0], "token/request",
                           accepted[1].place, MEAN, note))  # fmt: skip
    return made


def cache(shared: Page, engine: str) -> list[Figure]:
    """Blocks and their size from the labels of the configuration."""
    made = []
    _, listed = shared.samples.get("cache_config", (0, []))
    fitting = [s for s in listed if s.labels.get(ENGINE_LABEL, "") in ("", engine)]
    for sample in fitting[:1]:
        for label, name in (("num_gpu_blocks", "blocks"), ("block_size", "T_block")):
            text = sample.labels.get(label, "")
            if text.isdecimal() and len(text) < 20:
                made.append(figure(name, Fraction(text), MEASURABLE[name].unit.text, sample.place))
    return made


READERS = [
    Reader(
        "vllm-metrics", TOOL, TEXT, ((rf"(?m)^(?:# TYPE )?(?:{BEFORE.pattern})[a-z0-9_]+[{{ ]",),),
        read,
        Text("saved answer of `/metrics`", "保存下来的 `/metrics` 内容"),
    )
]  # fmt: skip
