"""The doctor's findings as one HTML page that needs nothing else: words, and plots as SVG.

Called by `dlgo doctor`.
"""

from __future__ import annotations

import html
import io
from collections.abc import Sequence

from engines.learning.diagnostics.checkup import CheckUp

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #111; background: #fff; }
table { border-collapse: collapse; } td { padding: .35rem .8rem .35rem 0; vertical-align: top; }
tr { border-top: 1px solid #e2e2e2; } .fine { color: #007a5a; } .watch { color: #b35a00; }
.ill { color: #b00020; font-weight: bold; } svg { max-width: 100%; height: auto; }
"""

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


def page(found: CheckUp) -> bytes:
    """The page in UTF-8."""
    rows = "".join(
        f'<tr><td class="{one.level}">{one.level}</td><td>{html.escape(one.name)}</td>'
        f"<td>{html.escape(one.text)}</td></tr>\n"
        for one in found.findings
    )
    bad = found.ill()
    verdict = (
        f"Something is wrong: {', '.join(bad)}." if bad else "Nothing is found to be wrong."
    )
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{html.escape(found.title)}</title><style>{_STYLE}</style>",
        f"<h1>Check-up</h1><p>{html.escape(found.title)}</p><p>{html.escape(verdict)}</p>",
        f"<table>{rows}</table>",
    ]
    if len(found.history) > 1:
        parts += ["<h2>Round by round</h2>", _history(found.history)]
    if any(one.bins for one in found.calibrations.values()):
        parts += [
            "<h2>Are values what they promise?</h2>",
            "<p>Expected and found results of positions with about the same value; on the diagonal "
            "they are equal. The size of a point is the number of positions.</p>",
            _calibration(found),
        ]
    return "\n".join([*parts, "</html>\n"]).encode()


def _history(rows: Sequence[dict[str, float]]) -> str:
    figure, panels = _figure(len(_CURVES))
    for axes, (title, curves) in zip(panels, _CURVES, strict=True):
        for name, label in curves:
            points = [(row["iteration"], row[name]) for row in rows if name in row]
            if points:
                axes.plot(*zip(*points, strict=True), label=label)
        axes.set(title=title, xlabel="round")
        axes.set_ylim(bottom=0)
        if axes.get_lines():
            axes.legend(fontsize=7)
    return _svg(figure)


def _calibration(found: CheckUp) -> str:
    figure, panels = _figure(len(found.calibrations))
    for axes, (name, one) in zip(panels, found.calibrations.items(), strict=True):
        axes.plot([-1, 1], [-1, 1], color="#555555", lw=0.8)
        if one.bins:
            expected, results, counts = zip(*one.bins, strict=True)
            axes.scatter(expected, results, [5 + 200 * n / max(counts) for n in counts])
        axes.set(title=f"the {name}", xlabel="expected", ylabel="found", xlim=(-1.05, 1.05),
                 ylim=(-1.05, 1.05))
    return _svg(figure)


def _figure(panels: int) -> tuple:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2 * panels, 3.4), layout="constrained")
    axes = figure.subplots(1, panels, squeeze=False)[0]
    for one in axes:
        one.grid(alpha=0.3)
    return figure, axes


def _svg(figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()[text.getvalue().index("<svg"):]
