"""Corpora: prepared, frozen folders of papers to train on."""
