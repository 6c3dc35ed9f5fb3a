"""Games of a bridge against a mock of OGS, on real sockets; the engine is scripted."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from dlgo.api import Move
from tests.online.harness import QUICK, Bot
from tests.online.mock_game import BOT, PASS, MockGame, challenge, random_opponent
from tests.online.mock_server import MockServer


@pytest.fixture
def bot(server: MockServer) -> Iterator[Bot]:
    bot = Bot(server)
    server.wait(lambda: server.said("bot/config"), "it comes")
    yield bot
    bot.close()


def finished(server: MockServer, game: MockGame) -> None:
    server.wait(lambda: game.phase == "finished", f"game {game.id} ends")


@pytest.mark.parametrize("bot_is_black", [True, False])
def test_a_whole_game_of_9x9_is_played_to_the_count(server, bot, bot_is_black) -> None:
    game = server.begin(MockGame(1, 9, bot_is_black, random_opponent))
    finished(server, game)
    assert game.moves[-2:] == [PASS, PASS] and game.outcome.endswith("points")
    assert game.sent == len(game.moves[not bot_is_black :: 2]), bot.lines
    server.wait(lambda: bot.has_said("game 1: finished:"), "it says so")
    assert bot.has_said("won" if game.winner == BOT else "lost")
    assert not server.said("game/resign")


def test_a_challenge_is_accepted_and_played(server, bot) -> None:
    server.challenges.append(challenge(5))
    server.call(server.send, "notification", server.challenges[0])
    server.wait(lambda: 5 in server.games and server.games[5].phase == "finished", "it is played")
    assert [path for path, _ in server.posts] == ["/api/v1/me/challenges/5/accept"]
    assert server.posts[0][1]["bot_id"] == BOT


@pytest.mark.parametrize(("settings", "part"), [
    ({"width": 19, "height": 19}, "5x5, 9x9 only"),
    ({"width": 9, "height": 13}, "square"),
    ({"rules": "japanese"}, "by area"),
    ({"time_control": {"system": "byoyomi", "speed": "blitz"}}, "rapid and live games only"),
    ({"time_control": {"system": "absolute", "speed": "live", "total_time": 5}}, "1 s a move"),
    ({"handicap": 3}, "no handicap"),
    ({"width": None}, "width"),
])
def test_a_challenge_is_declined_with_the_reason(server, bot, settings, part) -> None:
    server.call(server.send, "notification", challenge(6, **settings))
    path, data = server.wait(lambda: server.posts, "it answers")[0]
    assert path == "/api/v1/me/challenges/6"
    assert data["delete"] is True and part in data["message"]
    assert bot.has_said(f"challenge of ann declined: {data['message']}")


def test_a_challenge_that_cannot_be_accepted_does_not_count_as_a_game(server, bot) -> None:
    server.refuse_posts = True
    server.call(server.send, "notification", challenge(6))
    server.wait(lambda: bot.has_said("cannot be accepted: me/challenges/6/accept: 403"), "it says")
    server.refuse_posts = False
    server.challenges.append(challenge(7))
    server.call(server.send, "notification", server.challenges[0])
    server.wait(lambda: 7 in server.games, "the next is accepted")


@pytest.mark.parametrize("chosen", ["before it is back", "after"])
def test_a_connection_that_breaks_in_mid_thought_costs_nothing(server, bot, chosen) -> None:
    """The engine is asked once, and its move comes over the next connection.

    Meanwhile another challenge is declined.
    """
    bot.player.gate.clear()
    game = server.begin(MockGame(1, opponent=random_opponent))
    server.wait(lambda: bot.player.asked, "it thinks")
    server.call(server.send, "notification", challenge(6))
    _, data = server.wait(lambda: server.posts, "it answers")[0]
    assert "1 game at a time" in data["message"]
    if chosen == "after":
        server.call(server.cut)
        server.wait(lambda: server.connections == 2 and server.said("game/connect")[1:], "back")
        assert game.sent == 0
        bot.player.gate.set()
    else:
        server.call(lambda: (bot.player.gate.set(), server.cut()))
    finished(server, game)
    assert [asked[1] for asked in bot.player.asked[:2]] == [0, 2]


@pytest.mark.parametrize("arrived", [True, False])
def test_a_move_that_was_on_its_way_is_played_once(server, bot, arrived) -> None:
    """The connection breaks at the third move of the bot, which the server has or does not have."""
    done = []

    def break_once(game: MockGame) -> bool:
        if len(game.moves) == (5 if arrived else 4) and not done:
            done.append(game.moves[:])
            server.cut()
            return True
        return False

    if arrived:
        server.after_move = break_once
    else:
        server.on_move = break_once
    game = server.begin(MockGame(1, opponent=random_opponent))
    finished(server, game)
    assert server.connections == 2
    assert game.moves[: len(done[0])] == done[0]
    own = (len(game.moves) + 1) // 2
    assert game.sent == own + (not arrived)  # again only what the server did not have
    assert [asked[1] for asked in bot.player.asked] == list(range(0, 2 * own, 2))


def test_a_move_that_gets_lost_in_an_open_connection_is_sent_again(server, bot) -> None:
    lost = []
    server.on_move = lambda game: len(game.moves) == 2 and not lost and not lost.append(1)
    game = server.begin(MockGame(1, opponent=random_opponent))
    finished(server, game)
    assert server.connections == 1 and game.sent == (len(game.moves) + 1) // 2 + 1


def test_a_move_chosen_for_another_position_is_forgotten(server, bot) -> None:
    """It got lost, and meanwhile the game went back and on in another way."""
    server.on_move = lambda game: len(game.moves) == 2
    game = MockGame(1, moves=[(0, 0), (4, 4)])
    server.begin(game)
    server.wait(lambda: game.sent, "it moves")
    game.moves[:] = [(2, 2), (1, 1)]
    server.on_move = lambda game: False
    server.call(server.send, "game/1/undo_accepted", 0)
    server.wait(lambda: len(game.moves) == 3, "it moves")
    assert [asked[1] for asked in bot.player.asked] == [2, 2]


def test_a_server_that_says_all_moves_twice_is_no_trouble(server, bot) -> None:
    server.echo = 2
    game = server.begin(MockGame(1, opponent=random_opponent))
    finished(server, game)
    assert game.sent == (len(game.moves) + 1) // 2
    assert not bot.has_said("illegal") and not bot.has_said("error")


def test_a_move_that_only_the_server_forbids_is_replaced(server, bot) -> None:
    """Its rules may differ from ours in what repeats a position."""
    bot.player.choose_move = lambda owner, state: state.sensible_moves()[0]
    game = server.begin(MockGame(1, refuses={(0, 4)}))
    server.wait(lambda: game.moves, "it plays another move")
    assert game.moves[0] != (0, 4) and game.sent == 2
    assert bot.has_said("the server refuses A1")


def test_a_server_that_refuses_everything_is_asked_now_and_then(server, bot) -> None:
    points = {(x, y) for x in range(5) for y in range(5)} | {PASS}
    game = server.begin(MockGame(1, refuses=points))
    server.wait(lambda: server.said("game/move", 1)[-1:] == [{"game_id": 1, "move": ".."}], "pass")
    sent = game.sent
    assert sent == 21
    game.refuses.clear()
    server.wait(lambda: game.moves == [PASS], "it is asked again")
    assert game.sent == sent + 1


GARBAGE = (
    b"not json", b"[]", b"{}", b"[[[", b"[" * 2000, b"7", b'["hello", {"a": 1}]',
    b'["active_game", 3]', b'["notification", []]', b'["notification", {"type": "challenge"}]',
    b'["game/1/move", 5]', b'["game/1/move", {"move_number": "x", "move": "aa"}]',
    b'["game/1/clock", {"last_move": "soon"}]', b'["game/1/gamedata", {"width": 1e400}]',
    b'["game/1/move", {"move_number": 1, "move": [77, 3]}]', b'["game/1/gamedata", null]',
    b'["game/1/removed_stones", {"all_removed": "a"}]', b'["net/pong", "?"]', b'[99, {"id": 3}]',
    b'["active_game", {"id": 1e999, "phase": "play"}]', b'["ERROR", {"errcode": "\\u001b[2J"}]',
)


def test_nonsense_from_the_server_gives_a_line_and_the_games_go_on(server, bot) -> None:
    bot.player.gate.clear()
    game = server.begin(MockGame(1, opponent=random_opponent))
    server.wait(lambda: bot.player.asked, "it thinks")
    before = len(bot.lines)
    for text in GARBAGE:
        server.call(server.raw, text)
    bot.player.gate.set()
    finished(server, game)
    assert [asked[1] for asked in bot.player.asked[:2]] == [0, 2]  # its thought went on
    assert server.connections == 1
    told = bot.lines[before:]
    assert all("\n" not in line for line in told)
    assert any("invalid JSON: 'not json'" in line for line in told)
    assert any("off the 5x5 board" in line for line in told)
    assert not any("internal error" in line for line in told), told


@pytest.mark.parametrize(("settings", "part"), [
    ({"width": 9, "height": 13}, "9x13"),
    ({"width": 40, "height": 40}, "40x40"),
    ({"moves": [[0, 0, 1], [0, 0, 1]]}, "the server played a move that our rules forbid"),
    ({"players": {"black": {"id": 1}, "white": {"id": 2}}}, "the bot is not a player"),
])
def test_a_game_that_cannot_be_followed_is_left_alone_and_others_go_on(
    server, bot, settings, part
) -> None:
    strange = server.begin(MockGame(1, settings=settings))
    server.wait(lambda: bot.has_said(part), "it says so")
    game = server.begin(MockGame(2, opponent=random_opponent))
    finished(server, game)
    assert strange.sent == 0 and not server.said("game/resign")
    assert sum("cannot continue this game" in line for line in bot.lines) == 1
    told = [chat["body"] for chat in server.said("game/chat", 1)]
    assert [("rules forbid: move 2, white: A5" in text) for text in told] == (
        [True] if "forbid" in part else [])


def test_an_illegal_move_of_the_server_is_not_believed(server, bot) -> None:
    """Told of a stone on a stone, the bridge asks how the game really stands."""
    game = server.begin(MockGame(1))
    server.wait(lambda: len(game.moves) == 1, "it moves")
    x, y = game.moves[0]
    server.call(server.send, "game/1/move", {"game_id": 1, "move_number": 2, "move": [x, y, 1]})
    server.wait(lambda: bot.has_said("our rules forbid: move 2, white"), "it says so")
    assert not server.said("game/chat")
    free = next((x, y) for x in range(5) for y in range(5) if (x, y) not in game.moves)
    server.play(game, *free)
    server.wait(lambda: len(game.moves) == 3, "it goes on")


@pytest.mark.parametrize("refused", [(0, 0), (2, 6)])
def test_handicap_stones_are_placed_in_a_row(server, bot, refused) -> None:
    settings = {"handicap": 3, "free_handicap_placement": True, "score_handicap": True}
    game = server.begin(MockGame(1, 9, True, settings=settings, refuses={refused}))
    server.wait(lambda: len(game.moves) == 3, "it places them")
    assert refused not in game.moves and len(set(game.moves)) == 3
    assert refused == (2, 6) or set(game.moves) == {(2, 6), (6, 2), (2, 2)}
    assert not bot.player.asked
    server.play(game, 4, 4)
    server.wait(lambda: bot.player.asked, "then it thinks")
    server.wait(lambda: len(game.moves) == 5, "and moves")


def test_undo_is_declined_and_the_clock_is_read(server, bot) -> None:
    game = server.begin(MockGame(1))
    server.wait(lambda: len(game.moves) == 1, "it moves")
    server.call(server.send, "game/1/undo_requested", 1)
    server.call(server.send, "game/1/undo_requested", 1)
    server.wait(lambda: server.said("game/chat"), "it answers")
    server.play(game, *random_opponent(game))
    server.wait(lambda: len(game.moves) == 3, "it goes on")
    assert len(server.said("game/chat")) == 1 and not server.said("game/undo/accept")
    seconds = bot.player.asked[0][2]
    assert 30 < seconds < 80  # 600 s of main time with 30 s a move in reserve


def test_the_server_may_live_in_another_time(server, bot) -> None:
    """Its clock is an hour behind; that hour has not passed on the clock of the game."""
    server.behind = 3_600_000.0
    pings = len(server.said("net/ping"))
    server.wait(lambda: len(server.said("net/ping")) > pings, "it measures")
    server.begin(MockGame(1, behind=server.behind))
    server.wait(lambda: bot.player.asked, "it thinks")
    assert 30 < bot.player.asked[0][2] < 80


def test_false_marks_of_dead_stones_are_not_accepted(server, bot) -> None:
    """The other side marks the bot's living stones: it puts its own marks in their place."""
    walls = [(x, y) for y in range(5) for x in (1, 3)]
    game = MockGame(1, settings={"komi": 0.5}, moves=[*walls, (2, 2)])
    server.begin(game)
    bot.player.choose_move = lambda owner, state: Move.pass_turn()
    server.play(game, -1, -1)
    server.wait(lambda: game.phase == "stone removal" and BOT in game.accepted, "it accepts")
    assert game.accepted[BOT] == ""
    all_black = "babbbcbdbecc"
    server.call(server.mark, game, all_black)
    server.wait(lambda: game.accepted.get(BOT) == "" and game.removed == "", "it takes them off")


