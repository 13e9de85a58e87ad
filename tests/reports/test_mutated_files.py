"""Whatever is done to valid files, each is used or named, and nothing else than an exit code comes of it."""

import contextlib
import copy
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from reports import load_runs
from reports.cli import main
from tests.reports.made_runs import FIRST_NIGHT, Store, fullname, made_benchmark, made_document

DOCUMENT = made_document(
    [
        made_benchmark(
            "cpu-mlp-batch32-logeach",
            0.001,
            params={"device": "cpu", "model": "mlp", "batch_size": 32, "log_interval": 1},
            extra_info={
                "unit": "step", "samples_per_unit": 32, "flags": ["noisy"], "counts": {"ops": 9}, "accuracy": 0.9,
                "peak_memory_bytes": 100, "warmup_steps": 5,
            },
        ),
        made_benchmark(
            "cpu-warm-epochs5-nolog",
            0.5,
            params={"device": "cpu"},
            extra_info={
                "unit": "lesson",
                "lesson": {"name": "iris", "start": "cold", "epochs": 5, "start_up_time_s": 1.0},
            },
        ),
    ],
    FIRST_NIGHT,
    session="night-00",
    cases={fullname("cuda-mlp-batch32-nolog"): {"outcome": "skipped", "reason": "no CUDA"}},
)  # fmt: skip

QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
"""Each example judges a store: shrinking one that fails would take many minutes, and it is small already."""

odd_numbers = st.sampled_from([0, -1, 1, 1e308, -1e-320, 10**30, 2**63, float("nan"), float("inf"), -float("inf")])
odd_words = st.text(max_size=8) | st.sampled_from(["\ud800", "=1", "`|<b>", "\x1b[2J", "never", "cpu", "2026-01-01"])
odd_values = st.recursive(
    st.none() | st.booleans() | odd_numbers | odd_words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_words, inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401
    """Return the path of every value in a JSON document, but the document itself."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    found = [(*path, key) for key in keys]
    return found + [deeper for key in keys for deeper in places(value[key], (*path, key))]


PLACES = [place for place in places(DOCUMENT) if "data" not in place or place[-1] in {"data", 0}]
changes = st.lists(
    st.tuples(st.sampled_from(PLACES), st.just("delete") | odd_values.map(lambda value: [value])), max_size=3
)


def mutated(wanted: list[tuple[tuple[Any, ...], Any]]) -> str:
    document = copy.deepcopy(DOCUMENT)
    for (*parents, last), change in wanted:
        target = document
        try:
            for key in parents:
                target = target[key]
            if change == "delete":
                del target[last]
            else:
                target[last] = change[0]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    return json.dumps(document)


def judged(*texts: str) -> int:
    """Judge these files and a good one; return how many of the files are used or named."""
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store")
        store.add({"cpu-mlp-batch32-logeach": 0.001})
        for place, text in enumerate(texts):
            store.write_text(f"mutated{place}.json", text)
        with contextlib.redirect_stderr(said):
            code = main(["judge", str(store.folder), "--output", f"{folder}/report"])
        runs = load_runs(store.folder)
        assert code in {0, 1, 2}
        assert "error of our own" not in said.getvalue()
        return len(runs.files) + len(runs.skipped) + len(runs.duplicates)


@settings(max_examples=12, deadline=None, phases=QUICK, suppress_health_check=[HealthCheck.too_slow])
@given(changes, changes)
def test_changed_values_never_cause_a_traceback(
    one: list[tuple[tuple[Any, ...], Any]], other: list[tuple[tuple[Any, ...], Any]]
) -> None:
    assert judged(mutated(one), mutated(other)) == 3


@settings(max_examples=10, deadline=None, phases=QUICK)
@given(st.integers(0, 4000), st.binary(max_size=4), st.integers(0, 4))
def test_changed_bytes_never_cause_a_traceback(at: int, inserted: bytes, removed: int) -> None:
    content = json.dumps(DOCUMENT).encode()
    damaged = content[:at] + inserted + content[at + removed :]

    assert judged(damaged.decode("utf-8", "surrogateescape")) == 2


@pytest.mark.slow
@settings(max_examples=50, deadline=None, phases=QUICK, suppress_health_check=[HealthCheck.too_slow])
@given(changes, changes)
def test_many_more_changed_values_never_do_either(
    one: list[tuple[tuple[Any, ...], Any]], other: list[tuple[tuple[Any, ...], Any]]
) -> None:
    assert judged(mutated(one), mutated(other)) == 3
