"""Every constant of the Memory Decision Layer, its meaning, and whether the source or we chose it (DESIGN 6).

The encoder, the signals and the thresholds read nothing but :class:`Params`: what the user moves on the screen is
what the decision uses. :data:`PARAM_SPECS` lists the constants for the settings screen, with the flag ``ours``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple

from inspector.errors import FieldError
from inspector.i18n import _

Pool = Literal["retrieved", "not-excluded"]
POOLS: tuple[Pool, ...] = ("retrieved", "not-excluded")
Tier = Literal["low", "medium", "high"]
TIERS: tuple[Tier, ...] = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Switches:
    """The ablations (DESIGN 6). A signal that is off drops its term ``W_k v_k``; ``v_wm`` stays in α.

    ``relevance``, ``reliability`` and ``risk`` are the signals M, R and A; at least one stays on. Without ``risk`` or
    ``risk_modulation`` g_A is 1. Without ``value_encoding`` v(s) = s·1; without ``risk_inversion`` s_a = A; without
    ``alpha_gate`` C_final = C; with ``identity_projectors`` every Π_k is the identity.
    """

    relevance: bool = True
    reliability: bool = True
    risk: bool = True
    value_encoding: bool = True
    risk_inversion: bool = True
    alpha_gate: bool = True
    risk_modulation: bool = True
    identity_projectors: bool = False

    def __post_init__(self) -> None:
        if not (self.relevance or self.reliability or self.risk):
            raise FieldError("switches", _("all three signals are off"), _("at least one of M, R and A on"))

    @property
    def modulates(self) -> bool:
        """Whether g_A differs from 1."""
        return self.risk and self.risk_modulation

    @property
    def signals_on(self) -> tuple[bool, bool, bool]:
        """Which of the terms wm, r and a are kept, in that order."""
        return self.relevance, self.reliability, self.risk

    def for_norm(self) -> Switches:
        """The switches that ‖v_meta‖ depends on: the same, with the α gate put back."""
        return replace(self, alpha_gate=True)

    @property
    def words(self) -> str:
        """The switches in words, "full" where nothing is ablated: for headers and reports."""
        signals = "+".join(n for n, on in zip("MRA", self.signals_on, strict=True) if on)
        parts = [] if signals == "M+R+A" else [signals]
        parts += [name for name, (attribute, value) in _PARTS.items() if getattr(self, attribute) is value]
        return ", ".join(parts) or "full"


#: The ablations that leave the signals as they are: name → (switch, its value under the ablation).
_PARTS: dict[str, tuple[str, bool]] = {
    "no-value-encoding": ("value_encoding", False),
    "no-risk-inversion": ("risk_inversion", False),
    "no-alpha-gate": ("alpha_gate", False),
    "no-risk-modulation": ("risk_modulation", False),
    "identity-projectors": ("identity_projectors", True),
}
_SIGNALS: dict[str, tuple[bool, bool, bool]] = {
    "M": (True, False, False),
    "R": (False, True, False),
    "A": (False, False, True),
    "M+R": (True, True, False),
    "M+A": (True, False, True),
    "R+A": (False, True, True),
}
#: Every ablation by the name that the command line takes; "full" is none.
ABLATIONS: dict[str, Switches] = (
    {"full": Switches()}
    | {name: Switches(*on) for name, on in _SIGNALS.items()}
    | {name: replace(Switches(), **{attribute: value}) for name, (attribute, value) in _PARTS.items()}
)


def switches_of(names: Iterable[str]) -> Switches:
    """The switches of several ablations together, such as ``["M+A", "no-alpha-gate"]``; of none, the full layer.

    Raises FieldError for an unknown name, or where two sets of signals are asked for.
    """
    switches, signals = Switches(), ""
    for name in names:
        if name in _SIGNALS:
            if signals and signals != name:
                raise FieldError(
                    "ablation",
                    _("{signals} and {name} exclude each other").format(signals=signals, name=name),
                    _("one set of signals"),
                )
            signals = name
            relevance, reliability, risk = _SIGNALS[name]
            switches = replace(switches, relevance=relevance, reliability=reliability, risk=risk)
        elif name in _PARTS:
            attribute, value = _PARTS[name]
            switches = replace(switches, **{attribute: value})
        elif name != "full":
            raise FieldError(
                "ablation", _("{name!r} is not known").format(name=name), _("one of ") + ", ".join(ABLATIONS)
            )
    return switches


class EncoderKey(NamedTuple):
    """What ‖v_meta‖ and α depend on besides M, R and A: encoders and grid bounds are cached by it."""

    dim: int
    sigma: float
    centres: tuple[float, ...] | None
    epsilon: float
    bias: float
    projector_seed: int
    switches: Switches


def _spec(ours: bool, help: str, low: float = -math.inf, high: float = math.inf) -> dict[str, Any]:
    return {"ours": ours, "help": help, "low": low, "high": high}


@dataclass(frozen=True, slots=True)
class Params:
    """The constants in force; the defaults are DESIGN 6's. Each field's metadata say what it means and who chose it.

    ``n_min`` and ``n_max`` are None until a calibration or the user gives them: then they are the extremes of
    ‖v_meta‖ over the grid M, R, A ∈ {0, .05, …, 1}. Given ones hold for ``fitted_switches`` alone: under other
    switches they are derived over the grid again (:func:`inspector.mdl.encoder.bounds`). Raises FieldError for a
    value that the layer cannot compute with.
    """

    dim: int = field(default=16, metadata=_spec(False, "D, length of the vectors", 3, 256))
    sigma: float = field(default=0.20, metadata=_spec(False, "σ, width of the value encoding", 1e-3, 10))
    centres: tuple[float, ...] | None = field(
        default=None, metadata=_spec(True, "c_i, centres of the value encoding; none: i/(D−1)")
    )
    epsilon: float = field(default=0.1, metadata=_spec(True, "ε, weight of the other signals' subspaces", 0, 1))
    bias: float = field(default=0.0, metadata=_spec(True, "b, bias before tanh", -10, 10))
    projector_seed: int = field(default=0, metadata=_spec(True, "seed of the projectors' QR", 0, 2**32 - 1))
    n_min: float | None = field(default=None, metadata=_spec(True, "‖v_meta‖ where C is 0; none: over the grid", 0))
    n_max: float | None = field(default=None, metadata=_spec(True, "‖v_meta‖ where C is 1; none: over the grid", 0))
    thresholds: tuple[float, float, float] = field(
        default=(0.25, 0.45, 0.65), metadata=_spec(True, "θ0 < θ1 < θ2: Silent, Supp, Active from here", -1, 2)
    )
    pool: Pool = field(default="retrieved", metadata=_spec(False, "memories that M and R are taken over"))
    similarity_floor: float = field(
        default=0.3, metadata=_spec(True, "relevant set: cos(q, m) above this (read as query–memory)", -1, 1)
    )
    neutral_reliability: float = field(
        default=0.5, metadata=_spec(False, "R of fewer than two relevant memories; ours where no pair is judged", 0, 1)
    )
    tiers: tuple[float, float, float] = field(
        default=(0.20, 0.50, 0.85), metadata=_spec(False, "A of the tiers low, medium and high", 0, 1)
    )
    default_tier: Tier = field(default="low", metadata=_spec(True, "tier of a query that no list matches"))
    top_tier: float = field(default=0.70, metadata=_spec(False, "A from here is the top tier", 0, 1))
    corner_relevance: float = field(
        default=0.70, metadata=_spec(False, "M from here, with A in the top tier: the paper's own failures", 0, 1)
    )
    switches: Switches = field(default=Switches(), metadata=_spec(False, "ablations"))
    fitted_switches: Switches = field(default=Switches(), metadata=_spec(False, "switches that n_min, n_max are for"))
    calibration: str | None = field(default=None, metadata=_spec(False, "name of the calibration in force"))

    def __post_init__(self) -> None:
        for spec in fields(self):
            _check_range(spec.name, getattr(self, spec.name), spec.metadata["low"], spec.metadata["high"])
        if not self.thresholds[0] < self.thresholds[1] < self.thresholds[2]:
            raise FieldError("thresholds", _("{list} do not rise").format(list=list(self.thresholds)), "θ0 < θ1 < θ2")
        if not self.tiers[0] <= self.tiers[1] <= self.tiers[2]:
            raise FieldError("tiers", _("{list} fall").format(list=list(self.tiers)), "low ≤ medium ≤ high")
        if self.centres is not None and len(self.centres) != self.dim:
            raise FieldError(
                "centres",
                _("{count} centres").format(count=len(self.centres)),
                _("{dim}, one for each of D").format(dim=self.dim),
            )
        if (self.n_min is None) is not (self.n_max is None):
            raise FieldError(_("n_min, n_max"), _("one of them is given"), _("both or none"))
        if self.n_min is not None and self.n_max is not None and not self.n_min < self.n_max:
            raise FieldError(
                "n_max",
                _("{n_max} is not above n_min {n_min}").format(n_max=self.n_max, n_min=self.n_min),
                "n_min < n_max",
            )
        if self.pool not in POOLS:
            raise FieldError("pool", _("{pool!r} is not known").format(pool=self.pool), _("one of ") + ", ".join(POOLS))
        if self.default_tier not in TIERS:
            raise FieldError(
                "default_tier",
                _("{default_tier!r} is not known").format(default_tier=self.default_tier),
                _("one of ") + ", ".join(TIERS),
            )

    @property
    def calibrated(self) -> bool:
        """Whether a calibration is in force; else the screens say "uncalibrated"."""
        return self.calibration is not None

    @property
    def encoder_key(self) -> EncoderKey:
        """The part that the encoder is built from."""
        return EncoderKey(
            self.dim, self.sigma, self.centres, self.epsilon, self.bias, self.projector_seed, self.switches.for_norm()
        )

    def tier_value(self, tier: Tier) -> float:
        """A of a tier."""
        return self.tiers[TIERS.index(tier)]

    def with_(self, **changes: Any) -> Params:
        """A copy with some constants changed; raises FieldError like the constructor."""
        return replace(self, **changes)


def _check_range(name: str, value: Any, low: float, high: float) -> None:
    for part in value if isinstance(value, tuple) else (value,):
        if isinstance(part, bool) or not isinstance(part, int | float):
            continue
        if not math.isfinite(part) or not low <= part <= high:
            raise FieldError(
                name,
                _("{part} is out of range").format(part=part),
                _("a number from {low:g} to {high:g}").format(low=low, high=high),
            )


@dataclass(frozen=True, slots=True)
class ParamSpec:
    """One constant for the settings screen: its name, meaning, default, range, and whether it is our choice."""

    name: str
    help: str
    default: Any
    ours: bool
    low: float
    high: float


#: The constants a user may change, in the order of DESIGN 6.
PARAM_SPECS: tuple[ParamSpec, ...] = tuple(
    ParamSpec(f.name, f.metadata["help"], f.default, f.metadata["ours"], f.metadata["low"], f.metadata["high"])
    for f in fields(Params)
    if f.name not in ("switches", "fitted_switches", "calibration")
)
