# ruff: noqa: E501  # patterns read better unbroken
"""Korean sentences that settle something, give work, or leave something open.

The end of a sentence decides what it is; what stands before is what it is about. Committees vote in set
phrases (가결되었음을 선포합니다), offices promise by 겠습니다, ask by 주세요 and 주시기 바랍니다.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Levenshtein

from context.extractive.korean_mood import LET_US, WILL
from context.extractive.moments import due_in
from context.korean import jamo

MOST_WORDS: Final = 25
"""Longer sentences tell of something rather than settle it."""

_DECIDES: Final = re.compile(
    r"(?:으로|로)\s?(?:확정|결정|낙점|최종\s?확정|통일|고정)(?:이요|이에요|입니다|됐어요|됐습니다|할게요|하죠)?$|(?:결정|확정|채택|승인)\s?(?:을\s?)?(?:하겠|합니다|했습|했어|했죠|하죠|하시죠|합시다|됐|되었|됩니다|할게|하도록\s?하겠|났|지었|짓겠)"
    r"|기로\s?(?:했|하였|하겠|하죠|합니다|하시죠|해요|합시다|결정|합의|정했|정하)"
    r"|(?:[0-9]|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|[일이삼사오육칠팔구십백천만억]{1,6}))\s?(?:일|월|시|시\s반|주|주일|원|명|개|회|번|층|호|단위|도|퍼센트|프로|%)(?:으로|로)\s?(?:하겠습니다|할게요|하자|할게)|[월화수목금토일]요일(?:으로|로)\s?(?:하겠습니다|할게요|하자|할게)"
    r"|합의(?:했|됐|하겠|합니다|되었|(?:를)?\s?봤)"
    r"|(?<!넘어)(?<!바)(?<!서)(?<!따)(?:으로|로)\s?(?:가시죠|갑시다|가겠습|정하겠|정했|정합|하시죠|합시다)"
    r"|결론은\s.+(?:입니다|니다)$"
    r"|(?:가결|의결|통과|부결)(?:되었|됐|하였|했)음을\s?선포(?:합니다|하겠습니다)|(?:가결|의결|통과|부결|채택)(?:되었|됐)습니다"
    r"|(?:선출|선임|위촉|추대|호선|인준)(?:되었|됐|하였|했)음을\s?선포(?:합니다|하겠습니다)|(?:으로|로)\s?(?:선출|선임|위촉|추대|호선|인준)(?:되셨|되었|됐)습니다$"
    r"|(?:위원회|소위|심사위|본회의|위원장|부서|팀)(?:으로|로|에)\s?회부(?:합니다|하겠습니다|하였습니다|했습니다)"
    r"|(?:걸로|것으로|거로)\s?(?:그렇게\s?)?(?:하죠|하시죠|합시다|가죠|가시죠|갑시다|하겠습니다|할게요|정리하겠습니다|정리하죠|정리하시죠|정리합시다|정리할게요|정하죠|정하시죠|정합시다)|(?<!넘어)(?<!바)(?<!따)(?<!서)(?<!새)(?<!적으)(?<!별도)(?<!스스)(?<!실제)(?:으로|로)\s?(?:하죠|가죠|할게요|갈게요)"
    r"|(?:으로|로)\s?(?:변경|수정|조정|연기|상향|하향|증액|감액|단축|연장|교체|대체)\s?(?:하겠습니다|합니다|하죠|하시죠|합시다|했습니다|됐습니다|되었습니다)"
    r"|(?:으로|로)\s?(?:바꾸|미루|옮기|늘리|줄이|올리|낮추|당기)(?:겠습니다|죠|시죠|기로)"
    r"|(?:으로|로)\s?(?:바꿉|미룹|옮깁|늘립|줄입|올립|낮춥|당깁)(?:시다|니다)"
    r"|(?:으로|로)\s?(?:바꿀|미룰|옮길|늘릴|줄일|올릴|낮출|당길)게요?"
)
_AS_SET: Final = re.compile(
    r"[가-힣](?:는|은|한|할)\s?(?:것으로|걸로|거로)\s?(?:그렇게\s?)?(?:하겠습니다|합니다|하시죠|하죠|합시다|정리하겠습니다|정리하죠|가시죠|가죠|결정하겠습니다)$"
)
"""공개하지 않는 것으로 하겠습니다: settled, whatever is denied in it."""
_NOT_TO: Final = re.compile(
    r"[가-힣]지(?:는|도)?\s?(?:않|말)기로\s?(?:했(?:습니다|어요|죠|지요)|하였습니다|하겠습니다|하죠|하시죠|합시다|해요|결정(?:했|하)[가-힣]{2,4}|합의(?:했|하)[가-힣]{2,4}|정했(?:습니다|어요|죠)|정하겠습니다)$"
)
"""올해는 채용을 하지 않기로 했습니다: what is denied is what was settled."""
_SETTLING: Final = "채용|고용|갱신|연장|구매|구입|도입|추가|인상|인하|변경|교체|이전|개최|시행|실시|추진|출시|배포|인쇄|발행|판매|지원|지급|환불|할인|운영|모집|계약|임대|취소|중단|폐지|증설|증원|확대|축소"
_NOT_DONE: Final = re.compile(
    rf"(?:(?:{_SETTLING})(?:을|를|은|는|도)?\s?하|뽑|(?<!의견을 )올리|낮추|늘리|줄이|바꾸|옮기|열|팔|사|빌리|없애)지(?:는|도)?\s?않겠습니다$"
    rf"|(?:{_SETTLING})(?:을|를|은|는|도)?\s?안\s?하겠습니다$"
)
"""계약은 갱신하지 않겠습니다: settled by the verb; what is only not said or not felt is none."""
_CHOSEN: Final = re.compile(
    r"[가-힣](?:은|는)\s(?:[^.]{0,24}\s)?\S*[가-힣0-9](?:으로|(?<!바)(?<!새)(?<!따)(?<!도)(?<!서)(?<!대)(?<!스)로)\s?하겠습니다$"
)
"""출시일은 11월 20일로 하겠습니다; not 질의는 바로 하겠습니다."""
_VOTED: Final = re.compile(
    r"(?:가결|의결|통과|부결)(?:되었|됐)음을\s?선포(?:합니다|하겠습니다)|(?:가결|의결|통과|부결)(?:되었|됐)습니다"
)
_ELECTED: Final = re.compile(r"(?:선출|선임|위촉|추대|호선|인준)(?:되셨|되었|됐)습니다$")
_THAT_YEAR: Final = re.compile(r"[0-9]{4}년|작년|재작년|지난|당시|예전")
_MATTER: Final = re.compile(
    r"의\s?건(?=[을은의이에\s]|$)|(?<=[가-힣]{2})안(?:이|을)\s(?:올라|상정|제출|나왔)|법률안|결의안|동의안|계획서|안건"
)
_TOLD: Final = re.compile(
    r"(?:아까|지난번|저번|전에|이전|어제|그제|그저께|작년|지난\s?[주달해]|지난\s?(?:회의|시간)|당시|그때|예전).*(?:기로|합의|결정|확정|채택|승인|의결)[가-힣\s]{0,4}?(?:했|하였|봤|됐|되었|났)|(?:했|됐|한|된)(?:대요?|답니다|다던데요?|다더라고?요?|다네요|다고\s[가-힣]+)$|(?:다는데요?|다면서요?)$"
)
"""아까 하기로 했다: told of, not settled here."""
_ECHO: Final = re.compile(
    r"^(?:(?:좋습니다|네|예|그럼|그러면|자|모두\s?동의하시니|이의\s?없으니)[\s,.]*)*"
    r"(?:그렇게|그대로|그걸로|그것으로|그\s?안으로|이대로)\s?"
    r"(?:가시죠|갑시다|가겠습니다|하시죠|합시다|하죠|가죠|진행하시죠|결정하겠습니다|결정하시?죠|결정합시다|결정합니다|확정하겠습니다|확정하시?죠|확정합니다|정하겠습니다|정하시?죠|정합시다)$"
    rf"|^(?:(?:좋습니다|좋네요|좋아요|네|예|그럼|그러면|자)[\s,.]*)*(?:그렇게|그대로|이대로)\s(?!생각|믿)[가-힣]{{0,3}}[{LET_US}](?<![봅압십])시다$"
    r"|^(?:(?:좋습니다|네|예|그럼|자)[\s,.]*)*(?:그건|그거는|그것은|이건)\s(?:바로|당장|오늘|지금|먼저|얼른)\s?(?:하시죠|하죠|합시다|진행하시죠|진행하죠|진행합시다|처리하시죠|처리하죠|처리합시다|고치시죠|고치죠|고칩시다|사시죠|사죠|삽시다)$"
    r"|^(?:그럼|그러면|네|예|자)?\s?(?:결정|확정|합의)(?:됐습니다|되었습니다|합니다|하겠습니다|했습니다)$"
)
_UNDECIDED: Final = re.compile(
    r"(?:보고|듣고|받고|끝나고|알아보고|물어보고|확인하고)\s?(?:나서\s?)?(?:다시\s?)?(?:결정|정)[하합]|오늘은\s(?:이쯤|여기까지|이만|그만)|잖아|해야겠|제안|가능|(?:결정|확정|합의|승인|채택)(?:해야|하지|을?\s?못|하면|하려|할지|이?\s?필요|할\s|된\s?(?:것|게)\s?아니|되지|되면|전까지|하기\s?전|은\s?아직)"
    r"|않|못\s?[했하]|아직|미정|보류|다시\s?논의|것\s?같|좋겠|싶|어떨|어떻|예정|생각(?:합니다|해요|이에요|입니다|은\s)|아닙니다|만약|경우|건의|의견|검토|안건(?!조정)|주제|이야기|순서"
)
ACTS: Final = re.compile(rf"(?:겠(?:습니다|어요|읍니다|슴니다|습다)|[{WILL}ㄹ]\s?[게께]요|[{WILL}]게)$")
"""하겠습니다, 바꿀게요, 볼게: who says so means to do it."""
_ACT_STEM: Final = re.compile(
    r"(?:표결|부치|상정|정회|거수|회부|기회를?\s?드리|부여|선포|속개|시작|마치|마무리|넘어가|종료|말씀\s?드리|소개|논의|이야기|얘기|결정|확정|채택|승인|의결|정회|속개|의견|듣|묻|여쭤?\s?보|좋|괜찮|모르|알|되|있|없|같|맞|낫|않|못\s?[가-힣]{1,4}|감사하|나가|끝내|줄이|찬성하|동의하|제안하|들어가|가\s?보|보)(?:해\s?보|하|도록\s?하)?겠"
)
_SPOKEN: Final = re.compile(
    r"^(?:짧게|간단히|빨리|얼른|금방)\s.*게요$|(?:넘어\s?갈|설명|힌트|팩트\s?체크|발언|첨언|당부|언급|수용|감수|인정|존중|사과|강조|지적|못하|읽어\s?(?:보|볼|드리|드릴))"
    r"[가-힣\s]{0,8}?(?:겠[가-힣]{2,3}|게요)$|부터\s?(?:먼저\s?)?하겠습니다$"
)
"""제가 설명드릴게요, 그냥 수용하겠습니다: done as soon as it has been said."""
_DUTY: Final = re.compile(r"해야\s?(?:합니다|됩니다)$")
_MEETING_ACT: Final = re.compile(
    r"(?:정리|진행|설명|발표|보고|공유|확인)\s?(?:해\s?보|해|하|드리)*\s?겠습니다$"
)
SELF: Final = re.compile(
    r"(?:^|\s)(?:제가|저는|저희가|저희는|저희\s?팀[이은]|내가|저도)(?:\s|$)|^저\s(?=[가-힣]+(?:면서|고|서)\s)"
)
_OWN_PART: Final = re.compile(r"제가\s?(?:[가-힣]{2,6}(?:을|를)?\s?)?(?:하고|맡고),|제가\s?(?:하고|맡고)\s")
"""일차 면접은 제가 하고, …: one's own share of a task that is divided."""
ASKED: Final = re.compile(
    r"(?:해|아|어|여|와|워|려|겨|내|봐|줘|쳐|켜|혀|뤄|라|가|나|눠|둬)\s?(?:주세요|주십시오|주시[기길]를?\s?(?:바랍니다|바라겠습니다|바라고요|부탁드립니다|당부드립니다)|주기\s?바랍니다|주시면\s?(?:됩니다|돼요|감사하겠습니다|고맙겠습니다|좋겠(?:습니다|어요))|주셨으면\s?(?:좋겠(?:습니다|어요)|합니다|해요)|주시겠어요|주셔야\s?(?:돼요|됩니다|합니다|해요))$"
    r"|(?:제출|제공|보고|전달|공유|송부|보내|정리|준비|의논|논의|협의|조율|확인|검토)(?:해|하여)?\s?주시고요?$|(?:해|아|어|여|와|워|려|겨|내|봐|써)\s?주(?:시)?고요?$"
    r"|(?:해|아|어|여|와|워|려|겨|내|봐|써|나|돌려|넣어|까지|까지만)\s?줘요?$|까지만?\s?주(?:세요|시면\s?(?:돼요|됩니다))$"
    r"|(?:자료|속기록|회의록|서류|문서|명단|목록|내역|사본|보고서|답변서|계획서|영수증|견적서|초안)(?:은|는|을|를|도)?\s(?:[가-힣]+\s)?(?:가져오|가져와|제출하|보내|내|주)(?:세요|십시오|시고요?|시기\s?바랍니다)$|(?:드리|하시|보시)기\s?바랍니다$|하셔야\s?(?:할|될)\s?것\s?같(?:습니다|아요)$"
    r"|(?:검토|보고|제출|확인|준비|조치|시정|마련|파악|조사|협의|출석|개선|보완|점검|정리|공개|수립|전달|공유)(?:을\s?|를\s?)?(?:하도록\s?)?(?:하십시오|하세요|하시고요|하시기\s?바랍니다|해\s?놓으세요|해\s?두세요)$|(?:신청|예약|주문|등록|연락|문의|요청|발주|접수|섭외|청소|수리|결제)(?:[을를은는도]|부터|먼저)?\s?(?:좀\s|먼저\s)?(?:해\s?)?(?:놓으세요|두세요|하세요|하십시오|놔\s?주세요)$"
    r"|부탁\s?(?:드립니다|드려요|드리겠습니다|합니다|해요)$|(?:하셔야|해야|해\s?주셔야)\s?(?:합니다|됩니다)$"
)
_NOT_ASKED: Final = re.compile(
    r"설명을?\s(?:좀\s)?부탁|말씀|질의|질문(?!지)|여쭙|나와\s?주|시작|받아들|(?:질문|전화|말씀|질의)\s?받아|기다려|양해|들어\s?주|이해해|참고|조용|앉아|인사|소개해|질문해|눌러|오해|(?<!한번\s)(?<!한 번\s)(?<!알아)(?<!찾아)(?<!살펴)(?<!알아\s)봐\s?주|마이크|잘\s?부탁|음소거|발언해|답변해|나오셔서|나오시어|참조|보아\s?주|의결하여|심사하여|[0-9]\s?(?:분|초)(?:을|씩|만)?\s?(?:더\s?)?(?:드리|하겠|할게|쓰)|여쭐|화면|잠깐만?[,.]?\s|거수|손을?\s?(?:들|내)|정돈|삼가|협조"
)
_TASK: Final = re.compile(
    r"공유|작성|준비|조사|측정|확인|검토|정리해|보내|올려|올리|만들|수정|추가|업데이트|예약|연락|전달|제출|등록|배포|테스트"
    r"|분석|설정|처리|구현|개발|적용|개선|요청|신청|주문|구매|문의|알아\s?[보봐볼]|찾아\s?[보봐볼]|맡|조율|점검|교체|복구|작업|담당|발송|계약|챙겨|챙기|전화|의논|상의|협의|보고드리|건의|반영|조치|시정|보완|마련|속기록|회의록|서류|문서|명단|목록|내역|사본|보고서|답변서|계획서|영수증|견적서"
)
_TRIES: Final = re.compile(
    r"(?:연락|전화|문의|확인|요청|신청|부탁|조율|조사|작성|준비|점검|협의|상의|파악|알아|물어|찾아|만들어|말씀|여쭤)(?:해|드려|하)?\s?보겠(?:습니다|어요)$|(?:연락|전화|문의)(?:드려|해)\s?볼게요$"
    r"|(?:물어\s?보|여쭤\s?보|알아\s?보|확인하|확인해\s?보|문의하|문의해\s?보|상의하|상의해\s?보|논의해\s?보|살펴\s?보|살피|검토하|검토해\s?보|파악하|파악해\s?보|취합하|점검하|점검해\s?보)(?:고|여|서)\s?(?:나서\s?)?(?:(?:다시|다음에|나중에|추후에?|별도로|따로|바로|서면으로|한번)\s?)*(?:말씀|연락|공유|회신|답변|알려|보고|설명|제출)\s?(?:드리|드릴|하|할)\s?(?:도록\s?하)?(?:겠습니다|게요|게)$"
)
"""전화해 보겠습니다: an errand, though one only tries."""
_TELLS_LATER: Final = re.compile(
    r"^(?=.*(?:내일|모레|다음\s?주|이따|요일))(?=.*(?:(?<![주월일시전후때번뒤중침녁낮밤간])에|에게|께|한테)\s).*말씀\s?드(?:릴게요|리겠습니다)$"
)
"""내일 행정실에 말씀드릴게요: somebody else, later; 지금 말씀드리겠습니다 is done with saying it."""
_ASKS_ELSEWHERE: Final = re.compile(
    r"달라고\s(?:[가-힣]+\s)?[가-힣]{2,}(?:에|에게|께|한테|쪽에)\s(?:다시\s|한번\s)?(?:얘기|이야기|말씀|말|전화|연락|부탁|요청|건의)(?:해|드려|넣어)?\s?(?:볼게요|보겠습니다|둘게요|놓을게요)$"
)
"""가로등을 달아 달라고 구청에 얘기해 볼게요."""
_WILL_NOT: Final = re.compile(
    r"(?:^|\s)안\s[가-힣]{1,5}(?:게요|겠습니다|겠어요)$|지\s?않(?:을게요|겠습니다|겠어요)$"
)
"""주문은 안 할게요."""
_CASUAL: Final = re.compile(rf"[{WILL}]\s?게$")
"""내가 찍어 줄게."""
_FINISHES: Final = re.compile(r"(?:끝내|마치|마무리하|마무리\s?짓)겠")
_THEN: Final = re.compile(
    r"(?:끝나고|끝나는\s?대로|되는\s?대로|(?<=[하가오나서]면서)|오는\s?대로|나오는\s?대로|받는\s?대로|확인되면|끝나면|도착하면|가는\s?길에|오는\s?길에|들어가서|돌아가서|당일에|이따가?|오늘\s?중으로)\s"
)
"""회의 끝나고 바로 볼게요: when it will be done, though no day is named."""
_BY_ABOUT: Final = re.compile(
    r"^(.{4,60}?게요),?\s(?:한\s)?[가-힣0-9\s]{2,12}?(?:쯤|까지|전에|에|중에|안에)$"
)
"""제가 할게요, 금요일쯤? Only the moment is in question."""
_WHEN_BEHIND: Final = re.compile(r",\s[가-힣0-9\s]{2,12}까지(?:요|는요|만요)?$")
"""제가 작성할게요, 수요일까지요."""
_TITLES: Final = r"(?:부위원장|부회장|부사장|본부장|센터장|사무장|간호사|감사|소장|국장|점장|사장|상무|전무|서기|팀장|실장|부장|차장|과장|대리|주임|책임|선임|수석|매니저|반장|위원장|위원|간사|총무|회장|이사|대표|원장|교장|교감|교수|박사|선생|코치|감독)"
NAMED: Final = re.compile(
    r"(?:^|[\s,])(?!(?:그럼|그러면|그건|그거|이건|이거|이번|다음|우리|저희|혹시|일단|그리고|오늘|내일|다른|모든|여러)\s)([가-힣]{2,4}?)\s?"
    rf"(?:{_TITLES}님?|님|씨|쌤)(?:은|는|이|가|께서|께서는|도)?(?=[\s,])"
)
"""수진 선생님이, 준호 씨는; 팀장님 where nobody is named."""
_OPEN: Final = re.compile(
    r"(?:그거\s?보고|(?:보고|듣고|받고|알아보고|물어보고|확인하고)\s?나서|들어\s?보고|받아\s?보고)\s?(?:다시\s?)?(?:결정|정)(?:합시다|하죠|하시죠|해요|하자|하겠습니다)|다시\s?(?:논의|이야기|얘기|검토|정하|살펴|보기로|다루)|추후|보류|미정|미해결|숙제로|나중에\s?(?:다시|논의|정하|이야기|얘기)"
    r"|다음\s?(?:회의|번|미팅|주|달|시간)[^.]{0,12}(?:논의|정하|이야기|얘기|다루|결정하|검토하|미루|넘기)"
    r"|아직\s?(?:결정|정해|확정|미정|답|합의|못\s?정)|(?:확인|검토|논의|조율|협의)[이가]?\s?(?:더\s?)?필요"
    r"|결론(?:을|이)?\s?(?:못|안|나지)|정해지지\s?않"
)
_COURTESY: Final = re.compile(
    r"^(?:안녕하세요|안녕하십니까|감사합니다|고맙습니다|수고하셨습니다|수고하세요|좋습니다|좋아요|알겠습니다|맞습니다|그렇습니다|네|예|반갑습니다)$"
    r"|회의(?:를|는)?\s?(?:여기서\s?)?(?:표결|부치|상정|정회|거수|회부|기회를?\s?드리|부여|선포|속개|시작|마치|마무리|종료|끝(?!나[고면는]))[^.]*$|넘어\s?(?:가(?:겠습니다|죠|시죠|도록|볼게요|자)|갈게요|갈까요|갑시다)"
    r"|^(?:(?:더|다른\s?(?:말씀|의견))\s?(?:[가-힣]+\s)?없으(?:면|시면)\s)?(?:오늘은\s)?(?:그럼\s)?(?:이만|여기까지|여기서|이걸로)?\s?(?:하고\s)?(?:마치|끝내|마무리하)(?:겠습니다|죠|시죠|도록\s?하겠습니다)$"
    r"|(?:이야기|얘기)를?\s?(?:해\s?보죠|해\s?보겠습니다|하겠습니다|하죠)$|^(?:저도|저는)?\s?[^\s]*\s?(?:찬성|동의)합니다$"
)
_DONE_TAILS: Final = tuple(
    jamo(tail)
    for tail in (
        "결정하겠습니다",
        "확정하겠습니다",
        "결정했습니다",
        "결정됐습니다",
        "하기로했습니다",
        "확정했습니다",
    )
)


