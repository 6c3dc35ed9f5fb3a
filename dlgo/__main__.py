"""`python -m dlgo` is the command `dlgo`, where the script is not on the path."""

from experiments.cli.__main__ import main

if __name__ == "__main__":
    main()