def test_resigning_is_the_engines_own_decision(server, bot) -> None:
    bot.player.choose_move = lambda owner, state: Move.resign()
    game = server.begin(MockGame(1))
    finished(server, game)
    assert game.outcome == "Resignation" and len(server.said("game/resign")) == 1
    server.wait(lambda: bot.has_said("finished: lost (Resignation)"), "it says so")


def test_an_engine_that_plays_illegal_moves_loses_its_game_alone(server, bot) -> None:
    def move(owner: str, state) -> Move:
        if owner == "1" and len(state.moves()) >= 2:
            return state.moves()[0]  # the point is occupied
        return bot.player.random_move(owner, state)

    bot.player.choose_move = move
    lost = server.begin(MockGame(1, opponent=random_opponent))
    other = server.begin(MockGame(2, opponent=random_opponent))
    finished(server, lost)
    finished(server, other)
    assert lost.outcome == "Resignation" and other.outcome.endswith("points")
    assert sum("is illegal: the point is occupied" in line for line in bot.lines) == 3


def test_a_wrong_key_ends_it_at_the_start_and_only_there(server) -> None:
    refused = Bot(server, key="wrong-key-1")
    refused.join()
    assert "does not accept this API key" in str(refused.error)
    bot = Bot(server)
    server.wait(lambda: server.said("bot/config"), "it comes")
    server.refuse_key = True
    server.call(server.cut)
    server.wait(lambda: bot.has_said("does not accept"), "it is refused")
    server.refuse_key = False
    server.wait(lambda: len(server.said("bot/config")) > 1, "it comes again")
    bot.close()


