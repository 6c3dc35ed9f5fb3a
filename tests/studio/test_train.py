"""The view Train: answers and guesses are judged by exact values; by a mouse and by keys."""

from __future__ import annotations

import json
import re

import pytest

from dlgo import GameState
from experiments.measures.connect4 import shipped_positions
from experiments.measures.puzzles import Puzzle, shipped_sets
from experiments.studio.position import find_turn
from tests.review.test_facts import Claim, replies
from tests.studio.browser import Page
from tests.studio.client import BOTS, Studio

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.keys import Keys  # noqa: E402

from tests.conftest import RUN_ALL

SETS = {str(one.game): one for one in shipped_sets()}


def numbered(name: str, step: int) -> list[tuple[int, Puzzle]]:
    return [*enumerate(SETS[name].puzzles, 1)][:: 1 if RUN_ALL else step]


def answer(studio: Studio, name: str, number: int, *turns: str) -> dict:
    status, news = studio.ask(f"/api/train/{name}/{number}/answer", {"turns": turns})
    assert status == 200, news
    return news


@pytest.mark.parametrize(("name", "step"), [("connect4", 30), ("draughts", 30), ("tictactoe", 10)])
def test_each_answer_is_judged_by_exact_values(studio: Studio, name: str, step: int) -> None:
    for number, puzzle in numbered(name, step):
        state = puzzle.state(SETS[name].game)
        for text in puzzle.outcomes:
            news = answer(studio, name, number, text)
            assert news["right"] == (text == puzzle.solution), (number, text)
            claim = Claim(state, tuple(find_turn(state, text)), puzzle.outcomes)
            for sentence in sentences(news["words"]):
                assert "mcts:sims=1000" in sentence or claim.holds(sentence), sentence
            if not news["right"]:
                assert news["reply"] is None and not news["done"]
                assert not re.search("Loses;|Draws;", news["words"])  # the solution stays secret


@pytest.mark.parametrize("name", ["breakthrough", "hex:size=6", "othello", "othello:size=6"])
def test_the_first_move_solves_an_ending(studio: Studio, name: str) -> None:
    for number, puzzle in numbered(name, 15):
        for text in puzzle.outcomes:
            news = answer(studio, name, number, text)
            assert news["right"] == news["done"] == (text == puzzle.solution), (number, text)
            assert news["reply"] is None and news["words"]


def sentences(words: str) -> list[str]:
    return [sentence.strip() for sentence in re.findall(r".+?\.(?= |$)", words)]


@pytest.mark.slow
def test_a_win_is_played_to_its_end_against_the_solver(studio: Studio) -> None:
    game = SETS["connect4"].game
    number, puzzle = next(
        (number, one) for number, one in numbered("connect4", 1) if one.plies == 7)
    turns, state = [puzzle.solution], puzzle.state(game)
    while not (news := answer(studio, "connect4", number, *turns))["done"]:
        assert news["right"], turns
        turns.append(news["reply"]["text"])
        state = puzzle.state(game).play(*turns)
        right = [text for text in replies(state)
                 if answer(studio, "connect4", number, *turns, text)["right"]]
        assert right, "the solver leaves a win"
        ends = [text for text in right if replies(state)[text].is_over()]
        turns.append((ends or right)[0])
    state = puzzle.state(game).play(*turns)
    assert state.is_over() and state.winner() is puzzle.state(game).next_player


@pytest.mark.slow
def test_a_solution_is_explained_by_the_search_that_found_it(studio: Studio) -> None:
    for name in SETS:
        for number, puzzle in numbered(name, 60):
            status, news = studio.ask(f"/api/train/{name}/{number}/solution")
            assert status == 200 and news["text"] == puzzle.solution
            assert "The only move that " in news["words"], news["words"]
            assert re.search(r"mcts:sims=1000( proves the |, | go there)", news["words"])
            assert news["line"][0]["path"] == news["path"]


