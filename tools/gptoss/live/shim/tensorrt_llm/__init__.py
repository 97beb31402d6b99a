"""A simulated TensorRT-LLM: the engine below Dynamo's own worker, without GPUs or weights.

``python3 -m dynamo.trtllm`` of every release runs unchanged on top of it: its arguments, its
handlers, its registration and its shutdown are the real ones. Only what a GPU would do is played.
"""

from __future__ import annotations

from .llm_types import MODULES
from .simulated_engine import LLM
from .stand_in_modules import install

__version__ = "0.simulated"

MultimodalEncoder = BaseLLM = LLM

install(
    __name__,
    MODULES
    | {
        "llmapi.llm": MODULES["llmapi.llm"] | {"LLM": LLM, "BaseLLM": LLM},
    },
)
# For images, video and transfers: imported by every worker, used by none that answers text.
for missing in ("PIL", "av", "blake3", "cupy", "httpx", "imageio", "nixl"):
    install(missing, {})
