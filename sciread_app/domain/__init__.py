"""The domain model: papers, queries and matching rules, independent of storage and network."""
