"""Properties have no deadline: a busy machine is no fault of an agent host. Times are measured by benchmarks."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
