"""Packages that only a part of dlgo needs: `pip install 'dlgo-suite[train]'`."""

from __future__ import annotations

from importlib.util import find_spec

from dlgo.errors import DlgoError


def require_extra(extra: str, purpose: str, *modules: str) -> None:
    """Check that what an extra installs is there, without importing it.

    Args:
        extra: its name in setup.py.
        purpose: what needs it, the subject of the message.

    Raises:
        DlgoError: if one of the modules is missing.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise DlgoError(
            f"{purpose} needs packages that are not installed ({', '.join(missing)}); run "
            f"pip install 'dlgo-suite[{extra}]'"
        )
