"""A word of a quoted, escaped or folded script is shown where it stands in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gptoss.cli import main
from gptoss.text.aligned import Aligned
from gptoss.text.places import Place

if TYPE_CHECKING:
    from pathlib import Path

COMPOSE = """\
services:
  llm:
    image: nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14
    command: {}
    deploy: {{resources: {{reservations: {{devices: [{{driver: nvidia, count: 8}}]}}}}}}
"""
SERVE = "trtllm-serve openai/gpt-oss-120b --tp_size 8 --max_batch_sizee 7"
LINES = "trtllm-serve openai/gpt-oss-120b\n      --tp_size 8\n      --max_batch_sizee 7"
CONTINUED = LINES.replace("\n      ", " \\\n   ")
WITH_VARIABLE = SERVE.replace(" 8 --max", " 8 $B --max")
CASES = {
    "double quotes of docker": f'docker run img:1 bash -c "export A=1\n  {SERVE}"\n',
    "with a continued line": f'docker run img:1 \\\n  sh -c "{LINES}"\n'.replace(
        "\n      ", " \\\n   "
    ),
    "single quotes": f"docker run img:1 bash -c 'set -e\n{SERVE}'\n",
    "with a variable before": f'B="--port 80"\ndocker run i:1 sh -c "\n{WITH_VARIABLE} $B"\n',
    "with an escape": f'docker run i:1 sh -c "echo \\"a\\" \\$HOME && {SERVE}"\n',
    "in the shell of a script": f"srun bash -c '\n  {SERVE}'\n",
    "in a shell in a container": f"docker run i:1 sh -c 'exec bash -c \"{SERVE}\"'\n",
    "evaluated": f"eval '{SERVE}'\n",
    "a list of compose": COMPOSE.format(f'[bash, -c, "{SERVE}"]'),
    "a plain word of compose": COMPOSE.format(f"[bash, -c, {SERVE}]"),
    "folded": COMPOSE.format(f"\n    - sh\n    - -c\n    - >-\n      {LINES}"),
    "a folded line of compose": COMPOSE.format(f'>\n      bash -c "{LINES}"'),
    "quoted over several lines": COMPOSE.format(f'["sh", "-c", "{LINES}"]'),
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_a_finding_points_to_the_word(text: str, tmp_path: Path) -> None:
    path = tmp_path / ("c.yaml" if text.startswith("services") else "c.sh")
    path.write_text(text)
    before = text[: text.index("--max_batch_sizee")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    checked = CliRunner().invoke(main, ["check", str(path), "--gpu", "b200", "--release", "1.2.1"])
    assert f"{path}:{line}:{column}: error: " in checked.stdout
    assert "--max_batch_sizee is no flag" in checked.stdout


def test_a_here_document_in_a_quoted_script_has_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "c.sh"
    lines = [
        "docker run i:1 bash -c '",
        "cat > c.yaml <<E",
        "kv_cache_config:",
        "  dtyp: auto",
        "E",
    ]
    path.write_text("\n".join([*lines, "trtllm-serve m --config c.yaml'", ""]))
    checked = CliRunner().invoke(main, ["check", str(path), "--gpu", "b200", "--release", "1.2.1"])
    assert f"{path}:4:3: error: server: kv_cache_config.dtyp is not a key" in checked.stdout


def test_what_is_not_in_the_file_stands_at_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("# one\nrun $COMMAND\nserve --flag\n")
    start = Place(str(path), 2, 5)
    text = "serve --flag --other"
    assert [Aligned(text, start).place(at) for at in (0, 6, 13)] == [start] * 3
    nowhere = Place(str(tmp_path / "none"), 3, 1)
    assert Aligned(text, nowhere).place(6) == nowhere


def test_a_word_that_differs_is_shown_where_it_would_stand(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text('sh -c "serve $FLAGS \\\n  --port 80"\n')
    aligned = Aligned("serve --size 4   --port 80", Place(str(path), 1, 7))
    assert aligned.place(0) == Place(str(path), 1, 8)
    assert aligned.place(6) == Place(str(path), 1, 14)
    assert aligned.place(17) == Place(str(path), 2, 3)
