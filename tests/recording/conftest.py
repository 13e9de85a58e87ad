from pathlib import Path

import pytest

from tests.recording.tiny_suite import TinySuite


@pytest.fixture
def tiny(tmp_path: Path) -> TinySuite:
    """Tiny cases of their own, whose store is empty."""
    return TinySuite(tmp_path)
