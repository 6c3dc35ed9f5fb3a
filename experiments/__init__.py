"""What is built on games and engines: tournaments, studies, chapters, the studio, the classroom."""

import signal
import sys

# `dlgo`, and what `python -m` runs, import for up to seconds before `command.run` can take care of
# Ctrl-C: until then it ends the process as it ends other programs, without a traceback.
_PROGRAM = sys.argv[0].replace("\\", "/") if sys.argv else ""
_IS_COMMAND = _PROGRAM.endswith(("-m", "/dlgo", "/dlgo.exe", "/dlgo/__main__.py"))
if _IS_COMMAND and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
