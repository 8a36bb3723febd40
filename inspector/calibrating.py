"""``inspector calibrate``: from a labelled file to a calibration file, with its account (DESIGN 6, 12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.i18n import _, _d
from inspector.inspection import Inspection, OpenOptions, open_sources
from inspector.mdl import (
    AUDIT_NOTE,
    Action,
    Calibration,
    CalibrationReport,
    Params,
    calibrate,
    read_labelled,
    save_calibration,
    switches_of,
)
from inspector.mdl.calibration import LOW_RELEVANCE, AblationRow, Agreement
from inspector.records import OnProgress
from inspector.text import cells, padded, visible
from inspector.wording import share

_WORDS = tuple(action.word for action in Action)


def resolver(inspection: Inspection) -> Callable[[str], tuple[float, float, float] | None]:
    """Looks M, R and A of a query up in an evaluated store; None where its mdl is null, KeyError for an unknown id."""
    places = {query.id: qi for qi, query in enumerate(inspection.queries)}

    def look_up(query_id: str) -> tuple[float, float, float] | None:
        decision = inspection.mdl(places[query_id])
        return None if decision is None else (decision.query.M, decision.query.R, decision.query.A)

    return look_up


def calibrate_file(
    path: Path,
    out: Path | None,
    params: Params,
    resolve: Callable[[str], tuple[float, float, float] | None] | None = None,
    *,
    name: str | None = None,
    seed: int = 0,
    held_out: float = 0.25,
    n_min: float | None = None,
    n_max: float | None = None,
) -> CalibrationReport:
    """Fit n_min, n_max and the thresholds to a labelled file; with ``out`` write the calibration file.

    Its name is ``name``, else the labelled file's. Raises InputError with file, line and column for a bad row, and for
    bounds of which only one is given.
    """
    if (n_min is None) is not (n_max is None):
        raise InputError.at("--n-min, --n-max", None, "", _("one of them is given"), _("both or none"))
    rows = read_labelled(path, resolve)
    given = None if n_min is None or n_max is None else (n_min, n_max)
    try:
        report = calibrate(rows, params, seed=seed, held_out=held_out, n_bounds=given)
    except FieldError as error:
        raise InputError.at(f"--{error.field.replace('_', '-')}", None, "", error.wrong, error.expected) from None
    if out is not None:
        save_calibration(Calibration(name or path.stem, report.fitted), out)
    return report


def calibrate_with(
    path: Path,
    sources: Sequence[Path],
    options: OpenOptions,
    on_progress: OnProgress | None,
    out: Path | None,
    **fit: Any,
) -> CalibrationReport:
    """:func:`calibrate_file` with query ids looked up in the sources, where there are any.

    ``options`` give the pool and the switches; a calibration that the store or its workspace holds is not used.
    """
    if not sources:
        params = Params(pool=options.pool, switches=switches_of(options.ablate))
        return calibrate_file(path, out, params, **fit)
    with open_sources(sources, options, on_progress) as inspection:
        inspection.set_calibrated(False)
        inspection.evaluate(on_progress)
        return calibrate_file(path, out, inspection.params, resolver(inspection), **fit)


def report_text(report: CalibrationReport) -> str:
    """The account in words, safe to print."""
    return "\n".join(visible(line).rstrip() for line in _lines(report))


def _lines(report: CalibrationReport) -> Iterator[str]:
    fitted = report.fitted
    kept = fitted.rows - fitted.held_out_rows
    parts = _d("{kept:,} fitted, {held_out_rows:,} held out (seed {seed})").format(
        kept=kept, held_out_rows=fitted.held_out_rows, seed=fitted.seed
    )
    yield _d("{rows:,} rows of {source}: {parts}").format(rows=fitted.rows, source=fitted.source, parts=parts)
    if fitted.switches.words != "full":
        yield _d("ablated: {words}").format(words=fitted.switches.words)
    origin = _d("given") if fitted.bounds_given else _d("least and greatest ‖v_meta‖ of the fitted rows")
    yield _d("n_min {n_min:.6f}, n_max {n_max:.6f} ({origin})").format(
        n_min=fitted.n_min, n_max=fitted.n_max, origin=origin
    )
    listed = ", ".join(
        _d("{word} from {theta:.2f}").format(word=word, theta=theta)
        for word, theta in zip(_WORDS[1:], fitted.thresholds, strict=True)
    )
    yield _d("thresholds {listed}").format(listed=listed)
    yield _d("agreement: fitted {agreement}; held out {agreement2}").format(
        agreement=_agreement(fitted.agreement), agreement2=_agreement(fitted.agreement_held_out)
    )
    for title, table in (
        (_d("oracle (fitted)"), report.confusion_fit),
        (_d("oracle (held out)"), report.confusion_held_out),
    ):
        if any(map(any, table)):
            yield ""
            yield padded(title, 18) + "".join(f"{word:>9}" for word in _WORDS) + "   " + _d("decided")
            for word, row in zip(_WORDS, table, strict=True):
                yield f"{word:<18}" + "".join(f"{count:>9,}" for count in row)
    yield ""
    yield f"r(C, α) {_number(report.correlation)}: {_d(AUDIT_NOTE)}"
    yield _d("mean α of right decisions {number}, of wrong ones {number2}").format(
        number=_number(report.alpha_right), number2=_number(report.alpha_wrong)
    )
    abstained = _d("{abstained_low:,} of {low_rows:,} rows with M < {LOW_RELEVANCE:g}").format(
        abstained_low=report.abstained_low, low_rows=report.low_rows, LOW_RELEVANCE=LOW_RELEVANCE
    )
    yield _d("abstained (Opt-Out) in {abstained}").format(abstained=abstained)
    yield ""
    yield from _table(report.ablations)
    for warning in report.warnings:
        yield _d("warning: {warning}").format(warning=warning)


def _table(rows: Sequence[AblationRow]) -> Iterator[str]:
    wide = max(10, 2 + cells(_d("fitted")), 2 + cells(_d("held out")))
    yield (
        padded(_d("agreement under"), 22)
        + padded(_d("θ kept"), 2 * wide)
        + padded(_d("θ fitted again"), 2 * wide)
        + "θ"
    )
    yield " " * 22 + 2 * (padded(_d("fitted"), wide) + padded(_d("held out"), wide))
    for row in rows:
        if row.note:
            yield f"{row.name:<22}{_d(row.note)}"
            continue
        shares = (row.kept_fit, row.kept_held_out, row.refit_fit, row.refit_held_out)
        yield (
            f"{row.name:<22}"
            + "".join(f"{share(one.share):<{wide}}" for one in shares)
            + " ".join(f"{theta:.2f}" for theta in row.thresholds)
        )


def _agreement(found: Agreement) -> str:
    if found.share is None:
        return _d("no rows")
    return _d("{right:,} of {total:,} = {share} [{share2}, {share3}]").format(
        right=found.right,
        total=found.total,
        share=share(found.share),
        share2=share(found.low),
        share3=share(found.high),
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
