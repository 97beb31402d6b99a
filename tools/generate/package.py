"""What the chart holds of this repository: targets, overlays, values.yaml, a schema for editors."""

from __future__ import annotations

from pathlib import Path

from gptoss.facts import folders
from gptoss.facts.world import Facts

ROOT = Path(__file__).resolve().parents[2]
CHART = Path("charts/gpt-oss")
SCHEMA = "# yaml-language-server: $schema=../values.schema.json\n"
HEAD = """\
# yaml-language-server: $schema=values.schema.json
# Values of the gpt-oss chart. Nothing is set here: a copy of this file changes nothing until a line
# loses its first #. Every line shows what is in force unless a target or an overlay says otherwise.
#
#   helm install gpt-oss CHART --set target=disagg-gb200
#   helm install gpt-oss CHART -f mine.yaml
#
# CHART is this chart: a folder, or oci://REGISTRY/gpt-oss.
# Targets: {targets}.
# Overlays: {overlays}.
"""


def package() -> dict[Path, str]:
    """``targets/``, ``overlays/`` and ``ci/`` of the chart, its ``values.yaml`` and a schema."""
    version = Facts().default_release.trtllm
    engine = ROOT / "schema" / "engine" / f"trtllm-{version}.schema.json"
    files = {CHART / "engine_configs/engine.schema.json": engine.read_text(encoding="utf-8")}
    shipped = {"targets": folders.target_files(), "overlays": folders.overlay_files()}
    for folder, found in shipped.items():
        for path in found.values():
            text = path.read_text(encoding="utf-8")
            files[CHART / folder / path.name] = text.replace("=../schema/", "=../", 1)
    for name in shipped["targets"]:
        files[CHART / "ci" / f"{name}-values.yaml"] = f"{SCHEMA}target: {name}\n"
    defaults = (ROOT / CHART / "defaults.yaml").read_text(encoding="utf-8")
    head = HEAD.format(**{key: _wrapped(list(found)) for key, found in shipped.items()})
    files[CHART / "values.yaml"] = f"{head}\n{commented(defaults)}"
    return files


def commented(text: str) -> str:
    """A YAML file below its head with every line that sets something turned into a comment.

    Comments at the top stay as they are; those below a key are part of what it may become.
    """
    body = text.partition("\n\n")[2]
    return "".join(
        line if line.startswith(("#", "\n")) else f"#{line}"
        for line in body.splitlines(keepends=True)
    )


def _wrapped(names: list[str]) -> str:
    """Names with commas between them, on lines that are comments."""
    lines, line = [], ""
    for name in names:
        word = name if name == names[-1] else f"{name}, "
        if len(line) + len(word) > 80:
            lines.append(line.rstrip())
            line = ""
        line += word
    return "\n#   ".join([*lines, line])
