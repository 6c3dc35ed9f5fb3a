"""How the answer of a language model is read: by one rule, for all models and both forms.

1. Reasoning is no part of the answer: `<think>...</think>` and its kin, or an analysis channel.
2. The last mark names the move: a line `move: X`, or a field `"move": "X"`. If the mark before it,
   with no word between them, names another move, the answer names two. A JSON object at the end
   is read as JSON.
3. Decoration is no content: fences, bold, quotes, brackets, a full stop, full-width characters,
   the end tokens of a model. A move is first read as it is written.

The form that is asked for is a line `move: X` at the end, or one JSON object, without decoration.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress

from dlgo.readers import MALFORMED, read_json
from dlgo.records.failures import AnswerKind

_TAG = r"(?:\w{1,20}:)?(?:think(?:ing)?|thought|reasoning)"
# Begins reasoning (group 1), or ends it.
_REASONING = re.compile(
    rf"(?i)(<{_TAG}>|\[THINK\]|◁think▷|<\|channel\|>(?:analysis|commentary)\b)"
    rf"|</{_TAG}>|\[/THINK\]|◁/think▷|<\|channel\|>final<\|message\|>")
# What follows an optional part is bounded: a server may send 4 MiB of anything.
_MARK = re.compile(r"""(?imx)
    ["']move["'] [ ]{0,9}:\s{0,99} (?: "([^"\n]{0,200})" | '([^'\n]{0,200})'
                                     | (-?\d{1,99}) | (\[[^\]\n]{0,200}\]) )
    | ^[^\w\n]* (?:(?:my|the|final|best|chosen|answer)[ :*]{1,4}){0,4}
      move [*_`]* [ \t]* [:\uff1a] (.*\S)
""")
_LINE = re.compile(r"(?i)move:[ \t]*\S.*")
_WORD = re.compile(r"[^\W_]")
_TOKENS = re.compile(r"\\boxed\b|<\|\w+\|>|</s>|<\w+_of_\w+>|<eos>")
# Around a move: neither letters nor digits, nor signs that may change what it says.
_EDGE = r"(?:(?![-+?#/\\])[\W_])+"
_DECORATION = re.compile(f"^{_EDGE}|{_EDGE}$")
LONGEST_MOVE = 100


class Unusable(Exception):
    """An answer without a legal move; `kind` is None for an illegal one. The message says why, for
    the model."""

    def __init__(self, kind: AnswerKind | None, why: str = "") -> None:
        self.kind, self.why = kind, why or f"it has no move ({kind})"
        super().__init__(self.why)


def answer_in(text: str) -> str:
    """What follows the reasoning in a text; "" if the reasoning does not end."""
    parts: list[str] = []
    end, thinks = 0, False
    for tag in _REASONING.finditer(text):
        if not tag[1]:  # what it ends may have begun in the prompt
            end, thinks = tag.end(), False
        elif not thinks:
            parts.append(text[end : tag.start()])
            thinks = True
    return "" if thinks else "\n".join((*parts, text[end:])).strip()


def marked_move(text: str) -> tuple[str, bool]:
    """The move that an answer marks, as it is written, and whether the answer has the form that is
    asked for. Raises Unusable."""
    if not (answer := answer_in(text)):
        raise Unusable(AnswerKind.THINKING_ONLY if text.strip() else AnswerKind.EMPTY)
    start, stop = answer.find("{"), answer.rfind("}") + 1
    if not _WORD.search(answer[stop:]) and (move := _move_of_json(answer[start:stop])):
        return move, stop - start == len(answer)
    move, names, end = "", set[str](), 0
    for mark in _MARK.finditer(answer):
        if _WORD.search(answer[end : mark.start()]):
            names.clear()
        move, end = next(filter(None, mark.groups()), "").strip(), mark.end()
        names.add(undecorated(move).casefold())
    if not move:
        raise Unusable(AnswerKind.NO_MOVE, "it has no line `move: <your move>`")
    if len(names) > 1:
        raise Unusable(AnswerKind.TWO_MOVES, "it names two different moves")
    return move, bool(_LINE.fullmatch(answer.rpartition("\n")[2].strip()))


def _move_of_json(text: str) -> str:
    """The one move of a JSON object; "" if there is none, or the text is no object."""
    with suppress(*MALFORMED):
        moves = [value for key, value in read_json(text, object_pairs_hook=list) if key == "move"]
        if len({*moves}) == 1 and type(moves[0]) in (str, int):
            return str(moves[0]).strip()
    return ""


def undecorated(text: str) -> str:
    """A move without decoration."""
    text = _TOKENS.sub(" ", unicodedata.normalize("NFKC", text[: LONGEST_MOVE + 1]))
    return _DECORATION.sub("", text)


def is_legible(move: str) -> bool:
    """Whether a text can be shown as a move, and read as one."""
    return 0 < len(move) <= LONGEST_MOVE and move.isprintable()