def is_echo(bare: str) -> bool:
    """Decides what was said just before."""
    return _ECHO.search(bare) is not None


def is_vote(bare: str) -> bool:
    """The result of a vote, which does not say on what: 찬성 13명, 반대 6명으로 가결되었음을 선포합니다."""
    return _VOTED.search(bare) is not None and _MATTER.search(bare) is None


def names_a_motion(bare: str) -> bool:
    """Whether a sentence names what is voted on: … 채택의 건을 …."""
    return _MATTER.search(bare) is not None and not bare.startswith("(")


_MOVED_TO: Final = re.compile(r"(?:요일|[0-9]\s?일)(?:으)?로\s?(?:미루|미뤄|넘기|넘겨)[가-힣]{1,4}$")
"""다음 주 월요일로 미루죠: moved to a day, not put off."""


def is_open(bare: str) -> bool:
    """Whether a sentence leaves something open."""
    return _at_the_end(_OPEN, bare, 14) and _MOVED_TO.search(bare) is None


_DEFERS: Final = re.compile(
    r"다음\s?(?:회의|번|미팅|시간|차례)[가-힣\s]{0,12}(?:다루|논의|결정|정하|이야기|얘기|상의)[가-힣\s]{0,8}(?:겠(?:습니다|어요)|게요)$"
)


