"""A trained scorer of where topics begin, from words, speakers and turn lengths; see `scorer`."""
