"""Chapter 12: a critic says which moves mattered, and entropy keeps the actor curious.

    python -m experiments.chapters.ch12_actor_critic [--quick] [--out out/ch12_actor_critic]

Two questions. In Connect Four, with a critic that knows the game well (the value head of the
network that comes with the package): when in a game are advantages, A = R - V, large? And in
tic-tac-toe, with the learners of the textbook: what do a critic, a bonus for entropy and PPO's
clipped steps add, each with the same number of games?

What to look for: advantages shrink to nearly 0 as a game is decided, and the largest ones belong to
moves that turned it round. Without entropy the policy is soon sure of itself, and learning stops.
The critic does not help beyond chance: games of nine moves leave little to share out. PPO makes the
most of a game, because it takes several steps from it.

Result (2026-11-23, 2-core Intel Xeon, busy, 701 CPU s): mean |A| 0.64 +-0.03 in the first tenth of
a game, 0.07 +-0.02 in the last. Losing mistakes after 51,200 games: REINFORCE 28.3 +-2.9%, with a
critic 26.4 +-5.5%, with entropy 1.6 +-0.4%, with both 1.8 +-0.4%, PPO 1.6 +-0.3%.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from dlgo import GameSpec, get_game
from engines.actor_critic.textbook import TextbookActorCritic
from engines.learning.data.experience import Experience
from engines.learning.networks.leaf_evaluator import model_for
from engines.learning.selfplay.policy_games import PolicyGames, Side, network_side
from engines.learning.selfplay.schedule import Schedule
from engines.ppo.textbook import TextbookPPO
from experiments.chapters.practice import against_random, losing_mistakes, practise, spread
from experiments.command import run
from experiments.figures import BLUE, COLOURS, drawing
from experiments.options import out_option, quick_option, seed_option

GAMES = 64  # a batch


class WithoutCritic(TextbookActorCritic):
    """REINFORCE with a bonus for entropy: nothing is expected, so A = R."""

    def values(self, planes: np.ndarray) -> np.ndarray:
        """0 everywhere."""
        return np.zeros(len(planes))


VARIANTS: dict[str, tuple[type[TextbookActorCritic], float]] = {
    "REINFORCE": (WithoutCritic, 0.0),
    "critic": (TextbookActorCritic, 0.0),
    "entropy": (WithoutCritic, 0.1),
    "critic and entropy": (TextbookActorCritic, 0.1),
    "PPO (has both)": (TextbookPPO, 0.1),
}


def with_good_critic(game: GameSpec, games: int, seed: int) -> Experience:
    """Games of the shipped network against itself, moves drawn, with its values and returns."""
    player = network_side(model_for(game, "alphazero"), game, "onnx", like=Side(learns=True))
    return PolicyGames(game, 256).play([player], Schedule.practice(games, seed)).with_returns()


def advantages(seed: int, games: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean |A| by share of the game that is over, and half its interval: float64[10] each."""
    played = with_good_critic(get_game("connect4"), games, seed)
    lengths = np.repeat(played.plies, played.plies)
    firsts = np.repeat(np.cumsum(played.plies) - played.plies, played.plies)
    part = (10 * (np.arange(len(lengths)) - firsts) / lengths).astype(int)
    size = np.abs(played.advantages)
    signs = np.sign(played.advantages) * played.returns
    means = np.array([size[part == k].mean() for k in range(10)])
    margins = np.array([1.96 * size[part == k].std() / np.sqrt(games) for k in range(10)])
    print(f"{games:,} games of Connect Four, {len(size):,} decisions, a critic that knows the game")
    print(f"  mean |A|: first tenth {means[0]:.2f} +-{margins[0]:.2f}, "
          f"last tenth {means[-1]:.2f} +-{margins[-1]:.2f}")
    print(f"  |A| above 1.5, a game turned round: {(size > 1.5).mean():.1%} of the decisions, with "
          f"{size[size > 1.5].sum() / size.sum():.1%} of the sum of |A|")
    print(f"  A has the sign of the reward: {(signs >= 0).mean():.1%}")
    return means, margins


def learn(kind: type[TextbookActorCritic], entropy: float, batches: int, seed: int) -> list[float]:
    """Losing mistakes, % after each 20th batch; then the score, and the entropy of the policy."""
    learner = kind(get_game("tictactoe"), entropy=entropy, seed=seed)
    curve = []
    for batch in range(batches + 1):
        if batch % 20 == 0:
            curve.append(100 * losing_mistakes(learner).mean())
        if batch < batches:
            played = practise(learner, GAMES, 1000 * seed + batch)
    nats = -np.log(played.probabilities).mean()
    return [*curve, 100 * against_random(learner, 1000, seed), float(nats)]


@click.command()
@quick_option("4 seeds and 12,800 games instead of 10 and 51,200")
@out_option("out/ch12_actor_critic")
@seed_option
def main(quick: bool, out: Path, seed: int) -> None:
    """When are advantages large, and what do critic, entropy and clipping add?"""
    seeds, batches = (4, 200) if quick else (10, 800)
    means, margins = advantages(seed, 1000)
    print(f"\ntic-tac-toe, {seeds} seeds, {batches * GAMES:,} games each; intervals of 95%")
    print(f"{'':<20}{'losing mistakes':<19}{'against random':<19}nats a move")
    with drawing(out / "ch12_actor_critic.png", 2, 1, (7, 5)) as axes:
        for (name, variant), colour in zip(VARIANTS.items(), COLOURS, strict=True):
            runs = np.array([learn(*variant, batches, seed + k) for k in range(seeds)])
            wrong, score, nats = (spread(runs[:, k]) for k in (-3, -2, -1))
            print(f"{name:<20}{f'{wrong[0]:.1f} +-{wrong[1]:.1f}%':<19}"
                  f"{f'{score[0]:.1f} +-{score[1]:.1f}%':<19}{nats[0]:.2f} +-{nats[1]:.2f}",
                  flush=True)
            games, curves = np.arange(0, batches + 1, 20) * GAMES / 1000, runs[:, :-2]
            axes[1].plot(games, curves.mean(axis=0), color=colour, label=name)
            axes[1].fill_between(games, curves.min(axis=0), curves.max(axis=0), color=colour,
                                 alpha=0.12, lw=0)
        axes[1].set(title="losing mistakes, % of all positions", ylim=(0, None),
                    xlabel="thousands of games")
        axes[1].legend(loc="center right")
        axes[0].errorbar(np.arange(5, 100, 10), means, margins, fmt="o-", color=BLUE, capsize=5)
        axes[0].set(title="mean |A| in Connect Four", xlabel="% of the game that is over",
                    ylim=(0, None))


if __name__ == "__main__":
    run(main)
