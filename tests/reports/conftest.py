from pathlib import Path

import pytest
from made_runs import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store; `add` writes a run of one more night."""
    return Store(tmp_path / ".benchmarks")
