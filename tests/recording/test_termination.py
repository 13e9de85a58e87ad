"""Signals end a run in order, unless somebody else answers them."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from fixtures.termination import ENDING, ended_by_signals, undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")


@pytest.fixture(autouse=True)
def default_answers() -> Iterator[None]:
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    yield
    for number, answer in before.items():
        signal.signal(number, answer)


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_leaves_by_pytest_exit_with_its_code(name: str, code: int) -> None:
    with pytest.raises(pytest.exit.Exception) as left, ended_by_signals():
        os.kill(os.getpid(), getattr(signal, name))

    assert left.value.returncode == code
    assert left.value.msg == f"terminated ({name})"
    assert signal.getsignal(getattr(signal, name)) == signal.SIG_DFL


def test_what_somebody_else_answers_is_left_to_them() -> None:
    """As `nohup` has it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with ended_by_signals():
        os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


def test_saving_is_not_disturbed() -> None:
    with undisturbed():
        for number in ENDING:
            os.kill(os.getpid(), number)

    assert {signal.getsignal(number) for number in ENDING} == {signal.SIG_DFL}


def test_outside_the_main_thread_nothing_is_changed() -> None:
    done = []

    def run() -> None:
        with ended_by_signals():
            done.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()

    assert done == [signal.SIG_DFL]
