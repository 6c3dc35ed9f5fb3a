"""Other processes: how they are started, talked to, measured and ended, the same way everywhere."""
