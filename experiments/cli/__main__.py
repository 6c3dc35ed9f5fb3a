"""`dlgo` as a program, also as `python -m experiments.cli`, where the script is not on the path."""

import signal


def main() -> None:
    """Run `dlgo`. Ctrl-C ends it without a traceback, also during the imports, before `command.run`
    takes care of it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    from experiments.cli.main import main as run_dlgo

    run_dlgo()


if __name__ == "__main__":
    main()
