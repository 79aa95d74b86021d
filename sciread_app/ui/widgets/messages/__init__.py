"""Messages, confirmations and empty states."""
