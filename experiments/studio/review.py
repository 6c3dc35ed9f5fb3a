"""The view Review: a game evaluated position by position, its mistakes, and what was better.

A review goes on only while somebody reads it, and is kept for a while: who comes back finds what
has been found out.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import DlgoError
from dlgo.text import one_line
from experiments.review.exact import SECONDS, exact_engine
from experiments.review.game_review import GameReview, Question
from experiments.studio.changes import Changes, news_of
from experiments.studio.engines import Engines
from experiments.studio.errors import EngineFailed, NotFound, StudioError
from experiments.studio.game import Game
from experiments.studio.replies import event_stream, json_reply
from experiments.studio.review_page import review_html
from experiments.studio.review_view import Reviewed, ReviewView, reviewed_sgf
from experiments.studio.specs import HUMAN

# Reviews that are kept.
_MOST_REVIEWS = 40
# Seconds between two reports of one that goes on.
_PAUSE = 0.2
# An engine that fails so often in a row is not asked again.
_MOST_FAILURES = 2
_SEED = 1


def routes(studio: Any) -> list[Route]:
    """What the browser asks for in this view."""
    view = _Review(studio)
    return [
        Route("/api/games/{id}/review", view.events),
        Route("/api/games/{id}/review/file", view.file),
        Route("/api/games/{id}/review/{place:int}", view.place),
    ]


class ReviewRun:
    """A review, and the searches that it needs. It belongs to the server's event loop.

    Args:
        reviewed: the game; `exact` is "" if no values are to be proved.
        engines: who searches.
    """

    def __init__(self, reviewed: Reviewed, engines: Engines) -> None:
        self.reviewed, self.view = reviewed, ReviewView(reviewed)
        self._review, self._engines = reviewed.review, engines
        self._id = f"review-{secrets.token_hex(8)}"
        self._readers = 0
        self._task: asyncio.Task[None] | None = None
        self._asked: Question | None = None
        self._problem = ""
        self._over = False
        self._changes = Changes()

    async def watch(self) -> AsyncIterator[dict[str, Any] | None]:
        """What is known, now and as it grows. It grows as long as this is read."""
        self._readers += 1
        if self._task is None and not self._over:
            self._task = asyncio.create_task(self._run())
        try:
            async with aclosing(self._changes.follow(lambda: True)) as changes:
                async for changed in changes:
                    yield await asyncio.to_thread(self.report) if changed else None
                    await asyncio.sleep(_PAUSE)
        finally:
            self._readers -= 1
            if not self._readers:
                self.stop()

    def stop(self) -> None:
        """End its search."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def report(self) -> dict[str, Any]:
        """All that a page shows."""
        asked = self._asked
        return {
            **self.view.summary(), "final": self._over, "problem": self._problem,
            "asked": None if asked is None else {
                "place": asked.place, "exact": asked.exact, "better": asked.better,
            },
        }

    async def _run(self) -> None:
        failures = 0
        while failures < _MOST_FAILURES:
            question = await asyncio.to_thread(self._review.next_question)
            self._asked = question
            self._changes.tell()
            if question is None:
                break
            spec = self.reviewed.exact if question.exact else self.reviewed.engine
            try:
                await self._ask(question, spec)
                failures = 0
            except EngineFailed as error:
                self._review.give_up(question)
                if not question.exact:
                    self._problem = one_line(str(error))
                    failures += 1
            except DlgoError as error:
                self._problem = one_line(str(error))
                break
        self._asked, self._over, self._task = None, True, None
        self._changes.tell()

    async def _ask(self, question: Question, spec: str) -> None:
        """Raises EngineFailed, and StudioError if the engine is of no use here."""
        # What is proved does not depend on what was searched before, and a table saves time. What
        # is expected would: so each position is searched as if it were the first.
        owner = self._id
        longest = min(SECONDS, 0.75 * self._engines.limits.move_timeout)
        if not question.exact:
            owner += f"-{question.place}{'b' if question.better else ''}"
            longest = float("inf")
        decision = await self._engines.search(owner, question.state, spec, _SEED, longest=longest)
        known = decision.value is not None or decision.proven is not None
        if not known and not question.exact:
            raise StudioError(f"{spec} does not say what positions are worth; choose another")
        await asyncio.to_thread(self._review.answer, question, decision, spec)


class _Review:
    def __init__(self, studio: Any) -> None:
        self._studio = studio
        self._runs: OrderedDict[tuple[str, str, bool], ReviewRun] = OrderedDict()

    async def _find(self, request: Request) -> ReviewRun:
        """The review of a game as it is now, by `?engine=SPEC`, with `&exact=yes` or without."""
        game, asked = self._studio.games.find(request.path_params["id"]), request.query_params
        exact = asked.get("exact", "yes")
        if exact not in ("yes", "no"):
            raise StudioError("exact must be yes or no")
        engine = await asyncio.to_thread(self._studio.allowed.engine, asked.get("engine", ""))
        key = game.id, engine, exact == "yes"
        run = self._runs.get(key)
        if run is None or run.reviewed.review.game_state is not game.state:
            reviewed = await asyncio.to_thread(_reviewed, game, engine, exact == "yes")
            if run is not None:
                run.stop()
            run = self._runs[key] = ReviewRun(reviewed, self._studio.engines)
        self._runs.move_to_end(key)
        while len(self._runs) > _MOST_REVIEWS:
            self._runs.popitem(last=False)[1].stop()
        return run

    async def events(self, request: Request) -> Response:
        """The review as it goes on. It goes on only while somebody reads this."""
        run = await self._find(request)
        return event_stream(news_of(run.watch()), self._studio.closing)

    async def place(self, request: Request) -> Response:
        """The position after so many turns."""
        run, place = await self._find(request), request.path_params["place"]
        if place >= len(run.reviewed.review.states):
            raise NotFound(f"the game has {len(run.reviewed.review.turns)} turns")
        return json_reply(await asyncio.to_thread(run.view.place, place))

    async def file(self, request: Request) -> Response:
        """What has been found out, as a file: `?form=html`, or `sgf` for Go."""
        run, form = await self._find(request), request.query_params.get("form", "html")
        made: dict[str, tuple[str, Callable[[], bytes]]] = {
            "html": ("text/html; charset=utf-8", lambda: review_html(run.reviewed)),
            "sgf": ("application/x-go-sgf", lambda: reviewed_sgf(run.reviewed)),
        }
        if form not in made:
            raise StudioError("a review is saved as html or sgf")
        kind, make = made[form]
        name = f"review-{run.reviewed.review.game_state.game.slug}.{form}"
        return Response(await asyncio.to_thread(make), media_type=kind, headers={
            "content-disposition": f'attachment; filename="{name}"',
        })


def _reviewed(game: Game, engine: str, exact: bool) -> Reviewed:
    """The review of a game, at its beginning."""
    prover = exact_engine(game.state.game) if exact else None
    black, white = (
        "" if (name or player).lower() == HUMAN else name or player
        for name, player in zip((game.read.black, game.read.white), game.players, strict=True)
    )
    review = GameReview(game.state, exact=prover is not None)
    read = replace(game.read.up_to(game.state), black=black, white=white)
    return Reviewed(review, read, engine, prover or "")
