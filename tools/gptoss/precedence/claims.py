"""Claims on engine settings, laid one layer over the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.deployment.settings import Claim, Layer, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gptoss.command_lines.arguments import Arguments
    from gptoss.facts.world import Facts
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree


# Free keys too, but what is known of them replaces settings of the root.
BUILD_CONFIG = "build_config"


class Book:
    """Claims by key, weakest first, and claims that were lost.

    Args:
        replaced: Blocks that a layer replaces as a whole when it sets anything in them.
    """

    def __init__(self, replaced: Mapping[Layer, Sequence[str]]) -> None:
        self._replaced = replaced
        self._claims: dict[str, list[Claim]] = {}
        self._lost: dict[str, list[Claim]] = {}

    def lay(self, claims: Iterable[tuple[str, Claim]]) -> None:
        """Adds the claims of the next stronger layer."""
        stronger = list(claims)
        again = {key for key, _ in stronger}
        for key, claim in stronger:
            self._displace(key, claim.layer, again)
        for key, claim in stronger:
            self._claims.setdefault(key, []).append(claim)

    def replaces(self, block: str) -> bool:
        """Whether engine YAML or override set anything in a block."""
        return any(
            claim.layer >= Layer.ENGINE
            for key, claims in self._claims.items()
            if _inside(key, block)
            for claim in claims
        )

    def settings(self, home: Place, defaults: Mapping[str, Any]) -> dict[str, Setting]:
        """The settings that anybody claims.

        Args:
            home: Where to point when a claim was lost and nobody else sets the key.
            defaults: The value of each key that nobody sets.
        """
        return {
            key: Setting(
                key, tuple(claims), home, defaults.get(key), tuple(self._lost.get(key, ()))
            )
            for key, claims in self._claims.items()
        }

    def _displace(self, key: str, by: Layer, again: set[str]) -> None:
        """Moves claims to the lost ones that a stronger one replaces along with their block.

        Keys that the stronger layer sets too are beaten, not lost.
        """
        block = key.partition(".")[0]
        blocks = self._replaced.get(by, ())
        for other, claims in self._claims.items():
            hit = block in blocks and _inside(other, block)
            if other not in again and (hit or _inside(other, key) or _inside(key, other)):
                self._lost.setdefault(other, []).extend(claims)
                claims.clear()


def engine_claims(
    engine: Tree | None, facts: Facts, locate: Callable[[str, Place], Place]
) -> Iterator[tuple[str, Claim]]:
    """The claims of an engine YAML.

    Args:
        engine: Its root; None when there is none.
        facts: Which blocks have free keys.
        locate: Gives the place to show for a dotted key and its place in the engine YAML.
    """
    for key, leaf in _leaves(engine, facts) if engine else ():
        yield key, Claim(Layer.ENGINE, key, leaf.plain(), locate(key, leaf.where))


def flag_claims(arguments: Arguments) -> Iterator[tuple[str, Claim]]:
    """The claims of flags that the command line gives."""
    for given in arguments.given:
        value = not given.value if given.flag.inverted else given.value
        for key in given.flag.engine:
            yield key, Claim(Layer.FLAG, given.spelling, value, given.at.place)


def _inside(key: str, block: str) -> bool:
    return key == block or key.startswith(f"{block}.")


def _leaves(tree: Tree, facts: Facts, path: str = "") -> Iterator[tuple[str, Tree]]:
    """Dotted keys of the engine YAML: lists, empty blocks and maps with free keys are leaves."""
    for name, value in tree.items():
        key = f"{path}.{name}" if path else name
        if value.is_map and value.value and not _has_free_keys(key, facts):
            yield from _leaves(value, facts, key)
        else:
            yield key, value


def _has_free_keys(key: str, facts: Facts) -> bool:
    field = facts.engine_fields.get(key, {})
    return (bool(field.get("open")) and key != BUILD_CONFIG) or "map" in str(field.get("type"))
