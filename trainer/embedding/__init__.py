"""Bulk embedding: inputs, shards and leases."""

# Default number of papers per shard.
SHARD_PAPERS = 50_000
