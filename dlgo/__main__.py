"""`python -m dlgo` is the command `dlgo`, where the script is not on the path."""

import runpy

runpy.run_module("experiments.cli", run_name="__main__", alter_sys=True)
