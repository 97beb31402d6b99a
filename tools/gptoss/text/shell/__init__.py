"""Reads ``sh -c`` scripts."""

from gptoss.text.shell.evaluation import read_script
from gptoss.text.shell.resolved import is_resolved, mentioned
from gptoss.text.shell.result import HereDocument, Script, Step

__all__ = ["HereDocument", "Script", "Step", "is_resolved", "mentioned", "read_script"]
