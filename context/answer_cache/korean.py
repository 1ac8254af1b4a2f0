# ruff: noqa: E501  # patterns read better unbroken
"""Korean questions taken apart for comparison, without a dictionary: particles and endings are cut off.

What is cut too little keeps two questions apart, which costs a miss; so the cutting is careful, and
the same for both questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from context.answer_cache.concepts import KOREAN
from context.answer_cache.reading import Asking, Role, Tense, Word
from context.numbers import spelled, stated

_CALLING: Final = re.compile(
    r"^(?:(?:모임아|모임|저기|자|음|아니요|아니|아|네|예|그럼|그러면|그런데|그리고|근데|혹시|일단)[\s,]+)+"
)
_PHRASES: Final = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (
            r"액션\s?아이템|투두|할\s?일|해야\s?(?:할|하는|될|되는)\s?(?:일|거|게|것)|(?<=[가-힣] )뭘 해야 (?:해|돼|하)\S*",
            "할일",
        ),
        (r"(?:하기로|맡기로)\s?한\s?일", "할일"),
        (r"무슨\s?일을?\s?(?:하|맡)\S*(?:\s?했\S*)?", "할일 뭐"),
        (r"(\S*(?:미해결|미완료|미정|미확정|미납|미승인))", r"안 \1"),
        (r"안 (\S*)미(해결|완료|정|확정|납|승인)", r"안 \1\2"),
        (r"불가능", "안 가능"),
        (r"불참", "안 참석"),
        (r"어디까지\s?(?:진행|왔|됐|되)\S*", "상황 뭐"),
        (r"자고\s?(?=제안|건의)", " "),
        (r"뭐라고?\s?(?:했|하|말|얘기|그랬)\S*", " 뭐 말 "),
        (r"자(?:고|는)\s?(?:말|얘기|이야기|의견|주장|했|한|하|생각)\S*", " 자고 말 "),
        (r"(?<!이)라(?:고|는)\s?(?:말|얘기|이야기|의견|주장|했|한|하|생각)\S*", " 라고 말 "),
        (r"(?:다|이라|냐)(?:고|는)\s?(?:말|얘기|이야기|의견|주장|했|한|하|생각)\S*", " 말 "),
        (r"(?:을|를)?\s?(?:좀\s)?알\s?수\s?있\S*", " 알려줘"),
        (r"(알려|말해|말씀해|보여|요약해|정리해|설명해|찾아|뽑아)\s?(?:줄|주실)\s?수\s?있\S*", r"\1줘"),
        (r"까닭", "이유"),
        (r"(?:뭐|무엇|뭣|무슨 일)\s?때문에?", "왜"),
        (r"언제\s?까지", "언제 마감"),
        (r"마감일|마감\s?기한|기한|데드라인|마감\s?시한", "마감"),
        (
            r"어떻게\s?(?:돼|되|됐|나왔|나와|나오|결론|끝났)\S*|어때\S*|어땠\S*|어떤가\S*|어떤지\S*|어떠\S*",
            " 뭐 ",
        ),
        (
            r"(시작|종료|완료|마감|발표|출시|배포|계약|개최|납품|시행)일(?=[은는이을를도의에 ]|$|자)",
            r"\1 날짜",
        ),
        (r"어떻게\s?생각\S*", " 뭐 말 "),
        (r"(승인|담당|책임|발표|진행|작성|검토|제안|참석|관리)자(?=[는가를도의와 ]|$)", r"\1 누구"),
        (r"누구\S*(.*?)누구\S*", r"누구 \1"),
        (
            r"몇\s?시간\s?(?:동안|이나)?|얼마나\s?(?:오래|길게)|며칠\s?(?:동안|간|이나)?|얼마\s?동안|몇\s?(?:주|달|개월|년)\s?(?:동안|간)?|기간",
            " 얼마동안 ",
        ),
        (r"몇\s?번째", "몇번째"),
        (r"(?:사람|분)(?:은|이|들은|들이)?\s?있\S*", "누구 있"),
    )
)
_ASKING_PATTERNS: Final[tuple[tuple[str, Asking], ...]] = (
    (r"얼마동안", "how_long"),
    (r"얼마나\s?자주|빈도", "how_often"),
    (r"몇\s?시|몇시", "hour"),
    (
        r"(?<![가-힣])몇\s?(?:명|건|개|대|번|가지|사람|군데|곳|표|장|회|퍼센트)|인원\s?수|개수|건수",
        "how_many",
    ),
    (
        r"(?<![가-힣])언제(?!든|나\s|라도)|며칠|몇\s?월|몇\s?일|무슨\s?요일|어느\s?날|(?:날짜|시점|시기|일자)(?=[가는를을]?\s?(?:뭐|어떻게|알려|말해|$))",
        "when",
    ),
    (r"(?<![가-힣])(?:왜(?!냐하면)|어째서|이유|원인)", "why"),
    (r"(?<![가-힣])(?:누가|누구(?!나|든)|누굴|담당자|(?:어느|어떤|무슨)\s?(?:분|사람)|사람)", "who"),
    (r"(?<![가-힣])(?:어디(?!든)|어딜|장소|위치)", "where"),
    (r"(?<![가-힣])(?:얼마|얼만|금액|액수)", "how_much"),
    (r"(?<![가-힣])(?:어떻게|방법|방식|어떡)", "how"),
    (
        r"(?<![가-힣])(?:뭐|뭘|뭔|무엇|무슨|어떤|어느|뭡|뭣)|알려|말해|말씀해|보여|설명|가르쳐|뽑아|나열|정리|요약|목록|(?:은|는)\s?[?]?$|들려|찾아|읽어",
        "what",
    ),
)
_ASKING: Final = tuple((re.compile(pattern), asking) for pattern, asking in _ASKING_PATTERNS)
_QUESTION_WORD: Final = re.compile(
    r"^(?:언제|왜|어째서|이유|원인|누가|누구|누굴|담당자|사람|어디|어딜|장소|위치|얼마|얼만|금액|액수|어떻게|어떡|뭐|뭘|뭔|무엇|무슨|어떤|어느|뭡|뭣|몇|며칠|얼마동안|빈도|자주)"
)
_KIND_OF: Final[tuple[tuple[str, Asking], ...]] = (
    ("언제", "when"), ("왜", "why"), ("이유", "why"), ("원인", "why"), ("누가", "who"), ("누구", "who"), ("어디", "where"), ("장소", "where"),
    ("얼마동안", "how_long"), ("얼마", "how_much"), ("어떻게", "how"), ("몇", "how_many"),
)  # fmt: skip
_SCOPE: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (
            r"(?<![가-힣])(?:모든|모두|전부|전체|다(?=\s)|각각?|온|매번|모조리|싹)(?:의|를|에|가|적으로|다)?(?=\s|$)",
            "all",
        ),
        (r"(?<![가-힣])(?:일부|몇몇|몇\s?가지)(?:의|는|만|가|를)?(?=\s|$)", "some"),
        (r"(?<![가-힣])(?:오직|단지|유일\S*)(?=\s|$)", "only"),
        (r"(?:빼고|제외하고|말고|이외에?|외에)(?=\s|는|도|$)", "except"),
        (r"(?<![가-힣])(?:처음|최초|맨\s?먼저)(?:에|으로|에는)?(?=\s|$)", "first"),
        (r"(?<![가-힣])(?:마지막|끝으로|최종)(?:에|으로|에는)?(?=\s|$)", "final"),
        (r"(?<![가-힣])(?:가장|제일|최고로?|맨)(?=\s|$)", "most"),
        (r"(?<![가-힣])(?:더|더욱|보다)(?=\s|$)", "more"),
        (r"(?<![가-힣])덜(?=\s|$)", "less"),
        (r"(?<![가-힣])(?:먼저|우선)(?=\s|$)", "before others"),
        (r"(?<![가-힣])(?:나중에|이후에)(?=\s|$)", "after others"),
        (r"(?<![가-힣])또\s?(?=\S)|추가로|그\s?밖에", "other"),
        (r"절반|(?<![가-힣])반(?=[은이을]?\s)", "half"),
        (r"(?<![가-힣])부분(?=만|의|을)", "part"),
        (r"(?<![가-힣])(?:매일|매주|매달|매년|매월)", "each time"),
    )
)
_ENDS: Final = (
    "(?:나요|나|니까|니|냐|지요|지|죠|어요|어|아요|아|대요|대|던가요|던|다|는|은|을|고|으면|면|셨어요?|셨나요|셨습니까|시나요|시죠|시는"
    "|세요|습니까|습니다|까요|까|건가요|는지|은지|을지)"
)
_LIGHT: Final = re.compile(
    rf"^(?:대해서?|대한|대하여|관해서?|관한|관련된?|관련해서?|것들?|거|게|걸|건|건가요?|거야|거예요|거지|거죠|점|내용|사항|부분|쪽|수|줄|등|및|좀|꼭|다시|한번|아직|이제|그냥|도대체|정확히|혹시|정말"
    rf"|진짜|실제로|구체적으로|이번|우리|저희|중|중에|중에서|때|동안|간|목록|지금까지|님|씨|분|팀원|사람|사람들"
    rf"|알려|알려[줘주]\S*|말해|말해[줘주봐]\S*|말씀해|말씀해[줘주]\S*|보여|보여[줘주]\S*|가르쳐[줘주]?\S*|설명해|설명해[줘주]\S*|뽑아|뽑아[줘주]\S*|나열해\S*|들려[줘주]?\S*|찾아[줘주]\S*|읽어[줘주]\S*|줘|줘요|주세요|주십시오|줄래요?|달라고|달라는"
    rf"|부탁해요?|부탁드려요|부탁드립니다|부탁합니다"
    rf"|하|하는|하고|하기|하기로|하면|하지|하나요|하죠|하니|하냐|하려고?|하게|하던|하신|하실|하셨{_ENDS}?|하시{_ENDS}|하십니까|하세요|하겠{_ENDS}|하자고|하는지"
    rf"|해|해요|해야|해서|해도|해줘|해주세요|했{_ENDS}?|한|한다|한다고|한지|한대요?|된대요?|되대요?|할|할까요?|할지|할래요?|할게|합니까|합니다|됩니까|됩니다|되|되는|되나요|되나|되지|되죠|되고|되면|되었{_ENDS}|되는지|돼|돼요|됐{_ENDS}?|된|된다|된지|될|될까요?|될지"
    rf"|있|있{_ENDS}|있었{_ENDS}|인|인가요?|인지|인데|이야|이에요|이지|이죠|이었{_ENDS}|예요|에요|야|였{_ENDS}|일까요?|입니까|건지"
    rf"|나오|나온|나오는|나올|나왔{_ENDS}|나와|나와요|나오나요|났{_ENDS}|난|나요|드는|드나요|듭니까|들어|들어요|낸|냈{_ENDS}|낼|열려|열려요|열리나요|열리는|열렸{_ENDS}|열린|열릴"
    rf"|진행|진행해|진행하나요|진행하는|진행한|진행할|진행했{_ENDS}|진행돼요?|진행되는|진행되나요|진행된|진행됐{_ENDS}|진행될|진행합니까"
    rf"|정도|드려|드려요|그리고|와|과|랑|지|죠|요|위해|위한|통해|따라|대로|로|으로|회의에서는?|모임아|싶{_ENDS}|같은|같아요?|같나요)$"
)
_LIGHT_NOUN_LIST: Final = (
    "것 거 게 건 점 내용 사항 부분 쪽 수 등 때 중 목록 정도 사람 사람들 분 님 씨 팀원 우리 저희 모임"
)
_LIGHT_NOUNS: Final = frozenset(_LIGHT_NOUN_LIST.split())
_PARTICLES: Final[tuple[tuple[str, Role], ...]] = (
    ("에게서", "from"), ("한테서", "from"), ("께서는", "subject"), ("께서", "subject"), ("에게는", "to"), ("한테는", "to"), ("에게", "to"),
    ("한테", "to"), ("에서는", ""), ("에서의", ""), ("에서", ""), ("으로는", ""), ("으로", ""), ("이라는", ""), ("라는", ""), ("까지는", ""),
    ("까지", ""), ("부터", ""), ("보다", "than"), ("처럼", ""), ("마다", ""), ("에는", "at"), ("에도", "at"), ("에", "at"), ("이랑", "with"), ("하고", "with"),
    ("과의", "with"), ("와의", "with"), ("과", "with"), ("와", "with"), ("랑", "with"), ("은", "topic"), ("는", "topic"), ("이", "subject"), ("가", "subject"),
    ("을", "object"), ("를", "object"), ("의", ""), ("로는", ""), ("로", ""), ("들", ""),
)  # fmt: skip
_ONLY: Final = re.compile(r"(?<![불대비자기미낭])만(?:은|이|을|의|으로)?$")
_ALSO: Final = re.compile(r"(?<![속정온강용태의한난각제지보시연년확족성뢰진인유주부밀습빈])도$")
_ORPHANS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("은", "는", "이", "가", "을", "를", "의", "에", "에는", "로", "으로", "쯤", "에서", "과", "와"), ()),
    "만": ("only",), "도": ("also",), "까지": ("until",), "부터": ("since",),
}  # fmt: skip
"""Particles whose moment or number was cut out before them."""
_ENDING: Final = re.compile(
    r"(?:습니까|습니다|십니까|으십니까|였습니까|었습니까|았습니까|합니까|됩니까|나요|가요|까요|어요|아요|해요|네요|지요|죠|던가요|던|대요|래요|래|대|셨어요|셨나요|셨어|셨지"
    r"|었어요|았어요|었어|았어|었지|았지|었나|았나|었나요|았나요|었던|았던|었다|았다|기로|려고|려면|으려|려|다고|다는|면서|지만|는데|은데|는지|은지|을지"
    r"|어야|아야|어서|아서|으면|면|고|게|지|니|냐|어|아|는|은|을)$"
)
_NOUN_STEMS: Final = frozenset({"일", "말", "끝", "팔", "이슈"})
"""What an ending may not be cut off before: 일지 is a journal, not work."""
_DOING: Final = re.compile(
    rf"(?<=[가-힣]{{2}})(?:하{_ENDS}|하(?:는|고|기|기로|면|지|나요|죠|니|냐|려고|려면|게|던|신|실|셨{_ENDS}|시{_ENDS}|십니까|세요|자고|자는|는지|도록|여|였{_ENDS}?)?|했{_ENDS}?"
    rf"|할(?:까요?|지|래요?|게요?)?|한(?:다고?|다는|지|대요?)?|합(?:니까|니다)|해(?:요|야|서|도|줘|주세요|진|졌{_ENDS}?)?|함|되(?:는|고|기|면|지|나요|죠|었{_ENDS}|는지|어)?|됐{_ENDS}?|돼(?:요|야|서)?"
    rf"|된(?:다고?|다는|지|대요?)?|될(?:까요?|지)?|됩(?:니까|니다)|됨|시키(?:는|고|기|면|기로)?|시킨|시킬|시켰{_ENDS}?|당한|당했{_ENDS}?|드린|드릴|드렸{_ENDS}?|중|받은|받을|받았{_ENDS}?)$"
)
_NOT_STEM: Final = {
    "미루": "미루", "미뤘": "미루", "미룬": "미루", "미뤄": "미루", "미룰": "미루", "늦춘": "늦추", "늦췄": "늦추", "늦어진": "늦어지", "늦어졌": "늦어지",
    "앞당긴": "앞당기", "앞당겼": "앞당기", "당긴": "당기", "당겼": "당기", "바꾼": "바꾸", "바꿨": "바꾸", "바꿀": "바꾸", "바꿔": "바꾸", "바뀐": "바뀌", "바뀌": "바뀌", "바뀌었": "바뀌", "바뀔": "바뀌",
    "뺀": "빼", "뺐": "빼", "뺄": "빼", "빠진": "빠지", "빠졌": "빠지", "없앤": "없애", "없앴": "없애", "넣은": "넣", "넣었": "넣", "늘린": "늘리", "늘렸": "늘리", "늘릴": "늘리", "늘려": "늘리",
    "늘어난": "늘어나", "늘어났": "늘어나", "늘었": "늘", "올린": "올리", "올렸": "올리", "올릴": "올리", "올려": "올리", "오른": "오르", "올랐": "오르", "오를": "오르",
    "줄인": "줄이", "줄였": "줄이", "줄일": "줄이", "줄여": "줄이", "줄어든": "줄어들", "줄었": "줄", "내린": "내리", "내렸": "내리", "내릴": "내리", "내려": "내리",
    "떨어진": "떨어지", "떨어졌": "떨어지", "떨어질": "떨어지", "끝난": "끝나", "끝났": "끝나", "끝날": "끝나", "끝낸": "끝내", "끝냈": "끝내", "끝낼": "끝내", "끝내야": "끝내",
    "마친": "마치", "마쳤": "마치", "마칠": "마치", "정한": "정하", "정했": "정하", "정할": "정하", "정해": "정하", "정해졌": "정해지", "정해진": "정해지", "정해질": "정해지", "정하": "정하", "고른": "고르", "골랐": "고르", "고를": "고르",
    "맡은": "맡", "맡았": "맡", "맡을": "맡", "맡아": "맡", "맡기": "맡기", "맡긴": "맡기", "뽑은": "뽑", "뽑았": "뽑", "뽑을": "뽑", "쓰": "쓰", "쓴": "쓰", "썼": "쓰", "쓸": "쓰", "써": "쓰",
    "다른": "다르", "달라": "다르", "다르": "다르", "달라졌": "달라지", "고친": "고치", "고쳤": "고치", "고칠": "고치", "고쳐": "고치", "생긴": "생기", "생겼": "생기", "생길": "생기",
    "일어난": "일어나", "일어났": "일어나", "이어진": "이어지", "이어졌": "이어지", "옮긴": "옮기", "옮겼": "옮기", "옮길": "옮기", "옮겨": "옮기", "보낸": "보내", "보냈": "보내", "보낼": "보내",
    "만든": "만들", "만들": "만들", "만들었": "만들", "만난": "만나", "만났": "만나", "만날": "만나", "큰": "크", "커": "크", "컸": "크", "작은": "작", "많은": "많", "많": "많", "적은": "적",
    "높은": "높", "낮은": "낮", "싼": "싸", "싸": "싸", "비싼": "비싸", "비싸": "비싸", "빠른": "빠르", "빨라": "빠르", "느린": "느리", "느려": "느리", "말": "말", "말한": "말", "말했": "말",
    "던진": "던지", "던졌": "던지", "찾은": "찾", "찾았": "찾", "남은": "남", "남긴": "남기", "남길": "남기", "팔": "팔", "판": "팔", "팔았": "팔", "산": "사", "샀": "사", "팔린": "팔리", "팔렸": "팔리",
    "건넨": "건네", "건넸": "건네", "나눈": "나누", "나눴": "나누", "구한": "구하", "구했": "구하", "급한": "급하", "급하": "급하",
}  # fmt: skip
_BEFORE_NOT: Final = re.compile(r"(?:지|진|지는|지도|질)\s?(?:않|못|말|아니)\S*|지\s?(?:마|말)\S*")
_NONE: Final = re.compile(r"(?<![가-힣])(?:없|아니|아닌|아닙|모르|모른|몰랐)\S*")
_SHORT_NOT: Final = re.compile(r"(?<![가-힣])(?:안|못)\s(?=[가-힣])")
_SUGGESTS: Final = re.compile(
    r"지\s?않(?:을까|나|습니까|아요\?|았나)\S*|(?:문제|상관|틀림)\s?없\S*|뿐(?:만)?\s?아니라"
)
_ORDINAL: Final = {
    "첫": 1.0,
    "두": 2.0,
    "세": 3.0,
    "네": 4.0,
    "다섯": 5.0,
    "여섯": 6.0,
    "일곱": 7.0,
    "여덟": 8.0,
    "아홉": 9.0,
    "열": 10.0,
    "한": 1.0,
    "스무": 20.0,
}
_COUNTED: Final = re.compile(
    r"(?<![가-힣])(첫|두|세|네|다섯|여섯|일곱|여덟|아홉|열|한|스무)\s?(?:번째|번|째|명|개|건|달|시간|시|대|가지|배|사람|분|곳|군데|주|살|장|표|차례)(?![가-힣]{3})|(?<![가-힣])(첫)\s"
)
_DIGITS: Final = re.compile(
    r"[a-z]?\d[\d,]*(?:\.\d+)?[a-z]*\s?(?:퍼센트|프로|조|억|만|천|백|원|명|건|개|대|차|층|번|호|점|배|시간|시|분|초|월|일|년|주|회|장|분기|단계|안|학점|%|조원|억원|만원|개월|살|부|기|팀|위|등|군데|곳)*(?:\s?번째)?"
)
_SINO_RUN: Final = re.compile(
    r"(?<![가-힣])(?:[일이삼사오육칠팔구]?[십백천만억])[일이삼사오육칠팔구십백천만억]*\s?(?:월|일|년|원|명|건|개|퍼센트|프로|시간|분|주|달|배|층|회|차)(?=[^가-힣]|[은는이가을를의에로과와도만까이]|$)|(?<![가-힣])[일이삼사오육칠팔구]\s?(?:층|차|분기|단계|퍼센트|프로|월|년)(?![가-힣]{2})"
)
_ANY_NUMBER: Final = re.compile(f"{_COUNTED.pattern}|{_SINO_RUN.pattern}|{_DIGITS.pattern}")
_TOKEN: Final = re.compile(r"[⊖⊕%]|[가-힣]+|[a-z][a-z'+#-]*[가-힣]*|\d[\d.,]*")
_CAN: Final = re.compile(r"수\s?(?:가|는|도)?\s?(?:있|없|⊖)")
_MUST: Final = re.compile(r"(?:해|되|돼|어|아|여|려|내|가)야\s?(?:하|해|했|할|한|합|되|돼|될|됩|된|됐|만)")
_OR: Final = re.compile(r"또는|혹은|아니면|(?<=[가-힣])(?:이나|거나)\s")
_LEANING: Final = re.compile(
    r"(?<![가-힣])(?:그거|그건|그게|그걸|그것|이거|이건|이게|이걸|이것|저거|저건|저게|저것|걔|얘|그분|이분|저분|그때|거기|그렇게|이렇게|저렇게|그래서|그럼\s(?=언제|왜|누가|뭐)|그중|그런|이런|저런|그쪽|이쪽|여기|저기|그이유|둘\s?중|같은\s?거)"
    r"|(?<![가-힣])(?:그|이|저)\s(?!회의|미팅|모임|스프린트)[가-힣]{1,}|(?<![가-힣])그날|^(?:그리고|그래서|그런데|근데|그럼)\s"
)
_MOVING: Final = re.compile(
    r"방금|지금|현재|아까|조금\s?전|좀\s?전|최근|이때까지|여태|현황|놓친|놓쳤|못\s?들은"
)
_RECENT: Final = re.compile(r"방금|아까|(?:조금|좀)\s?전|최근")
_OWN: Final = re.compile(
    r"(?<![가-힣])(?:내가|제가|나는|저는|난|전(?=\s뭘|\s뭐|\s언제)|나한테|저한테|나에게|저에게|내|제|나의|저의|나도|저도|나만|저만|날|나를|저를|너|네가|니가|당신)(?=\s|$|은|는)|놓친|놓쳤|못\s?들은|못\s?들었"
)
_PLANNED: Final = re.compile(
    r"기로|[할될갈올볼줄낼쓸]\s?(?:거|건|것|예정|계획|수|일|사람|지|게|까)|겠|예정|[을를]?\s?(?:려고|려면)|할래|(?:해|되|하)야\s"
)
_PAST: Final = re.compile(
    r"[했됐갔왔봤났썼냈샀컸졌렸겼혔뤘췄꿨뺐섰폈쳤]|[았었였였셨]|(?<=[가-힣])(?:한|된|난|간|온|본|낸|쓴|뺀|든|긴|린|친|꾼|은)\s(?=사람|게|것|거|이유|원인|일|내용|부분|분|건|기능|문의|자료|캠페인|안건|작업|말|의견)"
)
_DECIDED: Final = re.compile(
    r"(?:결정|확정|선정|합의|정)(?:했|됐|해졌|되었|하였|한|된|해진)|결론\s?(?:났|난|이 났)|기로\s?(?:했|한|됐|된)"
)
_COPULA: Final = re.compile(
    r"(?:누구|뭐|무엇|언제|어디|얼마|왜|뭔|이유)(?:는|가)?(?:야|예요|에요|죠|지|지요|인가요|입니까|였지|였어|였어요|였나요|인지|니|래|냐)?\s?[?]?$"
)


def leans(text: str) -> bool:
    """Whether a question can't be understood alone."""
    return _LEANING.search(_CALLING.sub("", text)) is not None or text.startswith(
        ("그럼 ", "그래서 ", "그리고 ")
    )


