"""Puzzles of a page, guesses that its engines judge, and games of the course."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from experiments.measures.puzzles import shipped_sets
from experiments.studio.course import BY_NAME
from experiments.tab.recordings import course_parts, puzzle_parts
from tests.tab.worker import BEGIN, game_parts, needs_node, run_worker

pytestmark = [pytest.mark.slow, *needs_node]

# Solves each puzzle in all right ways, and answers in all wrong ones.
SOLVE = BEGIN + """
const [{ name, ratings: { length: count } }] = (await tab.answer("/api/train")).sets, puzzles = [];
const follow = async (path, turns, { moves }) => {
  const answers = {};
  for (const { text } of moves) {
    const line = [...turns, text], answer = await tab.answer(`${path}/answer`, { turns: line });
    const { reply, position } = answers[text] = answer;
    answer.next = reply ? await follow(path, [...line, reply.text], position) : {};
  }
  return answers;
};
for (let number = 1; number <= count; number++) {
  const path = `/api/train/${name}/${number}`, { position } = await tab.answer(path);
  puzzles.push([await tab.answer(`${path}/solution`), await follow(path, [], position)]);
}
return puzzles;
"""


def test_every_answer_to_a_puzzle_is_known(tmp_path: Path) -> None:
    parts = game_parts("tictactoe") | puzzle_parts({"tictactoe"})
    [puzzles] = [one for one in shipped_sets() if one.game.name == "tictactoe"]

    def longest(answers: dict[str, Any]) -> int:
        """Plies to the end by right turns."""
        return max((2 * bool(one["reply"]) + (not one["reply"]) + longest(one["next"])
                    for one in answers.values() if one["right"]), default=0)

    seen = run_worker(tmp_path, SOLVE, {"parts": parts})
    for puzzle, (solution, answers) in zip(puzzles.puzzles, seen, strict=True):
        assert solution["text"] == puzzle.solution and "The only move that" in solution["words"]
        assert {text: answer["right"] for text, answer in answers.items()} == {
            text: text == puzzle.solution for text in puzzle.outcomes}
        assert all(answer["words"] for answer in answers.values())
        assert longest(answers) == (puzzle.plies or 1)


def test_a_guess_is_compared_with_the_game_and_the_engine(tmp_path: Path) -> None:
    best, other = run_worker(tmp_path, BEGIN + """
    const source = { game: "connect4", moves: "4 1 4 1 4 2 1" };
    const { id } = await tab.answer("/api/positions", source), engine = "mcts:sims=500";
    const guess = (move) => tab.answer(`/api/games/${id}/guess`, { plies: 6, move, engine });
    return [await guess("4"), await guess("7")];
    """, {"parts": game_parts("connect4", engines=["mcts"])})
    assert best["guess"]["points"] == 10 and best["guess"]["value"] == "proved win"
    assert best["guess"]["words"] == "Wins at once." and best["best"]["name"] == "column 4"
    assert other["guess"]["points"] < 10 and other["game"]["text"] == "1" and other["plies"] == 7
    assert other["guess"]["words"].endswith("to column 4.")


def test_a_preset_starts_its_game(tmp_path: Path) -> None:
    parts = game_parts("tictactoe", "connect4") | course_parts(
        {"tictactoe": ["alphabeta"], "connect4": ["supervised"]})
    names = [preset["name"] for chapter in parts["course"]["chapters"]
             for preset in chapter["presets"]]
    assert {"fork", "prediction", "halving"} <= {*names}
    assert not {"policy", "ko", "one-winner"} & {*names}  # engine, game and view are missing
    plies = run_worker(tmp_path, BEGIN + """
    const { id } = await tab.answer("/api/course/fork", {});
    return tab.games.get(id).plies;
    """, {"parts": parts})
    assert plies == len(BY_NAME["fork"].moves.split())
