"""Published faults of such programs, planted in our textbook files; and what finds them elsewhere.

`planting.py` and `faults/` are the museum. `audit.py` is `dlgo audit`.
"""

import tomllib
from pathlib import Path

# What a fault can be about, in words; the functions that a file may have for an audit, with their
# parameters, and what they return.
KINDS, PARTS = (tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
                for name in ("kinds.toml", "parts.toml"))
