"""GNU Go, with rules as ours: the specification is all the glue."""

from tests.gtp.programs import GNUGO, GNUGO_OPTIONS

Player, GAME = f"gtp:{GNUGO} {GNUGO_OPTIONS}", "go:size=5"
