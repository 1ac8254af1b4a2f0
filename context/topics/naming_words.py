"""Words and endings by which a topic's name is none: what is said in every meeting, whatever it is about."""

from __future__ import annotations

from typing import Final

from context.language.closed_lists import STOPWORDS

_EN: Final = """
able absolutely acquaintance actually add after ago agree ahead allow allowed allows almost along
already alright although always amount another answer answered anymore anything anyway anyways
appreciate area areas aren't around ask asking away based basically became become before began begin
best better between big bit blah both bring brought build call called came care case cause certain
certainly chair chance change changing channel check clear close colleague colleagues comes coming
committee completely complex concerned consider could've couldn't couple course current cuz day days
decide decided decision definitely depends deputy didn't difference different difficult discuss
discussed discussion doesn't dunno each earlier easier easy eighteen eighty either eleven else end
enough especially etc euro euros everybody everyone everyone's everything everywhere exactly example
excuse experience explain fact fair far feel female few fifteen fifty final finally find fine finish
first five follow forgot forty forward found four fourteen friday front full funny general gentleman
gets getting give given gives giving goes gone gosh gotta great guenter guess guy guys half hand
happen happened happy hard hasn't haven't hear heard hello help here's high higher hmm hon
honourable hope hopefully huh hundred i'd idea ideas imagine important include including independent
individual instead interested interesting isn't issue issues it'd it'll itself job kay keep key
knows large last late later least leave less let's letter level line little long longer looked
looking looks lot lots love madam made main makes making male matter maybe mean means meeting
meetings member members men mention mentioned met mhm middle million mind mine minister minute
minutes miss mister mm-hmm mmm moment monday morning move moving mrs name names necessarily need
needed needs neither never new next nice nine nineteen ninety nobody none nope normal nothing number
obviously office often ohh okay old once ones ooh open opposite order ought own part particular
particularly parts pen per percent perhaps person perspective picture piece place plan play point
points possible presentation pretty prime probably problem problems process put putting question
questions quick quickly quite raise range rather read ready real reason reasons reckon recognize
regard related remember remove rest role round said same saw saying says second seconds secretary
section seem seems seen sense sent set seven seventeen seventy shall should've show similarity
simple since single sir situation six sixteen sixty slide slides small somebody somehow someone
sometimes somewhat somewhere soon sorry sounds speak speaker speaking special specific start started
starting step stuff such suggest supplementary suppose supposed system talk talked talking tell ten
term terms thank thanks that'd that'll there'll there's they'd they'll they've thinking third
thirteen thirty though thought thoughts thousand three through thursday till times today together
told tomorrow took top topic total totally towards tried true try trying tuesday turn twelve twenty
two type types uh-huh under understand until upon use used useful using usually via view wanna
wanted wants wasn't wednesday week weeks weren't what's whatever wherever whether who's whoever
whole whom whose within without women wonder wondering word words work worked working works worry
worse worst would've wouldn't wow wrong year years yesterday yet young yours yourself yup zero
fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
seventeenth eighteenth nineteenth twentieth thirtieth
average overall usual take taken takes
eight agenda wait hang hold above below beside besides beyond beneath behind across
against among throughout toward inside outside nearby past during despite except apart aside
everyday nowadays lately otherwise therefore hence meanwhile
"""
_BEFORE: Final = """
i you we they he she who will would can could should must might may don't doesn't didn't won't
can't let's please
"""
BEFORE_VERBS: Final = frozenset(_BEFORE.split())
"""What comes right behind one of these is no noun: we wrap up, they could escape."""
BEHIND_VERBS: Final = frozenset(["the", "a", "an", "it", "them", "him", "her", "us", "this", "these", "our"])
"""And what comes between "to" and one of these: to illuminate the buttons; to marketing is none."""
EMPTY_EN: Final = STOPWORDS | frozenset(_EN.split())

