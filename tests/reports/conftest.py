from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reports.made_runs import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store; `add` writes a run of one more night."""
    return Store(tmp_path / ".benchmarks")


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what the tests read out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
