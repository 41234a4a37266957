"""What a loaded spec is: immutable records of values, each with its source, basis and place."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from derive.errors import Place
    from derive.text import Text
    from derive.units import Quantity


@dataclass(frozen=True)
class Value:
    """One figure: exact quantity, the text it was read from, where it comes from, its basis.

    `how` says what a computed figure was computed from; `printed` quotes the source verbatim;
    `grade` is the confidence of the data (A vendor text, B two tables, C one secondary source);
    `also` is what other sources print for it.
    """

    quantity: Quantity
    text: str
    place: Place
    sources: tuple[str, ...] = ()
    basis: tuple[Text, ...] = ()
    how: Text | None = None
    printed: str = ""
    grade: str = ""
    note: Text | None = None
    also: tuple[Other, ...] = ()


@dataclass(frozen=True)
class Other:
    """A figure as another source prints it.

    `same`: the same thing in another unit convention or rounded otherwise, no disagreement.
    `engine`: the rate of the other units (matrix, vector), another thing and no disagreement.
    """

    value: Value
    same: bool = False
    engine: str = ""


@dataclass(frozen=True)
class Domain:
    """The devices that one fast link joins, as they are sold: `all_to_all` behind a switch."""

    name: str
    devices: int
    all_to_all: bool = False


@dataclass(frozen=True, eq=False)  # a spec is itself: what is derived from it is kept beside it
class Hardware:
    """One accelerator variant. `peak` maps precision to basis (`dense`, `with_sparsity`).

    `lacks` are the precisions that its arithmetic units do not have; `domains` the systems that it
    is sold in.
    """

    id: str
    name: Text
    vendor: str
    year: int | None
    aliases: tuple[str, ...]
    peak: Mapping[str, Mapping[str, Value]]
    marketed: Value
    driver_visible: Value | None
    bandwidth: Value
    link_per_direction: Value | None
    link_total: Value | None
    power: Value | None
    notes: tuple[Text, ...]
    place: Place
    lacks: tuple[str, ...] = ()
    other_builds: bool = False  # the name covers builds that this spec does not
    sold_as: str = "card"  # card, chip, system, rack: how one device is counted
    domains: tuple[Domain, ...] = ()
    link_type: str = ""
    memory_type: str = ""


@dataclass(frozen=True)
class Stored:
    """Bytes of the published weights: all; tables that are looked up, routed experts, towers.

    `count` is how many parameters these are.
    """

    count: Fraction
    total: Value
    unread: Value
    experts: Value | None = None
    towers: Value | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """One model. `values` by symbol id: N, N_act, N_mat, L, d_model, H_q, H_kv, d_head.

    `structure` holds what is not uniform: experts (E, k_exp, N_fix, N_exp), elements of the cache
    by kind of layer (e_full, e_win, T_win, S_kv) and its attention operations (a_full, a_win).
    `native` is the format that the published weights come closest to, `stored` their bytes where
    these are not of one format throughout. `compute` and `cache` are the formats of products and
    of the KV cache that the publisher means, empty where they follow from `native`.
    """

    id: str
    name: Text
    aliases: tuple[str, ...]
    values: Mapping[str, Value]
    embedding: Value | None
    vocab: int | None
    tied_embeddings: bool | None
    native: str
    context: Value | None
    notes: tuple[Text, ...]
    place: Place
    structure: Mapping[str, Value] = field(default_factory=dict)
    latent: bool = False  # the cache is a latent without heads (MLA)
    stored: Stored | None = None
    stored_as: str = ""  # what the published weights are called, where not as `native`
    unread: Value | None = None  # parameters that are looked up, where not the input table alone
    compute: str = ""
    cache: str = ""
    cautions: tuple[Text, ...] = ()  # where the model's own files contradict each other
    head: Value | None = None  # parameters of the output head
    state_width: Text | None = None  # which width its constant state was taken in, and the other

    @property
    def published(self) -> str:
        """The format by which the published weights are meant."""
        return self.stored_as or self.native


Triple = tuple[Value, Value, Value]


@dataclass(frozen=True)
class Calibration:
    """Reachable shares of the peaks: low, typical, high."""

    id: str
    name: Text
    MFU: Triple
    MBU: Triple
    notes: tuple[Text, ...]
    place: Place
    launch: Triple | None = None  # kernel-launch floor of one layer


@dataclass(frozen=True)
class Scenario:
    """A model on devices under a load.

    `values` by symbol id: b, T_in, T_out, M_frac, M_other, headroom, and where given T, arrival
    and price. `slo` by TTFT and TPOT. `overrides` are further symbols set from outside, derived
    ones included, in contract units. `assumed` states every default that was taken, `chosen` by
    key of `precision` those that follow from the model or the hardware.
    """

    id: str
    title: Text
    model: Model
    hardware: Hardware
    devices: Value
    precision: Mapping[str, str]
    values: Mapping[str, Value]
    MFU: Triple
    MBU: Triple
    slo: Mapping[str, Value]
    date: str | None
    place: Place
    overrides: Mapping[str, Value] = field(default_factory=dict)
    calibration: Calibration | None = None
    assumed: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()
    chosen: Mapping[str, Text] = field(default_factory=dict)
    launch: Triple | None = None
    parallel: Mapping[str, str] = field(default_factory=dict)  # TP, PP, DP, EP as written
    draft: Draft | None = None


@dataclass(frozen=True)
class Draft:
    """What drafts tokens: a model or its parameters, its storage format, where it stands."""

    model: Model | None
    parameters: Value | None
    weights: str
    place: Place


@dataclass(frozen=True)
class Source:
    """An entry of sources.yaml."""

    key: str
    title: str
    publisher: str = ""
    date: str = ""
    url: str = ""
