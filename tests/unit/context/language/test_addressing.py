"""The agent hears its name however it is garbled, and leaves alone what is said to others."""

from __future__ import annotations

from context.language.addressing import ChatMode, chat_line, for_agent, without_wake_word
from context.language.commands import command_in
from tests.unit.cases import cases

WAKE = ("모임", "Moim")
NAMES = ("김민지", "박준호", "Ben Carter", "Alice Moreau")


@cases
def test_the_wake_word_is_heard_and_taken_off(text: str, rest: str) -> None:
    assert without_wake_word(text, WAKE) == rest


@cases
def test_what_only_looks_like_the_wake_word_is_not(text: str) -> None:
    assert without_wake_word(text, WAKE) is None


@cases
def test_chat_for_the_agent(text: str) -> None:
    assert for_agent(chat_line(text, WAKE), participant_names=NAMES)


@cases
def test_chat_for_somebody_else_or_nobody(text: str) -> None:
    assert not for_agent(chat_line(text, WAKE), participant_names=NAMES)


@cases
def test_modes(mode: ChatMode, text: str, taken: bool) -> None:
    assert for_agent(chat_line(text, WAKE), mode=mode, participant_names=NAMES) is taken


@cases
def test_commands(text: str, name: str) -> None:
    command = command_in(text)
    assert command is not None
    assert command.name == name


@cases
def test_no_commands(text: str) -> None:
    assert command_in(text) is None


def test_me_keeps_its_question_and_words_need_an_address() -> None:
    command = command_in("/me 출시일은?")
    assert command is not None
    assert (command.name, command.rest) == ("me", "출시일은?")
    assert command_in("stop listening", addressed=False) is None
