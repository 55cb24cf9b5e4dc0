"""Chance plays: a Hypothesis state machine that writes a script by its rules, and plays it in twin worlds when it is done.

Played at the end, since only then is it known which cards stayed hidden.
"""

from __future__ import annotations

from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from policy.spectator_policy import CLOSED
from tests.leaks import script
from tests.leaks.cast import AGENTS
from tests.leaks.script import Action
from tests.leaks.tours import SETTINGS, focus_of
from tests.leaks.twins import Tally, Twins
from tests.leaks.world import Setting

_AGENT = st.sampled_from(AGENTS)
_OWNER = st.sampled_from([f"owner-{agent}" for agent in AGENTS])
_WATCHER = st.sampled_from(["crowd", "sid", "eve", "noone", "owner-eve", *(f"owner-{agent}" for agent in AGENTS)])
_ANYBODY = st.sampled_from(["pat", "crowd", "sid", "eve", "owner-eve", *AGENTS, *(f"owner-{a}" for a in AGENTS)])
_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12)


def machine(tally: Tally, template: Path) -> type[RuleBasedStateMachine]:
    """The machine's class, for worlds from this template."""

    class Twin(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.setting: Setting | None = None
            self.seed, self.focus = 0, ""
            self.actions: list[Action] = []

        @initialize(setting=st.sampled_from(SETTINGS), seed=st.integers(0, 10_000), focus=st.integers(0, 5))
        def open(self, setting: Setting, seed: int, focus: int) -> None:
            self.setting, self.seed, self.focus = setting, seed, focus_of(setting)[focus]
            self.actions = [script.Watch(self.focus), *(script.Sit(who) for who in setting.players)]

        def teardown(self) -> None:
            if self.setting is not None:
                last = [script.Read(self.focus)]
                Twins(self.setting, self.seed, tally, template).check([*self.actions, *last], [self.focus])

        @rule(choice=st.integers(0, 3), size=st.integers(0, 9))
        def act(self, choice: int, size: int) -> None:
            self.actions.append(script.Act(choice, size))

        @rule()
        def play_on(self) -> None:
            self.actions.append(script.PlayOn())

        @rule(text=_WORDS)
        def think(self, text: str) -> None:
            self.actions.append(script.Think(text))

        @rule(text=_WORDS)
        def decide(self, text: str) -> None:
            self.actions.append(script.Decide(text))

        @rule(who=_ANYBODY, text=_WORDS)
        def chat(self, who: str, text: str) -> None:
            self.actions.append(script.Say(who, text))

        @rule(who=_OWNER, text=_WORDS)
        def note(self, who: str, text: str) -> None:
            self.actions.append(script.Note(who, text))

        @rule(by=_AGENT, at=_AGENT)
        def peek(self, by: str, at: str) -> None:
            self.actions.append(script.Peek(by, at))

        @rule(who=_AGENT)
        def show(self, who: str) -> None:
            self.actions.append(script.Show(who))

        @rule(who=_ANYBODY)
        def reconnect(self, who: str) -> None:
            self.actions.append(script.Reconnect(who))

        @rule(who=_ANYBODY, acts=st.integers(0, 3))
        def resume(self, who: str, acts: int) -> None:
            self.actions.append(script.Resume(who, acts))

        @rule(who=_WATCHER)
        def watch(self, who: str) -> None:
            self.actions += [script.Watch(who), script.Stream(who)]

        @rule(who=_WATCHER)
        def unwatch(self, who: str) -> None:
            self.actions.append(script.Unwatch(who))

        @rule(who=_OWNER, acts=st.integers(0, 3))
        def own(self, who: str, acts: int) -> None:
            self.actions += [script.Stream(who), script.ResumeStream(who, acts)]

        @rule(who=_WATCHER)
        def export(self, who: str) -> None:
            self.actions.append(script.Read(who))

        @rule(who=_ANYBODY)
        def err(self, who: str) -> None:
            self.actions.append(script.Err(who))

        @rule()
        def sell(self) -> None:
            self.actions.append(script.Sell())

        @rule()
        def reveal_off(self) -> None:
            self.actions.append(script.RevealOff(CLOSED))

        @rule(who=_AGENT, comes_back=st.booleans())
        def leave(self, who: str, comes_back: bool) -> None:
            self.actions.append(script.Leave(who))
            if comes_back:
                self.actions += [script.PlayOn(), script.Sit(who)]

        @rule()
        def time_out(self) -> None:
            self.actions.append(script.TimeOut())

        @rule(ms=st.sampled_from([1, 250, 2_000, 20_000]))
        def wait(self, ms: int) -> None:
            self.actions.append(script.Wait(ms))

        @rule()
        def crash(self) -> None:
            self.actions.append(script.Crash())

    return Twin


def run(tally: Tally, template: Path, *, examples: int, seed: int, steps: int = 25) -> None:
    """The same examples on every machine for one seed, and none kept from earlier runs. A failing one is told as it was found:
    to make it smaller takes longer than to find it.
    """
    fixed = settings(
        database=None,
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        phases=(Phase.generate,),
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(hypothesis.seed(seed)(machine(tally, template)), settings=fixed)
