"""Reading files: encodings, compression, JSON lines, XML streams, format detection."""
