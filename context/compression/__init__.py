"""Passages made shorter for a question: by extraction, by a model whose words are checked, or by both."""

from context.compression.compressor import Abstract, Compression, ContextCompressor
from context.compression.weights import WEIGHTS, CompressionStatistics, weights

__all__ = ["WEIGHTS", "Abstract", "Compression", "CompressionStatistics", "ContextCompressor", "weights"]
