"""`dlgo data fetch-kgs`: the archives that an index page links to, for chapter 7.1.

The book takes the games of strong players from https://u-go.net/gamerecords/, a page with a
link to a `.tar.gz` file for each period. Downloads are one at a time, with a pause between
them; one that breaks off goes on where it was, and only a file of the size that the server
has announced gets its name.

Uses the standard library only.
"""

from __future__ import annotations

import http.client
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import dlgo
from dlgo.errors import DataError
from dlgo.files import make_folder

PAGE = "https://u-go.net/gamerecords/"
_ENDINGS = (".tar.gz", ".tgz")
_TIMEOUT = 30.0
_PIECE = 2**18
# An index page is a few kilobytes; anything like this is something else.
_LONGEST_PAGE = 2**23


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.links += [value for name, value in attrs if name == "href" and value]


def archive_links(html: str, page: str) -> list[str]:
    """The addresses of the archives that a page links to, in order, each once."""
    parser = _Links()
    parser.feed(html)
    addresses = (urllib.parse.urljoin(page, link.strip()) for link in parser.links)
    return [
        address for address in dict.fromkeys(addresses)
        if urllib.parse.urlsplit(address).scheme in ("http", "https")
        and urllib.parse.urlsplit(address).path.lower().endswith(_ENDINGS)
    ]


def file_name(address: str) -> str:
    """The last part of an address, fit to be a file's name."""
    name = urllib.parse.unquote(urllib.parse.urlsplit(address).path).rpartition("/")[2]
    return re.sub(r"[^\w.+-]", "_", name).lstrip(".") or "archive.tar.gz"


def fetch_archives(
    folder: Path, page: str = PAGE, match: str = "", limit: int | None = None,
    say: Callable[[str], None] = print, pause: float = 1.0,
) -> list[Path]:
    """Download the archives of a page that are not there yet; return all their files.

    Args:
        folder: made if need be.
        page: the address of the page.
        match: only file names that contain this text.
        limit: at most so many of them.
        say: gets a line for each file.
        pause: seconds between two requests.

    Raises:
        DataError: if the page or a file cannot be fetched or written; what is there is kept.
    """
    make_folder(folder, error=DataError)
    with _open(page) as answer:
        html = _read(answer, page, _LONGEST_PAGE + 1).decode("utf-8", "replace")
    if len(html) > _LONGEST_PAGE:
        raise DataError(f"{page}: is longer than any index page")
    links = [link for link in archive_links(html, page) if match in file_name(link)]
    if not links:
        what = f" with {match!r} in their names" if match else ""
        raise DataError(f"{page}: links to no .tar.gz files{what}")
    paths = []
    for link in links[:limit]:
        time.sleep(pause)
        path = folder / file_name(link)
        if path in paths:
            raise DataError(f"{page}: links to two files of the name {path.name}")
        fetch(link, path, say)
        paths.append(path)
    return paths


def fetch(address: str, path: Path, say: Callable[[str], None] = print) -> None:
    """Download one file unless it is there in its full size; go on with a part of it.

    Raises:
        DataError: as in `fetch_archives`.
    """
    part = path.with_name(path.name + ".part")
    try:
        if path.exists():
            with _open(address, "HEAD") as answer:
                if _length(answer) in (None, path.stat().st_size):
                    say(f"{path}: is there")
                    return
            path.unlink()  # an older or broken version
        begin = part.stat().st_size if part.exists() else 0
        with _open(address, begin=begin) as answer:
            if answer.status != 206:
                begin = 0  # the server sends the whole file
            elif not answer.headers.get("Content-Range", "").startswith(f"bytes {begin}-"):
                raise DataError(f"{address}: the server sent another part than was asked for")
            length = _length(answer)
            # Not by `dlgo.files`: what has arrived must outlive a connection that breaks off.
            with part.open("ab" if begin else "wb") as file:
                while piece := _read(answer, address, _PIECE):
                    file.write(piece)
        got = part.stat().st_size
        if length is not None and got < begin + length:
            raise DataError(
                f"{address}: broke off at {got:,} of {begin + length:,} bytes; run again to go on"
            )
        with part.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        if not packed:
            part.unlink()
            raise DataError(f"{address}: is not a .tar.gz file but something else under that name")
        part.replace(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}") from None
    say(f"{path}: {got:,} bytes")


def _length(answer: http.client.HTTPResponse) -> int | None:
    text = answer.headers.get("Content-Length", "")
    return int(text) if text.isdecimal() else None


def _open(address: str, method: str = "GET", begin: int = 0) -> http.client.HTTPResponse:
    """The answer of a server: a file from byte `begin` on, or all of it."""
    if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
        raise DataError(f"{address!r} is not an http or https address")
    headers = {"User-Agent": f"dlgo/{dlgo.__version__}"}
    if begin:
        headers["Range"] = f"bytes={begin}-"
    try:
        request = urllib.request.Request(address, headers=headers, method=method)
        return urllib.request.urlopen(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code == 416 and begin:  # "range not satisfiable": the file is not as long
            return _open(address)
        raise DataError(f"{address}: the server says {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(f"{address}: cannot be fetched: {reason}") from None


def _read(answer: http.client.HTTPResponse, address: str, most: int) -> bytes:
    try:
        return answer.read(most)
    except (OSError, http.client.HTTPException) as error:
        raise DataError(f"{address}: broke off: {error}; run again to go on") from None
