"""A stand-in for PyTorch: what Dynamo's worker imports of it and, without images, never calls."""

from __future__ import annotations

import os
import sys
from types import ModuleType


class Named(type):
    """A class whose attributes are such classes themselves, so that annotations can be read."""

    def __getattr__(cls, name: str) -> Named:
        if name.startswith("__"):
            raise AttributeError(name)
        made = Named(name, (), {})
        setattr(cls, name, made)
        return made


def device_count() -> int:
    """GPUs that the launch script gives this worker."""
    return len([gpu for gpu in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if gpu])


def __getattr__(name: str) -> Named:
    if name.startswith("__"):
        raise AttributeError(name)
    made = Named(name, (), {})
    globals()[name] = made
    return made


cuda = ModuleType("torch.cuda")
vars(cuda).update(device_count=device_count, is_available=lambda: False, empty_cache=lambda: None)
sys.modules["torch.cuda"] = cuda
