"""The rating of a puzzle solver: its interval covers the strength of simulated people."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from experiments import studio
from experiments.measures.puzzles import shipped_sets

MODULE = Path(studio.__file__).with_name("static") / "rating.js"
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def run(script: str, data: Any) -> Any:
    code = f"import {{ answersOf, ratingOf }} from {json.dumps(MODULE.as_uri())};\n" \
        f"const data = {json.dumps(data)};\nconsole.log(JSON.stringify((() => {{ {script} }})()));"
    done = subprocess.run(["node", "--input-type=module", "-e", code],
                          capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("strength", [1000, 1300, 1700])
@pytest.mark.parametrize("n_answers", [20, 100])
def test_the_interval_covers_the_strength(strength: int, n_answers: int) -> None:
    """200 people of one strength answer the shipped puzzles, each in an order of their own."""
    ratings = [puzzle.rating for one in shipped_sets() for puzzle in one.puzzles]
    covered, width = run("""
    let seed = 1;
    const random = () => { seed = (seed * 48271) % 2147483647; return seed / 2147483647; };
    let covered = 0, width = 0;
    for (let person = 0; person < 200; person++) {
      const answers = Array.from({ length: data.n }, () => {
        const puzzle = data.ratings[Math.floor(random() * data.ratings.length)];
        return [puzzle, random() < 1 / (1 + 10 ** ((puzzle - data.strength) / 400))];
      });
      const { rating, margin } = ratingOf(answers);
      covered += Math.abs(rating - data.strength) <= margin;
      width += margin / 200;
    }
    return [covered / 200, width];
    """, {"ratings": ratings, "strength": strength, "n": n_answers})
    assert 0.90 <= covered <= 0.99
    assert width < (300 if n_answers == 20 else 150)


def test_a_rating_follows_answers() -> None:
    right, none, wrong, all_right = run("""
    const all = [[[1200, true]], [], [[1200, false]], Array(50).fill([1400, true])];
    return all.map((answers) => ratingOf(answers));
    """, {})
    assert wrong["rating"] < none["rating"] == 1200 < right["rating"] < all_right["rating"]
    assert none["margin"] == 784  # nothing but what was assumed
    assert right["margin"] == wrong["margin"] < none["margin"]


def test_answers_are_those_of_puzzles_that_exist() -> None:
    sets = [{"name": "a", "ratings": [1000, 1500]}, {"name": "b", "ratings": [1200]}]
    tried = {"a": [[2, True], [3, True]], "b": [[1, False]]}
    assert run("return answersOf(data.sets, (name) => data.tried[name]);",
               {"sets": sets, "tried": tried}) == [[1500, True], [1200, False]]
