"""The HTTP client: retries, rate limits, cache and errors."""
