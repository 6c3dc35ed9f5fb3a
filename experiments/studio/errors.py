"""What the studio answers when it refuses: one line, and the status of HTTP that goes with it."""

from __future__ import annotations

from dlgo.errors import DlgoError


class StudioError(DlgoError):
    """A request that cannot be served as it is."""

    status = 400


class Refused(StudioError):
    """Not from here, or not with this server."""

    status = 403


class NotFound(StudioError):
    """There is no such thing."""

    status = 404


class TooLarge(StudioError):
    """More than is read."""

    status = 413


class TooMany(StudioError):
    """Later, perhaps: all places are taken."""

    status = 429


class EngineFailed(StudioError):
    """An engine has crashed, hung or cannot be built; the next search starts another process."""

    status = 500
