"""Facts about the shipped scales: what is cited stays what it was.

A scale is never changed. If an anchor does not play as it did, mend the engine, or give it an
option that plays as before.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dlgo import DlgoError, get_game
from dlgo.digests import hex_digest
from engines.base import Engine
from engines.registry import EngineSpec
from experiments.arena.engine_cache import EngineCache
from experiments.arena.entrants import canonical
from experiments.arena.referee import GameTask, play_game
from experiments.arena.schedule import Openings, Pair, Plan
from experiments.ladder.scales import FOLDER, GameScale, all_scales
from reports.scale import Scale

SCALES = sorted(all_scales())
# The largest step, in Elo; and the size of all files.
STEP, BYTES = 250, 3_000_000


@pytest.mark.parametrize("name", SCALES)
def test_anchors_are_named_as_ledgers_name_them_and_steps_are_small(name: str) -> None:
    scale = all_scales()[name]
    assert [canonical(anchor) for anchor in scale.scale.anchors] == [*scale.scale.anchors]
    assert str(get_game(scale.game).versioned) == scale.game
    assert 15 <= len(scale.scale.anchors) <= 25
    steps = np.diff(scale.scale.elo)
    assert steps.min() >= 0 and steps.max() <= STEP
    for anchor in scale.scale.anchors:
        budget = EngineSpec.parse(anchor).budget
        assert budget.cpu is None and budget.wall is None  # no part for the machine


@pytest.mark.parametrize("name", SCALES)
def test_the_ratings_are_those_of_the_games(name: str) -> None:
    kept = all_scales()[name].scale
    fitted = Scale.fitted(kept.counts, kept.anchors, "random")
    assert fitted.anchors == kept.anchors
    assert fitted.elo == pytest.approx(kept.elo, abs=0.11)
    assert fitted.first_move == pytest.approx(kept.first_move, abs=0.001)
    assert fitted.draws == pytest.approx(kept.draws, abs=0.001)


def test_the_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < BYTES


def test_a_scale_that_exists_is_not_written_again(tmp_path: Path) -> None:
    scale = all_scales()["tictactoe-2026.12"]
    path = scale.write(tmp_path)
    assert path.read_bytes() == (FOLDER / path.name).read_bytes()
    assert GameScale.read(path) == scale
    with pytest.raises(DlgoError, match="never changed"):
        scale.write(tmp_path)


@pytest.mark.parametrize("damage", ["{", '{"format": "dlgo scale 2"}', '{"format": "dlgo scale 1"}',
                                    '{"format": "dlgo scale 1", "anchors": 7}'])
def test_a_damaged_file_gets_one_line(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(damage)
    with pytest.raises(DlgoError) as caught:
        GameScale.read(path)
    assert "bad.json" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCALES)
def test_anchors_play_as_they_did(name: str) -> None:
    """A game of each anchor, move by move. A network's answers may differ in the last digits on
    another processor; so of these, the network itself is compared."""
    scale = all_scales()[name]
    engines = EngineCache()
    played = 0
    for slot, digest in scale.samples.items():
        game, first, second, pair = slot.split("|")
        if not {first, second} & scale.networks.keys():
            record = play_game(task_of(scale, first, second, int(pair)), engines)
            assert (record.slot, hex_digest(record.moves, 12)) == (slot, digest)
            played += 1
    engines.close()
    assert played >= len(scale.scale.anchors) - len(scale.networks) - 2
    for anchor, network in scale.networks.items():
        engine: Engine = EngineSpec.parse(anchor).build(get_game(scale.game))
        engine.warm_up()
        assert engine.network_id == network
        engine.close()


def task_of(scale: GameScale, first: str, second: str, pair: int) -> GameTask:
    plan = Plan((scale.game,), (first, second), 1, seed=scale.seed).canonical()
    (task,) = [task for task in Openings(plan).tasks(Pair(scale.game, first, second, pair))
               if task.first == first]
    return task
