"""Out of memory: how much was missing, what would fit, and a next case that finds everything released."""

from __future__ import annotations

import pytest
import torch

from fixtures.memory import free_bytes
from fixtures.shortage import Shortage, advice, shortage_of, size
from tests.recording.tiny_suite import TinySuite, outcomes, reasons, results

GIB, MIB = 1 << 30, 1 << 20
CUDA = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 1.50 GiB is free. "
    "Process 12 has 6.50 GiB memory in use. Of the allocated memory 6.00 GiB is allocated by PyTorch, and 100.00 MiB "
    "is reserved by PyTorch but unallocated."
)


@pytest.mark.parametrize(
    ("error", "shortage"),
    [
        (torch.OutOfMemoryError(CUDA), Shortage(2 * GIB, 3 * GIB // 2, 6 * GIB, on_host=False)),
        (
            torch.OutOfMemoryError("XPU out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity"),
            Shortage(512 * MIB, None, None, on_host=False),
        ),
        (
            RuntimeError("MPS backend out of memory (MPS allocated: 8.00 GB). Tried to allocate 500.00 MB on pool."),
            Shortage(500 * MIB, None, None, on_host=False),
        ),
        (RuntimeError("CUDA error: out of memory"), Shortage(None, None, None, on_host=False)),
        (
            RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
            Shortage(None, None, None, on_host=False),
        ),
        (
            RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes. Error code 12"),
            Shortage(4096, None, None, on_host=True),
        ),
        (
            RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 4096 bytes."),
            Shortage(4096, None, None, on_host=True),
        ),
        (MemoryError(), Shortage(None, None, None, on_host=True)),
        (
            MemoryError("Unable to allocate 1.50 KiB for an array with shape (192,) and data type float64"),
            Shortage(1536, None, None, on_host=True),
        ),
        (
            pytest.fail.Exception("the cold launch ended with exit code 1: torch.OutOfMemoryError: " + CUDA),
            Shortage(2 * GIB, 3 * GIB // 2, 6 * GIB, on_host=False),
        ),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), None),
        (ValueError("out of memory"), None),
        (pytest.fail.Exception("did not train"), None),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, BaseException) else "",
)
def test_an_errors_text_tells_what_was_asked_for_and_free(error: BaseException, shortage: Shortage | None) -> None:
    assert shortage_of(error) == shortage


def test_a_real_allocation_that_cannot_be_met_is_understood() -> None:
    with pytest.raises(RuntimeError) as error:
        torch.empty(1 << 52, dtype=torch.float32)

    shortage = shortage_of(error.value)

    assert shortage == Shortage(1 << 54, None, None, on_host=True)
    assert str(shortage) == "out of memory on the host: asked for 16 PiB"


@pytest.mark.parametrize(
    ("asked", "free", "held", "said"),
    [
        # 6 held and 2 asked for make 8 for batch 512; 6 and 1 free make 7: 7/8 of 512 are 448
        (2 * GIB, GIB, 6 * GIB, "in proportion batch 128 of cnn fits, or gradients accumulated over 4 steps of it"),
        # 4 asked for, 1 free: a quarter of 512 is exactly 128
        (4 * GIB, GIB, None, "in proportion batch 128 of cnn fits, or gradients accumulated over 4 steps of it"),
        # a hundredth of 512 is 5, below the smallest batch there is: 512 / 5 rounds up to 103
        (
            100 * GIB,
            GIB,
            None,
            "in proportion no listed batch of cnn fits, gradients accumulated over 103 steps of 5 do",
        ),
        (
            1024 * GIB,
            GIB,
            None,
            "in proportion not one sample of cnn fits: it needs a smaller model or more memory",
        ),
        # free but in pieces: no share below one to go by
        (GIB, 2 * GIB, None, "try batch 128 of cnn"),
        (None, None, None, "try batch 128 of cnn"),
        (GIB, None, None, "try batch 128 of cnn"),
    ],
)
def test_what_fits_is_worked_out_in_proportion(
    asked: int | None, free: int | None, held: int | None, said: str
) -> None:
    assert advice(Shortage(asked, free, held, on_host=False), "cnn", 512, [32, 128, 512, 5000]) == said


def test_without_a_smaller_batch_accumulation_is_left() -> None:
    nothing_known = Shortage(None, None, None, on_host=False)

    assert advice(nothing_known, "cnn", 32, [32, 128]) == "try a smaller batch of cnn, accumulated"


@pytest.mark.parametrize(
    ("bytes_", "words"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536 * MIB, "1.5 GiB"), (1 << 50, "1 PiB")],
)
def test_sizes_are_read_as_people_write_them(bytes_: int, words: str) -> None:
    assert size(bytes_) == words