_KO: Final = """
것도 것만 것과 것이나 쪽의 등의 손이 위원들끼리 이승 일이 말도 지금 오늘 내일 어제 그제 이번 다음
지난 최근 현재 당시 이후 이전 그때 요즘 아까 방금 나중 항상 매번 계속 다시 먼저 우선 이제 아직 이미
벌써 그리고 그런데 근데 그래서 그러면 그럼 그러나 하지만 그러니까 그러므로 그렇지만 그래도 또한 또는
혹은 및 결국 일단 어쨌든 아무튼 하여튼 만약 만일 따라서 왜냐하면 왜냐 그다음 그동안 그만큼 그대 그쪽
이쪽 저쪽 여기 거기 저기 여기서 거기서 이것 그것 저것 이거 그거 저거 이게 그게 저게 이건 그건 이걸
그걸 무엇 무슨 어떤 어느 어디 언제 누가 누구 얼마 얼마나 어떻게 이런 그런 저런 이렇게 그렇게 저렇게
모든 모두 전부 여러 가지 각각 각자 다른 새로운 같은 하나 둘 셋 첫째 둘째 번째 첫번째 우리 저희
저희들 우리들 제가 저는 저도 내가 나는 너희 당신 본인 자기 자신 서로 사람 사람들 분들 여러분 모두들
누군가 선생 선생님 위원 위원님 위원장 위원장님 의원 의원님 의장 의장님 간사 간사님 장관 장관님
후보자 후보자님 처장 처장님 차관님 사장님 대표님 팀장님 과장님 국장님 증인 참고인 위원들 위원님들
의원들 말씀 얘기 이야기 답변 질문 질의 의견 생각 내용 부분 경우 정도 때문 관련 대해 대해서 대한 위해
위해서 위한 통해 통해서 관해 관해서 관한 따라 의해 의해서 기준해 상황 문제 사실 이유 결과 과정 방법
방식 관계 측면 차원 입장 취지 의미 점 것 것들 거 수 등 등등 뭐 뭔가 예 네 아니 아니요 아니면 혹시
아마 과연 물론 특히 정말 진짜 너무 매우 아주 굉장히 상당히 조금 약간 많이 가장 제일 더욱 거의 바로
빨리 자꾸 그냥 그대로 직접 실제 실제로 사실상 기본적 개인적 전체 전체적 일부 대부분 나머지 이상 이하
미만 동안 사이 이내 이외 처음 마지막 시간 잠깐 잠시 순간 기회 자리 마이크 발언 발언시간 초과 중단
발언한 영상자료 자료화면 화면 회의 회의록 안건 안녕하십니까 감사 수고 존경 존경하 존경하는 부탁 확인
이해 설명 참고 기억 필요 중요 가능 불가능 분명 분명히 당연 당연히 충분히 정확히 확실히 마찬가지 똑같
비슷 심각 심각한 다양 구체적 적극적 지속적 한번 두번 한 두 세 다섯 여섯 일곱 여덟 아홉 열 일 이 삼
사 오 육 칠 팔 구 십 백 천 만 억 개 명 건 번 차 회 년 월 년도 개월 퍼센트 프로 원 시 분 초 노력 진행
시작 준비 얼른 조만간 도대체 제대 제대로 스스로 함께 같이 별도 각종 해당 기타 여부 정리 검토 결정
논의 판단 주장 지적 표현 요청 요구 제기 제출 처리 조치 대응 사항 사안 사례 종류 가운데 중간 앞 뒤 위
아래 안 밖 속 옆 때 곳 데 줄 만큼 뿐 대로 채 척 듯 양 체 식 쪽 편 그분 이분 저분 놈 것이 것은 것을
수가 수는 주로 지난번 저번 이번에 다음번 다음주 이번주 지난주 올해 작년 내년 지난해 금년 오전 오후 아침
저녁 새벽 하루 이틀 사흘 매일 매주 매달 매월 일차 이차 일부러 덕분 바람 모습 얼굴 소리 느낌 마음 기분
수밖 나름 셈 터 판 건지 건데 거고 거지 거라 텐데 대신 동시 일단은 앞으로 뒤로 위로 아래로 끝으로 안쪽 바깥
차례 순서 계기 기반 전반 후반 모양 상태 형태 이름 이상입니다 다들 어차피 무조건 반드시 절대 절대로
전혀 별로 그다지 오히려 차라리 설마 하물며 더군다나 게다가 대통령님 여사님 년에 월에 일에 감사합니다
시대착오적 자료 영상 띄워 상임위원 여기까지 마무리 질의시간 의사진행발언 신상발언 인사말씀 추가질의
대체토론 국회의원 조국혁신당 국민의힘 민주당 더불어민주당 위원장직무대행 직무대행 차관 국장 과장
사무처장 부위원장 동지 여야 야당 여당 여보 거기서부터 줄어들고 그런지 이거는 이것은 그것은 저것은
그거는 누구나 아무도 아무 관련된 나와 그러지 이러지
"""
EMPTY_KO: Final = frozenset(_KO.split())

_CALENDAR: Final = """
monday tuesday wednesday thursday friday saturday sunday
january february march april june july august september october november december
"""
CALENDAR_EN: Final = frozenset(_CALENDAR.split())

DAYS_KO: Final = frozenset({"월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"})
"""Part of a name (토요일 당직), never a name."""

