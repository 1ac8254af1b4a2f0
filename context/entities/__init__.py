"""The entities that a text names: people, dates, amounts, decisions, actions; and medical ones."""