def moves(text: str) -> bool:
    """Whether it asks for the state of things as of now."""
    return _MOVING.search(text) is not None


def looks_back(text: str) -> bool:
    """Whether it asks for the newest only: what was said 방금 is another question than what was said."""
    return _RECENT.search(text) is not None


def owned(text: str) -> bool:
    """Whether the answer depends on the asker."""
    return _OWN.search(text) is not None


def tense_of(text: str) -> Tense:
    """Whether what is asked about lies behind or ahead, where the words say so."""
    decided = _DECIDED.sub(" ", text)
    if _PLANNED.search(decided) or "기로" in text:
        return "coming"
    if _PAST.search(re.sub(r"(?:뭐|뭐라고|뭘)\s?(?:했|하셨)\S*|나왔\S*|였\S*|(?:맡|들)았?\S*", " ", decided)):
        return "past"
    return ""


def asking_of(text: str) -> Asking:
    """What kind of answer is wanted."""
    for pattern, asking in _ASKING:
        if pattern.search(text):
            return asking
    return "yes_no"


def joined_phrases(text: str) -> str:
    """Phrases that are one idea as one word."""
    text = _CALLING.sub("", text)
    for pattern, put in _PHRASES:
        text = pattern.sub(put, text)
    return text


def marked_denials(text: str) -> str:
    """`text` with a mark for each negation: ⊖ denies the word before it, ⊕ the word behind."""
    text = _SUGGESTS.sub(" ", text)
    return _SHORT_NOT.sub(" ⊕ ", _NONE.sub(" ⊖ ", _BEFORE_NOT.sub(" ⊖ ", text)))


