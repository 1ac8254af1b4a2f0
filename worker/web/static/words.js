// What the pages say, in both languages. `t(name)` gives the words in the language that is chosen.

const WORDS = {
  en: {
    meetings: "Meetings", start: "Start a meeting", room: "Room", title: "Title (optional)", begin: "Start",
    none_yet: "No meeting yet. Start one, open it and speak.", wanted: "waiting for a worker", live: "live",
    ended: "ended", failed: "failed", sign_in: "Sign in", token: "API token (MOIM_API_TOKEN)",
    sign_out: "Sign out", back: "All meetings", transcript: "Transcript", topics: "Topics",
    decisions: "Decisions", tasks: "Tasks", open: "Open points", people: "People", ask: "Ask about this meeting",
    ask_button: "Ask", asking: "Looking …", minutes: "Minutes", share_of_talk: "talk time", nobody: "nobody named",
    due: "due", superseded: "replaced later", nothing_decided: "Nothing decided so far.",
    nothing_to_do: "No tasks so far.", nothing_open: "Nothing left open.", nothing_said: "Nothing said so far.",
    no_topics: "No topic yet.", newest: "Newest ↓", connection_lost: "Connection lost: trying again …",
    missed: "What did I miss?", lately: "What was said in the last five minutes?", private_answer: "Only for me",
    heard: "heard", transcribed: "transcribed", lost: "lost", interruptions: "interruptions", turns: "turns",
    join: "Speak here", leave: "Leave", name: "Your name", joining: "Joining …", speaking_as: "You speak as",
    muted: "Microphone off", unmute: "Microphone on", gap: "not heard", closest: "This comes closest",
    copy_markdown: "Copy as Markdown", copied: "Copied", print: "Print", download: "Download",
    end: "End the meeting", end_sure: "End this meeting for everybody?", no_such: "There is no such meeting.",
    edit: "Edit", words_of: "What {name} said", corrected: "corrected", who_corrects: "Your name, which stands beside what you change:",
    done: "Done", not_done: "Not done", assign: "Assign", confirm: "Confirm", reject: "Reject", confirmed_by: "edited by",
    whose: "Whose task is it?", until_when: "Until when?",
    search: "Search all meetings and documents", search_button: "Search", nothing_found: "Nothing found.",
    share: "Share", share_look: "Copy a link to look", share_edit: "Copy a link to edit",
    share_hint: "It opens this meeting alone, for seven days.",
    wrong: "That did not work", microphone_refused: "The browser gives no microphone to this page.",
    summary: "Summary", follow: "following", role: "role", show_quote: "Show the words", more: "More",
    language: "한국어", go_back: "To the meetings", in_brief: "In brief", none: "None.",
    takeover: "takeover", stt_error: "speech engine failed", stt_timeout: "speech engine too slow",
    overload: "overload", track_lost: "track lost", off_record: "paused", unknown_speaker: "Somebody",
  },
  ko: {
    meetings: "회의", start: "회의 시작하기", room: "방 이름", title: "제목 (선택)", begin: "시작",
    none_yet: "아직 회의가 없습니다. 하나 시작해서 열고 말씀해 보세요.", wanted: "워커를 기다리는 중", live: "진행 중",
    ended: "종료", failed: "실패", sign_in: "로그인", token: "API 토큰 (MOIM_API_TOKEN)",
    sign_out: "로그아웃", back: "모든 회의", transcript: "대화", topics: "주제",
    decisions: "결정", tasks: "할 일", open: "미정 사항", people: "참석자", ask: "이 회의에 대해 물어보세요",
    ask_button: "묻기", asking: "찾는 중 …", minutes: "회의록", share_of_talk: "발언 시간", nobody: "담당자 없음",
    due: "기한", superseded: "나중에 바뀜", nothing_decided: "아직 결정된 것이 없습니다.",
    nothing_to_do: "아직 할 일이 없습니다.", nothing_open: "남은 미정 사항이 없습니다.", nothing_said: "아직 발언이 없습니다.",
    no_topics: "아직 주제가 없습니다.", newest: "최신으로 ↓", connection_lost: "연결이 끊겨 다시 시도하고 있습니다 …",
    missed: "내가 놓친 게 뭐야?", lately: "최근 5분 동안 무슨 얘기 했어?", private_answer: "나만 보기",
    heard: "들음", transcribed: "받아씀", lost: "놓침", interruptions: "끼어듦", turns: "발언",
    join: "여기서 말하기", leave: "나가기", name: "이름", joining: "들어가는 중 …", speaking_as: "말하는 이름:",
    muted: "마이크 끄기", unmute: "마이크 켜기", gap: "듣지 못함", closest: "가장 가까운 발언입니다",
    copy_markdown: "마크다운으로 복사", copied: "복사했습니다", print: "인쇄", download: "내려받기",
    end: "회의 끝내기", end_sure: "모두의 회의를 끝낼까요?", no_such: "그런 회의가 없습니다.",
    edit: "고치기", words_of: "{name} 님의 말", corrected: "고침", who_corrects: "고친 내용 옆에 표시될 이름:",
    done: "완료", not_done: "완료 취소", assign: "담당 정하기", confirm: "확인", reject: "삭제", confirmed_by: "고친 사람",
    whose: "누구의 할 일인가요?", until_when: "언제까지인가요?",
    search: "모든 회의와 문서에서 찾기", search_button: "찾기", nothing_found: "찾은 것이 없습니다.",
    share: "공유", share_look: "보기 링크 복사", share_edit: "편집 링크 복사",
    share_hint: "이 회의만 7일 동안 열립니다.",
    wrong: "실패했습니다", microphone_refused: "브라우저가 이 페이지에 마이크를 허용하지 않았습니다.",
    summary: "요약", follow: "따라가는 중", role: "역할", show_quote: "발언 보기", more: "더 보기",
    language: "English", go_back: "회의 목록으로", in_brief: "한눈에", none: "없음",
    takeover: "워커 교체", stt_error: "음성 인식 오류", stt_timeout: "음성 인식 지연",
    overload: "과부하", track_lost: "음성 끊김", off_record: "기록 중지", unknown_speaker: "누군가",
  },
};

const kept = localStorage.getItem("moim.language");
export const language = kept ?? (navigator.language.startsWith("ko") ? "ko" : "en");
document.documentElement.lang = language;

export const t = (name) => WORDS[language][name] ?? name;

export function switchLanguage() {
  localStorage.setItem("moim.language", language === "ko" ? "en" : "ko");
  location.reload();
}
