"""Words of rendered scripts: quoted by the rules of the shell, with the script's own variables."""

from __future__ import annotations

import re
import shlex

from gptoss.rendering.beside import ARTIFACTS, SCRIPTS

# Where the script's own clients find the frontend or server.
ADDRESS = "http://127.0.0.1:$HTTP_PORT"
# Flags that say where a frontend or server listens, and what the script gives them.
LISTENING = {"host": "$HTTP_HOST", "port": "$HTTP_PORT"}
# Whether the benchmark's tokenizer must be in the cache already; the caller may say otherwise.
OFFLINE = "HF_HUB_OFFLINE"
ENGINE = "/etc/gpt-oss/engine"
SCORES = "/accuracy"
# Folders of the chart's pods, and what the script calls them.
FOLDERS = {
    "/opt/models": "$HF_HOME",
    ENGINE: "$here/engine",
    SCRIPTS: "$here/scripts",
    ARTIFACTS: "$PWD/results",
    SCORES: "$PWD/accuracy",
}


def word(text: str) -> str:
    """A word as the shell takes it, with the folders of the pods as variables of the script."""
    if text in (ADDRESS, f"{ADDRESS}/v1", f"${OFFLINE}", *LISTENING.values()):
        return f'"{text}"'
    for folder, variable in FOLDERS.items():
        if text == folder or text.startswith(f"{folder}/"):
            return f'"{variable}{_escaped(text[len(folder) :])}"'
    return shlex.quote(text)


def delimiter(text: str) -> str:
    """What ends a here-document: no line of its text."""
    found = "END_OF_FILE"
    while found in text.splitlines():
        found += "_"
    return found


def _escaped(text: str) -> str:
    """A text between double quotes."""
    return re.sub(r'([\\$`"])', r"\\\1", text)
