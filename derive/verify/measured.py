"""The measured section of a ledger: every share, bound and ratio from its own figures, anew.

Nothing of what wrote it is used. Figures are what a file says: their forms must agree with each
other. Everything else follows from them and from the ledger's formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

from derive.measured.quantities import MEASURABLE
from derive.text import Text, tr
from derive.units import Quantity, Unit, unit
from derive.verify.inputs import lowest
from derive.verify.measured_texts import Stated
from derive.verify.say import quoted
from derive.verify.shown import same_number, written
from derive.verify.texts import Broken, NoValue, read
from derive.verify.values import Held, Ledger, Values

Row = Mapping[str, Any]
LIMIT, SLACK = Fraction(6, 10), Fraction(3, 10)
TOLERANCE = Fraction(1, 10)
TIMES = {"TPOT": "ms*request/token", "TTFT": "ms"}
BY_HAND = "measurements"  # whose notes are what somebody wrote
MODEL = {"N", "N_act", "L", "N_mat", "w", "e_full", "H_kv", "W"}
HARDWARE = {"P_peak", "B_peak", "M_dev", "TDP"}
MOST_POOLS = 1000  # of one log, whose rounding adds up
LOAD = {"b": ("b_meas", "b_asked"), "T_in": ("T_in_meas",), "T_out": ("T_out_meas",)}


def check_measured(ledger: Ledger) -> Iterator[Text]:
    """Every run, what lies across them, the experiment and the figures."""
    section = ledger.record.get("measured")
    if section is None:
        return
    from derive.verify.measured_figures import check_drawings

    runs = [Run(ledger, row, f"measured.runs.{i}") for i, row in enumerate(section["runs"])]
    for run in runs:
        yield from run.check()
    stated = Stated(q for run in runs for q in run.across())
    names = [n for run in runs for n in (run.row["label"], run.row["file"]) if n]
    for i, text in enumerate(section["across"]):
        yield from stated.check(f"measured.across.{i}", text, names)
    if section["experiment"]:
        yield from check_experiment(runs, section["experiment"])
    yield from check_drawings(runs, section["figures"])


def amount(where: str, found: Row | None, wanted: Fraction | None, units: str) -> Iterator[Text]:
    """A value in its forms: exact, number, display; None where there is none."""
    if found is None or wanted is None:
        if (found is None) != (wanted is None):
            yield wrong(where, "null" if found is None else found["display"])
        return
    value = wanted / unit(units).factor
    if found["unit"] != units or found["exact"] != lowest(value):
        yield wrong(where, found["display"])
    else:
        yield from forms(where, found, value)


def forms(where: str, found: Row, value: Fraction | None = None) -> Iterator[Text]:
    """The number and the display of an amount, or of one in both languages, are its exact value."""
    if found["exact"] is None and value is None:
        yield wrong(where, found["display"])
        return
    exact = value if value is not None else Fraction(found["exact"])
    if found["exact"] is not None and found["exact"] != lowest(exact):
        yield wrong(where, found["exact"])
    shown = found["display"]
    texts = list(shown.values()) if isinstance(shown, Mapping) else [shown]
    wanted = written(Quantity(exact, unit(found["unit"])))
    if not same_number(found["value"], exact) or any(t != wanted for t in texts):
        yield wrong(where, texts[0])


def wrong(where: str, found: object) -> Text:
    """One value that does not follow."""
    return tr("{where}: {found} does not follow", where=quoted(where, 80), found=quoted(found))


# the input that a format decides
BY_FORMAT = {"weights": "w", "kv_cache": "w_kv", "compute": "P_peak", "sparsity": "P_peak"}


class Run:
    """One run: its figures as given, everything else recomputed at its own setting."""

    def __init__(self, ledger: Ledger, row: Row, where: str) -> None:
        self.ledger, self.row, self.where = ledger, row, where
        self.bounded = "setting" in row
        scenario = ledger.record["scenario"]
        self.own = self.bounded and row["scenario"] == {
            key: scenario[key]["id"] for key in ("model", "hardware")
        }
        self.taken = {f["id"]: base(f) for f in row.get("taken", ())}
        self.figures = {(f["id"], f["statistic"]): base(f) for f in row["figures"]}

    def figure(self, *names: str) -> Fraction | None:
        """The mean, setting, median or total of the first kind that the file has."""
        for name in names:
            for statistic in ("mean", "one", "p50", "total"):
                if (name, statistic) in self.figures:
                    return self.figures[name, statistic]
        return None

    @property
    def here(self) -> Values:
        """The ledger's formulas at peak, at this run's load and with its own figures."""
        changed: dict[str, Quantity] = {}
        given = {**self.row["inputs"], **self.row["setting"]}
        for name, value in given.items():
            if value is None:  # this run's scenario has none, and no formula of its load asks
                continue
            if name not in self.ledger.units:
                raise Broken(tr("{name} has no value", name=quoted(name)))
            changed[name] = Held(Fraction(value["exact"]), self.ledger.units[name])
        for name, value in self.taken.items():
            contract = self.ledger.units[name]
            changed[name] = Held(value / contract.factor, contract)
        return self.ledger.here.at("peak", "peak").with_(changed)

    def check(self) -> Iterator[Text]:
        """Figures, and where there is a bound, setting, phases, totals, start and kernels."""
        for kind in ("figures", "taken"):
            for i, row in enumerate(self.row.get(kind, ())):
                yield from self.of_file(f"{self.where}.{kind}.{i}", row)
                yield from Stated(()).alike(f"{self.where}.{kind}.{i}", row["note"])
        for i, note in enumerate(self.row["notes"] if self.row["tool"] != BY_HAND else ()):
            yield from Stated(()).alike(f"{self.where}.notes.{i}", note)
        if not self.bounded:
            return
        for name, value in {**self.row["setting"], **self.row["inputs"]}.items():
            if value is not None:
                yield from forms(f"{self.where}.{name}", value)
        for i, note in enumerate(self.row["cautions"]):
            yield from Stated(()).alike(f"{self.where}.cautions.{i}", note)
        yield from self.other_scenario()
        if not self.own:
            return  # another model or accelerator than the ledger's: not proved here
        try:
            yield from self.bound()
        except (NoValue, Broken) as error:
            yield tr("{where}: cannot be computed: {why}", where=self.where, why=error.why)

    def of_file(self, where: str, row: Row) -> Iterator[Text]:
        """A figure: declared, its forms alike, rounded at a digit."""
        declared = MEASURABLE.get(row["id"])
        if declared is None or (row["unit"], row["meaning"]) != (
            declared.unit.text, declared.meaning.json()
        ):  # fmt: skip
            yield wrong(where, row["id"])
            return
        yield from forms(where, row)
        if row["half"] is not None:
            halves = Fraction(row["half"]) / (2**30 if "byte" in row["unit"] else 1) * 2
            if halves.numerator > MOST_POOLS or not power_of_ten(halves.denominator):
                yield wrong(f"{where}.half", row["half"])

    def other_scenario(self) -> Iterator[Text]:
        """Another model or accelerator than the ledger's shows in the inputs."""
        scenario, signs = self.ledger.record["scenario"], {"model": MODEL, "hardware": HARDWARE}
        for key, names in signs.items():
            other = self.row["scenario"][key] != scenario[key]["id"]
            same = self.row["of"][key] == scenario[key]["name"]
            if other and (same or not names & self.row["inputs"].keys()):
                yield wrong(f"{self.where}.scenario.{key}", self.row["scenario"][key])

    def named(self) -> Iterator[Text]:
        """Names, devices and formats are the ledger's where no input differs."""
        scenario, of, moved = self.ledger.record["scenario"], self.row["of"], self.row["inputs"]
        wanted = {key: scenario[key]["name"] for key in ("model", "hardware")}
        if "g" not in moved:
            wanted |= {
                "scenario": scenario["id"],
                "devices": f"{int(self.ledger.given['g'].value):,}",
            }
        for key, text in wanted.items():
            if of[key] != text:
                yield wrong(f"{self.where}.of.{key}", str(of[key]))
        for key, text in of["precision"].items():
            if BY_FORMAT.get(key, "") not in moved and text != scenario["precision"].get(key):
                yield wrong(f"{self.where}.of.precision.{key}", text)

    def bound(self) -> Iterator[Text]:
        """What follows from the ledger's formulas."""
        from derive.verify.measured_kernels import check_kernels
        from derive.verify.measured_start import check_start

        here = self.here
        yield from self.named()
        yield from self.setting()
        yield from self.taken_from()
        stated = Stated(self.stated(here))
        for i, note in enumerate(self.row["taken_notes"]):
            yield from stated.check(f"{self.where}.taken_notes.{i}", note)
        names = [name for name, there in (("TPOT", "TPOT_meas"), ("TTFT", "TTFT_meas"))
                 if self.taken.get(there)]  # fmt: skip
        if [p["name"] for p in self.row["phases"]] != names:
            yield wrong(f"{self.where}.phases", ", ".join(p["name"] for p in self.row["phases"]))
        for phase in self.row["phases"]:
            yield from self.phase(here, phase, stated)
        for row in self.row["totals"]:
            yield from self.total(here, row, stated)
        yield from check_start(self, here)
        yield from check_kernels(self, here)

    def setting(self) -> Iterator[Text]:
        """Load: counts next to the figures of the file; other inputs only where they differ."""
        for name, kinds in LOAD.items():
            value, found = self.row["setting"].get(name), self.figure(*kinds)
            if value is None or found is None:
                continue
            count = Fraction(value["exact"])
            near = {max(Fraction(1), Fraction(round(found)))}
            near |= {self.ledger.given[name].value} if name in self.ledger.given else set()
            decode = self.decoding()
            near |= {max(Fraction(1), Fraction(round(decode)))} if name == "b" and decode else set()
            if count not in near:
                yield wrong(f"{self.where}.setting.{name}", count)
        for name, value in self.row["inputs"].items():
            plain = self.ledger.given.get(name)
            if value and plain is not None and plain.value == Fraction(value["exact"]):
                yield wrong(f"{self.where}.inputs.{quoted(name)}", "")
        load = {n: Fraction(v["exact"]) for n, v in self.row["setting"].items()}
        context = self.ledger.given.get("T")
        if {"T_in", "T_out", "T"} <= load.keys():
            same = context is not None and context.value == load["T"]
            if load["T"] != load["T_in"] + load["T_out"] and not same:
                yield wrong(f"{self.where}.setting.T", load["T"])

    def decoding(self) -> Fraction | None:
        """Requests in decode, by Little's law."""
        names = ("rate", "E2E_meas", "TTFT_meas")
        found = [self.figures.get((n, "mean")) for n in names]
        if None in found:
            return None
        rate, whole, start = (f for f in found if f is not None)
        return rate * (whole - start)

    def taken_from(self) -> Iterator[Text]:
        """What was taken is a figure of the file, or follows from some of its figures."""
        for name, value in self.taken.items():
            if value not in set(self.derived(name)):
                yield wrong(f"{self.where}.taken.{quoted(name)}", value)

    def derived(self, name: str) -> Iterator[Fraction]:
        """Every way in which a time or a rate may follow."""
        direct = {"TTFT_meas": ("TTFT_meas", "t_prefill_meas"), "TPOT_meas": ("TPOT_meas",),
                  "X_meas": ("X_meas",)}.get(name, ())  # fmt: skip
        for kind in direct:
            yield from (v for (i, s), v in self.figures.items()
                        if i == kind and s in ("mean", "p50", "one"))  # fmt: skip
        f, batch = self.figure, self.figure("b_meas")
        rate, start, tokens = f("R_meas"), f("TTFT_meas"), f("T_out_meas")
        with suppress(ZeroDivisionError, TypeError):
            if name == "TTFT_meas":
                yield f("T_in_meas") / f("X_in")  # type: ignore[operator]
        if name == "TPOT_meas":
            step, total = f("t_step_meas"), f("X_meas")
            yield from (1 / v for v in (rate,) if v)
            yield from (v / (f("accepted") or 1) for v in (step,) if v)
            for whole in (f("E2E_meas"), (f("TPOT_all") or 0) * (tokens or 0)):
                if whole and start and tokens and tokens > 1:
                    yield (whole - start) / (tokens - 1)
            if batch and total:
                yield batch / total
        if name == "X_meas" and batch and self.taken.get("TPOT_meas"):
            yield batch / self.taken["TPOT_meas"]

    def at_mean(self, here: Values) -> Values:
        """At the mean context, where there is one."""
        try:
            return here.with_({"T": here.quantity(read("T_mean"), self.ledger.units["T"])})
        except (NoValue, Broken):
            return here

    def get(self, there: Values, text: str) -> Fraction | None:
        """An expression in base units; None where it has no value."""
        try:
            return there.in_its_unit(read(text)).base
        except (NoValue, Broken):
            return None

    def streamed(self, there: Values) -> Values:
        """With the bytes of weights that are really read."""
        known = {*self.ledger.cards, *self.ledger.given}
        if "W_stream" not in known:
            return there
        least = there.quantity(read("min(W_stream, W_read)"), self.ledger.units["W_read"])
        return there.with_({"W_read": least})

    def numbers(self, here: Values, phase: Row) -> dict[str, Fraction | None]:
        """The times and shares of a phase, in base units."""
        name = phase["name"]
        measured = self.taken[f"{name}_meas"]
        there = self.at_mean(here)
        peak = "(g * P_peak)"
        if name == "TPOT":
            found = {
                "bound": self.get(there, "t_step / n"),
                "streamed": self.get(self.streamed(there), "t_step / n"),
                "weights": self.get(there, "TPOT_floor"),
                "floor": self.get(there, "W_stream / (g * B_peak) / n"),
                "MBU": self.get(there, "Q_step / (n * TPOT_meas) / (g * B_peak)"),
                "MFU": self.get(there, f"X_meas * F_tok / {peak}"),
            }
            if "X_meas" not in self.taken:
                found["MFU"] = None
            head = None
        else:
            use = self.get(here, f"F_tok * one_request * T_in / TTFT_meas / {peak}")
            head = self.head(phase)
            found = {
                "bound": self.get(here, "t_prefill"), "streamed": self.needed(here, head),
                "weights": None, "floor": use * measured if use is not None else None,
                "MBU": None, "MFU": use,
            }  # fmt: skip
        bound, weights = found["bound"], found["weights"]
        return {
            **found, "measured": measured, "head": head,
            "share": bound / measured if bound is not None else None,
            "judged": self.judged(here, name, bound, measured),
            "share_weights": weights / measured if weights else None,
        }  # fmt: skip

    def judged(
        self, here: Values, name: str, bound: Fraction | None, measured: Fraction
    ) -> Fraction | None:
        """The share by what was really done: of a step, or of the tokens that were computed."""
        accepted, hit = (self.figures.get((n, "mean")) for n in ("accepted", "hit"))
        if name == "TPOT":
            more = accepted is not None and accepted > 1 and bound is not None
            return bound / measured / accepted if more else None  # type: ignore[operator]
        if not hit or hit >= 1:
            return None
        length = here("T_in")
        shorter = here.with_({"T_in": Quantity(length.value * (1 - hit), length.unit)})
        time = self.get(shorter, "t_prefill")
        return None if time is None else time / measured

    def head(self, phase: Row) -> Fraction | None:
        """Parameters of the head: those of the input table, which the ledger knows if untied."""
        if phase["head"] is None:
            return None
        table = self.ledger.given.get("N_emb")
        return table.base if table is not None else Fraction(phase["head"])

    def needed(self, here: Values, head: Fraction | None) -> Fraction | None:
        """The least a prompt takes: products made, the head once, tables not read."""
        first = self.get(here, "t_prefill")
        each = self.get(here, "F_tok")
        if "N_mat" in self.ledger.given:
            each = self.get(here, "c_op * N_mat")
            if each is not None and head is not None:
                each -= (self.get(here, "c_op") or Fraction(0)) * head
        rest = [self.get(here, t) for t in ("T_in", "g * P_peak")]
        moved = self.get(self.streamed(here), "W_read / (g * B_peak)")
        if first is None or each is None or moved is None or None in rest:
            return None
        length, peak = (r for r in rest if r is not None)
        return min(first, max(each * length / peak, moved))

    def phase(self, here: Values, phase: Row, stated: Stated) -> Iterator[Text]:
        """One measured time beside its bounds."""
        where = f"{self.where}.phases.{phase['name']}"
        numbers = self.numbers(here, phase)
        head = phase["head"]
        known = {"N_emb"} & self.ledger.given.keys()
        if head is not None and known and Fraction(head) != numbers["head"]:
            yield wrong(f"{where}.head", head)
        for key in ("measured", "bound", "streamed", "weights", "floor"):
            yield from amount(f"{where}.{key}", phase[key], numbers[key], TIMES[phase["name"]])
        for key in ("share", "share_weights", "MBU", "MFU", "judged"):
            yield from amount(f"{where}.{key}", phase[key], numbers[key], "")
        intensity = "I_decode" if phase["name"] == "TPOT" else "I_prefill"
        there = self.at_mean(here) if phase["name"] == "TPOT" else here
        i, ridge = (self.get(there, t) for t in (intensity, "I_ridge"))
        side = "compute" if i is not None and ridge is not None and i >= ridge else "memory"
        measured, streamed, share = (numbers[k] for k in ("measured", "streamed", "share"))
        beats = streamed is not None and measured is not None and measured < streamed
        share = numbers["judged"] or share
        band = "hardware" if share is not None and share >= LIMIT else "between"
        band = "software" if share is not None and share < SLACK else band
        for key, wanted in (("side", side), ("band", "beats" if beats else band)):
            if phase[key] != wanted:
                yield wrong(f"{where}.{key}", phase[key])
        for key in ("wall", "meaning", "judged_by"):
            if phase[key] is not None:
                yield from stated.check(f"{where}.{key}", phase[key])
        for key in ("first", "skip"):
            for n, text in enumerate(phase[key]):
                yield from stated.check(f"{where}.{key}.{n}", text)
        for row in phase["explanations"]:
            told = [self.row["facts"].get("hardware", "")]
            yield from stated.check(f"{where}.{quoted(row['id'])}", row["text"], told)

    def total(self, here: Values, row: Row, stated: Stated) -> Iterator[Text]:
        """A rate of the whole system."""
        where = f"{self.where}.totals.{quoted(row['name'])}"
        measured = self.figure({"X": "X_meas", "X_in": "X_in"}.get(row["name"], ""))
        bound = self.get(here, "g * P_peak / F_tok")
        if measured is None or bound is None:
            yield wrong(where, row["name"])
            return
        yield from amount(f"{where}.measured", row["measured"], measured, "token/s")
        yield from amount(f"{where}.bound", row["bound"], bound, "token/s")
        yield from amount(f"{where}.share", row["share"], measured / bound, "")
        for n, text in enumerate(row["notes"]):
            yield from stated.check(f"{where}.notes.{n}", text)

    def stated(self, here: Values) -> Iterator[Quantity]:
        """Every quantity that the run's sentences may state."""
        from derive.verify.measured_texts import sentences

        yield from sentences(self, here)

    def across(self) -> Iterator[Quantity]:
        """What sentences about several runs may state of this one."""
        for row in (*self.row.get("setting", {}).values(), *self.row.get("taken", ())):
            yield Quantity(Fraction(row["exact"]), unit(row["unit"]))