def test_a_silent_server_counts_as_lost(server) -> None:
    bot = Bot(server, pauses=dataclasses.replace(QUICK, silence=2.0))
    server.wait(lambda: server.said("bot/config"), "it comes")
    hear, server._hear = server._hear, lambda *message: None
    server.wait(lambda: bot.has_said("connection lost (no message from the server)"), "it notices")
    server._hear = hear
    server.wait(lambda: len(server.said("bot/config")) > 1, "it comes again")
    bot.close()


def test_interrupted_it_plays_its_games_to_the_end_but_no_new_ones(server, bot) -> None:
    game = server.begin(MockGame(1, opponent=random_opponent))
    bot.player.gate.clear()
    server.wait(lambda: bot.player.asked, "it thinks")
    bot.call(bot.bridge.interrupt)
    server.wait(lambda: server.said("bot/config")[-1]["decline_new_challenges"], "it says so")
    server.call(server.send, "notification", challenge(6))
    _, data = server.wait(lambda: server.posts, "it answers")[0]
    assert "no new games" in data["message"]
    bot.player.gate.set()
    bot.join()
    assert game.phase == "finished" and bot.error is None


def test_interrupted_twice_it_ends_and_the_game_stays_open(server, bot) -> None:
    game = server.begin(MockGame(1))
    server.wait(lambda: len(game.moves) == 1, "it plays")
    bot.call(bot.bridge.interrupt)
    bot.call(bot.bridge.interrupt)
    bot.join()
    assert game.phase == "play" and 1 in bot.bridge.games
