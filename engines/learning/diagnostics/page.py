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
from engines.learning.runs.records import Curve, figure_of

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

_TEMPLATES = Path(__file__).with_name("templates")

_CURVES = (
    Curve("policy (nats)", {"loss": "policy_loss", "entropy of the search": "entropy",
                            "entropy of the network": "prior_entropy",
                            "search from network": "divergence"}),
    Curve("value, squared error", {"": "value_loss"}),
    Curve("shares", {"search and network agree": "agreed", "drawn": "drawn",
                     "won by who begins": "first_won", "time in the network": "network_share",
                     "resigned wrongly": "resigned_wrongly",
                     "match against who plays": "match_score"}),
    Curve("score against random play", {"": "score_random"}),
)


def page(diagnosis: Diagnosis) -> bytes:
    """The page in UTF-8."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )
    rows = diagnosis.history
    columns = {name for row in rows for name in row}
    curves = [figure_of(rows, "iteration", [curve]) for curve in _CURVES
              if len(rows) > 1 and columns & set(curve.columns.values())]
    calibrations = [_calibration(name, calibration)
                    for name, calibration in diagnosis.calibrations.items() if calibration.bins]
    return environment.get_template("doctor.html").render(
        diagnosis=diagnosis, history=_svg(curves), calibration=_svg(calibrations),
    ).encode()


def _calibration(name: str, calibration: Calibration) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2, 3.4), layout="constrained")
    axes = figure.subplots()
    expected, results, counts = zip(*calibration.bins, strict=True)
    axes.plot([-1, 1], [-1, 1], color="#555555", lw=0.8)
    axes.scatter(expected, results, [5 + 200 * n / max(counts) for n in counts])
    axes.set(title=f"the {name}", xlabel="expected result", ylabel="mean result",
             xlim=(-1.05, 1.05), ylim=(-1.05, 1.05))
    axes.grid(alpha=0.3)
    return figure


def _svg(figures: Sequence[Figure]) -> Markup:
    from markupsafe import Markup

    texts = []
    for figure in figures:
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
        texts.append(text.getvalue()[text.getvalue().index("<svg"):])
    return Markup("".join(texts))
