"""The view of all games that the server keeps: found, saved as files, deleted.

Only the server's own pages see it: a link to one game opens no list.
"""

from __future__ import annotations

import asyncio
import io
import re
import time
import zipfile
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import DlgoError
from dlgo.display import board_info
from dlgo.text import numbered
from experiments.studio import replies
from experiments.studio.kept import MOST_FILES
from experiments.studio.opponents import name_of
from experiments.studio.replies import View

# Games of one page.
_PAGE = 20


def routes(studio: Any) -> list[Route]:
    """The routes of this view."""
    view = _Library(studio)
    return [
        Route("/api/library", view.games),
        Route("/api/library/files", view.files, methods=["POST"]),
        Route("/api/library/delete", view.delete, methods=["POST"]),
    ]


class _Library:
    def __init__(self, studio: Any) -> None:
        self._studio = studio

    async def games(self, request: Request) -> Response:
        """The games that fit, the last one first, a page of them: from `?offset=` on. `title=` is
        a game's, `player=` a part of a name, `result=` one of `results_of`; `since=` and `until=`
        are seconds since 1970. `ids` are the names of all that fit."""
        query = request.query_params
        offset, since, until = (replies.query_number(request, key, usual) for key, usual in (
            ("offset", 0), ("since", 0), ("until", 2**40)))

        def view() -> View:
            kept = self._studio.games.kept
            wanted = [query.get(key, "") for key in ("title", "player", "result")]
            games = [_listed(name, summary) for name, summary in kept.summaries().items()]
            found = [game for game in games
                     if since <= game["date"] < until and _fits(game, *wanted)]
            found.sort(key=lambda game: -game["date"])
            page, infos = found[offset : offset + _PAGE], {}
            for spec in {game["game"] for game in page}:
                with suppress(DlgoError):  # a game that is not allowed now
                    infos[spec] = board_info(self._studio.allowed.game(spec))
            return {
                "games": page, "infos": infos, "total": len(found),
                "ids": [game["id"] for game in found], "problem": kept.problem(),
                "titles": sorted({game["title"] for game in games}),
            }

        return replies.json_reply(await asyncio.to_thread(view))

    async def files(self, request: Request) -> Response:
        """The games of `ids` as files: of one game as it is saved, of several in a zip archive."""
        names = _names(await replies.read_object(request))

        def archive() -> tuple[bytes, str]:
            kept, stems, out = self._studio.games.kept, set[str](), io.BytesIO()
            files = {name: kept.file(name) for name in names}
            summaries = kept.summaries()
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, (form, content) in files.items():
                    title = re.sub(r"\W+", "-", summaries[name]["title"].lower())
                    if len(files) == 1:
                        return content.encode(), f"{title}.{form}"
                    date = time.strftime("%Y-%m-%d-%H%M", time.localtime(summaries[name]["date"]))
                    stem = numbered(f"{title}-{date}", stems)
                    stems.add(stem)
                    archive.writestr(f"{stem}.{form}", content)
            return out.getvalue(), "games.zip"

        data, file = await asyncio.to_thread(archive)
        return replies.file_reply(data, "application/octet-stream", file)

    async def delete(self, request: Request) -> Response:
        """Delete the games of `ids`."""
        names = _names(await replies.read_object(request))
        await self._studio.games.delete(names)
        return replies.json_reply({})


def _names(body: View) -> list[str]:
    names = body.get("ids")
    if not isinstance(names, list) or not 1 <= len(names) <= MOST_FILES or not all(
        isinstance(name, str) for name in names
    ):
        raise replies.StudioError(f"ids must be a list of 1 to {MOST_FILES:,} games")
    return list(dict.fromkeys(names))


def _listed(name: str, summary: View) -> View:
    """A game as the page lists it; its links are nobody's business here."""
    called = [name_of(player, summary["game"]) for player in summary["names"]]
    return {key: value for key, value in summary.items() if key != "links"} | {
        "id": name, "called": called, "invited": bool(summary["links"])}


def results_of(summary: View) -> set[str]:
    """The results under which a game is found: `unfinished`, `finished`, `draw`, `first`, `second`
    for the side that has won, and for a game of one person `won`, `lost`."""
    winner, yours = summary["winner"], summary["yours"]
    if not summary["over"]:
        return set() if summary["over"] is None else {"unfinished"}
    if winner is None:
        return {"finished", "draw"} if summary["result"].startswith("draw") else {"finished"}
    found = {"finished", ("first", "second")[winner]}
    return found | {"won" if winner in yours else "lost"} if len(yours) == 1 else found


def _fits(game: View, title: str, player: str, result: str) -> bool:
    names = "\n".join([*game["names"], *game["called"], *game["sides"]]).lower()
    return title in ("", game["title"]) and player.strip().lower() in names and (
        not result or result in results_of(game))
