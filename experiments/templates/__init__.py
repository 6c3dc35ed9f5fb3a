"""Templates of engines and games that `dlgo new` copies. Each of them runs unchanged."""
