"""Both languages of a meeting: a test that takes `language` runs once in each."""

from __future__ import annotations

import pytest

BOTH = pytest.mark.parametrize("language", ["ko", "en"])
