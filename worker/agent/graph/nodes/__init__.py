"""The steps of an answer, one a file: `async def step(state, run) -> changes of the state`."""