def defers(bare: str) -> bool:
    """그건 다음 회의에 다루겠습니다: put off, though it is said like a promise."""
    return _DEFERS.search(bare) is not None


def is_courtesy(bare: str) -> bool:
    """Greetings, thanks, and the chair's announcements."""
    return _COURTESY.search(bare) is not None


_UNOPPOSED: Final = re.compile(
    r"^(?:(?:그럼|그러면|네|자)[\s,]+)*(?:(?:다른|더|별)\s?(?:의견|말씀|이의|이견)|이의|이견|반대)(?:이|가)?\s?(?:[가-힣]{1,3}\s)?없(?:으시면|으면|으시니|으니)[\s,]+\S.*(?:으로|로|기로|것으로|걸로)\s?(?:하|정하|결정하|확정하|진행하|추진하)(?:겠습니다|죠|시죠)$"
)
"""다른 의견 없으시면 이천칠백만 원 업체로 하겠습니다."""


def decides(bare: str) -> bool:
    """Whether a sentence settles something by itself."""
    if _UNOPPOSED.match(bare) is not None and len(bare.split()) <= MOST_WORDS:
        return True
    if (_VOTED.search(bare) or _ELECTED.search(bare)) and (SELF.search(bare) or _THAT_YEAR.search(bare)):
        return False  # 저는 2023년에 국회에서 의결되었습니다: told of, not done here
    if _VOTED.search(bare) or (_AS_SET.search(bare) and len(bare.split()) <= MOST_WORDS):
        return True
    if _NOT_TO.search(bare) and not _TOLD.search(bare) and len(bare.split()) <= MOST_WORDS:
        return True
    denied = _NOT_DONE.search(bare)
    before = bare[: denied.start()] if denied else bare
    if _UNDECIDED.search(before) or _TOLD.search(bare) or len(bare.split()) < 2:
        return False
    if denied:
        return not (SELF.search(bare) or _SPOKEN.search(bare)) and len(bare.split()) <= MOST_WORDS
    if _CHOSEN.search(bare) and not SELF.search(bare) and len(bare.split()) <= MOST_WORDS:
        return True
    return _at_the_end(_DECIDES, bare, 9) or _sounds_decided(bare[-9:])


