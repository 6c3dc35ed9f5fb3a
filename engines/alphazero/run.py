"""The loop of AlphaZero: play with the network, learn from the games, play with the new network.

A run lives in a folder:

    plan.json            what is done
    games/games-*.npz    the games of each round, a shard for each worker
    nets/0000, 0001, ... the network after each round; 0000 knows nothing yet, or what another
                         network knows (`first_network`) or games of others taught it
                         (`first_games`)
    checkpoint.npz       weights and optimiser after the last round
    history.csv          a line for each round

It can be stopped at any moment, even by `kill -9`, and goes on when it is run again: a
shard that is whole is not played again, a round that was not learned from is learned from again
from the checkpoint before it, and all that is random comes from the seed. So with the same
number of workers the networks are those of an unbroken run.

With `promote`, a new network plays the next games only if it holds its own in a match against the
one that played the last; what came of it stands in the round's line of the history.

Called by `dlgo train alphazero`; calls `workers.py` and `learner.py`.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import ModelError
from dlgo.files import write_file
from dlgo.lock import held
from engines.alphazero.config import AUTO, AlphaZeroConfig
from engines.alphazero.doctor import examine_round
from engines.alphazero.selfplay import SelfPlayStats
from engines.alphazero.workers import Job, MatchJob, Workers
from engines.learning.data import Dataset
from engines.learning.diagnostics.findings import lines
from engines.learning.networks.card import FILE_NAME, Card, read_card
from engines.learning.networks.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from engines.learning.networks.runtimes import fastest_kind
from engines.learning.selfplay.match import playing_network

LOCK = ".lock"
Report = Callable[[str], None]
Progress = Callable[[str, int, int], None]


class AlphaZeroRun:
    """A run in a folder, new or begun.

    Args:
        plan: canonical.
        folder: made if it is not there.
        report: told what happens, a line at a time.
        progress: told what is going on within a round: what, how much is done, of how much.

    Raises:
        ModelError: if the folder holds a run of another plan.
    """

    def __init__(
        self, plan: AlphaZeroConfig, folder: Path, report: Report,
        progress: Progress = lambda what, done, of: None,
    ) -> None:
        self.plan, self.folder, self._report, self._progress = plan, folder, report, progress
        self._check_plan()
        self._games = folder / "games"
        self._games.mkdir(exist_ok=True)

    def _check_plan(self) -> None:
        path = self.folder / "plan.json"
        if path.exists():
            try:
                stored = AlphaZeroConfig.from_json(json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise ModelError(f"{path} is damaged ({error}); choose another folder") from None
            chosen = {
                name: getattr(stored, name) for name in ("runtime", "precision")
                if getattr(self.plan, name) == AUTO
            }
            self.plan = dataclasses.replace(self.plan, **chosen)
            # A run may be made longer; the learning rate of its rounds then changes from there on.
            mine, theirs = _flat(self.plan.to_json()), _flat(stored.to_json())
            different = [
                f"{key}={theirs[key]}" for key in mine
                if key != "iterations" and mine[key] != theirs[key]
            ]
            if different:
                raise ModelError(
                    f"{self.folder} holds a run with {', '.join(different)}; choose another "
                    "folder, or the same settings to continue it"
                )
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_plan()

    def _write_plan(self) -> None:
        path = self.folder / "plan.json"
        write_file(path, json.dumps(self.plan.to_json(), indent=2) + "\n")

    def net(self, iteration: int) -> Path:
        """The folder of the network after a round."""
        return self.folder / "nets" / f"{iteration:04d}"

    def run(self) -> Card:
        """All rounds that are missing. Returns the card of the last network, or last promoted.

        Raises:
            ModelError: if another process works in the folder.
            KeyboardInterrupt: with a message that says what is kept.
        """
        with held(self.folder / LOCK, f"run {self.folder}", "training", "folder", ModelError):
            return self._run()

    def _run(self) -> Card:
        from engines.alphazero.learner import Learner

        plan = self.plan
        checkpoint = read_checkpoint(self.folder) or Checkpoint.new(plan.to_json(), {})
        done = checkpoint.epoch
        if done >= plan.iterations and (self.net(done) / FILE_NAME).exists():
            return read_card(self._player(done + 1, checkpoint))
        began = time.monotonic()
        learner = Learner(plan)
        if checkpoint.state:
            checkpoint.restore(learner.state, self.folder)
            self._report(f"continuing after round {done} of {plan.iterations}")
        else:
            self._begin(learner, checkpoint)
        if self.plan.runtime == AUTO:
            runtime = fastest_kind(
                str(self.net(0)), self.plan.selfplay.games_at_once, learner.gpu is not None
            )
            self.plan = plan = dataclasses.replace(self.plan, runtime=runtime)
            self._write_plan()
            self._report(f"the network runs on {runtime}, the fastest here")
        workers = Workers(plan.workers)
        try:
            for iteration in range(done + 1, plan.iterations + 1):
                checkpoint = self._round(iteration, learner, workers, checkpoint)
                left = (time.monotonic() - began) / (iteration - done) * (
                    plan.iterations - iteration
                )
                self._report(_line(checkpoint.history[-1], plan.iterations, left))
                diagnosis = examine_round(self.folder, plan, checkpoint.history)
                for line in lines(diagnosis, ill_only=True):
                    self._report(f"  {line}")
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped after round {checkpoint.epoch} of {plan.iterations}, which is kept in "
                f"{self.folder}; the same command continues"
            ) from None
        finally:
            workers.close()
        return read_card(self._player(plan.iterations + 1, checkpoint))

    def _begin(self, learner: Any, checkpoint: Checkpoint) -> None:
        """Write the network that plays the first round; it may have learned before."""
        plan = self.plan
        training: dict[str, Any] = {"method": "alphazero", "iterations": 0, "cpu_seconds": 0.0}
        if plan.first_network:
            card = learner.take_over(plan.first_network)
            training |= {
                name: card.training[name]
                for name in ("games", "cpu_seconds", "wall_seconds", "data")
                if name in card.training
            }
            training["first_network"] = {
                "name": card.name, "network_id": card.network_id,
                **{name: card.training[name] for name in ("iterations", "games", "cpu_seconds")
                   if name in card.training},
            }
            self._report(f"beginning with the weights of {card.name}")
        if plan.first_games:
            data = Dataset.open(Path(plan.first_games), self._report)
            steps = max(1, round(plan.first_games_epochs * data.n_positions / plan.batch_size))
            told = learner.learn(data, 0, steps, partial(self._progress, "games of others"))
            training |= {
                "data": {
                    "folder": data.folder.name, "games": data.n_games,
                    "positions": data.n_positions, "cpu_seconds": round(data.cpu_seconds, 1),
                    "digest": data.digest,
                },
                "cpu_seconds": round(
                    training["cpu_seconds"] + told["train_cpu_seconds"], 1
                ),
                "wall_seconds": round(
                    training.get("wall_seconds", 0.0) + told["train_wall_seconds"], 1
                ),
            }
            self._report(
                f"{data.n_games:,} games of others, {data.n_positions:,} positions: policy loss "
                f"{told['policy_loss']:.3f}, value error {told['value_loss']:.3f}; "
                f"{told['train_wall_seconds']:.0f} s"
            )
        learner.save(self.net(0), self._name(0), training)
        if plan.first_network or plan.first_games:
            checkpoint.state = [np.asarray(variable) for variable in learner.state]
            write_checkpoint(self.folder, checkpoint)

    def _name(self, iteration: int) -> str:
        return f"{self.folder.name}-{iteration:04d}"

    def _player(self, iteration: int, checkpoint: Checkpoint) -> Path:
        """The folder of the network that plays the games of a round."""
        return self.net(playing_network(checkpoint.history, iteration))

    def _jobs(self, iteration: int, checkpoint: Checkpoint) -> list[Job]:
        """The shares of a round, given a checkpoint of the round before it or a later one."""
        network = self._player(iteration, checkpoint)
        return [
            Job(self.plan, iteration, worker, network, self._games)
            for worker in range(self.plan.workers)
        ]

    def _round(
        self, iteration: int, learner: Any, workers: Workers, checkpoint: Checkpoint
    ) -> Checkpoint:
        """Play, learn, and write what was learned."""
        plan = self.plan
        began = time.perf_counter()
        stats = workers.play(
            self._jobs(iteration, checkpoint),
            partial(self._progress, f"round {iteration}: games"),
        )
        window = self._window(iteration, workers, checkpoint)
        steps = max(1, round(plan.epochs_per_position * stats.plies / plan.batch_size))
        told = learner.learn(
            window, iteration, steps, partial(self._progress, f"round {iteration}: training")
        )
        row = {
            "iteration": iteration, **_of_games(stats), "window_positions": window.n_positions,
            **told, "wall_seconds": time.perf_counter() - began,
        }
        found = Checkpoint(plan.to_json(), {}, iteration, [*checkpoint.history, row])
        found.state = [np.asarray(variable) for variable in learner.state]
        totals = {
            name: round(sum(one.get(name, 0.0) for one in found.history), 1)
            for name in ("selfplay_cpu_seconds", "train_cpu_seconds", "match_cpu_seconds",
                         "wall_seconds", "games")
        }
        before = read_card(self.net(0)).training
        learner.save(self.net(iteration), self._name(iteration), {
            "method": "alphazero", "settings": plan.to_json(), "seed": plan.seed,
            "iterations": iteration, "games": before.get("games", 0.0) + totals["games"],
            "gpu": learner.gpu,
            "cpu_seconds": round(
                before["cpu_seconds"] + totals["selfplay_cpu_seconds"]
                + totals["train_cpu_seconds"]
                + totals["match_cpu_seconds"], 1  # of the matches before its own
            ),
            "gpu_seconds": 0.0,
            "wall_seconds": round(before.get("wall_seconds", 0.0) + totals["wall_seconds"], 1),
            **{name: before[name] for name in ("first_network", "data") if name in before},
        })
        if plan.gating_threshold:
            row |= self._match(iteration, workers, checkpoint)
            row["wall_seconds"] = time.perf_counter() - began
        write_checkpoint(self.folder, found)
        write_file(self.folder / "history.csv", _csv(found.history))
        return found

    def _match(
        self, iteration: int, workers: Workers, checkpoint: Checkpoint
    ) -> dict[str, float]:
        """Let the round's network play the one that played its games: columns of the history."""
        plan = self.plan
        networks = self.net(iteration), self._player(iteration, checkpoint)
        points, seconds = workers.match(
            [MatchJob(plan, iteration, worker, networks) for worker in range(plan.workers)],
            partial(self._progress, f"round {iteration}: match"),
        )
        score = points / plan.gating_games
        return {
            "match_score": score, "promoted": float(score >= plan.gating_threshold),
            "match_cpu_seconds": seconds,
        }

    def _window(self, iteration: int, workers: Workers, checkpoint: Checkpoint) -> Dataset:
        """The games to learn from; a shard that has gone bad since is played again."""
        rounds = self.plan.window_of(iteration)
        jobs = [job for one in rounds for job in self._jobs(one, checkpoint)]
        paths = [job.path for job in jobs]
        window = Dataset.open(self._games, lambda line: None, paths)
        if window.skipped:
            workers.play(jobs)
            window = Dataset.open(self._games, paths=paths)
        return window


