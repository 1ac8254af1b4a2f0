def add_arguments(parser):
    parser.add_argument("--count", type=int, default=1)


async def run(args):
    raise SystemExit("not yet")