def base(row: Row) -> Fraction:
    """An amount in base units."""
    return Fraction(row["exact"]) * unit(row["unit"]).factor


def power_of_ten(number: int) -> bool:
    """Whether a denominator is that of a decimal."""
    for prime in (2, 5):
        while number % prime == 0:
            number //= prime
    return number == 1


VARIABLES = {"b": "request", "T_mean": "token/request", "w": "byte/param", "w_kv": "byte/element",
             "g": "device", "P_peak": "TFLOP/s/device", "B_peak": "TB/s/device"}  # fmt: skip
TERMS = (("weights", "W_read", "B_peak"), ("kv", "KV_total", "B_peak"),
         ("compute", "F_step", "P_peak"))  # fmt: skip


def check_experiment(runs: list[Run], found: Row) -> Iterator[Text]:
    """Two runs compared: what changed, the ratios, what each hypothesis predicts."""
    where = "measured.experiment"
    if len(found["runs"]) != 2 or any(i not in range(len(runs)) for i in found["runs"]):
        yield wrong(f"{where}.runs", found["runs"])
        return
    one, other = (runs[i] for i in found["runs"])
    if not (one.own and other.own):
        return
    try:
        yield from compared(where, one, other, found)
    except (NoValue, Broken, KeyError) as error:
        yield tr("{where}: cannot be computed: {why}", where=where, why=quoted(error))


