"""`dlgo data fetch-kgs`: the archives that an index page links to, for chapter 7.1.

The book takes the games of strong players from https://u-go.net/gamerecords/, a page with a
link to a `.tar.gz` file for each period. Downloads are one at a time, with a pause between
them; only a file of the size that the server has announced gets its name.

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
from html import unescape
from pathlib import Path

import dlgo
from dlgo.errors import DataError
from dlgo.files import make_folder, open_output

PAGE = "https://u-go.net/gamerecords/"
_ENDINGS = (".tar.gz", ".tgz")
_TIMEOUT = 30.0
_PIECE = 2**18
# An index page is a few kilobytes; anything like this is something else.
_LONGEST_PAGE = 2**23


def archive_links(html: str, page: str) -> list[str]:
    """The addresses of the archives that a page links to, in order, each once."""
    links = re.findall(r"""<a\s[^>]*?href\s*=\s*["']?([^"'\s>]+)""", html, re.IGNORECASE)
    addresses = (urllib.parse.urljoin(page, unescape(link)) for link in links)
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
    log: Callable[[str], None] = print, pause: float = 1.0,
) -> list[Path]:
    """Download the archives of a page that are not there yet; return all their files.

    Args:
        match: fetch only files whose names contain this text.
        limit: maximum number of files.
        log: called with a line for each file.
        pause: seconds between requests.

    Raises DataError if something cannot be fetched or written; complete files are kept.
    """
    make_folder(folder, error=DataError)
    with _open(page) as answer:
        html = _read(answer, page, _LONGEST_PAGE + 1).decode("utf-8", "replace")
    if len(html) > _LONGEST_PAGE:
        raise DataError(f"{page}: is too long for an index page; name another --page")
    links = [link for link in archive_links(html, page) if match in file_name(link)]
    if not links:
        condition = f" with {match!r} in their names" if match else ""
        raise DataError(f"{page}: links to no .tar.gz files{condition}")
    paths = []
    for link in links[:limit]:
        time.sleep(pause)
        path = folder / file_name(link)
        if path in paths:
            raise DataError(f"{page}: links to two files named {path.name}")
        fetch(link, path, log)
        paths.append(path)
    return paths


def fetch(address: str, path: Path, log: Callable[[str], None] = print) -> None:
    """Download one file, unless it is there. Raises DataError as `fetch_archives`."""
    if path.exists():
        log(f"{path}: exists already")
        return
    with _open(address) as answer, open_output(path, error=DataError) as file:
        announced = answer.headers.get("Content-Length", "")
        size = 0
        while piece := _read(answer, address, _PIECE):
            if not size and not piece.startswith(b"\x1f\x8b"):
                raise DataError(f"{address}: is not a .tar.gz file, although its name says so")
            size += file.write(piece)
        if not size or announced.isdecimal() and size < int(announced):
            raise DataError(f"{address}: the download stopped after {size:,} of {announced or '?'} "
                            "bytes; run the command again")
    log(f"{path}: {size:,} bytes")


def _open(address: str) -> http.client.HTTPResponse:
    if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
        raise DataError(f"{address!r} is not an http or https address")
    try:
        headers = {"User-Agent": f"dlgo/{dlgo.__version__}"}
        request = urllib.request.Request(address, headers=headers)
        return urllib.request.urlopen(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        raise DataError(f"{address}: the server says {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(f"{address}: cannot be fetched: {reason}") from None


def _read(answer: http.client.HTTPResponse, address: str, most: int) -> bytes:
    try:
        return answer.read(most)
    except (OSError, http.client.HTTPException) as error:
        raise DataError(f"{address}: broke off: {error}; run the command again") from None
