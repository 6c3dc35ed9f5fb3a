"""Tools that keep the docs true: some parts of them are generated from the source."""