def _at_the_end(pattern: re.Pattern[str], bare: str, slack: int) -> bool:
    """Whether the last match ends at most `slack` characters before the end: what is told of is no cue."""
    ends = [found.end() for found in pattern.finditer(bare)]
    return bool(ends) and len(bare) - ends[-1] <= slack and len(bare.split()) <= MOST_WORDS


@lru_cache(maxsize=2048)
def _sounds_decided(tail: str) -> bool:
    """The end of a garbled sentence, e.g. 결정하게씁니다."""
    letters = jamo(tail.replace(" ", ""))
    for meant in _DONE_TAILS:
        start = letters.rfind(meant[:4])
        if start >= 0 and Levenshtein.distance(letters[start:], meant, score_cutoff=2) <= 2:
            return True
    return False


def gives_task(bare: str) -> bool:
    """Whether a sentence takes on or gives work."""
    promised = _WHEN_BEHIND.sub("", bare)
    if promised != bare and SELF.search(promised) and ACTS.search(promised):
        bare = promised
    if _OWN_PART.search(bare):
        return True
    if ASKED.search(bare):
        if _NOT_ASKED.search(bare):
            return False
        if NAMED.search(bare):
            return True
        by_duty = _DUTY.search(bare) is not None
        return not by_duty and (_TASK.search(bare) is not None or due_in(bare) is not None)
    if _CASUAL.search(bare) and (SELF.search(bare) or _THEN.search(bare)):
        return _SPOKEN.search(bare) is None and _NOT_ASKED.search(bare) is None
    if not ACTS.search(bare) or not 3 <= len(bare.split()) <= MOST_WORDS or _WILL_NOT.search(bare):
        return False
    if _THEN.search(bare) and bare.endswith(("게요", "께요")):
        return _SPOKEN.search(bare) is None and _NOT_ASKED.search(bare) is None
    if _TRIES.search(bare) and (SELF.search(bare) or due_in(bare) is not None):
        return True
    if (_TELLS_LATER.search(bare) and SELF.search(bare)) or _ASKS_ELSEWHERE.search(bare):
        return True
    if _FINISHES.search(bare) and SELF.search(bare) and due_in(bare) is not None:
        return True
    if _NOT_ASKED.search(bare) or _ACT_STEM.search(bare) or _COURTESY.search(bare):
        return False
    if _SPOKEN.search(bare):
        return due_in(bare) is not None
    if SELF.search(bare):
        return True
    if _MEETING_ACT.search(bare):
        return due_in(bare) is not None
    return _TASK.search(bare) is not None or due_in(bare) is not None