def cut_numbers(text: str) -> tuple[str, list[float]]:
    """`text` with what was counted but without the numbers; the numbers as they came."""
    numbers: list[float] = []

    def cut(found: re.Match[str]) -> str:
        counted = _COUNTED.fullmatch(found.group())
        if counted is not None:
            word = counted.group(1) or counted.group(2)
            numbers.append(_ORDINAL[word])
            return " " + found.group().removeprefix(word).strip()
        if _SINO_RUN.fullmatch(found.group()):
            numbers.extend(spelled(found.group()) or {0.0})
            return " " + re.sub(r"^[일이삼사오육칠팔구십백천만억]+\s?", "", found.group()).strip()
        numbers.extend(stated(found.group()))
        return " " + re.sub(r"[\d.,]+\s?[조억만천백]*\s?", " ", found.group()).strip()

    return _ANY_NUMBER.sub(cut, text), numbers


def scope_of(text: str) -> tuple[str, set[str]]:
    """`text` without its words of scope, and those."""
    scope: set[str] = set()
    for pattern, name in _SCOPE:
        text, found = pattern.subn(" ", text)
        if found:
            scope.add(name)
    if _CAN.search(text):
        scope.add("can")
    if _MUST.search(text) and "마감" not in text:
        scope.add("must")
    if _OR.search(text):
        scope.add("or")
    return text, scope


