"""Questions to a language model over HTTP, in the common form of chat completions.

`POST URL/chat/completions` with a list of messages; the answer has a text and its tokens. A busy
server is asked again until the time for the move is up, and answers are kept in a folder, so that
none is paid for twice. The key is known here only, and replaced in all that a server says: whole,
in parts, and in the common spellings of bytes.
"""

from __future__ import annotations

import http.client
import itertools
import json
import math
import os
import re
import threading
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from dlgo.digests import hex_digest
from dlgo.errors import SpecError
from dlgo.files import make_folder, write_file
from dlgo.readers import MALFORMED, read_json
from dlgo.records.failures import AnswerKind, Failure
from dlgo.text import excerpt
from engines.clock import is_stopped
from engines.programs.program import ProgramError

# Bytes of an answer that are read, and of an error.
_LONGEST_ANSWER, _LONGEST_ERROR = 1 << 22, 1 << 16
# Requests for one answer, unless the server is busy: it may not run, have a fault, or answer in
# another form.
_ATTEMPTS = 5
# Seconds before the second request; doubled before each further one, up to the longest pause.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
# HTTP errors of a busy server. Others below 500 are final: a wrong key, an unknown model.
_BUSY = (408, 409, 425, 429, 502, 503, 504, 529)
# Tokens of an answer, at most: more than any model has room for.
_MOST_TOKENS = 2**40
_LOCAL = ("localhost", "127.0.0.1", "::1")
LATE = "no answer within the time for a move (option timeout)"
STOPPED = "it was stopped before the model answered"
# Kinds of parts of a message that are its text.
_TEXTS = ("text", "output_text")
# How often a wait checks whether the engine has been stopped, in seconds.
_LOOK = 0.1
# Replaces the key in texts. Shorter keys are not secret: local servers accept any, such as `none`.
HIDDEN, _SHORTEST_KEY = "[key]", 8
# Letters and digits in a row that count as a part of the key.
_PART = 6
# HTTP errors that are about the request, not about the server or the user.
REFUSALS = (400, 413, 422)


class Reply(NamedTuple):
    """A model's answer."""

    text: str  # without a field that the server has for reasoning
    tokens_in: int  # 0 if the server does not say
    tokens_out: int
    seconds: float
    model: str  # its name, as the server calls it
    problem: str = ""  # an `AnswerKind`, if it is known without the text
    ending: str = ""  # `finish_reason`, if the server says it


class NoReply(ProgramError):
    """A request has failed; `most`: requests that may help; `pause`: seconds the server wants;
    `code`: of an HTTP error."""

    def __init__(self, failure: Failure, text: str, most: float = _ATTEMPTS, pause: float = 0.0,
                 code: int = 0) -> None:
        super().__init__(failure, text)
        self.most, self.pause, self.code = most, pause, code


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Another address would be sent the key. It is the `url` of the error."""

    def redirect_request(self, request: Any, body: Any, code: int, reason: str, headers: Any,
                         url: str) -> None:
        raise urllib.error.HTTPError(url, code, reason, headers, body)


def read_key(name: str, required: bool) -> str:
    """The key in an environment variable; "" if there is none. Raises SpecError, without the key,
    for one that is required and missing, or that cannot be sent."""
    key = os.environ.get(name, "").strip()
    if required and not key:
        raise SpecError(f"engine llm: the variable key_env={name} has no key; set it (key_env is "
                        "the name of a variable, such as MY_KEY, not the key)")
    if not re.fullmatch(r"[!#-\[\]-~]*", key):  # a server could repeat others in another spelling
        raise SpecError(f"engine llm: the key in {name} has a space, a quote, a backslash or a "
                        "character that is not ASCII; copy it again")
    return key


def check_url(url: str) -> str:
    """The address without a slash at its end. Raises SpecError for one that cannot be used."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or not re.fullmatch("[!-~]*", url):  # printable ASCII, no space
        raise SpecError(f"engine llm: url={excerpt(url, 80)!r} is not an address such as "
                        "http://localhost:8080/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SpecError("engine llm: url must not contain a user, a password, or anything after ? "
                        "or #; set the key as an environment variable (key_env)")
    return url.rstrip("/").removesuffix("/chat/completions")


