"""Published faults of such programs, planted in our textbook files; and what finds them elsewhere.

`planting.py` and `faults/` are the museum. `audit.py` is `dlgo audit`.
"""

from pathlib import Path

from dlgo.readers import read_toml

# What a fault can be about, in words; the functions that a file may have for an audit, with their
# parameters, and what they return.
KINDS, PARTS = (read_toml(Path(__file__).with_name(name)) for name in ("kinds.toml", "parts.toml"))
