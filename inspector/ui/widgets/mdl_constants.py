"""Constants of the decision layer as a user types them (DESIGN 6: those marked [ours] are the user's to change)."""

from __future__ import annotations

import math
from typing import Any

from inspector.errors import FieldError
from inspector.i18n import N_, _
from inspector.mdl import PARAM_SPECS, Calibration, Params, bounds
from inspector.mdl.params import TIERS

_SPECS = {spec.name: spec for spec in PARAM_SPECS}
_WHOLE = ("dim", "projector_seed")
#: What stands for a value that is derived.
DERIVED = {"centres": "i/(D−1)", "n_min": N_("over the grid"), "n_max": N_("over the grid")}


def show_constant(params: Params, name: str) -> str:
    """A constant's value as it is typed; what is derived is said in words."""
    value = getattr(params, name)
    if value is None:
        return _(DERIVED[name])
    if isinstance(value, tuple):
        return ", ".join(f"{part:g}" for part in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def read_constant(params: Params, name: str, text: str) -> Params:
    """``params`` with a constant as it was typed. Raises FieldError that says what is expected."""
    spec = _SPECS[name]
    text = text.strip()
    derived = name in DERIVED and text in ("", _(DERIVED[name]))
    if name == "default_tier":
        return params.with_(default_tier=text)
    if name == "centres":
        return params.with_(centres=None if derived else _numbers(name, text, None))
    if isinstance(spec.default, tuple):
        return params.with_(**{name: _numbers(name, text, len(spec.default))})
    if name in ("n_min", "n_max"):
        return _with_bound(params, name, None if derived else _number(name, text))
    number: Any = _number(name, text)
    if name in _WHOLE:
        if not math.isfinite(number) or number != int(number):
            raise FieldError(name, _("{text} is no whole number").format(text=text), _("a whole number"))
        number = int(number)
    return params.with_(**{name: number})


def _with_bound(params: Params, name: str, value: float | None) -> Params:
    """n_min or n_max; the other is kept, and both are for the switches in force. None: both over the grid."""
    if value is None:
        return params.with_(n_min=None, n_max=None)
    now = bounds(params)
    both = {"n_min": now.n_min, "n_max": now.n_max, name: value}
    return params.with_(**both, fitted_switches=params.switches)


def fixed(params: Params, calibration: Calibration | None) -> Params:
    """The constants as the calibration in force has them, else as the design has."""
    base = Params()
    return calibration.apply(base) if params.calibrated and calibration is not None else base


def usual(params: Params, calibration: Calibration | None, name: str) -> Params:
    """``params`` with one constant as it was before it was moved by hand."""
    base = fixed(params, calibration)
    if name in ("n_min", "n_max"):
        return params.with_(n_min=base.n_min, n_max=base.n_max, fitted_switches=base.fitted_switches)
    return params.with_(**{name: getattr(base, name)})


def hint(name: str) -> str:
    """What may be typed for a constant."""
    spec = _SPECS[name]
    if name == "default_tier":
        return _("{help}: one of {TIERS}").format(help=_(spec.help), TIERS=", ".join(TIERS))
    kind = (
        _("numbers with commas between them") if isinstance(spec.default, tuple) or name == "centres" else _("a number")
    )
    bounded = math.isfinite(spec.low) and math.isfinite(spec.high)
    between = _(" from {low:g} to {high:g}").format(low=spec.low, high=spec.high) if bounded else ""
    derived = _("; nothing: {DERIVED}").format(DERIVED=_(DERIVED[name])) if name in DERIVED else ""
    return f"{_(spec.help)}: {kind}{between}{derived}" + (_(" [ours]") if spec.ours else "")


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FieldError(name, _("{text!r} is no number").format(text=text), _("a number")) from None


def _numbers(name: str, text: str, count: int | None) -> tuple[float, ...]:
    parts = tuple(_number(name, part.strip()) for part in text.split(",") if part.strip())
    if count is not None and len(parts) != count:
        raise FieldError(
            name,
            _("{count} numbers").format(count=len(parts)),
            _("{count} numbers with commas between them").format(count=count),
        )
    return parts