def tasks_by_question(bare: str) -> bool:
    """Whether a question gives a named person a task: 준호 님, 금요일까지 보내 주실 수 있나요?"""
    return NAMED.search(bare) is not None and asks_for_work(bare)


def promises_about_when(bare: str) -> bool:
    """Whether a question only asks about the moment of what the speaker takes on: 제가 할게요, 금요일쯤?"""
    found = _BY_ABOUT.match(bare)
    return found is not None and due_in(bare) is not None and SELF.search(found.group(1)) is not None


def asks_for_work(bare: str) -> bool:
    """Whether a question asks somebody to do something afterwards."""
    if _NOT_ASKED.search(bare) or _SPOKEN_OF.search(bare):
        return False
    if ASKS_POLITELY.search(bare):
        return _TASK.search(bare) is not None or _OF_WHAT.search(bare) is not None
    return _ASKS_PLAINLY.search(bare) is not None


def asks_in_passing(bare: str) -> bool:
    """법무 검토도 같이 돌려 주시고요: work for whoever says yes to it."""
    if _CALLED.search(bare):
        return _NOT_ASKED.search(bare) is None and _SPOKEN_OF.search(bare) is None
    return ASKED.search(bare) is not None and not (
        _DUTY.search(bare) or _NOT_ASKED.search(bare) or _SPOKEN_OF.search(bare)
    )


