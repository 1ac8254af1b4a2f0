"""Passages made shorter for a question: by extraction, by a model whose words are checked, or by both."""

from context.compression.abstracting import Abstract
from context.compression.compressor import Compression, ContextCompressor
from context.compression.statistics import CompressionStatistics
from context.compression.weights import WEIGHTS, weights

__all__ = ["WEIGHTS", "Abstract", "Compression", "CompressionStatistics", "ContextCompressor", "weights"]
