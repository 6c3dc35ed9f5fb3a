"""Writes a tab: a folder of files, or one file."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from dlgo import DlgoError, GameSpec, browser, get_game
from dlgo.digests import hex_digest
from dlgo.extras import require_extra
from dlgo.files import make_folder, write_file
from dlgo.jit import cache_folder
from dlgo.system.processes import end_with_parent, yield_to_others
from dlgo.webassembly.compiler import RUNTIME
from engines.registry import EngineSpec, engine_class, engine_names
from experiments import studio
from experiments.studio.course import PRESETS
from experiments.studio.levels import levels
from experiments.studio.opponents import FILE, levels_view, presets, strongest
from experiments.studio.play import game_card
from experiments.studio.position import title_of
from experiments.studio.specs import HUMAN
from experiments.tab.bundle import bundle
from experiments.tab.programs import Entrant, entrants, game_parts, game_view, parts_of
from experiments.tab.recordings import course_parts, puzzle_parts

View = dict[str, Any]

GAMES = ("tictactoe", "connect4", "connectn:cols=9,rows=9,n=5,gravity=no", "go",
         "go:size=5,komi=24.5", "draughts", "hex", "othello", "othello:size=6", "breakthrough")
# Games of the course's examples only, with small boards, and their engines.
LESSONS = dict.fromkeys(("go:size=4,komi=0.5", "go:size=5"), ("random", "mcts"))
# Beside the engines of levels, of the course and of the list of the studio.
ENGINES = ("random", "heuristic", "alphabeta", "mcts", "mcts:rollout=heavy",
           "mcts:rule=rave,rollout=heavy", "puct", "puct:evaluator=static", "alphazero", "descent",
           "ntuple", "solver", "supervised")
_STATIC = Path(__file__).with_name("static")
_STUDIO = Path(studio.__file__).with_name("static")
# Of the studio; those of `static` follow.
_SHEETS = ("boards.css", "style.css", "inside.css", "lecture.css", "watch.css")


class Tab(NamedTuple):
    """A tab: its pages, and the parts of data that these read."""

    page: str  # index.html, for a folder
    files: dict[str, str]  # of the folder, by name: scripts and style sheets
    parts: dict[str, str]  # JSON, compressed, in base64; by name


def worker_sources() -> dict[str, str]:
    """The modules of the worker, and those that it shares with others."""
    shared = {"runtime.js": RUNTIME, "model.js": _STUDIO / "inside/model.js"}
    return _texts(_STATIC / "worker", "*.js") | {
        name: path.read_text(encoding="utf-8") for name, path in shared.items()}


def page_sources() -> dict[str, str]:
    """The modules of the pages: those of the studio, of which some are replaced."""
    return (_texts(browser.FOLDER, "*.js") | _texts(_STUDIO, "*.js")
            | _texts(_STATIC / "page", "*.js"))


def _texts(folder: Path, pattern: str) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(folder.rglob(pattern))}


def make_tab(
    games: Sequence[str] = (), engines: Sequence[str] | Mapping[str, Sequence[str]] = (),
    log: Callable[[str], None] = print,
) -> Tab:
    """A tab with these games and engines, for all games or by game. Without games, it has all of
    dlgo, without engines all that can be had for a game.

    Raises DlgoError for a game or an engine that cannot be compiled.
    """
    require_extra("web", "exporting pages", "ziglang")
    shown = len(games) or len(GAMES)
    if not games:
        games, engines = (*GAMES, *LESSONS), engines or LESSONS
    specs = [get_game(game) for game in games]
    parts: dict[str, View | list[View]] = {}
    offers: dict[str, list[str]] = {}  # game -> specifications that it has
    refusals: dict[str, DlgoError] = {}
    for number, game in enumerate(specs):
        own = engines.get(games[number], ()) if isinstance(engines, Mapping) else engines
        view = game_view(game)  # first, as it names the function of a game that cannot be compiled
        found: dict[str, Entrant] = {}
        offers[str(game)] = []
        for spec in dict.fromkeys([*own, *_usual_engines(game)]):
            try:
                offer = entrants(game, [spec])
            except DlgoError as error:  # it does not play this game, or not in a page
                refusals.setdefault(spec, error)
                continue
            if spec in own or not own:
                found = found | offer
            if offer.keys() <= found.keys():
                offers[str(game)].append(spec)
        view["info"] |= {"strongest": strongest(str(game), offers[str(game)]),
                         "searches": strongest(str(game), offers[str(game)], searches=True)}
        parts |= parts_of(number, view, found.values())
        log(f"{game}: {', '.join(found)}")
    every = engines if isinstance(engines, Sequence) else [*chain(*engines.values())]
    for spec in refusals.keys() & {*every}:
        if not any(spec in offered for offered in offers.values()):
            raise refusals[spec]
    parts["setup"] = _setup(specs, offers, shown)
    names = {game: {EngineSpec.parse(spec).name for spec in offers[game]} for game in offers}
    parts |= course_parts(names) | puzzle_parts(names)
    page, files = _pages()
    return Tab(page, files, {name: _packed(part) for name, part in parts.items()})


def _usual_engines(game: GameSpec) -> list[str]:
    levelled = [row.engine for row in levels().get(str(game), ())]
    taught = [spec for preset in PRESETS if preset.game == str(game)
              for spec in (preset.engine, *preset.players) if spec not in ("", "exact", HUMAN)]
    listed = [preset["spec"] for preset in presets()]
    return list(dict.fromkeys([*ENGINES, *listed, *levelled, *taught]))


def _setup(games: Sequence[GameSpec], offers: Mapping[str, list[str]], shown: int) -> View:
    """What the pages must know first, as the studio's server says it. Of the games the first
    `shown` are offered."""
    def offering(spec: str) -> list[str]:
        with_it = [game for game in games if spec in offers[str(game)]]
        return [str(game) for game in with_it]

    names = {EngineSpec.parse(spec).name for specs in offers.values() for spec in specs}
    return {
        "games": [game_card(str(game), game) | {"options": [], "title": title_of(game)}
                  for game in games[:shown]],
        "levels": {game: [level for level in levels_view(game) if level["spec"] in offers[game]]
                   for game in offers},
        "engines": [{"default": name, "summary": engine_class(name).summary}
                    for name in engine_names() if name in names],
        "presets": [preset | {"games": offering(preset["spec"])} for preset in presets()
                    if offering(preset["spec"])],
        "families": FILE["families"], "ownGames": [], "ownEngines": [],
        # By a game's name alone, too, as on the command line.
        "parts": {name: f"game-{number}" for number, game in [*enumerate(games)][::-1]
                  for name in (game.name, str(game))},
    }


def _pages() -> tuple[str, dict[str, str]]:
    """The page of a folder, and its files."""
    sheets = _texts(browser.FOLDER, "*.css") | _texts(_STUDIO, "*.css")
    own = _texts(_STATIC, "*.css")
    files = {
        "worker.js": worker_script(),
        "studio.js": f"(() => {{\n{bundle('app.js', page_sources())}\n}})();\n",
        "studio.css": "\n".join([*(sheets[name] for name in _SHEETS), *own.values()]),
        "icon.svg": (_STUDIO / "icon.svg").read_text(encoding="utf-8"),
    }
    page = (_STUDIO / "index.html").read_text(encoding="utf-8")
    page = re.sub(r'<link rel="stylesheet".*>\n', "", page)
    return page.replace(
        '<script type="module" src="app.js"></script>',
        '<link rel="stylesheet" href="studio.css">\n<script defer src="worker.js"></script>\n'
        '<script defer src="studio.js"></script>'), files


def worker_script() -> str:
    """The script of workers. A worker runs it; a page only has its text."""
    return (f'function dlgoWorker() {{\n{bundle("entry.js", worker_sources())}\n}}\n'
            'if (typeof document === "undefined") dlgoWorker();\n')


def part_script(name: str, content: str, version: str = "") -> str:
    """A packed part as a script, which gives it to `workers.js`."""
    return f"dlgoPart({', '.join(map(json.dumps, (name, content, version)))});\n"


def _packed(value: Any) -> str:
    """JSON, a line feed and all `bytes` of the value, compressed, in base64."""
    bytes_: list[bytes] = []

    def place(content: bytes) -> dict[str, list[int]]:
        bytes_.append(content)
        return {"bytes": [sum(map(len, bytes_[:-1])), len(content)]}

    text = json.dumps(value, separators=(",", ":"), default=place).encode()
    content = b"\n".join([text, b"".join(bytes_)])
    packer = zlib.compressobj(9, wbits=-15)
    return b64encode(packer.compress(content) + packer.flush()).decode()


def write_scripts(home: str, game: str, spec: str) -> None:
    """Write what pages of `dlgo web` need to search into the file `home` of the cache: scripts by
    name; none if the engine needs Python. `home` is also the folder of their addresses. Call it in
    a process of its own."""
    end_with_parent()
    yield_to_others(last=True)
    scripts = {}
    with suppress(DlgoError):
        parts = game_parts(game, engines=[spec])
        scripts = {"worker": worker_script()} | {
            name: part_script(f"{home}{name}", _packed(part)) for name, part in parts.items()}
    write_file(cache_folder() / home, json.dumps(scripts))


def write_folder(tab: Tab, folder: Path) -> int:
    """Write a tab as a folder; the number of bytes. Other files there stay.

    Addresses end with the export's version, so a browser that keeps files of an earlier export does
    not mix them with these."""
    data = make_folder(folder / "data")
    version = f"?v={hex_digest(json.dumps(tab))}"
    page = re.sub(r'(?<=")(studio|worker)\.(css|js)(?=")', rf"\g<0>{version}", tab.page)
    files = {folder / name: text for name, text in tab.files.items()} | {
        folder / "index.html": page} | {
        data / f"{name}.js": part_script(f"data/{name}", content, version)
        for name, content in tab.parts.items()}
    for path, text in files.items():
        write_file(path, text)
    return sum(len(text.encode()) for text in files.values())


def write_single(tab: Tab, file: Path) -> int:
    """Write a tab as one file; the number of bytes."""
    icon = f"data:image/svg+xml;base64,{b64encode(tab.files['icon.svg'].encode()).decode()}"
    scripts = "".join(f"<script>{tab.files[name]}</script>\n"
                      for name in ("worker.js", "studio.js"))
    parts = "".join(f'<script type="text/plain" data-part="data/{name}">{content}</script>\n'
                    for name, content in tab.parts.items())
    page = re.sub(r"<script defer.*</script>\n", "", tab.page).replace('"icon.svg"', f'"{icon}"')
    page = page.replace('<link rel="stylesheet" href="studio.css">',
                        f"<style>{tab.files['studio.css']}</style>")
    page = page.replace("</body>", f"{parts}{scripts}</body>")
    write_file(file, page)
    return len(page.encode())