class Client:
    """Asks the server at `url`. `cache`: the folder of earlier answers; None: keep none."""

    def __init__(self, url: str, key: str, cache: Path | None) -> None:
        self._url, self._key, self._folder = f"{url}/chat/completions", key, cache
        self._parts = _parts_of(key)
        if cache is not None:
            make_folder(cache, remedy="set DLGO_CACHE_DIR, or write cache=no")
        local = urlsplit(url).hostname in _LOCAL
        self._opener = urllib.request.build_opener(
            _NoRedirect, *([urllib.request.ProxyHandler({})] if local else []))

    def ask(self, body: Mapping[str, Any], sample: tuple[int, int], deadline: float) -> Reply:
        """The answer to a request: a kept one, or the server's.

        Args:
            body: the request, as the server gets it.
            sample: which of several answers to the same request is meant.
            deadline: by `time.monotonic`.

        Raises ProgramError if no answer comes: TIMEOUT, UNREACHABLE (connection, HTTP error) or
        NONSENSE (something other than an answer in this form).
        """
        text = json.dumps([self._url, body, sample], sort_keys=True)
        name = hex_digest(text, 64)
        path = None if self._folder is None else self._folder / name[:2] / f"{name}.json"
        if path is not None and (stored_reply := _read_kept(path)) is not None:
            return stored_reply
        reply = self._ask_server(json.dumps(body).encode(), deadline)
        if path is not None:
            make_folder(path.parent)
            write_file(path, json.dumps(reply._asdict()), sync=False)
        return reply

    def _ask_server(self, data: bytes, deadline: float) -> Reply:
        """The server's answer. A thread waits for it, since name servers, connections and servers
        that send a byte a minute heed no time limit of a socket."""
        reply: Future[Reply] = Future()
        ended = threading.Event()  # nobody waits any longer

        def work() -> None:
            try:
                reply.set_result(self._repeat(data, deadline, ended))
            except Exception as error:
                reply.set_exception(error)

        threading.Thread(target=work, daemon=True).start()
        try:
            while not is_stopped():
                if wait([reply], _LOOK).done:
                    return reply.result()
                if time.monotonic() >= deadline:
                    raise ProgramError(Failure.TIMEOUT, LATE)
            raise ProgramError(Failure.TIMEOUT, STOPPED)
        finally:
            ended.set()

    def _repeat(self, data: bytes, deadline: float, ended: threading.Event) -> Reply:
        """Repeats a request as long as that may help."""
        least = _FIRST_PAUSE
        for number in itertools.count(1):
            try:
                return self._ask_once(data, deadline)
            except NoReply as error:
                problem = error
            pause, least = max(problem.pause, least), min(2 * least, _LONGEST_PAUSE)
            if (number >= problem.most or time.monotonic() + pause >= deadline
                    or ended.wait(pause)):
                break
        waits = f"; it asks to wait {problem.pause:g} s" if 0 < problem.pause < math.inf else ""
        problem.text += waits
        raise problem

    def _ask_once(self, data: bytes, deadline: float) -> Reply:
        """The answer to one request. Raises NoReply, also if it has not the common form."""
        request = urllib.request.Request(self._url, data, {
            "Content-Type": "application/json", "Accept": "application/json", "User-Agent": "dlgo"})
        if self._key:  # never passed on to another address
            request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        began = time.monotonic()
        try:
            with self._opener.open(request, timeout=max(deadline - began, 0.01)) as response:
                data = response.read(_LONGEST_ANSWER + 1)
        except Exception as error:
            raise self._problem(error) from None
        seconds = round(time.monotonic() - began, 3)
        if len(data) > _LONGEST_ANSWER:
            return Reply("", 0, 0, seconds, "", AnswerKind.TOO_LONG)
        attempts = _ATTEMPTS
        try:
            answer = read_json(data)
            choice = answer["choices"][0]
            attempts = 1  # a model has answered, and been paid
            ending = str(choice.get("finish_reason") or "")
            text, kind = _read_message(choice["message"], ending)
            usage = answer.get("usage") or {}
            tokens_in = _count(usage.get("prompt_tokens"))
            tokens_out = _count(usage.get("completion_tokens"))
            model = answer.get("model")
            if not isinstance(model, str | None):
                raise TypeError
        except MALFORMED:
            raise NoReply(Failure.NONSENSE, "the server's answer is not a chat completion"
                            f"{self._words_in(data)}", attempts) from None
        model = excerpt(self._clean(model or ""), 80)
        return Reply(self._clean(text), tokens_in, tokens_out, seconds, model, kind,
                     excerpt(self._clean(ending), 40))

    def _clean(self, text: str) -> str:
        """The text without the key, which a server may repeat; and without halves of characters,
        which no server takes back."""
        text = text.encode(errors="replace").decode()
        if not self._parts:
            return text
        masked = re.escape(self._key[:3]) + r"\S{,99}?(?:\*|\.\.|…|•)\S{,99}"  # `sk-12***9z`
        text = re.sub(masked, HIDDEN, text.replace(self._key, HIDDEN))
        places = [place for place, char in enumerate(text) if char.isalnum() and char.isascii()]
        flat, pieces, end = "".join(text[place] for place in places).lower(), list[str](), 0
        for start, first in enumerate(places[: 1 - _PART]):
            if flat[start : start + _PART] in self._parts:
                pieces += [text[end:first], HIDDEN] if first >= end else []
                end = places[start + _PART - 1] + 1
        return "".join((*pieces, text[end:]))

    def _words_in(self, data: bytes) -> str:
        """`: ` and what a server says of an error: its message, if it has the common form."""
        text = data.decode("utf-8", "replace")
        with suppress(*MALFORMED):
            text = str(read_json(text)["error"]["message"])
        words = excerpt(self._clean(text), 200)
        return f": {words}" if words else ""

    def _problem(self, error: Exception) -> NoReply:
        """The reason why a request raised an exception."""
        if isinstance(error, urllib.error.HTTPError):
            body = b""
            with suppress(OSError, http.client.HTTPException), error:
                body = error.read(_LONGEST_ERROR)
            words = self._words_in(body)
            if error.url != self._url:
                words = f": it moved to {excerpt(self._clean(error.url), 200)}; write that as url"
            most = math.inf if error.code in _BUSY else 1 if error.code < 500 else _ATTEMPTS
            return NoReply(Failure.UNREACHABLE, f"HTTP {error.code}{words}", most,
                             _pause(error.headers.get("Retry-After", "")), error.code)
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            return NoReply(Failure.TIMEOUT, LATE)
        words = getattr(reason, "strerror", "") or str(reason) or type(reason).__name__
        return NoReply(Failure.UNREACHABLE, f"{self._url}: {excerpt(self._clean(words), 200)}")


