"""Seed 002's flags."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from context.features import FLAGS, Features, Preset
from worker.configuration.setting_values import Group


def _variable(name: str) -> str:
    return f"MOIM_FEATURE_{name.upper()}"


class FeatureSettings(Features, Group):
    """Seed 002's flags, under its names."""

    model_config = ConfigDict(alias_generator=_variable, populate_by_name=True)

    preset: Preset = Field(
        default="product", description="what the flags are where they are not set: product, or seed"
    )

    def features(self) -> Features:
        """The preset, with every flag that was set."""
        given = {name: getattr(self, name) for name in FLAGS if name in self.model_fields_set}
        return Features.of_preset(self.preset).with_overrides(given)
