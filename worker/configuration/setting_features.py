"""The flags of the answer's steps, under seed 002's names."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from context.features import FLAGS, Features, Preset
from worker.configuration.setting_values import Group


def _variable(name: str) -> str:
    return f"MOIM_FEATURE_{name.upper()}"


class FeatureSettings(Features, Group):
    """Single steps of an answer, switched on or off to compare them. The defaults are those that did best."""

    model_config = ConfigDict(alias_generator=_variable, populate_by_name=True)

    preset: Preset = Field(
        default="product",
        description="what unset flags are: product (what did best), or seed (as first designed)",
    )

    def features(self) -> Features:
        """The preset, with every flag that was set."""
        given = {name: getattr(self, name) for name in FLAGS if name in self.model_fields_set}
        return Features.of_preset(self.preset).with_overrides(given)
