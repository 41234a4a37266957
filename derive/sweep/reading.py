"""From formulas to a program: what moves with the grid becomes steps, all else exact constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from derive.derivation.crossing import Crossing
from derive.derivation.points import FARTHEST, Absent, Point, Undefined
from derive.derivation.stored import crossings, trees
from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power, names
from derive.expression.value import value
from derive.formula import Condition, Formula, catalogue, unit_of
from derive.notation import CONSTANTS
from derive.sweep.program import (
    NOWHERE,
    Bounds,
    Code,
    Operand,
    Program,
    Scope,
    add,
    divide,
    finished,
    fixed,
    multiply,
    rounded,
    subtract,
)

LEAST = 5e-324  # the least double above zero
SIGNS = {"+": add, "-": subtract, "*": multiply, "/": divide}
LONGEST_SEARCH = 2**30


class Reader:
    """The code reading of the catalogue's formulas at one scenario's values."""

    def __init__(
        self, point: Point, moving: Mapping[str, Operand], scope: Scope, outer: Reader | None = None
    ) -> None:
        self.point, self.moving, self.scope, self.outer = point, dict(moving), scope, outer
        self.memo: dict[str, Operand] = {}
        self.found: dict[str, frozenset[str]] = outer.found if outer else {}
        self.own = set(moving) - set(outer.moving if outer else ())

    def leaves(self, name: str) -> frozenset[str]:
        """The given symbols that a value depends on."""
        if name in self.point.given or name in CONSTANTS or name not in catalogue():
            return frozenset((name,))
        if name not in self.found:
            made = catalogue()[name]
            used = (
                {n for side in made.exists.parts[::2] for n in names(side)}
                if made.exists
                else set()
            )
            without = set[str]()
            if made.tree is None and name in crossings():
                crossing = crossings()[name]
                used |= {*names(crossing.left), *names(crossing.right)}
                without = {crossing.variable}
            else:
                used |= set(names(made.tree or trees()[name]))
            used |= {made.switch} - {""}
            self.found[name] = frozenset(n for u in used for n in self.leaves(u)) - without
        return self.found[name]

    def moves(self, name: str) -> bool:
        """Whether a value changes over the grid, or within the search whose body this is."""
        return not self.leaves(name).isdisjoint(self.moving)

    def name(self, name: str) -> Operand:
        """A symbol, constant or formula; Absent where an input is not given."""
        if name in self.own:
            return self.moving[name]
        if self.outer and self.leaves(name).isdisjoint(self.own):
            return self.outer.name(name)
        if name in self.moving:
            return self.moving[name]
        if name not in self.memo:
            self.memo[name] = self.formula(name) if self.moves(name) else self.still(name)
        return self.memo[name]

    def still(self, name: str) -> Operand:
        """A value that is the same on the whole grid, exact."""
        try:
            return fixed(self.point.get(name))
        except Undefined:
            return NOWHERE

    def formula(self, name: str) -> Operand:
        """A formula's value, nowhere and NaN where it does not exist."""
        made = catalogue()[name]
        holds: Operand | bool = True
        if made.switch:
            self.name(made.switch)
        if made.exists:
            holds = self.condition(made.exists)
        if made.tree is not None:
            found = self.build(made.tree)
        elif name in crossings():
            found = self.search(made, crossings()[name])
        else:
            found = self.build(trees()[name])
            if made.solve:
                found = self.at_least(found, LEAST)
            elif made.largest:
                found = self.at_least(found, 1.0)
        return self.where(found, holds)

    def where(self, found: Operand, holds: Operand | bool) -> Operand:
        """The value where a condition holds."""
        if found.nowhere or holds is True:
            return found
        if holds is False or holds.nowhere:
            return NOWHERE
        return self.scope.emit("where", (found, holds), found.bounds)

    def at_least(self, found: Operand, least: float) -> Operand:
        """A solution, which is none below a bound."""
        if found.nowhere or found.bounds.low >= least:
            return found
        if found.constant is not None:
            return NOWHERE
        bounds = replace(found.bounds, low=least)
        return self.scope.emit("at_least", (found, fixed(Fraction(least))), bounds)

    def condition(self, asked: Condition) -> Operand | bool:
        """A comparison: decided here, or a register of truths."""
        left, sign, right = asked.parts
        return self.compare(left, sign, right)

    def compare(self, left: Node, sign: str, right: Node) -> Operand | bool:
        """`left sign right`."""
        a, b = self.build(left), self.build(right)
        if a.nowhere or b.nowhere:
            return NOWHERE
        if a.constant is not None and b.constant is not None:
            x, y = a.constant, b.constant
            return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[sign]
        sure = " sure" if a.bounds.exact and b.bounds.exact else ""
        return self.scope.emit(
            "compare", (a, b), Bounds(), tree=Binary("-", left, right), detail=sign + sure
        )

    def fitting(self) -> Operand | bool:
        """Whether the devices hold weights and batch, and prefill's own theirs."""
        pools = [("g", "g_fit")]
        pools += [("g_pre", "g_fit_pre")] if "g_pre" in self.point.given else []
        room = [self.compare(Name(has), ">=", Name(needs)) for has, needs in pools]
        if any(r is False or (isinstance(r, Operand) and r.nowhere) for r in room):
            return False
        asked = [r for r in room if isinstance(r, Operand)]
        if len(asked) > 1:
            return self.scope.emit("and", asked, Bounds())
        return asked[0] if asked else True

    def build(self, node: Node) -> Operand:
        """The operand of a tree."""
        match node:
            case Name(id=name):
                return self.name(name)
            case Number(value=number):
                return fixed(number)
            case Measure(quantity=quantity):
                return fixed(quantity.base)
            case Negative(inner=inner):
                return self.negative(self.build(inner))
            case Power(base=base, exponent=exponent):
                return self.power(self.build(base), exponent)
            case Binary(op=op, left=left, right=right):
                return self.binary(op, self.build(left), self.build(right))
            case Call(function=function, args=args):
                return self.call(function, [self.build(a) for a in args], args)
        raise TypeError(node)

    def negative(self, inner: Operand) -> Operand:
        """-x."""
        if inner.constant is not None:
            return fixed(-inner.constant)
        if inner.nowhere:
            return NOWHERE
        turned = Bounds(-inner.bounds.high, -inner.bounds.low, inner.bounds.whole)
        return self.scope.emit("negative", (inner,), turned)

    def power(self, base: Operand, exponent: int) -> Operand:
        """A whole power, as products."""
        if base.nowhere or (base.constant == 0 and exponent < 0):
            return NOWHERE
        if base.constant is not None:
            return fixed(base.constant**exponent)
        made = fixed(Fraction(1))
        for _ in range(abs(exponent)):
            made = self.binary("*", made, base)
        return self.binary("/", fixed(Fraction(1)), made) if exponent < 0 else made

    def binary(self, op: str, a: Operand, b: Operand) -> Operand:
        """Sum, difference, product, quotient; what changes nothing is no step."""
        if a.nowhere or b.nowhere or (op == "/" and b.constant == 0):
            return NOWHERE
        if a.constant is not None and b.constant is not None:
            return fixed(value(Binary(op, Number(a.constant), Number(b.constant)), no_name))
        idle = 0 if op in "+-" else 1
        if b.constant == idle:
            return a
        if a.constant == idle and op in "+*":
            return b
        sure = op == "/" and a.bounds.exact and b.bounds.exact
        return self.scope.emit(
            "/0" if op == "/" and not never_zero(b.bounds) else op, (a, b),
            SIGNS[op](a.bounds, b.bounds), detail="sure" if sure else "",
        )  # fmt: skip

    def call(self, function: str, args: Sequence[Operand], parts: Sequence[Node]) -> Operand:
        """min, max, floor, ceil, pow."""
        if any(a.nowhere for a in args):
            return NOWHERE
        constants = [a.constant for a in args if a.constant is not None]
        if len(constants) == len(args):
            node = Call(function, tuple(Number(c) for c in constants))
            return fixed(value(node, no_name))
        if function in ("min", "max"):
            choose = min if function == "min" else max
            made = args[0]
            for other in args[1:]:
                low = choose(made.bounds.low, other.bounds.low)
                high = choose(made.bounds.high, other.bounds.high)
                whole = made.bounds.whole and other.bounds.whole
                made = self.scope.emit(function, (made, other), Bounds(low, high, whole))
            return made
        if function == "pow":
            share = args[0].bounds.low >= 0 and args[0].bounds.high <= 1
            return self.scope.emit("pow", tuple(args), Bounds(0.0, 1.0) if share else Bounds())
        if args[0].bounds.whole:
            return args[0]
        sure = self.exact_quotient(args[0])
        return self.scope.emit(
            function, tuple(args), rounded(function, args[0].bounds), tree=parts[0],
            detail="sure" if sure else "",
        )  # fmt: skip

    def exact_quotient(self, operand: Operand) -> bool:
        """Whether a value is one quotient of whole numbers: it never rounds up to a whole one."""
        reader: Reader | None = self
        while reader:
            for step in reader.scope.steps:
                if step.out == operand.register:
                    return step.op in ("/", "/0") and step.detail == "sure"
            reader = reader.outer
        return False

    def search(self, made: Formula, crossing: Crossing) -> Operand:
        """A whole value at which two sides meet, searched for every point at once."""
        from derive.sweep.program import Search

        farthest = FARTHEST.get(crossing.variable, LONGEST_SEARCH)
        scope = Scope(self.scope.code, self.scope)
        loop = scope.loop(Bounds(1.0, float(2 * farthest), True))
        inner = Reader(self.point, {**self.moving, crossing.variable: loop}, scope, self)
        inner.own = {crossing.variable}
        sides = inner.build(crossing.left), inner.build(crossing.right)
        if any(side.nowhere for side in sides):
            return NOWHERE
        left, right = (scope.code.register(side) for side in sides)
        asked = Search(
            made.id, crossing.variable, loop.register or 0, tuple(scope.steps), left, right,
            crossing.largest, crossing.smallest, farthest,
        )  # fmt: skip
        outside = [Operand(None, r) for r in (left, right) if r not in scope.own]
        needs = tuple(dict.fromkeys([*scope.needs, *outside]))
        bounds = Bounds(1.0, float(farthest), True)
        return self.scope.emit("search", needs, bounds, search=asked)


