"""What was heard of an answer so far: its text, its reasoning beside it, how it ended, what it used. It trusts no field to be there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MOST_TOKENS: Final = 1_000_000_000


@dataclass(slots=True)
class Heard:
    """`finish_reason`: the provider's word. `fault`: an error that was told inside an answer. `events`: how many made sense."""

    events: int = 0
    finish_reason: str | None = None
    fault: object | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    _content: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)

    def say(self, text: object) -> None:
        """More of the answer. What is no text is not part of it."""
        if isinstance(text, str):
            self._content.append(text)

    def reason(self, text: object) -> None:
        """More of the reasoning, which is no part of the answer."""
        if isinstance(text, str):
            self._reasoning.append(text)

    def finish(self, word: object) -> None:
        """The provider says that the answer is over."""
        if isinstance(word, str) and word:
            self.finish_reason = word[:64]

    def use(self, input_tokens: object, output_tokens: object) -> None:
        """What a usage report says; the last one counts, and a number that is none is unknown."""
        self.input_tokens = _tokens(input_tokens, self.input_tokens)
        self.output_tokens = _tokens(output_tokens, self.output_tokens)

    @property
    def completion(self) -> str | None:
        """The answer's text, with lone surrogates and NUL; `None` where no text came, an empty one too."""
        return _whole("".join(self._content)) or None

    @property
    def reasoning(self) -> str:
        """The reasoning's text."""
        return _whole("".join(self._reasoning))


def _tokens(given: object, known: int | None) -> int | None:
    fits = isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= MOST_TOKENS
    return given if fits and isinstance(given, int) else known


def _whole(text: str) -> str:
    """Halves of a character that came in two events are joined; a half without its other one stays."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text
