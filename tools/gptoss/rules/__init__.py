"""The rules, a folder a family; importing this package declares them all."""

from importlib import import_module
from pathlib import Path

_HERE = Path(__file__).parent

for _found in sorted(_HERE.glob("*/**/[!_]*.py")):
    import_module(".".join((__name__, *_found.relative_to(_HERE).with_suffix("").parts)))