def compared(where: str, one: Run, other: Run, found: Row) -> Iterator[Text]:
    """The numbers of an experiment."""
    start, end = (run.at_mean(run.here) for run in (one, other))
    names = {n: (one.get(start, n), other.get(end, n)) for n in VARIABLES}
    changed = {n: p for n, p in names.items() if None not in p and p[0] != p[1]}
    if list(found["changed"]) != list(changed):
        yield wrong(f"{where}.changed", ", ".join(found["changed"]))
        return
    for name, pair in changed.items():
        for key, value in zip(("before", "after"), pair, strict=True):
            yield from amount(f"{where}.{name}.{key}", found["changed"][name][key], value,
                              VARIABLES[name])  # fmt: skip
    measured = other.taken["TPOT_meas"] / one.taken["TPOT_meas"]
    steps = [run.get(at, "t_step / n") for run, at in ((one, start), (other, end))]
    batches = names["b"]
    if None in (*steps, *batches):
        yield wrong(where, "t_step")
        return
    before, after = (s for s in steps if s is not None)
    expected = after / before
    rates = [run.taken.get("X_meas") for run in (one, other)]
    rate = rates[1] / rates[0] if rates[0] and rates[1] else None
    growth = (batches[1] or Fraction(0)) / (batches[0] or Fraction(1))
    for key, kind, value in (
        ("TPOT", "measured", measured), ("TPOT", "expected", expected), ("X", "measured", rate),
        ("X", "expected", growth / expected),
    ):  # fmt: skip
        yield from amount(f"{where}.{key}.{kind}", found[key][kind], value, "")
    wanted = dict(theories(one, start, other, end))
    if [h["id"] for h in found["hypotheses"]] != list(wanted):
        yield wrong(f"{where}.hypotheses", "")
        return
    for row in found["hypotheses"]:
        value = wanted[row["id"]]
        yield from amount(f"{where}.{row['id']}", row["expected"], value, "")
        near = abs(measured / value - 1) <= TOLERANCE
        if row["state"] != ("supported" if near else "excluded"):
            yield wrong(f"{where}.{row['id']}.state", row["state"])


def theories(one: Run, start: Values, other: Run, end: Values) -> Iterator[tuple[str, Fraction]]:
    """The ratio that each pure case predicts."""
    for name, term, roof in TERMS:
        text = f"{term} / ({roof} * g)"
        before, after = one.get(start, text), other.get(end, text)
        if before and after:
            yield name, after / before
    yield "overhead", Fraction(1)


__all__ = ["Run", "Unit", "amount", "check_measured", "forms", "wrong"]
