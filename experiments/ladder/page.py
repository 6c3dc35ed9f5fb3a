"""A rating on a scale, as a page and as a badge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from markupsafe import escape

from dlgo.files import write_file
from dlgo.text import listing, number_of
from experiments.ladder.climb import Placed
from experiments.ladder.losses import Phase
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


def write_page(placed: Placed, lost: Sequence[Phase], folder: Path) -> list[Path]:
    """Write `index.html` and `badge.svg`."""
    page = environment(_TEMPLATES).get_template("ladder.html").render(_view(placed), lost=lost)
    return [write_file(folder / "index.html", page),
            write_file(folder / "badge.svg", badge(placed))]


def badge(placed: Placed) -> str:
    """A picture for a README, SVG."""
    left = placed.climb.scale.name
    right = placed.elo_text
    left_length, right_length = _LETTER * len(left), _LETTER * len(right)
    split = left_length + 12
    return _BADGE.format(
        left=escape(left), right=right, left_length=left_length, right_length=right_length,
        split=split, right_at=split + 6, most=right_length + 9, width=split + right_length + 12)


def remarks(placed: Placed) -> Iterator[str]:
    """What to keep in mind about a rating, a sentence each."""
    scale = placed.climb.scale.scale
    if placed.bound:
        yield (f"All games were {'won' if placed.bound == 'at least' else 'lost'}: the rating is a "
               "bound.")
    elif not scale.elo[0] <= placed.rating.value <= scale.elo[-1]:
        side = "above" if placed.rating.value > 0 else "below"
        yield f"The rating is {side} all anchors: it continues the scale."
    elif placed.interval > placed.climb.within:
        yield f"The interval is wider than ± {placed.climb.within:g}: max_pairs was reached."
    if placed.legal is not None:
        yield (f"{number_of(placed.failures, 'game')} lost by a failure (an illegal move, a crash, "
               f"no move in time). By the other games: {elo_text(placed.legal)}.")
    odd = [met.anchor for met in placed.met if met.games >= 10 and abs(met.score - met.expected)
           > _ODD * (met.expected * (1 - met.expected) / met.games) ** 0.5]
    if odd:
        yield (f"Results against {listing(odd)} do not fit the rating: one number does not tell "
               "all about this engine.")
    repeated = placed.games - placed.different
    if repeated > placed.games / 4:
        yield f"{repeated} of {placed.games} games repeat another one and do not count."


def _view(placed: Placed) -> dict[str, Any]:
    """What the template needs."""
    climb, rating = placed.climb, placed.rating
    scale = climb.scale.scale
    low, high = min(scale.elo[0], rating.low95), max(scale.elo[-1], rating.high95)
    share = 100 / (high - low)
    met = {row.anchor: row for row in placed.met}
    rows = [{"name": name, "elo": elo, "at": share * (elo - low), "met": met.get(name),
             "is_new": False} for name, elo in zip(scale.anchors, scale.elo, strict=True)
            if name != climb.engine]
    rows.append({
        "name": climb.label, "elo": rating.value, "at": share * (rating.value - low), "met": None,
        "is_new": True, "left": share * (rating.low95 - low),
        "width": share * (rating.high95 - rating.low95),
    })
    facts = [
        ("Engine", climb.engine), ("Scale", f"{climb.scale.name}, digest {climb.scale.digest}"),
        ("95% interval", f"{rating.low95:z.0f} to {rating.high95:z.0f} Elo"),
        ("Games", f"{placed.games}, {placed.different} different, seed {climb.seed}"),
        ("CPU time a move", f"{short(placed.cpu_ms)} ms, mean of {placed.moves:,} moves"),
    ]
    return {
        "title": f"{climb.label} on {climb.scale.name}", "placed": placed, "label": climb.label,
        "scale": climb.scale, "zero": scale.anchors[scale.elo.index(0.0)], "facts": facts,
        "remarks": list(remarks(placed)),
        "rows": sorted(rows, key=lambda row: -float(str(row["elo"]))),
    }
