"""The page Digest of Discover: latest digests, settings, notifications."""
