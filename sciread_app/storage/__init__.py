"""The SQLite library: papers, their organization, texts and vectors."""
