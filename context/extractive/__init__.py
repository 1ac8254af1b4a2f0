"""Summaries and answers without a model: everything said is a quote of somebody in the meeting."""

from context.extractive.fold import summarise

__all__ = ["summarise"]
