import json

from sweep.cases import Absent
from sweep.nodes import leaves, node_at, put

POD = {
    "labels": {"app.kubernetes.io/name": "gpt-oss"},
    "containers": [{"name": "main", "args": ["run", "--port", "8000", "--quiet"]}],
    "volumes": [{"name": "home", "emptyDir": {}}],
    "command": ["sleep", "1"],
}
LEAVES = {
    "labels.[app.kubernetes.io/name]": "gpt-oss",
    "containers.main.args.--port": "8000",
    "containers.main.args.--quiet": True,
    "volumes.home.emptyDir": {},
    "command": ["sleep", "1"],
}


def test_every_key_of_a_pod_is_a_path_through_names_and_flags() -> None:
    assert dict(leaves(POD)) == LEAVES


def test_a_key_is_set_where_it_stands_and_nothing_else_changes() -> None:
    for key in LEAVES:
        changed: dict[str, object] = {**_copy(POD)}
        put(changed, key, "new")
        assert dict(leaves(changed)) == {**LEAVES, key: "new"}


def test_a_key_is_taken_away() -> None:
    for key in ("labels.[app.kubernetes.io/name]", "containers.main.args.--port", "command"):
        changed = _copy(POD)
        put(changed, key, Absent)
        assert key not in dict(leaves(changed))


def test_maps_on_the_way_to_a_new_key_are_made() -> None:
    changed = _copy(POD)
    put(changed, "containers.main.env.HOME.value", "/home")
    assert node_at(changed, "containers.main.env") == {"HOME": {"value": "/home"}}


def _copy(node: object) -> dict[str, object]:
    return dict(json.loads(json.dumps(node)))
