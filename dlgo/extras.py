"""Packages that only a part of dlgo needs: `pip install 'dlgo-suite[train]'`."""

from __future__ import annotations

from importlib.util import find_spec

from dlgo.errors import DlgoError


def require_extra(extra: str, purpose: str, *modules: str) -> None:
    """Check that what an extra of setup.py installs is there, without importing it; else DlgoError.

    `purpose`, the subject of the message, is what needs it.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise DlgoError(
            f"{purpose} needs packages that are not installed ({', '.join(missing)}); run "
            f"pip install 'dlgo-suite[{extra}]'"
        )