def _parts_of(key: str) -> set[str]:
    """Parts of a key, as it is, backwards, in hexadecimal, in base64 (behind any other bytes) and
    as in an address: letters and digits, in lower case."""
    if len(key) < _SHORTEST_KEY:
        return set()
    data = key.encode()
    spellings = [key, key[::-1], data.hex(), quote(key, safe="")]
    for before in range(3):
        text = b64encode(bytes(before) + data).decode()
        spellings.append(text[(8 * before + 5) // 6 : 8 * (before + len(data)) // 6])
    flat = [re.sub("[^a-z0-9]", "", text.lower()) for text in spellings]
    return {text[start : start + _PART] for text in flat for start in range(len(text) - _PART + 1)}


def _read_message(message: Any, ending: str) -> tuple[str, str]:
    """The text of a message, and the kind of an answer that has none, or is cut off."""
    content = message.get("content") or ""
    parts = content if isinstance(content, list) else [{"text": content}]
    text = "\n".join(part["text"] for part in parts if part.get("type", "text") in _TEXTS)
    refusal = [*filter(None, (part.get("refusal") for part in (message, *parts)))]
    if ending == "length":
        return text, AnswerKind.CUT_OFF
    if text.strip():
        return text, ""
    if refusal or ending == "content_filter":
        return "\n".join(refusal), AnswerKind.REFUSAL
    if message.get("tool_calls") or message.get("function_call"):
        return "", AnswerKind.TOOL_CALL
    thinks = any(part.get("type", "text") not in _TEXTS for part in parts)
    if thinks or message.get("reasoning_content") or message.get("reasoning"):
        return "", AnswerKind.THINKING_ONLY
    return "", AnswerKind.EMPTY


def _pause(text: str) -> float:
    """The seconds of a `Retry-After`, which is a number or a date; 0 if it is neither."""
    try:
        return float(text) if text.isdecimal() else max(
            0.0, math.ceil(parsedate_to_datetime(text).timestamp() - time.time()))
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _count(number: object) -> int:
    if isinstance(number, bool) or not isinstance(number, int | float):
        return 0
    return int(number) if 0 <= number <= _MOST_TOKENS and number == int(number) else 0


def _read_kept(path: Path) -> Reply | None:
    """The answer in a file; None if there is none, or the file is damaged."""
    try:
        reply = Reply(**read_json(path))
    except MALFORMED:
        return None
    fits = all(map(isinstance, reply, (str, int, int, float, str, str, str)))
    return reply if fits and reply.problem in ("", *AnswerKind) else None
