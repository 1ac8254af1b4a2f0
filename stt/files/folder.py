"""A recorded meeting as a folder: `meeting.json` and one track per participant on a common clock."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stt.files.errors import BadInput


@dataclass(frozen=True, slots=True)
class RecordedTrack:
    """One participant's sound."""

    participant: str
    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class RecordedMeeting:
    """What is known of a meeting before anybody listened to it."""

    id: str
    language: str
    """`ko`, `en` or `auto`."""
    tracks: tuple[RecordedTrack, ...]


def read_folder(folder: Path) -> RecordedMeeting:
    """Of `meeting.json` only `id`, `language` and `participants` are read, never the truth in it.

    Raises `BadInput`.
    """
    path = folder / "meeting.json"
    data = _load(path)
    language = data.get("language", "auto")
    if language not in ("ko", "en", "auto"):
        raise BadInput(path, f'"language" is {language!r}; ko, en or auto')
    meeting_id = data.get("id", folder.resolve().name)
    if not isinstance(meeting_id, str) or not meeting_id.strip():
        raise BadInput(path, '"id" must be a string that is not empty')
    people = data.get("participants")
    if not isinstance(people, dict) or not people:
        raise BadInput(path, '"participants" must be an object {id: {"name", "track"}} with somebody in it')
    tracks = tuple(_track(path, folder, who, entry) for who, entry in people.items())
    return RecordedMeeting(meeting_id, language, tracks)


def _load(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError as error:
        raise BadInput(
            path, "missing; a meeting's folder holds it and one track each; without it, name the files"
        ) from error
    except OSError as error:
        raise BadInput(path, f"can't be read ({error.strerror}); check its rights") from error
    except UnicodeDecodeError as error:
        raise BadInput(path, "not UTF-8; save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise BadInput(path, f"not JSON ({error})", line=line) from error
    if not isinstance(data, dict):
        raise BadInput(path, "must be an object with id, language and participants")
    return data


def _track(path: Path, folder: Path, who: str, entry: Any) -> RecordedTrack:
    if not isinstance(entry, dict) or not isinstance(entry.get("track"), str):
        raise BadInput(path, f'participant {who!r} has no "track"; name the sound file of each')
    name = entry.get("name", who)
    if not isinstance(name, str) or not name.strip():
        raise BadInput(path, f'participant {who!r}: "name" must be a string that is not empty')
    sound = folder / entry["track"]
    if not sound.resolve().is_relative_to(folder.resolve()):
        raise BadInput(path, f"participant {who!r}: the track {entry['track']!r} lies outside the folder")
    if not sound.is_file():
        raise BadInput(path, f"participant {who!r}: no file {entry['track']!r} in the folder")
    return RecordedTrack(who, name, sound)
