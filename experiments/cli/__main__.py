"""`python -m experiments.cli` is `dlgo`, where the script is not on the path."""

from experiments.cli.main import main

main()
