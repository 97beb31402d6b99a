"""The table of CUDA and driver by release."""

from __future__ import annotations

from gptoss.facts.world import Facts

UNKNOWN = "not published"


def driver_table() -> str:
    """Releases with their TensorRT-LLM, CUDA and driver, as a table of Markdown."""
    rows = ["| Dynamo | TensorRT-LLM | CUDA | driver |", "|---|---|---|---|"]
    for release in Facts().releases.values():
        driver = f"{release.driver} or newer" if release.driver else UNKNOWN
        cuda = release.cuda or UNKNOWN
        rows.append(f"| {release.version} | {release.trtllm} | {cuda} | {driver} |")
    return "\n".join(rows)
