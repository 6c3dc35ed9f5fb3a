"""The doctor's findings as one HTML page that needs nothing else: words, and plots as SVG.

The page is a Jinja template with automatic escaping: whatever a run's title says shows as text.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engines.learning.diagnostics.findings import Diagnosis
from engines.learning.diagnostics.positions import Calibration

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TEMPLATES = Path(__file__).with_name("templates")

# Columns of the history, those that share axes together.
_CURVES = (
    ("policy, nats", (("policy_loss", "loss"), ("entropy", "entropy of the search"),
                      ("prior_entropy", "entropy of the network"),
                      ("divergence", "search from network"))),
    ("value, squared error", (("value_loss", "value"),)),
    ("shares", (("agreed", "search and network agree"), ("drawn", "drawn"),
                ("first_won", "won by who begins"), ("network_share", "time in the network"),
                ("resigned_wrongly", "resigned wrongly"),
                ("match_score", "match against who plays"))),
)


def page(diagnosis: Diagnosis) -> bytes:
    """The page in UTF-8."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )
    history, calibrations = diagnosis.history, diagnosis.calibrations
    measured = any(calibration.bins for calibration in calibrations.values())
    return environment.get_template("doctor.html").render(
        diagnosis=diagnosis, history=_history(history) if len(history) > 1 else None,
        calibration=_calibration(calibrations) if measured else None,
    ).encode()


def _history(rows: Sequence[dict[str, float]]) -> Markup:
    from matplotlib.ticker import MaxNLocator

    plots = []
    for title, curves in _CURVES:
        curves = [(name, label) for name, label in curves if any(name in row for row in rows)]
        if not curves:
            continue
        figure, axes = _figure()
        for name, label in curves:
            points = [(row["iteration"], row[name]) for row in rows if name in row]
            axes.plot(*zip(*points, strict=True), label=label)
        axes.set(title=title, xlabel="iteration")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0)
        if len(curves) > 1:
            axes.legend(fontsize=7)
        plots.append(figure)
    return _svg(plots)


def _calibration(calibrations: dict[str, Calibration]) -> Markup:
    plots = []
    for name, calibration in calibrations.items():
        figure, axes = _figure()
        axes.plot([-1, 1], [-1, 1], color="#555555", lw=0.8)
        if calibration.bins:
            expected, results, counts = zip(*calibration.bins, strict=True)
            axes.scatter(expected, results, [5 + 200 * n / max(counts) for n in counts])
        axes.set(title=f"the {name}", xlabel="expected result", ylabel="mean result",
                 xlim=(-1.05, 1.05), ylim=(-1.05, 1.05))
        plots.append(figure)
    return _svg(plots)


def _figure() -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.grid(alpha=0.3)
    return figure, axes


def _svg(figures: Sequence[Figure]) -> Markup:
    from markupsafe import Markup

    texts = []
    for figure in figures:
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
        texts.append(text.getvalue()[text.getvalue().index("<svg"):])
    return Markup("".join(texts))
