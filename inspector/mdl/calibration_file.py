"""Calibration files: TOML, written whole or not at all, read with every key checked (DESIGN 6, 12)."""

from __future__ import annotations

import json
import math
import os
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from inspector.confinement import check_read
from inspector.errors import FieldError, InputError
from inspector.i18n import _, _d
from inspector.mdl.calibration import Fitted, wilson
from inspector.mdl.params import Params, Switches

SCHEMA = 1
_KIND = "mdl-calibration"


@dataclass(frozen=True, slots=True)
class Calibration:
    """A calibration with the name it is shown by."""

    name: str
    fitted: Fitted

    def apply(self, params: Params) -> Params:
        """``params`` with the calibration in force."""
        return self.fitted.apply(params, self.name)

    def to_toml(self) -> str:
        """The text of its file; the same calibration always gives the same text."""
        f = self.fitted
        encoder: dict[str, Any] = {
            "dim": f.dim,
            "sigma": f.sigma,
            "epsilon": f.epsilon,
            "bias": f.bias,
            "projector_seed": f.projector_seed,
        }
        if f.centres is not None:
            encoder["centres"] = list(f.centres)
        held_out = f.agreement_held_out
        made_from = {
            "source": f.source,
            "sha256": f.source_sha256,
            "rows": f.rows,
            "held_out_rows": f.held_out_rows,
            "seed": f.seed,
            "bounds_given": f.bounds_given,
            "agreement": [f.agreement.right, f.agreement.total],
            "agreement_held_out": [held_out.right, held_out.total],
        }
        top = {
            "kind": _KIND,
            "schema": SCHEMA,
            "name": self.name,
            "n_min": f.n_min,
            "n_max": f.n_max,
            "thresholds": list(f.thresholds),
        }
        switches = {s.name: getattr(f.switches, s.name) for s in fields(Switches)}
        sections = (("", top), ("encoder", encoder), ("switches", switches), ("made_from", made_from))
        return "\n".join(_section(name, table) for name, table in sections)


def _section(name: str, table: Mapping[str, Any]) -> str:
    head = f"[{name}]\n" if name else "# Calibration of the Memory Decision Layer, written by `inspector calibrate`.\n"
    return head + "".join(f"{key} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    """A value in TOML. JSON's strings, numbers and lists are TOML's, but for DEL, which TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")


def save_calibration(calibration: Calibration, path: Path | str) -> None:
    """Write the file atomically: a reader sees the old file or the new one. Raises InputError where it cannot."""
    path = Path(path)
    temporary = ""
    try:
        if path.exists() and not path.is_file():  # a device or a pipe is written to, never replaced
            path.write_text(calibration.to_toml(), encoding="utf-8")
            return
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as fp:
            temporary = fp.name
            fp.write(calibration.to_toml())
            fp.flush()
            os.fsync(fp.fileno())
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise InputError.at(
            str(path), None, "", error.strerror or _("cannot be written"), _("a writable place")
        ) from None


def load_calibration(path: Path | str) -> Calibration:
    """Read a calibration file. Raises InputError with file and key for anything that does not fit."""
    file = str(path)
    check_read(path)
    try:
        content = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise InputError.at(file, None, "", error.strerror or _("cannot be read"), _("a calibration file")) from None
    except UnicodeDecodeError:
        raise InputError.at(file, None, "", _("the file is not UTF-8"), _("a TOML file in UTF-8")) from None
    return read_calibration(content, file)


def read_calibration(text: str, file: str) -> Calibration:
    """The calibration that a text holds; ``file`` names it in messages. Raises InputError with file and key."""
    try:
        return parse_calibration(text)
    except tomllib.TOMLDecodeError as error:
        words, _rest1, place = str(error).partition(" (at line ")
        number = place.partition(",")[0]
        raise InputError.at(file, int(number) if number.isdigit() else None, "", words, _("a TOML file")) from None
    except FieldError as error:
        raise InputError.at(file, None, error.field, error.wrong, error.expected) from None


def parse_calibration(text: str) -> Calibration:
    """The calibration that a file's text holds. Raises FieldError with the key, or tomllib's TOMLDecodeError."""
    data = tomllib.loads(text)
    if data.get("kind") != _KIND:
        raise FieldError("kind", _("{get!r} is no calibration").format(get=data.get("kind")), f'"{_KIND}"')
    if data.get("schema") != SCHEMA:
        raise FieldError("schema", _("{get!r} is not known").format(get=data.get("schema")), str(SCHEMA))
    encoder, made = _Table(data, "encoder"), _Table(data, "made_from")
    top = _Table({"": data}, "")
    thresholds = top.numbers("thresholds", 3)
    centres = encoder.numbers("centres", None) if "centres" in encoder.table else None
    flags = _Table(data, "switches")
    switches = Switches(**{s.name: flags.flag(s.name) for s in fields(Switches)})
    right, total = made.counts("agreement")
    right_out, total_out = made.counts("agreement_held_out")
    fitted = Fitted(
        n_min=top.number("n_min"),
        n_max=top.number("n_max"),
        thresholds=(thresholds[0], thresholds[1], thresholds[2]),
        dim=encoder.count("dim"),
        sigma=encoder.number("sigma"),
        centres=centres,
        epsilon=encoder.number("epsilon"),
        bias=encoder.number("bias"),
        projector_seed=encoder.count("projector_seed"),
        switches=switches,
        source=made.text("source"),
        source_sha256=made.text("sha256"),
        rows=made.count("rows"),
        held_out_rows=made.count("held_out_rows"),
        seed=made.count("seed"),
        bounds_given=made.flag("bounds_given"),
        agreement=wilson(right, total),
        agreement_held_out=wilson(right_out, total_out),
    )
    calibration = Calibration(top.text("name"), fitted)
    calibration.apply(Params())  # refuses constants that the layer cannot compute with, by name
    return calibration


class _Table:
    """One table of the file, read key by key; every fault is a FieldError with the dotted key."""

    def __init__(self, data: Mapping[str, Any], name: str) -> None:
        table = data.get(name)
        if not isinstance(table, dict):
            raise FieldError(name, _("the table is missing"), f"[{name}]")
        self.table = table
        self.name = f"{name}." if name else ""

    def _get(self, key: str, fits: Callable[[Any], bool], expected: str) -> Any:
        if key not in self.table:
            raise FieldError(f"{self.name}{key}", _("is missing"), expected)
        value = self.table[key]
        if not fits(value):
            raise FieldError(f"{self.name}{key}", _("{value!r} does not fit").format(value=value), expected)
        return value

    def number(self, key: str) -> float:
        return float(self._get(key, _is_number, "a number"))

    def count(self, key: str) -> int:
        return int(self._get(key, _is_count, _d("a whole number from 0")))

    def text(self, key: str) -> str:
        return str(self._get(key, lambda v: isinstance(v, str), "a text"))

    def flag(self, key: str) -> bool:
        return bool(self._get(key, lambda v: isinstance(v, bool), _d("true or false")))

    def numbers(self, key: str, length: int | None) -> tuple[float, ...]:
        def fits(value: Any) -> bool:
            return isinstance(value, list) and len(value) == (length or len(value)) and all(map(_is_number, value))

        return tuple(
            float(v) for v in self._get(key, fits, _d("{length} numbers").format(length=length or _d("a list of")))
        )

    def counts(self, key: str) -> tuple[int, int]:
        def fits(value: Any) -> bool:
            return isinstance(value, list) and len(value) == 2 and all(map(_is_count, value)) and value[0] <= value[1]

        right, total = self._get(key, fits, "[right, total]")
        return right, total


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