@pytest.mark.slow
def test_guesses_are_worth_what_the_solver_says(studio: Studio) -> None:
    """30 positions of Connect Four: ten points where nothing is lost, none where half is."""
    rows = [one for one in shipped_positions() if len(one.name) >= 18 and one.asks]
    for position in rows[:: 1 if RUN_ALL else len(rows) // 30][: None if RUN_ALL else 30]:
        *columns, last = position.name
        played = next(str(action + 1) for action in position.outcomes)
        game = studio.new("connect4")
        for column in (*columns, last, played):
            assert studio.move(game, column)[0] == 200
        for action, outcome in [*position.outcomes.items()][:3]:
            status, news = studio.ask(f"/api/games/{game}/guess", {
                "plies": len(position.name), "move": str(action + 1), "engine": "mcts:sims=50"})
            assert status == 200, news
            lost = position.value - outcome
            assert news["guess"]["points"] == (0 if lost else 10), (position.name, action)
            assert news["game"]["text"] == played and news["plies"] == len(position.name) + 1
            assert news["guess"]["value"].startswith(
                f"proved {('loss', 'draw', 'win')[outcome + 1]}")
            best = news["best"]
            assert position.outcomes[int(best["text"]) - 1] == position.value


def test_where_nothing_is_proved_an_engine_compares(studio: Studio) -> None:
    game = studio.new("go:size=5,komi=0.5")
    for move in ("C3", "C2", "B2"):
        studio.move(game, move)
    ask = {"plies": 0, "engine": "mcts:sims=300"}
    good = studio.ask(f"/api/games/{game}/guess", {**ask, "move": "C3"})[1]
    bad = studio.ask(f"/api/games/{game}/guess", {**ask, "move": "A1"})[1]
    assert good["guess"]["points"] == good["game"]["points"] > bad["guess"]["points"]
    assert re.fullmatch(r"\d+% by mcts:sims=300", bad["guess"]["value"])
    assert good["problem"] == ""
    # The same guess has the same value the next time.
    assert studio.ask(f"/api/games/{game}/guess", {**ask, "move": "A1"})[1] == bad
    status, news = studio.ask(f"/api/games/{game}/guess", {
        "plies": 0, "move": "A1", "engine": f"{BOTS}:First"})
    assert status == 400 and "does not evaluate positions" in news["error"]


@pytest.mark.parametrize(("path", "body", "status", "words"), [
    ("train/connect4/0", None, 404, "no such puzzle"),
    ("train/connect4/61", None, 404, "no such puzzle"),
    ("train/go/1/solution", None, 404, "no such puzzle"),
    ("train/connect4/1/answer", {}, 400, "turns must be a list"),
    ("train/connect4/1/answer", {"turns": []}, 400, "turns must be a list"),
    ("train/connect4/1/answer", {"turns": [4]}, 400, "turns must be a list"),
    ("train/connect4/1/answer", {"turns": ["4"] * 61}, 400, "turns must be a list"),
    ("train/connect4/1/answer", {"turns": ["9"]}, 400, "9"),
    ("train/draughts/1/answer", {"turns": ["1-2 3-4"]}, 400, ""),
    ("games/GAME/guess", {"plies": 1, "move": "1"}, 400, "there is no move to guess"),
    ("games/GAME/guess", {"plies": 2, "move": "1"}, 400, "plies=2 is out of range (0 to 1)"),
    ("games/GAME/guess", {"plies": 0, "move": "9"}, 400, "9"),
    ("games/GAME/guess", {"plies": 0, "move": "1", "engine": "x.py"}, 403, "--allow"),
    ("games/none/guess", {"plies": 0, "move": "1"}, 404, "no longer on the server"),
])
def test_what_is_wrong_is_told(
    studio: Studio, path: str, body: object, status: int, words: str
) -> None:
    game = studio.new("connect4")
    studio.move(game, "4")
    found, news = studio.ask(f"/api/{path.replace('GAME', game)}", body)
    assert (found, words in news["error"]) == (status, True), news
    assert "Traceback" not in news["error"] and "\n" not in news["error"]


def test_a_puzzle_is_failed_and_solved(studio: Studio, page: Page) -> None:
    """By the mouse a wrong move, which is refuted; then by keys the right ones."""
    name, number = "tictactoe", 2
    puzzle = SETS[name].puzzles[number - 1]
    state = puzzle.state(SETS[name].game)
    page.go("train")
    page.find(".game-card")
    page.driver.execute_script("localStorage.removeItem('dlgo-train-tictactoe')")
    page.go(f"train/puzzles/{name}/{number}")
    assert page.text(".train h2") == "X to move. Win in 3 plies."
    wrong = next(text for text in puzzle.outcomes if text != puzzle.solution)
    page.click_cell(cell_of(state, wrong))
    page.see_text(f"{wrong} is not right.")
    assert page.count(".marks .line-piece") > 0  # the refutation
    page.keys("r")
    assert page.text(".train h2") == "X to move. Win in 3 plies." and page.status() == ""
    play_by_keys(page, cell_of(state, puzzle.solution))
    page.see_text("Right. The reply is ")
    answered = re.search(r"reply is (\w+)", page.status())[1]
    after = state.play(puzzle.solution, answered)
    last = next(text for text, end in replies(after).items() if end.is_over())
    play_by_keys(page, cell_of(after, last))
    page.see_text("Solved.")
    assert "can stop only one of them" in page.text(".train-words")
    assert "Right at the first try: 0 of 1" in page.text(".train .note")
    rating = re.search(r"rating in this game: (\d+) ± (\d+), in all: (\d+) ± (\d+)",
                       page.text(".train .note"))
    assert rating and rating[1] == rating[3] and int(rating[1]) < 1200
    tried = page.driver.execute_script("return localStorage.getItem('dlgo-train-tictactoe')")
    assert json.loads(tried) == [[number, False]]
    page.keys("n")
    page.see("document.getElementById('puzzle')?.value === '3'", "puzzle 3")
    page.see("document.activeElement.matches('.stage svg.board')", "the keyboard on the board")
    page.keys("s")
    page.see_text(f"The solution is {SETS[name].puzzles[2].solution}.")
    page.go("train")
    page.see_text("2 of 20 tried, 0 right", ".games a:last-child small")
    assert page.nameless() == [] and page.errors() == []


def test_a_theme_restricts_the_puzzles(studio: Studio, page: Page) -> None:
    themes = [puzzle.theme for puzzle in SETS["tictactoe"].puzzles]
    draws = [number for number, theme in enumerate(themes, 1) if theme == "only draw"]
    other = next(number for number, theme in enumerate(themes, 1) if theme != "only draw")
    page.go(f"train/puzzles/tictactoe/{other}")
    page.choose("#puzzle-theme", "only draw")
    page.see(f"document.getElementById('puzzle')?.value === '{draws[0]}'", "the first of them")
    assert page.texts("#puzzle option") == [
        f"Puzzle {number} of 20, {SETS['tictactoe'].puzzles[number - 1].level}"
        for number in draws]
    page.keys("N")
    page.see(f"document.getElementById('puzzle')?.value === '{draws[-1]}'", "the last of them")
    page.choose("#puzzle-theme", "")
    assert len(page.texts("#puzzle option")) == 20 and page.errors() == []


def cell_of(state: GameState, text: str) -> int:
    point = state.read_move(text).point
    return (point.row - 1) * state.game.board_cols + point.col - 1


def play_by_keys(page: Page, cell: int) -> None:
    """Move the cursor from the bottom left to a cell, and play."""
    board = ".stage svg.board"
    page.keys(Keys.ESCAPE, Keys.ENTER, *[Keys.ARROW_LEFT] * 2, on=board)
    here = int(page.see(f"document.querySelector('{board}').getAttribute('aria-activedescendant')",
                        "the cursor").rpartition("-")[2])
    rows, cols = cell // 3 - here // 3, cell % 3 - here % 3
    vertical = Keys.ARROW_UP if rows > 0 else Keys.ARROW_DOWN
    horizontal = Keys.ARROW_RIGHT if cols > 0 else Keys.ARROW_LEFT
    page.keys(*[vertical] * abs(rows), *[horizontal] * abs(cols), Keys.ENTER, on=board)


def test_a_game_is_guessed_to_its_end(studio: Studio, page: Page) -> None:
    game = studio.new("connect4")
    for column in "4433526":
        studio.move(game, column)
    page.go(f"play/{game}")
    page.press("Guess moves")
    guesses = ((1, 4, 10), (3, 1, 0), (5, 5, 10), (7, 6, 10))
    for place, (number, column, points) in enumerate(guesses, 1):
        page.see_text(f"Move {number}: what does red play?", ".train h2")
        page.click_cell(column - 1)
        page.see_text(f"{points} points.")
        assert page.count("tbody tr") == place
        page.keys("n")
    page.see_text("You found 3 of 4 moves, and 0 better ones.")
    assert "Your mistakes: move 3 (column 1)." in page.text(".train-words")
    page.see_text("You 30, the game 30 of 40 points", ".side")
    page.see_pieces(7, "the end of the game")
    assert page.errors() == []


def test_an_engine_that_cannot_judge_gives_no_points(studio: Studio, page: Page) -> None:
    game = studio.new("go:size=9")
    for move in ("E5", "C3", "G7"):
        studio.move(game, move)
    engine = "mcts:sims=30"
    status, news = studio.ask(f"/api/games/{game}/judge?engine={engine}")
    assert status == 200 and news["problem"].startswith(f"{engine} cannot judge Go on 9x9: ")
    guess = {"plies": 0, "move": "A1", "engine": engine}
    judged = studio.ask(f"/api/games/{game}/guess", guess)[1]
    assert judged["problem"] == news["problem"] and judged["best"] is None
    assert {(judged[who]["points"], judged[who]["value"]) for who in ("guess", "game")} == {
        (None, "")}
    # A point that is taken: the guess is still open. The sentence stands where points would.
    page.go(f"train/{game}")
    page.choose("#player-guess", "own")
    page.find("#player-guess-own").clear()
    page.keys(engine, Keys.ENTER, on="#player-guess-own")
    page.see_text("cannot judge Go on 9x9", ".cannot")
    page.click_cell(40)
    page.see_text("The game continued with the same move.")
    page.keys("n")
    page.see_text("Move 3: what does black play?", ".train h2")
    page.click_cell(40)
    page.see_message("E5", bad=True)
    assert page.status() == "White played C3."
    page.click_cell(0)
    page.see_text("The game continued with G7.")
    assert page.texts("tbody tr td:last-child") == ["–", "–"] and page.errors() == []
