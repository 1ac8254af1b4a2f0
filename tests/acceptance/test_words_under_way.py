"""Words appear in a real room while they are said, by the local engine, and the final replaces them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.lines import EN, KO, line
from tests.acceptance.stack import PATIENCE_S, Stack

pytestmark = [pytest.mark.room, pytest.mark.speech]


@pytest.mark.parametrize(("folder", "number"), [(KO, 0), (EN, 6)], ids=["ko", "en"])
async def test_words_come_before_the_sentence_ends(stack: Stack, folder: Path, number: int) -> None:
    said = line(folder, number)
    async with stack.play(f"under-way-{folder.name[:2]}") as play:
        speaker = play.stage.player("alice", "Alice")
        await speaker.join()
        await play.moim_hears(speaker)
        play.stage.begin()
        at_s = play.stage.now_s + 1.0
        speaker.say(said.pcm, at_s)
        final = await speaker.wait_for(
            lambda player: next(iter(player.finals), None), PATIENCE_S, "the final"
        )
        assert play.stage.started_s is not None
        ended_s = play.stage.started_s + at_s + said.length_s
        read = [each for each in speaker.transcripts if each.segment_id == final.segment_id]
        before = [each for each in read if not each.final and each.text.strip()]
        assert before, "words under way"
        print([(round(each.received_s - ended_s + said.length_s, 2), each.text) for each in read])
        assert before[0].received_s < ended_s
        assert read[-1].final
        assert not any(each.final for each in read[:-1])
        for each in before:
            assert each.speaker == "alice"
            assert 0 <= int(each.attributes["moim.firm"]) <= len(each.text)
            assert each.track_id == speaker.track_id
        document = await stack.document(play.meeting_id)
        assert [each["text"] for each in document["utterances"]] == [final.text]
