"""The table at the end of a run."""

from tests.cluster.proven import table


def test_the_table_ticks_what_was_proven_of_a_target_and_by_whom() -> None:
    proven = {("b", "Helm 3", "install"), ("a", "Helm 4", "no drift"), ("a", "Argo CD", "install")}
    lines = table(proven).splitlines()
    assert lines == [
        "in each column: install, upgrade, rollback, no drift",
        f"{'':24}Helm 3      Helm 4      Argo CD",
        f"{'a':24}– – – –     – – – ✓     ✓ – – –",
        f"{'b':24}✓ – – –     – – – –     – – – –",
    ]
