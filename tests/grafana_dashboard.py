"""Writes `deploy/grafana/moim.json` from a table: a panel is a line of `BOARD`.

`make dashboard`, and a test that the file in the tree is what this gives.
"""

from __future__ import annotations

import json
import string
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel: curves, or where it has `colours` the figure of now on a ground of its colour."""

    title: str
    unit: str
    """Grafana's name of a unit: `s`, `percentunit`, `none` …"""
    series: Mapping[str, str]
    """PromQL by legend."""
    about: str
    """What stands behind the panel's ⓘ; it names the alerts that go by the same figure."""
    colours: tuple[str | float, ...] = ()
    """Colours with the values between them at which each begins: `("green", 1, "orange", 30, "red")`."""
    most: float | None = None
    """The upper end of the axis; None: as the figures are."""
    empty: str = ""
    """What is said where there are no figures, if that can be while all is well."""


Line = tuple[Panel, ...]
"""Panels side by side, which share the width of the board."""

BOARD: Final[Mapping[str, tuple[Line, ...]]] = {
    "Is anyone unheard?": (
        (
            Panel("Speech that became text", "percentunit", {"": "moim:speech_settled:ratio_10m"}, "Of the speech heard in 10 minutes: transcribed, or found to hold no words. Just after somebody spoke it may lag.", colours=("red", 0.9, "orange", 0.98, "green"), empty="no speech"),
            Panel("Speech lost in 24 h", "s", {"": 'sum(increase(moim_speech_seconds_total{state="lost"}[24h]))'}, "Heard and never written down. Alert: MoimSpeechLost.", colours=("green", 1, "orange", 30, "red")),
            Panel("Meetings that ended empty in 24 h", "none", {"": "sum(increase(moim_meetings_empty_total[24h]))"}, "They had sound and have no text. Alert: MoimMeetingEmpty.", colours=("green", 1, "red")),
            Panel("Longest wait for a worker", "s", {"": "max(moim_meetings_waiting_seconds)"}, "Of a meeting that nobody holds now. Alert: MoimMeetingsWaiting.", colours=("green", 10, "orange", 30, "red")),
        ),
        (
            Panel("What becomes of speech", "none", {"{{state}}": "sum by (state) (rate(moim_speech_seconds_total[5m]))"}, "Seconds of speech per second, by what became of it. Heard, less the others, is still waiting."),
            Panel("Not heard, by reason", "s", {"{{reason}}": "60 * sum by (reason) (rate(moim_gap_seconds_total[5m]))"}, "Seconds of a participant per minute that nobody heard."),
            Panel("Utterances per minute", "none", {"utterances": "60 * sum(rate(moim_utterances_total[5m]))"}, "On the record."),
        ),
    ),
    "Who is slow?": (
        (
            Panel("From the voice to the text on screen", "s", {"p50": "histogram_quantile(0.5, sum by (le) (rate(moim_ingest_lag_seconds_bucket[5m])))", "p95": "moim:ingest_lag_seconds:p95_5m", "p99": "histogram_quantile(0.99, sum by (le) (rate(moim_ingest_lag_seconds_bucket[5m])))"}, "End of speech to publication. Alert: MoimTextLate."),
            Panel("Where the time goes (p95)", "s", {"{{hop}}": "histogram_quantile(0.95, sum by (le, hop) (rate(moim_turn_hop_seconds_bucket[5m])))"}, "A turn from hop to hop: silence, cut, engine, fold, commit, publish."),
            Panel("Speech that waits for its engine", "s", {"{{instance}}": 'moim_queue_depth{queue="audio_seconds"}'}, "Seconds, per worker. Alert: MoimSpeechBacklog."),
        ),
        (
            Panel("Speech engine (p95)", "s", {"p95": "moim:stt_latency_seconds:p95_5m"}, "End of speech to its final text."),
            Panel("Language model (p95)", "s", {"{{purpose}}": "moim:llm_latency_seconds:p95_5m"}, "Request to the last piece, by purpose."),
            Panel("Steps of an answer (p95)", "s", {"{{step}}": "histogram_quantile(0.95, sum by (le, step) (rate(moim_answer_step_seconds_bucket[5m])))"}, "By step of its graph."),
            Panel("Loop lag of text workers (p99)", "s", {"{{instance}}": "histogram_quantile(0.99, sum by (le, instance) (rate(moim_loop_lag_seconds_bucket[5m])))"}, "How late a process with many meetings comes to what is due."),
        ),
        (
            Panel("First words while somebody speaks", "s", {"p50": "histogram_quantile(0.5, sum by (le) (rate(moim_stt_first_text_seconds_bucket[5m])))", "p95": "histogram_quantile(0.95, sum by (le) (rate(moim_stt_first_text_seconds_bucket[5m])))"}, "From the first voice of a stretch to its first text, which is mostly tentative."),
            Panel("Readings for words while somebody speaks", "short", {"{{outcome}}": "60 * sum by (outcome) (rate(moim_stt_readings_total[5m]))"}, "How often growing stretches are read a minute, and how often a reading gave way to finals."),
        ),
    ),
    "What does it cost?": (
        (
            Panel("Tokens per hour", "none", {"{{kind}}": "3600 * sum by (kind) (rate(moim_llm_tokens_total[15m]))"}, "As the model's server counts them."),
            Panel("Tokens per meeting hour, by purpose", "none", {"{{purpose}}": "3600 * sum by (purpose) (rate(moim_llm_tokens_total[15m])) / on () group_left () (moim:meetings:sum > 0)"}, "In and out together.", empty="no meetings"),
            Panel("Calls per meeting hour, by purpose", "none", {"{{purpose}}": "3600 * sum by (purpose) (rate(moim_llm_calls_total[15m])) / on () group_left () (moim:meetings:sum > 0)"}, "Retries and repairs included.", empty="no meetings"),
            Panel("Tokens saved per hour", "none", {"kept answers": "3600 * sum(rate(moim_answer_cache_tokens_saved_total[15m]))", "compression": "3600 * sum(rate(moim_compression_tokens_saved_total[15m]))"}, "By kept answers and by shorter passages."),
        ),
        (
            Panel("Seconds of the model per meeting hour", "s", {"{{purpose}}": "3600 * sum by (purpose) (rate(moim_llm_latency_seconds_sum[15m])) / on () group_left () (moim:meetings:sum > 0)"}, "By purpose: what summaries, answers and their verification take.", empty="no meetings"),
            Panel("Prompt that the server had read before", "percentunit", {"{{purpose}}": 'sum by (purpose) (rate(moim_llm_cached_tokens_total[15m])) / (sum by (purpose) (rate(moim_llm_tokens_total{kind="prompt"}[15m])) > 0)'}, "Share of the tokens in that came from its prefix cache, where it says so.", most=1, empty="no prompts"),
            Panel("Questions per hour", "none", {"{{call_type}}": "3600 * sum by (call_type) (rate(moim_context_agent_call_type_count_total[15m]))"}, "By call type."),
            Panel("Prompt of an answer", "none", {"p50": "histogram_quantile(0.5, sum by (le) (rate(moim_context_agent_call_context_tokens_bucket[15m])))", "p95": "histogram_quantile(0.95, sum by (le) (rate(moim_context_agent_call_context_tokens_bucket[15m])))"}, "Tokens that the model was sent for an answer. Answers made without a model count for nothing."),
        ),
    ),
    "Is the fleet full?": (
        (
            Panel("Load of the workers", "percentunit", {"": "moim:load:avg"}, "Mean share of places taken. Alerts: MoimFleetNearlyFull, MoimFleetFull.", colours=("green", 0.7, "orange", 0.85, "red")),
            Panel("Meetings under way", "none", {"": "moim:meetings:sum"}, "With and without rooms.", colours=("green",)),
            Panel("Meetings that wait", "none", {"": "max(moim_meetings_waiting)"}, "Wanted or live, and nobody holds them.", colours=("green", 1, "orange", 5, "red")),
            Panel("Not ready", "none", {"": "sum(moim_ready == bool 0)"}, "Processes whose /readyz says 503. Alert: MoimNotReady.", colours=("green", 1, "red")),
        ),
        (
            Panel("Load by worker", "percentunit", {"{{instance}}": 'moim_load{job="moim-worker"}'}, "1: it takes no new meeting.", most=1),
            Panel("Meetings by worker", "none", {"{{instance}}": 'moim_jobs{job!="moim-dispatcher"}'}, "Under way."),
            Panel("Meetings that changed their worker", "none", {"takeovers": 'sum(increase(moim_takeovers_total{job!="moim-dispatcher"}[15m]))'}, "In 15 minutes: rollouts, and deaths. Alert: MoimTakeovers."),
        ),
    ),
    "Is anything being lost, or about to be?": (
        (
            Panel("Parts that work less well", "none", {"{{part}}": "sum by (part) (moim_degraded)", "gives way: {{what}}": "sum by (what) (moim_giving_way)"}, "Meetings that do without a part. Alerts: MoimPostgresAway, MoimRedisAway, MoimSpeechEngineAway, MoimAnswersDegraded, …"),
            Panel("Age of the oldest unwritten event", "s", {"{{instance}}": "moim_durable_lag_seconds"}, "Per worker. Alert: MoimRecordBehind."),
            Panel("Entries that wait", "none", {"{{queue}}": 'sum by (queue) (moim_queue_depth{queue!="audio_seconds"})'}, "In all meetings."),
        ),
        (
            Panel("Failures of the speech engine", "percentunit", {"share": "moim:stt_errors:ratio_5m"}, "Share of what it was sent. Alert: MoimSpeechErrors.", empty="nothing asked"),
            Panel("Failures of the language model", "percentunit", {"share": "moim:llm_errors:ratio_5m"}, "Share of the requests. Alert: MoimModelErrors.", empty="nothing asked"),
            Panel("Webhook", "none", {"seconds behind": "max(moim_push_lag_seconds)", "failing meetings": "max(moim_push_failing_meetings)"}, "How far it is behind, and meetings whose last post failed. Alert: MoimPushBehind."),
            Panel("Words of dead jobs", "none", {"{{outcome}}": "sum by (outcome) (increase(moim_late_words_total[1h]))"}, "Turns found in their spools, within an hour: offered to the meeting's holder, folded by it, kept on the disk."),
            Panel("Statements without evidence", "none", {"{{fault}}": "3600 * sum by (fault) (rate(moim_context_statements_dropped_total[15m]))"}, "Per hour; summaries left them out."),
            Panel("Work done without the model", "none", {"{{purpose}}: {{reason}}": "sum by (purpose, reason) (increase(moim_llm_missed_total[1h])) > 0"}, "By purpose and why: late, unavailable, refused, resting, useless. Alert: MoimVerdictsMissing.", empty="none"),
        ),
        (
            Panel("Replies of no use", "percentunit", {"{{purpose}}": "moim:llm_useless:ratio_30m"}, "Share of the requests, by purpose. Alert: MoimModelUseless.", most=1, empty="nothing asked"),
            Panel("What was useless about them", "none", {"{{purpose}}: {{fault}}": "sum by (purpose, fault) (increase(moim_llm_useless_replies_total[1h])) > 0"}, "No valid JSON, nothing borne out, no verdict.", empty="none"),
            Panel("JSON that was sent back", "none", {"{{purpose}}: {{outcome}}": "sum by (purpose, outcome) (increase(moim_llm_repairs_total[1h])) > 0"}, "And whether the repair gave it.", empty="none"),
        ),
    ),
    "What does the context hold?": (
        (
            Panel("Raw windows", "none", {"utterances": "sum(moim_context_l0_buffer_size)"}, "Utterances in them, all meetings together."),
            Panel("Length of an utterance", "none", {"characters": "max(moim_context_l0_avg_utterance_length)"}, "Characters on average, in the raw windows."),
            Panel("Topics", "none", {"topics": "sum(moim_context_l1_topic_count)"}, "Of the meetings under way."),
            Panel("Summaries per hour, by reason", "none", {"{{reason}}": "3600 * sum by (reason) (rate(moim_context_l1_update_count_total[15m]))", "seconds (p95)": "histogram_quantile(0.95, sum by (le) (rate(moim_context_l1_summary_latency_bucket[15m])))"}, "Finished ones; with the time of one (p95) beside them."),
        ),
    ),
    "Is what people want deleted, deleted?": (
        (
            Panel("Oldest wish to erase that waits", "s", {"": "max(moim_erasures_waiting_seconds)"}, "Words that somebody took back, or that were kept long enough. Alert: MoimErasuresWaiting.", colours=("green", 600, "orange", 3600, "red")),
            Panel("Meetings to be erased", "none", {"{{state}}": 'max by (state) (moim_erasures{state!="erased"})'}, "Due: kept long enough and not asked for yet. Waiting: not rewritten yet. Held: a legal hold."),
            Panel("Meetings erased", "none", {"all": 'max(moim_erasures{state="erased"})', "kept long enough, 24 h": "sum(increase(moim_meetings_kept_long_enough_total[24h]))"}, "Of which words were taken out, at anybody's wish; and those of them whose time was over, in 24 h."),
        ),
    ),
}  # fmt: skip
"""The lines of panels under each question that an operator asks."""

