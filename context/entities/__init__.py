"""What a text names, by kind: people, dates, amounts, decisions, actions; and what consultations name."""