def never_zero(bounds: Bounds) -> bool:
    """Whether a divisor needs no look."""
    return bounds.low > 0 or bounds.high < 0


def no_name(name: str) -> Fraction:
    """Constants have no names in them."""
    raise KeyError(name)


def compiled(
    point: Point,
    axes: Mapping[str, tuple[int, Bounds]],
    follow: Mapping[str, Node],
    outputs: Sequence[str],
    derived: Sequence[str],
) -> Program:
    """The program of the outputs that have their inputs; `fits` comes first.

    `axes` are the symbols that the grid moves, `follow` what the binding makes of them.
    """
    scope = Scope(Code())
    moving = {name: scope.code.axis(number, bounds) for name, (number, bounds) in axes.items()}
    reader = Reader(point, moving, scope)
    for name, tree in follow.items():
        reader.moving[name] = reader.build(tree)
        reader.own.add(name)
    fits: Operand | bool | None
    try:
        fits = reader.fitting()
    except Absent:
        fits = None
    made = [("fits", NOWHERE if fits is None else truth(fits))]
    for name in outputs:
        try:
            found = reader.name(name)
        except Absent:
            found = NOWHERE
        if withheld(name) and name not in derived and fits is not None:
            found = reader.where(found, fits)
        made.append((name, scaled(reader, found, 1 / unit_of(name).factor)))
    return finished(scope, made)


def withheld(name: str) -> bool:
    """Whether a value is stated of a scenario that fits only."""
    found = catalogue().get(name)
    return found is not None and found.calibre == "reachable" and not found.needed


def truth(fits: Operand | bool) -> Operand:
    """A condition as an output."""
    return fits if isinstance(fits, Operand) else fixed(Fraction(int(fits)))


def scaled(reader: Reader, found: Operand, factor: Fraction) -> Operand:
    """A base value in the contract unit."""
    return reader.binary("*", found, fixed(factor))
