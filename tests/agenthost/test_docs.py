"""The page about hosted agents says what is so."""

from __future__ import annotations

import re

import pytest

from railbird.agenthost.fallback import Fallback
from railbird.agenthost.house import STYLES
from railbird.agenthost.knowledge.prompt import PROMPT_VERSION
from railbird.agenthost.knowledge.sources import MOST_HANDS
from railbird.agenthost.plugins import GROUP, MOST_WAITING
from tests.conftest import ROOT

PAGE = (ROOT / "docs/hosted-agents.md").read_text()


def test_the_prompt_on_the_page_is_the_one_that_is_sent() -> None:
    golden = (ROOT / f"tests/agenthost/knowledge/golden/prompt-{PROMPT_VERSION}-compact.txt").read_text()
    shown = "\n".join(f"    {line}".rstrip() for line in golden.split("\n"))
    assert f"\n\n{shown}\n\n" in PAGE


def test_the_page_names_every_reason_and_no_other() -> None:
    (sentence,) = re.findall(r"Reasons without a decision: (.*?)\n\n", PAGE, re.DOTALL)
    assert sorted(re.findall(r"`(\w+)`", sentence)) == sorted(reason.value for reason in Fallback)


@pytest.mark.parametrize(
    "said", [*(f"`{name}`" for name in STYLES), GROUP, "the last twenty hands", "a thousand events"]
)
def test_the_page_names_the_styles_the_group_and_the_bounds(said: str) -> None:
    assert said in PAGE and (MOST_HANDS, MOST_WAITING) == (20, 1_000)
