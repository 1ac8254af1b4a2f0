"""MedCAT as the medical pack's finder of concepts (seed 002), where the extra `medical` is installed.

It works over the concept base that ships (built in memory, with MedCAT's regex tokenizer: no spaCy, no
download), or with a model pack of one's own. Korean is found by its spellings first: MedCAT's tokenizer
drops Hangul names, whatever their length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from context.packs.medical.concepts import ConceptFinder, by_spelling, concepts
from context.ports import Refused

_HANGUL: Final = re.compile(r"[가-힣]")
Found = tuple[int, int, str]
"""Where a concept stands in a text (first character, and the one behind its last), and its name."""


def medcat_finder(model_pack: Path | None = None) -> ConceptFinder:
    """Load MedCAT, which takes some seconds, and return a finder of the concepts of the medical pack.

    `model_pack`: a file of MedCAT's; None for the concept base that ships. Raises `Refused`.
    """
    try:
        from medcat.cat import CAT

        cat = CAT.load_model_pack(str(model_pack)) if model_pack else _built()
    except ImportError as error:
        raise Refused("MOIM_MEDICAL_CONCEPTS needs MedCAT: pip install 'moim[medical]'") from error
    except Exception as error:
        where = model_pack or "the concept base that ships"
        raise Refused(f"MOIM_MEDICAL_CONCEPTS: MedCAT could not load {where}: {error}") from error
    names = {concept.cui: concept.name for concept in concepts().values()}

    def find(text: str) -> Iterable[Found]:
        korean = [each for each in by_spelling(text) if _HANGUL.search(text[each[0] : each[1]])]
        english = [
            (entity["start"], entity["end"], names[entity["cui"]])
            for entity in cat.get_entities(text)["entities"].values()
            if entity["cui"] in names
        ]
        return _longest(korean + english)

    return find


def _longest(concepts: list[Found]) -> list[Found]:
    """Return what was found in order, without what lies within another (diabetes in type 2 diabetes)."""
    longest: list[Found] = []
    for concept in sorted(concepts, key=lambda one: (one[0] - one[1], one[0])):
        if not any(other[0] <= concept[0] and concept[1] <= other[1] for other in longest):
            longest.append(concept)
    return sorted(longest)


def _built() -> Any:
    import pandas as pd  # type: ignore[import-untyped] # its stubs are a package of their own
    from medcat.cat import CAT
    from medcat.config import Config
    from medcat.model_creation.cdb_maker import CDBMaker
    from medcat.vocab import Vocab

    rows = [
        {
            "cui": concept.cui,
            "name": name,
            "ontologies": "MOIM",
            "name_status": "P" if name == concept.name else "A",
            "type_ids": concept.type,
            "description": "",
        }
        for concept in concepts().values()
        for name in (concept.name, *concept.aliases)
    ]
    config = Config()
    config.general.nlp.provider = "regex"
    base = CDBMaker(config).prepare_csvs([pd.DataFrame(rows)])
    return CAT(cdb=base, vocab=Vocab(), config=config)
