"""Packages that only a part of dlgo needs: `pip install "dlgo-suite[train]"`."""

from __future__ import annotations

from importlib.util import find_spec

from dlgo.errors import DlgoError


def require_extra(extra: str, purpose: str, *modules: str) -> None:
    """Raise DlgoError unless the packages of an extra of setup.py are installed; imports none.

    `purpose` is the subject of the message: the feature that needs the packages.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise DlgoError(
            f"{purpose} needs packages that are not installed ({', '.join(missing)}); run "
            f'pip install "dlgo-suite[{extra}]"'
        )
