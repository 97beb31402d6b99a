"""The table at the end of a run."""

from tests.cluster.proven import table


def test_the_table_ticks_what_was_proven_of_a_target_and_by_whom() -> None:
    proven = {("b", "Helm 3", "install"), ("a", "Helm 4", "no drift"), ("a", "Argo CD", "install")}
    heads = [
        f"{'':24}{'Helm 3':36}{'Helm 4':36}Argo CD",
        f"{'':24}" + "install  upgrade  rollback no drift " * 2 + "install  upgrade  no drift",
    ]
    lines = table(proven).splitlines()
    assert lines[:2] == heads
    assert [line.split() for line in lines[2:]] == [
        ["a", *"–––––––✓✓––"],
        ["b", *"✓––––––––––"],
    ]
    assert max(map(len, lines)) <= 130
