"""The studio without a server: a folder of files that any browser opens."""

from __future__ import annotations

import os
import sys


def compile_for_any_processor() -> None:
    """Let Numba use only what all processors have. It changes nothing once Numba is imported.

    Numba writes vectors as wide as this machine's into its code, where WebAssembly has 128 bits:
    searches of Othello took 1.7 times as long. An export is the same on all machines, too.
    """
    if "numba" not in sys.modules:
        os.environ |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
