"""What a sentence of talk is, in Korean and English: a question, an order, a number, a day, said to whom."""
