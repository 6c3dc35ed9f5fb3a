"""Training data: games in shards, batches of planes. docs/data.md describes the format."""

from engines.learning.data.batches import Batch, BatchOptions, batches, endless_batches
from engines.learning.data.dataset import Dataset
from engines.learning.data.records import GameBuilder, GameData, Start
from engines.learning.data.shards import read_shard, shard_path, write_shard

__all__ = [
    "Batch", "BatchOptions", "Dataset", "GameBuilder", "GameData", "Start", "batches",
    "endless_batches", "read_shard", "shard_path", "write_shard",
]
