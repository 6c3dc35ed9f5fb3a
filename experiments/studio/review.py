"""The view Review: a game evaluated position by position, its mistakes, and better moves.

A review runs only while a client reads it. Its results are kept for a while, so that a page can
continue it.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from dlgo import DlgoError
from engines.isolation.pool import EngineFailed
from experiments.review.game_review import SECONDS, SEED, GameReview, Question, exact_engine
from experiments.review.pace import Pace
from experiments.review.words import review_sgf
from experiments.studio import replies
from experiments.studio.engines import Engines
from experiments.studio.game import Game
from experiments.studio.review_view import ReviewView, review_html
from experiments.studio.sockets import stream_route
from experiments.studio.specs import HUMAN

# Reviews that are kept.
_MOST_REVIEWS = 40
# Seconds between two reports of a running review.
_PAUSE = 0.2
# After this many failures in a row, an engine is not asked again.
_MOST_FAILURES = 2
_LONGEST = 3600  # seconds of a review


def routes(studio: Any) -> list[BaseRoute]:
    """The routes of this view."""
    view = _Review(studio)
    return [
        stream_route("/api/games/{id}/review", view.events),
        Route("/api/games/{id}/review/file", view.file),
        Route("/api/games/{id}/review/{place:int}", view.place),
    ]


class _Run:
    """A review, and the searches that it needs. It belongs to the server's event loop."""

    def __init__(self, view: ReviewView, engines: Engines) -> None:
        self.view, self._engines = view, engines
        self._id = f"review-{secrets.token_hex(8)}"
        self._readers = 0
        self._task: asyncio.Task[None] | None = None
        self._asked: Question | None = None
        self._problem = ""
        self._over = False
        self._changes = replies.Changes()

    async def watch(self) -> replies.Events:
        """The results, now and after every change. The review runs while this is read."""
        self._readers += 1
        if self._task is None and not self._over:
            self._task = asyncio.create_task(self._run())
        try:
            async for _ in self._changes.follow(dict):
                yield await asyncio.to_thread(self._report)
                await asyncio.sleep(_PAUSE)
        finally:
            self._readers -= 1
            if not self._readers:
                self.stop()

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _report(self) -> dict[str, Any]:
        # First, since the review goes on in another thread: after the final report, none is read.
        question, over, problem = self._asked, self._over, self._problem
        return {
            **self.view.summary(), "final": over, "problem": problem,
            "asked": None if question is None else {
                "place": question.place, "exact": question.exact, "better": question.better,
                "sample": question.sample,
            },
        }

    async def _run(self) -> None:
        failures, review = 0, self.view.review
        while failures < _MOST_FAILURES:
            question = await asyncio.to_thread(review.next_question)
            self._asked = question
            self._changes.tell()
            if question is None:
                break
            try:
                await self._ask(question)
                failures = 0
            except EngineFailed as error:
                review.give_up(question)
                if not question.exact:
                    self._problem = replies.error_words(error)
                    failures += 1
            except DlgoError as error:
                self._problem = replies.error_words(error)
                break
        self._asked, self._over, self._task = None, True, None
        self._changes.tell()

    async def _ask(self, question: Question) -> None:
        # What is proved does not depend on what was searched before, and a table saves time. What
        # is expected would: so each position is searched as if it were the first.
        review, pace, search = self.view.review, self.view.pace, self._engines.search
        if question.exact:
            longest = min(SECONDS, 0.75 * self._engines.limits.move_timeout)
            exact = await search(
                self._id, question.state, self.view.exact, SEED, longest=longest)
            await asyncio.to_thread(review.answer, question, exact, self.view.exact)
            return
        if trials := pace.trials():
            pace.learn_speed([
                await search(f"{self._id}-trial", state, pace.engine, SEED, budget)
                for state, budget in trials])
        start = time.monotonic()
        budget = await asyncio.to_thread(pace.budget, question)
        owner = f"{self._id}-{question.place}-{question.better}-{question.seed}"
        decision = await search(owner, question.state, pace.engine, question.seed, budget)
        if decision.value is None and decision.proven is None:
            raise replies.StudioError(
                f"{self.view.engine} does not evaluate positions; choose another engine"
            )
        await asyncio.to_thread(review.answer, question, decision, self.view.engine)
        pace.spend(question, time.monotonic() - start)


class _Review:
    def __init__(self, studio: Any) -> None:
        self._studio = studio
        self._runs: OrderedDict[tuple[str, str, bool, int], _Run] = OrderedDict()

    async def _find(self, request: HTTPConnection) -> _Run:
        """The review of a game as it is now, by `?engine=SPEC`; `&exact=no`: without proofs;
        `&seconds=N`: see `Pace`."""
        game, query = self._studio.games.of(request), request.query_params
        exact = query.get("exact") != "no"
        engine = await asyncio.to_thread(self._studio.allowed.engine, query.get("engine", ""))
        seconds = min(replies.query_number(request, "seconds", 0), _LONGEST)
        key = game.id, engine, exact, seconds
        run = self._runs.get(key)
        if run is None or run.view.review.game_state is not game.state:
            view = await asyncio.to_thread(_new_review, game, engine, exact, seconds)
            if run is not None:
                run.stop()
            run = self._runs[key] = _Run(view, self._studio.engines)
        self._runs.move_to_end(key)
        while len(self._runs) > _MOST_REVIEWS:
            self._runs.popitem(last=False)[1].stop()
        return run

    async def events(self, request: HTTPConnection, _: replies.View) -> replies.Events:
        return replies.news_of((await self._find(request)).watch())

    async def place(self, request: Request) -> Response:
        run, place = await self._find(request), request.path_params["place"]
        if place >= len(run.view.review.states):
            raise replies.StudioError(f"the game has {len(run.view.review.turns)} turns", 404)
        return replies.json_reply(await asyncio.to_thread(run.view.place, place))

    async def file(self, request: Request) -> Response:
        """The results as a file: `?form=html`, or `sgf` for Go."""
        view, form = (await self._find(request)).view, request.query_params.get("form", "html")
        if form == "html":
            kind, data = "text/html; charset=utf-8", await asyncio.to_thread(review_html, view)
        elif form == "sgf":
            engines = " and ".join(filter(None, (view.exact, view.engine)))
            kind = "application/x-go-sgf"
            data = await asyncio.to_thread(review_sgf, view.review, view.read, engines)
        else:
            raise replies.StudioError("a review is saved as html or sgf")
        name = f"review-{view.review.game_state.game.slug}.{form}"
        return replies.file_reply(data, kind, name)


def _new_review(game: Game, engine: str, exact: bool, seconds: int) -> ReviewView:
    prover = exact_engine(game.state.game) if exact else None
    black, white = (
        "" if (name or player).lower() == HUMAN else name or player
        for name, player in zip((game.read.black, game.read.white), game.players, strict=True)
    )
    read = replace(game.read.up_to(game.state), black=black, white=white)
    review = GameReview(game.state, exact=prover is not None)
    called = game.view()["called"]
    names = [called.get(name, name) for name in (black, white)]
    return ReviewView(review, read, engine, prover or "", Pace(review, engine, seconds), names)