def offers(bare: str) -> bool:
    """제가 여쭤볼까요?: a task of the speaker's, once somebody says yes."""
    if _OWN_OFFER.search(bare):
        return (
            _NOT_ASKED.search(bare) is None
            and _SPOKEN.search(bare) is None
            and _SAID_AT_ONCE.search(bare) is None
        )
    return (
        _OFFERS.search(bare) is not None
        and _NOT_ASKED.search(bare) is None
        and _SPOKEN_OF.search(bare) is None
    )


_OWN_OFFER: Final = re.compile(rf"(?:^|\s)(?:제가|내가|저희가)\s.*(?:[{WILL}]까요?|[{WILL}]래요?)$")
_SAID_AT_ONCE: Final = re.compile(
    r"설명|읽어|말씀|시작|진행할|먼저\s?할|얘기|이야기|보여|소개|발표|질문|여쭤\s?봐도|물어\s?봐도|생각|알까|갈까|하나만"
)
_CALLED: Final = re.compile(
    r"^[가-힣]{2,3}[야아],?\s.{2,30}(?:해|와|줘|놔|둬|봐|가져가|사|써|내|챙겨|알아봐|맡아)(?:라|요)?$"
)
"""준호야 스피커 챙겨 와."""
ASKS_POLITELY: Final = re.compile(r"(?:주실|줄)\s?(?:수\s?있|래)|주시겠(?:어요|습니까)|(?:하실|보실)\s?래요")
_ASKS_PLAINLY: Final = re.compile(
    r"(?:^|[\s,])(?:네가|니가|너가|너)\s.*(?:볼래|할래|줄래|맡을래|하면\s?안\s?돼|해\s?줘|하면\s?되겠다)$"
)
_OF_WHAT: Final = re.compile(r"[가-힣](?:은|는|을|를|이|가|도|까지)\s")
_CAN_YOU: Final = re.compile(
    r"^(?:[가-힣]{1,8}(?:님|씨|쌤|께서|께서는|이)*[\s,]+)?(?:가능하(?:시겠습니까|실까요|시겠어요|신가요|세요|시죠)|되시겠(?:어요|습니까)|해\s?주(?:시겠습니까|시겠어요|실\s?수\s?있(?:나요|으세요|을까요|습니까|어요)))$"
)


