"""Fetching archives of a page, from a server of our own that misbehaves in many ways."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dlgo.errors import DataError
from experiments.datasets.kgs import fetch_archives, file_name
from tests.conftest import one_line_error

FILES = {
    "KGS-2018.tar.gz": gzip.compress(bytes(range(256)) * 4000, 1),
    "KGS-2019 04.tar.gz": gzip.compress(b"games of April" * 999, 1),
}
PAGE = """<html><body><table>
<a href="/files/KGS-2018.tar.gz">tar.gz</a> <A HREF='files/KGS-2019%2004.tar.gz'>tar.gz</A>
<a href="/files/KGS-2018.zip">zip</a> <a href="/files/KGS-2018.tar.gz">again</a>
<a href="javascript:alert(1)">x</a> <a>no link</a> <a href="mailto:a@b.tar.gz">mail</a>
</table>"""


class Handler(BaseHTTPRequestHandler):
    """Serves the page and the files as `server.mood` says; notes the requests."""

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, *args: object) -> None:
        pass

    def _answer(self) -> None:
        mood, server = self.server.mood, self.server  # type: ignore[attr-defined]
        server.requests.append((self.command, self.path))
        if not self.path.startswith("/files"):
            self._send(200, server.page.encode())
            return
        data = FILES[self.path.rpartition("/")[2].replace("%20", " ")]
        if mood == "missing":
            self.send_error(404)
        elif mood == "breaks":
            server.mood = "well"
            self._send(200, data, stop=len(data) // 2)
        else:
            self._send(200, data)

    def _send(self, status: int, data: bytes, stop: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:stop])


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.mood, server.page, server.requests = "well", PAGE, []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def fetch(server: ThreadingHTTPServer, folder: Path, **options) -> list[Path]:
    page = f"http://127.0.0.1:{server.server_port}/gamerecords/"
    server.page = server.page.replace("'files/", "'/files/")  # type: ignore[attr-defined]
    return fetch_archives(folder, page, log=lambda text: None, pause=0, **options)


def downloads(server: ThreadingHTTPServer) -> list[tuple[str, str]]:
    return [r for r in server.requests if r[0] == "GET" and "/files/" in r[1]]


@pytest.mark.parametrize(("address", "name"), [
    ("http://a.example/x/KGS-2019.tar.gz?v=1", "KGS-2019.tar.gz"),
    ("http://a.example/%2e%2e%2f%2e%2e%2fetc.tar.gz", "etc.tar.gz"),
    ("http://a.example/a%20b%00.tar.gz", "a_b_.tar.gz"),
    ("http://a.example/...tar.gz", "tar.gz"),
])
def test_names_stay_within_the_folder(address: str, name: str) -> None:
    assert file_name(address) == name


def test_files_are_fetched_once(server, tmp_path: Path) -> None:
    paths = fetch(server, tmp_path)
    assert [path.name for path in paths] == ["KGS-2018.tar.gz", "KGS-2019_04.tar.gz"]
    assert [path.read_bytes() for path in paths] == list(FILES.values())
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    assert len(downloads(server)) == 2
    fetch(server, tmp_path)
    assert len(downloads(server)) == 2


def test_a_download_that_broke_off_is_made_again(server, tmp_path: Path) -> None:
    server.mood = "breaks"
    with pytest.raises(DataError, match=r"stopped after .*run the command again") as caught:
        fetch(server, tmp_path, limit=1)
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())
    (path,) = fetch(server, tmp_path, limit=1)
    assert path.read_bytes() == FILES["KGS-2018.tar.gz"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_refusal_is_one_line_and_leaves_nothing(server, tmp_path: Path) -> None:
    server.mood = "missing"
    with one_line_error(DataError, "the server says 404"):
        fetch(server, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_addresses_that_lead_nowhere(server, tmp_path: Path) -> None:
    port = server.server_port
    for page, text in (
        ("file:///etc/passwd", "not an http or https"), ("nonsense", "not an http or https"),
        (f"http://127.0.0.1:{port + 1 if port < 65535 else 1}/", "cannot be fetched"),
        ("http://host.invalid/", "cannot be fetched"), ("http://127.0.0.1:x/", "cannot be fetched"),
    ):
        with pytest.raises(DataError, match=text) as caught:
            fetch_archives(tmp_path, page, log=lambda text: None, pause=0)
        assert "\n" not in str(caught.value)
    server.page = "<html>no links</html>"
    with pytest.raises(DataError, match="links to no .tar.gz files"):
        fetch(server, tmp_path)
