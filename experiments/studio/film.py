"""Pictures that a page has made of what it shows, as an animated GIF."""

from __future__ import annotations

import asyncio
import io
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from experiments.studio import replies

if TYPE_CHECKING:
    from PIL.Image import Image

# A film of 200 pictures, each 1000 pixels wide, takes about 10 MB.
_MOST_BYTES, _MOST_FRAMES, _MOST_PIXELS = 32 * 1024 * 1024, 200, 4_000_000
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def routes(_: Any) -> list[Route]:
    """The route of films."""
    working = asyncio.Lock()  # one at a time: the pictures are large

    async def film(request: Request) -> Response:
        """The body is PNG files, one after the other; `seconds` a picture, `name` of the file."""
        name = re.sub(r"[^\w-]", "", request.query_params.get("name", ""))[:80] or "dlgo"
        seconds = replies.number_of(request.query_params, "seconds", 1, 0.05, 60)
        async with working:
            data = await replies.read_body(request, _MOST_BYTES)
            gif = await asyncio.to_thread(gif_of, data, seconds)
        return replies.file_reply(gif, "image/gif", f"{name}.gif")

    return [Route("/api/film", film, methods=["POST"])]


def gif_of(data: bytes, seconds: float) -> bytes:
    """An animated GIF of PNG files of one size. Raises StudioError if they are something else."""
    files = [_SIGNATURE + part for part in data.split(_SIGNATURE)[1:]]
    if not 1 <= len(files) <= _MOST_FRAMES:
        raise replies.StudioError(f"a film has 1 to {_MOST_FRAMES} pictures, here {len(files)}")
    frames = _frames(files)
    out = io.BytesIO()
    next(frames).save(out, "GIF", save_all=True, append_images=frames, loop=0,
                      duration=round(1000 * seconds))
    return out.getvalue()


def _frames(files: list[bytes]) -> Iterator[Image]:
    from PIL import Image

    size = None
    for number, file in enumerate(files, start=1):
        try:
            picture = Image.open(io.BytesIO(file), formats=["PNG"])
            size = size or picture.size
            if picture.size != size or math.prod(size) > _MOST_PIXELS:
                raise ValueError("another size")
            frame = picture.convert("RGB")
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            raise replies.StudioError(
                f"picture {number} of the film is no PNG of at most {_MOST_PIXELS:,} pixels, "
                "as large as the first"
            ) from None
        yield frame.quantize(255, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
