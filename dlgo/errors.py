"""The errors a user can cause. Each message is one line: the thing, the value, the remedy.

The command line prints the message of a `DlgoError` and exits with status 2; anything
else that escapes is a bug in this project.
"""

import errno
import re

# Secrets that people write into specifications: the user and the password of an address, what
# follows its `?`, a field such as `api_key:...`, and a key in place of the variable's name.
_SECRETS = re.compile(r"""(?<=://)(?:[^/\s"']*|[^/\s"',:]*:(?!\d+(?:[/,\s"']|$))[^"']*)@|(://[^?\s"',]*\?)[^\s"',]+|(?<=key:)[^\s"',]+"""
                      r"""|(?<=\bkey_env=)(?!['"]?[A-Z_][A-Z0-9_]*(?![\w+/=.-]))[^\s,]+""")


def without_secrets(text: str) -> str:
    """A text in which passwords and keys are hidden."""
    return _SECRETS.sub(r"\1[hidden]", text)


class DlgoError(Exception):
    """Base class of every error that wrong input can cause. Messages hide passwords and keys."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*(
            without_secrets(part) if isinstance(part, str) else part for part in parts))

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the line alone, without the frames that lead to it."""
        return [f"{type(self).__name__}: {self}"]


class SpecError(DlgoError, ValueError):
    """A game or engine specification (`name:key=value,...`) that cannot be used."""


class PluginError(SpecError):
    """An external game or engine that cannot be found, loaded or used."""


class LoadError(PluginError):
    """A file or module that cannot be loaded.

    Attributes:
        place: the file, with the line if it is known: `my_game.py, line 3`.
        reason: what is wrong there.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place, self.reason = self.args

    def __str__(self) -> str:
        return f"cannot load {self.place}: {self.reason}"


class UnnamedGameError(SpecError):
    """A game whose rules are a file that only data names, not the user: its code does not run."""


class BotError(DlgoError):
    """An external engine that fails while it is built or plays; the message says where."""


class IllegalMoveError(DlgoError, ValueError):
    """A move the rules forbid; the message names the rule, and `reason` is the rule alone."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class NotationError(DlgoError, ValueError):
    """Text that is not a move in the game's notation."""


class LedgerError(DlgoError):
    """A file of games that cannot be read, or that holds something else."""


class ModelError(DlgoError):
    """A trained network that cannot be found, read or used for what is asked."""


class FormatError(DlgoError, ValueError):
    """A text that should be JSON or TOML and is something else."""


class DataError(DlgoError):
    """Training data that cannot be read, written or made as asked."""


class FileError(DlgoError):
    """A file that cannot be used although it is not damaged: nothing may replace it."""


class UnreadableError(FileError):
    """A file that the operating system does not give; its content may be intact."""


class VersionError(FileError):
    """A file that another version of dlgo wrote."""


class ForeignFileError(FileError):
    """A file of another program, or of another command of dlgo."""


# What helps against an error of the operating system.
_REMEDIES = {
    errno.EACCES: "check its permissions and those of its folder",
    errno.EPERM: "check its permissions and those of its folder",
    errno.ENOENT: "check the name",
    errno.ENOTDIR: "check the name",
    errno.EISDIR: "name a file",
    errno.EIO: "check the disk or the network drive, then try again",
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room on the disk",
    errno.EMFILE: "allow more open files (`ulimit -n`)",
}


def system_reason(error: OSError) -> str:
    """An error of the operating system with its remedy: "Permission denied; check ..."."""
    reason = str(error.strerror or error)
    return f"{reason}; {_REMEDIES[error.errno]}" if error.errno in _REMEDIES else reason
