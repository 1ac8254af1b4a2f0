"""The type of vectors of texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One row per text (or a single vector), each of length 1: a product of rows is their cosine."""
