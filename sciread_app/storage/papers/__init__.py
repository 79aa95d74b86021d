"""Paper records: adding, merging, citation keys, versions, citations."""