_WIDTH: Final = 24
_HEIGHT: Final = 8
_HEIGHT_OF_FIGURES: Final = 5
"""The height of a line in which no panel has curves."""
_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_FIRING: Final = 'ALERTS{alertname=~"Moim.*", alertstate="firing"}'


def render() -> str:
    """Write the whole file."""
    board = {
        "uid": "moim",
        "title": "Moim",
        "tags": ["moim"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "refresh": "30s",
        "timezone": "browser",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {
            "list": [
                {
                    "name": "datasource",
                    "label": "Prometheus",
                    "type": "datasource",
                    "query": "prometheus",
                    "current": {},
                    "hide": 0,
                }
            ]
        },
        "annotations": {
            "list": [
                {
                    "name": "Alerts",
                    "enable": True,
                    "datasource": _SOURCE,
                    "expr": _FIRING,
                    "titleFormat": "{{alertname}}",
                    "iconColor": "red",
                    "target": {"expr": _FIRING, "refId": "A"},
                }
            ]
        },
        "panels": [{"id": id_, **panel} for id_, panel in enumerate(_panels(), 1)],
    }
    return json.dumps(board, ensure_ascii=False, indent=1) + "\n"


def _panels() -> Iterator[dict[str, Any]]:
    """The questions and their panels, each with its place."""
    y = 0
    for question, lines in BOARD.items():
        yield {
            "type": "row",
            "title": question,
            "collapsed": False,
            "gridPos": {"h": 1, "w": _WIDTH, "x": 0, "y": y},
            "panels": [],
        }
        y += 1
        for line in lines:
            height = _HEIGHT_OF_FIGURES if all(panel.colours for panel in line) else _HEIGHT
            width = _WIDTH // len(line)
            for number, panel in enumerate(line):
                yield _shown(panel, {"h": height, "w": width, "x": number * width, "y": y})
            y += height


def _shown(panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    """One panel as Grafana has it."""
    defaults: dict[str, Any] = {"unit": panel.unit, "min": 0}
    options: dict[str, Any] = {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
        "tooltip": {"mode": "multi"},
    }
    if panel.most is not None:
        defaults["max"] = panel.most
    if panel.colours:
        begins = (None, *panel.colours[1::2])
        steps = [
            {"color": colour, "value": value}
            for colour, value in zip(panel.colours[::2], begins, strict=True)
        ]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps}
        options = {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "background"}
    if panel.empty:
        defaults["noValue"] = panel.empty
    return {
        "type": "stat" if panel.colours else "timeseries",
        "title": panel.title,
        "description": panel.about,
        "datasource": _SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": options,
        "targets": [
            {"refId": letter, "datasource": _SOURCE, "expr": promql, "legendFormat": legend}
            for letter, (legend, promql) in zip(string.ascii_uppercase, panel.series.items(), strict=False)
        ],
    }


if __name__ == "__main__":
    sys.stdout.write(render())
