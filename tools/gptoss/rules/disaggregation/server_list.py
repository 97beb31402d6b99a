"""Does trtllm-serve disaggregated take its list of servers?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import CONTAINERS, SERVE, Severity, rule

if TYPE_CHECKING:
    from gptoss.deployment.model import Problem


@rule(
    "D060",
    "servers-contradict-their-file",
    Severity.ERROR,
    runtimes=SERVE,
    reports="disaggregated-contradiction",
    hint="write it once: at the top where it is the same for both roles, else in each section",
)
def servers_contradict_their_file(problem: Problem) -> None:
    """A setting has one value at the top of the file and another for the servers of a role.

    What stands at the top holds for both roles. trtllm-serve disaggregated, and the workers that
    read the same file, stop where a section has another value.
    """


@rule(
    "D061",
    "servers-without-address",
    Severity.ERROR,
    runtimes=SERVE,
    reports="disaggregated-urls",
    hint="write one HOST:PORT a server under urls, and their number as num_instances",
)
def servers_without_address(problem: Problem) -> None:
    """The servers of a role are not as many as their addresses, or an address is none.

    num_instances counts the servers, 1 unless it is written, and urls has a host and a port for
    each, without http://. trtllm-serve disaggregated stops otherwise.
    """


@rule(
    "D062",
    "listed-server-not-there",
    Severity.ERROR,
    runtimes=SERVE,
    platforms=CONTAINERS,
    reports="disaggregated-not-started",
    hint="write the server's --port in the list, or the port of the list as its --port",
)
def listed_server_not_there(problem: Problem) -> None:
    """A server is listed at a port at which none of the servers there listens.

    trtllm-serve disaggregated waits until every listed server answers, and gives up after
    --server_start_timeout, 180 seconds unless it is written.
    """