def words_of(text: str, asking: Asking, named: Callable[[str], str]) -> tuple[list[Word], set[str]]:
    """The words that count, and what their particles say of scope. `named`: the person a word names, or ""."""
    words: list[Word] = []
    scope: set[str] = set()
    denied = False
    pieces = _TOKEN.findall(text)
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=True):
        if piece == "⊖" and words:
            words[-1] = replace(words[-1], denied=not words[-1].denied)
            continue
        if piece in _MARKS:
            denied = not denied
            continue
        word = _word_of(piece, following, asking, named, scope)
        if word is not None:
            words.append(replace(word, denied=denied))
            denied = False
    if denied:
        words.append(Word("NOT", denied=True))
    return words, scope


def _word_of(
    piece: str, following: str, asking: Asking, named: Callable[[str], str], scope: set[str]
) -> Word | None:
    """The word that a piece of the text is, or None where it only asks, or means little."""
    if piece == "할일":
        return Word("TASK", concept=True)
    if _is_asking(piece, asking, scope):
        return None
    person = named(piece)
    if not person and _LIGHT.match(piece):
        return None
    if piece in _ORPHANS:
        scope.update(_ORPHANS[piece])
        return None
    bare, role, said = _without_particle(piece)
    scope.update(said)
    if role in {"at", "with"} and _ABOUT.match(following):
        role = "about"
    if person:
        return Word(person, role)
    if bare == "마감":
        return Word("DEADLINE", concept=True)
    return None if bare in _LIGHT_NOUNS else _word(bare, piece, role)