_NUMBERS: Final = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand
first second third fourth fifth sixth seventh eighth ninth
"""
NUMBERS_EN: Final = frozenset(_NUMBERS.split())
"""Of which others are put together: twenty-six."""

_PARTICLES: Final = """
입니다 입니까 인데요 인데 이에요 예요 이죠 이지요 인가요 이었습니다 였습니다 에서는 에서도 에서의
으로는 으로도 으로서 으로써 에게는 에게서 까지는 까지도 부터는 이라는 이라고 이라도 이라든지
이라든가 이라면 이나마 조차도 마저도 께서는 께서도 에서 에는 에도 에게 으로 까지 부터 보다 처럼 마다
이나 이란 라는 라고 라도 이랑 하고 과의 와의 께서 한테 조차 마저 만큼 밖에 대로 뿐만 이고 이며 이요
은 는 이 가 을 를 의 도 로 와 과 만 에 랑 들
"""
PARTICLES: Final = frozenset(_PARTICLES.split())

_VERBAL: Final = """
아 어 하시 되시 계시 보시 오시 가시 주시 으시 드시 들어 해어 만들어 아서 려운 로운 러운 한 시기 들지
르지 가지는 어질 해질 드리 리기 들고 고 여 야 시오 셔서 워서 켜 려 져 봐 줘 와서 러서 처럼 적 적인
적으 스런 으로서 으로써 을지 ㄹ지 는데도 다 요 까 죠 며 니 냐 네 든 군 던 겠 았 었 했 됐 였 셨 랬 렸
하고 되고 있고 없고 않고 이고 시고 했고 라고 다고 자고 냐고 려고 지고 리고 고요 가고 하면 되면 으면 오면 가면
다면 라면 지면 시면 려면 보면 면서 해서 어서 여서 져서 돼서 라서 니까 하지 되지 않지 있지 없지 지만
는데 은데 인데 한데 던데 는지 은지 인지 할지 도록 거나 든지 하게 되게 있게 없게 하기 되기 있기 없기
보기 하여 되어 에요 이죠 세요 해야 돼야 어야 아야 하는 되는 있는 없는 않는 같은 한다 했던 하던 하신
되신 시는 시던 드린 드릴 주신 주는 지는 오는 가는 겠네 하 되 있 없 않 같 받 습 겁 싶 렇 럽 롭 스럽 해 돼
된 될 됨 함 할 히 놓 넣 좋 쌓 닿 낳 서서 듯 인가 던가 는가 을까 ㄹ까 하자 보자 주세 십시 주십
"""
VERBAL: Final = tuple(_VERBAL.split())
"""Endings of verbs and adverbs: what ends so is no noun, with a particle or without."""

_NOUNS: Final = """
품질 본질 성질 체질 물질 자질 재질 화질 음질 최소한 최대한 유한 북한 남한 목적 실적 업적 흔적 지적
표적 면적 국적 성적 누적 추적 축적 서적 부적 공적 인적 물적 가을 마을 노을 개울 거울 겨울 고을
학자금 토론 산업 야 분야 평야 시야 광야 심야 전시 도시 임시 공시 감시 지시 제시 게시 표시 개시 이해
피해 손해 재해 방해 오해 침해 저해 수요 필요 개요 소요 주요 강요 가요 민요 바다 소다 캐나다 신하
지하 인하 투하 저하 부하 비하 산하 이하 단결 역할 분할 관할 구함 보관함 우편함 명함 포함 결함 잠수함
권한 제한 기한 시한 상한 하한 무한 서고 국가 동네 그네 어머니 주머니 유니 미니 교류 연습 학습 복습 실습
예습 관습 정보 홍보 광고 보고 사고 재고 창고 예고 경고 권고 신고 최고 냉장고 금고 로고 화면 지면 서면
측면 표면 장면 정면 전면 가면 라면 국면 부서 문서 순서 보고서 계획서 신청서 제안서 견적서 설명서
명세서 계약서 질서 도서 유서 안내서 독서 정서 비서 검찰서 경찰서 자여 기여 참여 급여 대여 부여 잔여
기아 시아 아시아 러시아 미디어 아이디어 소프트웨어 하드웨어 용어 단어 언어 영어 국어 한국어 외국어
데이터 센터 서버 비용 일정 회의 논의 정의 합의 동의 협의 심의 문의 주의 이의 강의 의의 창의 호의
발의 상의 예의 질의 민주주의 자유주의 효과 결과 성과 부과 경과 통과 학과 초과 사과 외과 내과 차이
나이 종이 아이 길이 높이 깊이 넓이 놀이 어린이 고양이 평가 증가 추가 참가 물가 단가 인가 허가 원가
주가 휴가 여가 작가 전문가 대가 가격 도로 통로 진로 경로 회로 항로 피로 프로 태도 제도 속도 온도
각도 지도 보도 시도 의도 용도 한도 강도 빈도 철도 수도 신뢰도 만족도 선호도 서울 정부 외부 내부 학부
기부 본부 지부 납부 첨부 거부 기은 배지 이미지 페이지 메시지 패키지 소지 토지 복지 유지 정지 금지
공지
"""
NOUNS_ALL_THE_SAME: Final = frozenset(_NOUNS.split())
"""Nouns that end as if they carried a particle or were a verb."""
