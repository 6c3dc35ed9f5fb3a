"""Archives of PDN: games are read as they are needed, from files of any size."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo import NotationError
from dlgo.games.draughts import pdn
from experiments.play import game_file
from experiments.play.game_file import read_game_file


def game(number: int, moves: str = "1. 11-15 23-19 2. 8-11 22-17") -> str:
    return f'[Event "g{number}"]\n[White "a{number}"]\n[Result "1-0"]\n\n{moves} 1-0\n\n'


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_file, "MAX_BYTES", 1000)
    monkeypatch.setattr(pdn, "_BLOCK", 300)


def test_the_first_game_of_a_large_archive(tmp_path: Path, monkeypatch) -> None:
    path, played = tmp_path / "big.pdn", []
    path.write_text(game(1) * 120_000)
    assert path.stat().st_size > game_file.MAX_BYTES
    play = pdn._GameReader._play
    monkeypatch.setattr(pdn._GameReader, "_play", lambda *a: played.append(a) or play(*a))
    saved = read_game_file(path)
    assert len(saved.state.moves()) == 4 and not saved.is_alone
    assert saved.notes == (f"{path}: the first game is read; the others are left out",)
    assert len(played) <= 8  # of two games


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("gap", ["", "\n"])
def test_games_of_all_blocks(small_blocks, ends: str, gap: str, tmp_path: Path) -> None:
    path = tmp_path / "x.pdn"
    text = gap + "".join(game(number).rstrip() + "\n" + gap for number in range(1, 41))
    path.write_bytes(text.replace("\n", ends).encode())
    assert path.stat().st_size > game_file.MAX_BYTES
    for number in (1, 2, 3, 4, 5, 39, 40):
        assert read_game_file(path, number).white == f"a{number}"
    for number, message in ((41, "game 41; the file has 40"), (0, "game 0; the first is game 1")):
        with pytest.raises(NotationError, match=message):
            read_game_file(path, number)


def test_a_fault_is_of_its_game_alone(small_blocks, tmp_path: Path) -> None:
    path = tmp_path / "x.pdn"
    path.write_text("".join(game(n, "1. 11-15 oops" if n in (2, 30) else "") for n in range(1, 40)))
    assert read_game_file(path).white == "a1"
    path.write_text("".join(game(n, "1. 11-15 oops" if n == 30 else "") for n in range(1, 40)))
    assert read_game_file(path, 29).white == "a29"
    with pytest.raises(NotationError, match="PDN game 30: after 1 move, 'oops': no move"):
        read_game_file(path, 30)


def test_another_file_of_that_size_names_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b" " * (game_file.MAX_BYTES + 1))
    with pytest.raises(NotationError, match="larger than 8 MiB.*if its name ends in .pdn"):
        read_game_file(path)