def _is_asking(piece: str, asking: Asking, scope: set[str]) -> bool:
    """A question word is told by `asking`; a second one of another kind is kept in the scope."""
    if _QUESTION_WORD.match(piece) is None:
        return False
    for start, kind in _KIND_OF:
        if piece.startswith(start):
            if kind != asking and (asking, kind) != ("how_long", "how_much"):
                scope.add(f"and {kind}")
            return True
    return True


def _without_particle(piece: str) -> tuple[str, Role, set[str]]:
    said: set[str] = set()
    if len(piece) > 2 and _ONLY.search(piece):
        piece, said = _ONLY.sub("", piece), {"only"}
    elif len(piece) > 2 and _ALSO.search(piece):
        piece, said = _ALSO.sub("", piece), {"also"}
    if not "가" <= piece[-1] <= "힣":
        return piece, "", said
    for particle, role in _PARTICLES:
        least = 1 if particle in _AFTER_ONE else 2
        if piece.endswith(particle) and len(piece) - len(particle) >= least:
            return piece[: -len(particle)], role, said
    return piece, "", said


_MARKS: Final = frozenset("⊖⊕")
_ABOUT: Final = re.compile(r"대해|대한|대하|관해|관한|관련")
_AFTER_ONE: Final = frozenset(
    {"을", "를", "에게", "한테", "께서", "에서", "까지", "부터", "으로", "은", "는", "이", "가", "의", "에"}
)


def _word(bare: str, piece: str, role: Role) -> Word:
    whole = (bare, piece, _DOING.sub("", bare), _DOING.sub("", piece))
    cut = (_ENDING.sub("", piece), _ENDING.sub("", bare), _ENDING.sub("", _ENDING.sub("", piece)))
    for place, shape in enumerate((*whole, *cut)):
        if place >= len(whole) and shape in _NOUN_STEMS:
            continue
        stem = _NOT_STEM.get(shape, shape)
        if stem in KOREAN:
            group = KOREAN[stem]
            return Word(group, role, soft=group == "MEETING", concept=True)
        if shape in _NOT_STEM:
            return Word(stem, role)
    return Word(_DOING.sub("", bare) if len(bare) > 2 else bare, role)
