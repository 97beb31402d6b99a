"""Stands before Dynamo's own ``dynamo.trtllm``: only ``python3 -m dynamo.trtllm`` is another."""

import pkgutil

__path__ = pkgutil.extend_path(__path__, __name__)

from dynamo.trtllm._version import __version__ as __version__
