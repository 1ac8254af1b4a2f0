"""What a model is told that makes passages shorter."""

from __future__ import annotations

from typing import Final

COMPRESSION_PROMPT: Final = {
    "ko": """\
아래 <sources>의 번호가 붙은 단락들을 질문에 필요한 내용만 남기고 줄여 쓰세요.

- 한 줄에 한 문장씩, 그 내용이 나온 단락의 번호로 시작하세요. 예: [2] 민지: 출시일은 12월 22일로 결정했다.
- 숫자, 날짜, 이름, 부정 표현은 그대로 옮기고, 누가 말했는지 밝히세요. 없는 내용을 덧붙이지 마세요.
- 단락의 순서를 지키고, 모두 합쳐 {target_tokens}토큰을 넘기지 마세요. 다른 말은 쓰지 마세요.""",
    "en": """\
Shorten the numbered passages in <sources> to what the question needs.

- One sentence a line, each beginning with the number of the passage it comes from, e.g. [2] Ben: The launch is on 22 December.
- Keep numbers, dates, names and negations as they are, and say who said it. Add nothing.
- Keep the order of the passages, and at most {target_tokens} tokens altogether. Write nothing else.""",  # noqa: E501 - a text reads better unbroken
}
"""By language. In: `target_tokens`; the sources and the question follow as data."""