def _flat(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan with the settings of self-play beside its own; no two have the same name."""
    return {**plan, **plan["selfplay"]} | {"selfplay": None}


def _of_games(stats: SelfPlayStats) -> dict[str, float]:
    """The round's games as columns of the history."""
    games, full = max(stats.games, 1), max(stats.full, 1)
    lost, drawn, won = stats.results
    return {
        "games": stats.games, "plies": stats.plies, "evaluations": stats.evaluations,
        "batch": stats.evaluations / max(stats.steps, 1),
        "first_won": won / games, "drawn": drawn / games, "first_lost": lost / games,
        "entropy": stats.entropy / full, "prior_entropy": stats.prior_entropy / full,
        "divergence": stats.divergence / full, "agreed": stats.agreed / full,
        "resigned": stats.resigned / games,
        "resigned_wrongly": stats.wrong / stats.checked if stats.checked else 0.0,
        "network_share": stats.network_seconds / max(stats.wall_seconds, 1e-9),
        "selfplay_cpu_seconds": stats.cpu_seconds,
        "evaluations_per_second": stats.evaluations / max(stats.cpu_seconds, 1e-9),
    }


def _csv(rows: list[dict[str, float]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[-1]), lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(
        {key: f"{value:.6g}" for key, value in row.items()} for row in rows
    )
    return text.getvalue()


def _line(row: dict[str, float], of: int, left: float) -> str:
    match = ""
    if "match_score" in row:
        match = (f"; the new network scores {row['match_score']:.0%} and is "
                 f"{'promoted' if row['promoted'] else 'refused'}")
    return (
        f"round {int(row['iteration'])} of {of}: {int(row['games'])} games, "
        f"{row['plies'] / row['games']:.0f} positions each, {row['first_won']:.0%} won, "
        f"{row['drawn']:.0%} drawn; policy loss {row['policy_loss']:.3f}, value error "
        f"{row['value_loss']:.3f}; search and network agree in {row['agreed']:.0%}"
        f"{match}; {row['wall_seconds']:.0f} s, {left / 60:.0f} min left"
    )
