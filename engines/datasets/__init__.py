"""Training data: games in shards, batches of planes. docs/data.md describes the format."""

from engines.datasets.batches import Batch, batches, joined
from engines.datasets.dataset import Dataset
from engines.datasets.records import GameBuilder, GameData, Start
from engines.datasets.shards import ShardWriter, read_shard, write_shard

__all__ = [
    "Batch", "Dataset", "GameBuilder", "GameData", "ShardWriter", "Start", "batches",
    "joined", "read_shard", "write_shard",
]
