"""What a text names: the port of whatever finds it (`entity.Pack`), and a pack for each field.

`meeting` finds people, dates, amounts, decisions and actions. `medical` is a package of its own, which
only the bootstrap imports, and only where `MOIM_ENTITY_PACKS` names it.
"""
