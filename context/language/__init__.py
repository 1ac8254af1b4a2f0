"""Readings of Korean and English by closed lists: questions, orders, numbers, days, and who is spoken to."""
