"""Playing the moves a network predicts, and training it on records (chapters 6 to 8)."""
