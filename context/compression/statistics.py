"""What compression came to, under the seed's names (seed 002 §7.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class CompressionStatistics:
    """Counts since the compressor was made."""

    total_compressions: int = 0
    successful_compressions: int = 0
    """Those that made something shorter."""
    total_tokens_saved: int = 0
    _ratios: float = 0.0
    _time_ms: float = 0.0

    def count(self, tokens_before: int, tokens_after: int, took_ms: float) -> None:
        """A compression ended."""
        self.total_compressions += 1
        self.successful_compressions += tokens_after < tokens_before
        self.total_tokens_saved += tokens_before - tokens_after
        self._ratios += tokens_after / tokens_before if tokens_before else 1.0
        self._time_ms += took_ms

    @property
    def avg_compression_ratio(self) -> float:
        """Tokens after over tokens before, on average; 1 before the first."""
        return self._ratios / self.total_compressions if self.total_compressions else 1.0

    @property
    def avg_compression_time_ms(self) -> float:
        """On average; 0 before the first."""
        return self._time_ms / self.total_compressions if self.total_compressions else 0.0

    def as_dict(self) -> dict[str, Any]:
        """The seed's five."""
        return {
            "total_compressions": self.total_compressions,
            "successful_compressions": self.successful_compressions,
            "avg_compression_ratio": self.avg_compression_ratio,
            "avg_compression_time_ms": self.avg_compression_time_ms,
            "total_tokens_saved": self.total_tokens_saved,
        }
