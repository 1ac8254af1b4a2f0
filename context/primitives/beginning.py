"""The beginning of a list that only grows, without a copy of it: an effect holds one of 20,000 utterances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, overload

Item = TypeVar("Item")


class Beginning(Sequence[Item]):
    """What stood in a list when this was made; what has been corrected in it since is read as it is now."""

    __slots__ = ("_count", "_whole")

    def __init__(self, whole: Sequence[Item]) -> None:
        self._whole, self._count = whole, len(whole)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        """Give an item, or a copy of a stretch, as of a list of this length."""
        if isinstance(place, slice):
            return self._whole[slice(*place.indices(self._count))]
        return self._whole[range(self._count)[place]]

    def __eq__(self, other: object) -> bool:
        """Tell whether the items are the same, in the same order."""
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # its items may be corrected
