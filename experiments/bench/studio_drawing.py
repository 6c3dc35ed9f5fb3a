"""How many looks at a search a page in Chromium is sent, and how many it draws, in a second."""

from __future__ import annotations

import time
from dataclasses import dataclass

from dlgo.errors import DlgoError
from experiments.bench.chromium import start_chromium

# Seconds for the page and its engine to be at work, and then until their pace is steady.
_READY, _STEADY = 120.0, 2.0

# Counts, at each frame of the screen, the looks that the page shows for the first time.
_COUNT = """
const eye = document.querySelector('.eye');
window.drawn = window.frames = 0;
let last = eye.dataset.look;
requestAnimationFrame(function frame() {
  window.frames += 1;
  if (eye.dataset.look !== last) window.drawn += 1;
  last = eye.dataset.look;
  requestAnimationFrame(frame);
});
"""
_READ = """
return [Number(document.querySelector('.eye').dataset.look), window.drawn, window.frames,
        performance.now() / 1000];
"""


@dataclass(frozen=True)
class Drawing:
    """What happened in a second, on average.

    Attributes:
        sent: looks that the page was sent, told by their numbers.
        drawn: looks that it drew, each in a frame of its own.
        frames: frames that Chromium asked it for.
    """

    sent: float
    drawn: float
    frames: float


def measure_drawing(port: int, game: str, seconds: float) -> Drawing:
    """Open the analysis of a game in Chromium and count.

    Args:
        port: of a studio on this machine.
        game: the name that the studio has given it.

    Raises:
        DlgoError: if there is no Chromium, or nothing is drawn.
    """
    browser = start_chromium()
    try:
        browser.get(f"http://127.0.0.1:{port}/#/analyse/{game}")
        deadline = time.monotonic() + _READY
        while not browser.find_elements("css selector", ".eye[data-look]"):
            if time.monotonic() > deadline:
                raise DlgoError(f"the page shows no analysis within {_READY:.0f} s")
            time.sleep(0.1)
        time.sleep(_STEADY)
        browser.execute_script(_COUNT)
        before = browser.execute_script(_READ)
        time.sleep(seconds)
        after = browser.execute_script(_READ)
    finally:
        browser.quit()
    looks, drawn, frames, wall = (b - a for a, b in zip(before, after, strict=True))
    return Drawing(looks / wall, drawn / wall, frames / wall)
