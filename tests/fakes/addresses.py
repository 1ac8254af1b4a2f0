"""Where tests serve HTTP."""

from __future__ import annotations

from typing import Final

from worker.configuration.setting_groups import ProcessSettings

LOOPBACK: Final = ProcessSettings(http_host="127.0.0.1", http_port=0)
