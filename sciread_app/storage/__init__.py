"""The SQLite library: papers, their organisation, texts and vectors."""
