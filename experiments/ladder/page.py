"""A rating on a scale, as a page and as a badge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from markupsafe import escape

from dlgo.files import write_file
from dlgo.text import listing, number_of
from experiments.ladder.losses import Phase
from experiments.ladder.rating import ScaleRating
from reports.page import environment
from reports.text import elo_text, short

_TEMPLATES = Path(__file__).with_name("templates")
# Share of score by which a result against one anchor is worth a remark, in standard errors.
_ODD = 3.0
_BADGE = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" \
aria-label="{left}: {right}">
<title>{left}: {right}</title>
<rect width="{width}" height="20" rx="3" fill="#555"/>
<path d="M{split} 0h{most}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{split}z" fill="#0072b2"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="6" y="14" textLength="{left_length}">{left}</text>
<text x="{right_at}" y="14" textLength="{right_length}">{right}</text>
</g>
</svg>
"""
_LETTER = 7  # pixels


def write_page(rating: ScaleRating, lost: Sequence[Phase], folder: Path) -> list[Path]:
    """Write `index.html` and `badge.svg`."""
    page = environment(_TEMPLATES).get_template("ladder.html").render(_view(rating), lost=lost)
    return [write_file(folder / "index.html", page),
            write_file(folder / "badge.svg", badge(rating))]


def badge(rating: ScaleRating) -> str:
    """A picture for a README, SVG."""
    left = rating.run.scale.name
    right = rating.elo_text
    left_length, right_length = _LETTER * len(left), _LETTER * len(right)
    split = left_length + 12
    return _BADGE.format(
        left=escape(left), right=right, left_length=left_length, right_length=right_length,
        split=split, right_at=split + 6, most=right_length + 9, width=split + right_length + 12)


def remarks(rating: ScaleRating) -> Iterator[str]:
    """What to keep in mind about a rating, a sentence each."""
    scale = rating.run.scale.scale
    if rating.bound:
        yield (f"All games were {'won' if rating.bound == 'at least' else 'lost'}: the rating is a "
               "bound.")
    elif not scale.elo[0] <= rating.estimate.value <= scale.elo[-1]:
        side = "above" if rating.estimate.value > 0 else "below"
        yield f"The rating is {side} all anchors: it continues the scale."
    elif rating.interval > rating.run.within:
        yield f"The interval is wider than ± {rating.run.within:g}: max_pairs was reached."
    if rating.legal is not None:
        yield (f"{number_of(rating.failures, 'game')} lost by a failure (an illegal move, a crash, "
               f"no move in time). By the other games: {elo_text(rating.legal)}.")
    if rating.answers:
        yield rating.answers
    odd = [met.anchor for met in rating.met if met.games >= 10 and abs(met.score - met.expected)
           > _ODD * (met.expected * (1 - met.expected) / met.games) ** 0.5]
    if odd:
        yield (f"Results against {listing(odd)} do not fit the rating: one number does not tell "
               "all about this engine.")
    repeated = rating.games - rating.different
    if repeated > rating.games / 4:
        yield f"{repeated} of {rating.games} games repeat another one and do not count."


def _view(rating: ScaleRating) -> dict[str, Any]:
    """What the template needs."""
    run, estimate = rating.run, rating.estimate
    scale = run.scale.scale
    low, high = min(scale.elo[0], estimate.low95), max(scale.elo[-1], estimate.high95)
    share = 100 / (high - low)
    met = {row.anchor: row for row in rating.met}
    rows = [{"name": name, "elo": elo, "at": share * (elo - low), "met": met.get(name),
             "is_new": False} for name, elo in zip(scale.anchors, scale.elo, strict=True)
            if name != run.engine]
    rows.append({
        "name": run.label, "elo": estimate.value, "at": share * (estimate.value - low), "met": None,
        "is_new": True, "left": share * (estimate.low95 - low),
        "width": share * (estimate.high95 - estimate.low95),
    })
    facts = [
        ("Engine", run.engine), ("Scale", f"{run.scale.name}, digest {run.scale.digest}"),
        ("95% interval", f"{estimate.low95:z.0f} to {estimate.high95:z.0f} Elo"),
        ("Games", f"{rating.games}, {rating.different} different, seed {run.seed}"),
        ("CPU time a move", f"{short(rating.cpu_ms)} ms, mean of {rating.moves:,} moves"),
    ]
    return {
        "title": f"{run.label} on {run.scale.name}", "rating": rating, "label": run.label,
        "scale": run.scale, "zero": scale.anchors[scale.elo.index(0.0)], "facts": facts,
        "remarks": list(remarks(rating)),
        "rows": sorted(rows, key=lambda row: -float(str(row["elo"]))),
    }