def asks_if_one_can(bare: str) -> bool:
    """설문을 먼저 하죠. 간사님 가능하시겠습니까?: what was just said is asked of one."""
    return _CAN_YOU.match(bare) is not None


_WHO: Final = re.compile(
    r"(?:할|올|볼|갈|[가-힣]을|[가-힣]를|줄)\s?(?:사람|분)(?:\s?(?:있(?:어요?|으세요|나요|을까요|습니까)|계(?:세요|신가요|십니까|실까요)))?$|(?:^|\s)누가\s.*(?:까요?|래요?|나요|죠|실래요|실까요|주실까요)$"
)


def asks_who(bare: str) -> bool:
    """5층 거 보고 올 사람?: whoever promises something then has taken it on."""
    return _WHO.search(bare) is not None


_SPOKEN_OF: Final = re.compile(
    r"설명|보여|알려\s?주실|들려|읽어|시작|표결|이야기|얘기|정리해\s?볼|넘어|마무리|생각|나눠\s?볼|살펴|쉴까|볼까요$(?<!여쭤볼까요)(?<!물어볼까요)(?<!알아볼까요)(?<!찾아볼까요)(?<!해 볼까요)(?<!짜 볼까요)"
)
_OFFERS: Final = re.compile(
    rf"(?:^|\s)(?:제가|내가|저희가)\s.*[{WILL}]까요?$|(?:여쭤|물어|알아|찾아|연락해|전화해|확인해|문의해|신청해)\s?볼까요?$"
)


def own_part(bare: str) -> bool:
    """Whether somebody says which part of a divided task is theirs."""
    return _OWN_PART.search(bare) is not None


def is_title(name: str) -> bool:
    """소장: an office, and nobody's name."""
    return re.fullmatch(_TITLES, name) is not None
