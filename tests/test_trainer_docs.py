"""The first three commands of docs/trainer.md, run on generated papers."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from trainer.contract.package import read_package

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.usefixtures("forked_python")]

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "trainer.md").read_text(encoding="utf-8")
# The first block; a later one shows output.
COMMANDS = re.findall(r"^\$ (sciread-trainer .*)$", PAGE.split("```")[1], re.M)
PAPERS = 30
TOPICS = ("ants foraging for food", "light in glass fibres", "the grammar of old Norse")


def write_papers(place: Path) -> None:
    """Papers on three topics, each citing some earlier ones."""
    chance = random.Random(1)
    with (place / "papers.jsonl").open("w") as papers, (place / "citations.tsv").open("w") as cites:
        cites.write("citing\tcited\n")
        for number in range(PAPERS):
            topic = TOPICS[number % 3]
            title = f"On {topic}, part {number}"
            abstract = f"We study {topic} and find {chance.choice(('much', 'little'))} new."
            papers.write(json.dumps({"id": f"p{number}", "title": title, "abstract": abstract}))
            papers.write("\n")
            for before in range(max(0, number - 9), number, 3):
                cites.write(f"p{number}\tp{before}\n")


def test_documented_commands_lead_from_papers_to_vectors(tmp_path: Path) -> None:
    assert [shlex.split(command)[1] for command in COMMANDS] == ["prepare", "train", "embed"]
    write_papers(tmp_path)
    environment = os.environ | {
        "SCIREAD_HOME": str(tmp_path / "home"),
        "SCIREAD_CACHE": str(tmp_path / "cache"),
    }
    for command in COMMANDS:
        arguments = [sys.executable, "-m", "trainer", *shlex.split(command)[1:]]
        done = subprocess.run(
            arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"

    package = read_package(tmp_path / "runs" / "first" / "package")
    (shard,) = sorted((tmp_path / "vectors" / "shards").iterdir())
    assert np.load(shard / "vectors.npy").shape == (PAPERS, package.dim)
    assert len(json.loads((shard / "ids.json").read_text())) == PAPERS
