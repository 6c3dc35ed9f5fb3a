"""An agent for Kaggle's ConnectX: its file, the environment's protocol, games as animations."""
