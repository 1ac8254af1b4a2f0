"""The seeds' names, row by row, and the running path that uses each: `docs/seeds.md` is written from here."""
