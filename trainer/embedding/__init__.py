"""What bulk embedding needs: inputs, shards, leases, Ray."""

# Papers in a shard, where nothing else is asked for.
SHARD_PAPERS = 50_000
