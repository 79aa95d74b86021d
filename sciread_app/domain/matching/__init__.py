"""Record linkage: whether two records describe the same paper."""
