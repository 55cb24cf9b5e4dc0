"""`railbird host AGENTS.toml`."""

from __future__ import annotations

from pathlib import Path

from railbird.agenthost.file.agents import read_agents_file
from railbird.agenthost.file.toml import Wrong
from railbird.commands.answer import ConfigFile, UsedWrongly, settings
from railbird.config import variables_named
from railbird.logs import configure_logs


def host(agents: Path, *, config: ConfigFile = None) -> int:
    """Play the agents of a file against a server, and what owners deploy there; until SIGTERM or Ctrl-C.

    Parameters
    ----------
    agents
        The file, as examples/agents.toml.
    """
    from railbird.hosting.prepare import Wanted
    from railbird.hosting.run import run_host

    wanted = settings(config)
    try:
        file = read_agents_file(agents, variables_named)
    except Wrong as wrong:
        raise UsedWrongly(str(wrong)) from None
    configure_logs(level=wanted.server.log_level)
    named = [entry.key_env for entry in file.models.values()] + [agent.token_env for agent in file.agents]
    given = variables_named([variable for variable in named if variable is not None])
    return run_host(Wanted(wanted, file, agents.name, given))
