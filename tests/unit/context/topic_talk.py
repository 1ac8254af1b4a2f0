"""Talk about matters whose words have nothing in common: what stands in one list is of one topic."""

from __future__ import annotations

import itertools

KO_SERVERS = ["서버 비용을 줄이려면 캐시를 도입해야 합니다", "캐시 서버 비용은 매달 오백만 원입니다", "데이터베이스 서버 부하가 늘었습니다",
              "캐시 도입 비용과 서버 비용을 비교했습니다", "서버 부하는 캐시 도입으로 줄어듭니다"]  # fmt: skip
KO_HIRING = ["면접은 백엔드 개발자가 진행합니다", "채용 공고를 수요일에 올립니다", "지원자 경력을 면접에서 확인합니다",
             "백엔드 지원자 두 명을 뽑습니다", "채용 면접 일정은 지원자와 정합니다"]  # fmt: skip
EN_SERVERS = ["The search index needs a second server", "Server latency doubled with the bigger index",
              "A cache in front of the search server cuts latency", "Index shards on one server slow every search",
              "The second server halves search latency"]  # fmt: skip
EN_OFFICE = ["The office rent ends in March", "Moving companies quoted the furniture transport", "The building lease covers sixty desks",
             "Furniture and desks arrive at the building", "The rent and lease of the office building are lower"]  # fmt: skip
KO = [*itertools.islice(itertools.cycle(KO_SERVERS), 40), *itertools.islice(itertools.cycle(KO_HIRING), 60)]
EN = [*itertools.islice(itertools.cycle(EN_SERVERS), 40), *itertools.islice(itertools.cycle(EN_OFFICE), 60)]
