"""The engine `llm`: a language model behind any server of chat completions, as an entrant.

The engine describes the position, asks for a move and reads it (`answers.py`). If the answer cannot
be read or the move is illegal, the engine explains why and asks again. When no retry is left, the
move fails; the kind of failure is a malformed answer, an illegal move, or an unreachable server.
`usage` records what each move cost, including failed ones, and counts the answers by their kind.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

from dlgo.api import GameState, Move
from dlgo.errors import SpecError
from dlgo.jit import base_folder
from dlgo.readers import read_json
from dlgo.records.failures import AnswerKind, Failure
from dlgo.rng import derive_seed
from dlgo.specs import Option
from dlgo.text import excerpt
from engines.base import Budget, Decision, Engine
from engines.llm.answers import Unusable, answer_in
from engines.llm.client import REFUSALS, Client, NoReply, Reply, check_url, read_key
from engines.llm.prompt import Prompt
from engines.programs.program import ProgramError

KEY, URL = "DLGO_LLM_KEY", "DLGO_LLM_URL"
# Characters of a bad answer that the model is shown again.
_QUOTED = 2000
_MILLION = 1e6


class LLMEngine(Engine):
    """Plays the moves of a language model."""

    name = "llm"
    external = True
    summary = "a language model: llm:model=NAME,url=http://localhost:8080/v1"
    options = (
        Option("model", None, "name of the model, as its server calls it", kind=str),
        Option("url", None, "address of the server, without /chat/completions; by default the "
               f"variable {URL}", kind=str),
        Option("template", "line", "prompt: `line`, `json` or a file"),
        Option("board", "drawing", "the board in the prompt", choices=("drawing", "list")),
        Option("legal", True, "list the legal moves in the prompt"),
        Option("disguise", "", "tell the game in other words: `numbers` (tic-tac-toe) or a file"),
        Option("strict", False, "accept a move only in the form that the prompt asks for"),
        Option("retries", 2, "how often to ask again after an answer without a legal move", 0, 20),
        Option("temperature", 1.0, "randomness of the answers", 0, 10),
        Option("max_tokens", 4096, "maximum tokens of an answer", 1, 1e7, kind=int),
        Option("timeout", 300.0, "wall seconds for a move, all its requests included", 0.01, 1e5),
        Option("price_in", 0.0, "price of a million tokens of prompts", 0, 1e6),
        Option("price_out", 0.0, "price of a million tokens of answers", 0, 1e6),
        Option("key_env", KEY, "environment variable with the key, if the server wants one"),
        Option("cache", True, "keep the answers in ~/.cache/dlgo, and pay for none of them twice"),
        Option("extra", "", "more fields of requests, `name:value name:value`; `null` leaves one "
               "out"),
    )
    bare_option = "model"

    def _set_up(self) -> None:
        get = self.settings
        url = get["url"] or os.environ.get(URL, "")
        if not get["model"] or not url:
            missing = "url" if get["model"] else "model"
            raise SpecError(f"engine llm needs {missing}=...: "
                            "llm:model=NAME,url=http://localhost:8080/v1")
        key = read_key(get["key_env"], required=get["key_env"] != KEY)
        if key and key in get["extra"]:
            raise SpecError(f"engine llm: extra contains the key of {get['key_env']}, which "
                            "would stand in every ledger; leave it out, the engine sends it")
        cache = base_folder() / "llm" if get["cache"] else None
        self._client = Client(check_url(url), key, cache)
        self._prompt = Prompt(
            self.game, get["template"], get["disguise"], get["board"], get["legal"])
        self._extra = _fields(get["extra"])

    def new_game(self, seed: int) -> None:
        self._seed = seed
        self._asked: dict[str, int] = {}  # how often each conversation was tried in this game
        self.usage: dict[str, list[float]] = {
            name: [] for name in ("tokens_in", "tokens_out", "seconds", "money", "answers",
                                  "malformed", "illegal", *(kind.column for kind in AnswerKind))
        }

    def warm_up(self) -> None:
        """Nothing: a question would cost money."""

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        deadline = time.monotonic() + self.settings["timeout"]
        messages = [{"role": "user", "content": self._prompt.first(state)}]
        for column in self.usage.values():
            column.append(0)
        bad, end = None, ""
        for _ in range(self.settings["retries"] + 1):
            try:
                reply = self._ask(messages, deadline)
            except NoReply as error:
                if bad is None or error.code not in REFUSALS:
                    raise
                end = f"; asked again, the server refuses: {error.text}"
                break  # because of what the model said
            try:
                return Decision(self._read(state, reply))
            except Unusable as error:
                bad = error
            for name in ("illegal",) if bad.kind is None else ("malformed", bad.kind.column):
                self.usage[name][-1] += 1
            again = self._prompt.again(bad.why)
            if said := answer_in(reply.text)[-_QUOTED:].strip():
                messages += [{"role": "assistant", "content": said},
                             {"role": "user", "content": again}]
            else:  # servers refuse empty messages, and two of one role in a row
                messages[-1]["content"] += f"\n\n{again}"
        assert bad is not None
        tries = f" ({self.usage['answers'][-1]:g} answers)" if self.settings["retries"] else ""
        ending = f" (finish_reason {reply.ending})" if reply.ending else ""
        remedy = "; raise max_tokens" if bad.kind is AnswerKind.CUT_OFF else ""
        raise ProgramError(Failure.ILLEGAL_MOVE if bad.kind is None else Failure.MALFORMED,
                           f"{bad.why}{tries}; the last one ends{ending}: "
                           f"{excerpt(reply.text[-120:])!r}{remedy}{end}")

    def _read(self, state: GameState, reply: Reply) -> Move:
        """The move in an answer. Raises Unusable."""
        if reply.problem:
            raise Unusable(AnswerKind(reply.problem))
        move, as_asked = self._prompt.read(state, reply.text)
        if not as_asked and self.settings["strict"]:
            raise Unusable(AnswerKind.OTHER_FORM, "it has another form than was asked for")
        self.usage[AnswerKind.OTHER_FORM.column][-1] += not as_asked
        return move

    def _ask(self, messages: list[dict[str, str]], deadline: float) -> Reply:
        """The model's answer to a conversation."""
        text = json.dumps(messages)
        number = self._asked[text] = self._asked.get(text, 0) + 1
        fields = {
            "model": self.settings["model"], "messages": messages,
            "temperature": self.settings["temperature"], "max_tokens": self.settings["max_tokens"],
            "seed": derive_seed(self._seed, number) % 2**31,
        } | self._extra
        body = {name: value for name, value in fields.items() if value is not None}
        reply = self._client.ask(body, (self._seed, number), deadline)
        money = (reply.tokens_in * self.settings["price_in"]
                 + reply.tokens_out * self.settings["price_out"]) / _MILLION
        for name, amount in (("tokens_in", reply.tokens_in), ("tokens_out", reply.tokens_out),
                             ("seconds", reply.seconds), ("money", money), ("answers", 1)):
            self.usage[name][-1] = round(self.usage[name][-1] + amount, 9)
        # The identity of the player: an edited prompt makes another one.
        self.network_id = f"{reply.model or self.settings['model']}, prompt {self._prompt.digest}"
        return reply


def _fields(text: str) -> dict[str, Any]:
    """The fields in `top_p:0.9 seed:null stop:end`; values are JSON, or else texts."""
    fields: dict[str, Any] = {}
    for word in text.split():
        name, _, value = word.partition(":")
        if not (name and value):
            raise SpecError(f"engine llm: extra={excerpt(text, 80)!r} is not name:value, such as "
                            "top_p:0.9 seed:null")
        if name in fields:
            raise SpecError(f"engine llm: extra has {excerpt(name, 80)} twice; write it once")
        try:
            fields[name] = read_json(value)
            json.dumps(fields[name], allow_nan=False)  # JSON has neither NaN nor Infinity
        except ValueError:
            if name in fields or value[0] in '{["':
                raise SpecError(f"engine llm: extra: {excerpt(word, 80)} is not JSON; write it "
                                "without spaces, and the option in single quotes") from None
            fields[name] = value
    return fields
