"""The shelf: what people put papers into, beside the list, and what they do with those they chose."""