def test_what_is_free_on_the_host_is_never_more_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fixtures.memory.quota", lambda: {"memory_limit_bytes": 7})
    assert free_bytes(on_host=True) == 7

    monkeypatch.setattr("fixtures.memory.quota", lambda: {"memory_limit_bytes": None})
    assert (free_bytes(on_host=True) or 0) > MIB


def test_where_no_accelerator_tells_what_is_free_nothing_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> tuple[int, int]:
        raise RuntimeError("no accelerator")

    monkeypatch.setattr(torch.accelerator, "get_memory_info", refuse)

    assert free_bytes(on_host=False) is None


OF_A_MODEL = """
    import sys, weakref
    from types import SimpleNamespace
    import pytest
    from fixtures.timing import Plan, timed_rounds

    ALIVE = []
    # In place of the registry and the data, which import torch.
    ROW = SimpleNamespace(workloads=[SimpleNamespace(batch_size=size) for size in (32, 128, 512)], data=None)
    sys.modules["training.registry"] = SimpleNamespace(MODELS={"mnist-cnn": ROW})
    sys.modules["training.data"] = SimpleNamespace(handwriting="handwriting")

    class Batch(list):
        '''Stands for what lies on the device.'''

    class OutOfMemoryError(RuntimeError):
        '''Stands for torch's.'''

    @pytest.fixture
    def nothing_left_behind():
        assert [kept for kept in ALIVE if kept() is not None] == []

    @pytest.mark.parametrize("place", ["fixture", "body", "round", "after"])
    @pytest.mark.parametrize(("model", "batch_size"), [("mnist-cnn", 512)])
    def bench_big(nothing_left_behind, benchmark, trained, model, batch_size, place):
        kept = trained("body")
        timed_rounds(benchmark, lambda: trained("round"), Plan(2, 1, "budget"))

    @pytest.fixture
    def trained(place):
        def step(here):
            batch = Batch()
            batch.append(batch)  # a cycle, as a network and its hooks make
            ALIVE.append(weakref.ref(batch))
            if place == here:
                raise OutOfMemoryError("CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of "
                                       "8.00 GiB of which 1.00 GiB is free.")
            return batch
        step("fixture")
        return step

    def test_the_last_error_is_forgotten():
        assert not hasattr(sys, "last_value")
"""


def test_a_case_out_of_memory_fails_alone_says_what_fits_and_leaves_nothing_behind(tiny: TinySuite) -> None:
    (tiny.folder / "bench_tiny.py").unlink()
    tiny.write("bench_big.py", OF_A_MODEL)

    ended = tiny.run(None)

    assert ended.code == 1
    assert list(outcomes(ended.run).values()) == ["failed", "failed", "failed", "passed"]
    assert "2 passed" in ended.said
    assert len(results(ended.run)) == 1
    said = (
        "out of memory on the device: asked for 4 GiB, 1 GiB free; "
        "in proportion batch 128 of mnist-cnn fits, or gradients accumulated over 4 steps of it"
    )
    assert list(reasons(ended.run).values()) == [said, said, said, ""]
    assert "FAILED bench_big.py" in ended.said
    assert "OutOfMemoryError" in ended.said
