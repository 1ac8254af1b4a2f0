"""Requests made by filling in, each with whether its answer is for the asker alone.

What is asked says nothing about it: "How much was it?" is everybody's, and with "just between us" or "I was away"
before it, it is the asker's. So the same requests stand with such words, and with their like that say no such thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from tests.training.linear import Row

_SLOTS: Final = {
    "ko": {
        "m": "예산|출시일|회식|포스터|워크숍|서버 교체|가격|로고|채용|환불|계약|견학|동아리방|급식|이사",
        "n": "민지|준호|서연|팀장님|하늘 씨|재현 님|부장님|수아",
    },
    "en": {
        "m": "the budget|the launch|the party|the poster|the workshop|the server move|the price|the logo|hiring|refunds|the contract|the school trip|parking|the menu",
        "n": "Ben|Priya|Tom|Maria|Owen|Jin|the director|our treasurer",
    },
}  # fmt: skip
_REQUESTS: Final = {
    "ko": "{m} 얼마였지?|{m} 언제로 정했어?|{m} 누가 맡았어요?|{m} 왜 미뤄졌지|{m} 어떻게 하기로 했나요?|{n}가 뭐라고 했어?|{n} 의견이 뭐였죠?|{n} 할 일 뭐야|지금까지 결정된 거 알려 줘|결정 사항 정리해 주세요|할 일 목록 보여 줘|내 할 일 알려 줘|제가 맡은 게 뭔가요?|누가 뭐 하기로 했지?|요약해 줘|지금까지 내용 정리해 주세요|회의록 좀|핵심만 말해 줘|{m} 얘기 정리해 줘|{m} 논의 어떻게 됐어요?|아직 안 정한 거 뭐 있어?|보류된 안건 알려 주세요|지금 무슨 얘기 하는 중이야?|지금 안건이 뭔가요|오늘 주제 뭐뭐 있었어|누가 제일 많이 말했어?|내가 얼마나 말했지?|회의 몇 분째야?|누구누구 들어와 있어요?|바뀐 거 있어?|지난 회의록에서 {m} 찾아 줘|{m}에 반대한 사람 누구야|{m} 전화번호가 뭐였지?|{m} 맞아?",
    "en": "how much was {m}?|when is {m}?|who is in charge of {m}?|why was {m} put off|what are we doing about {m}?|what did {n} say?|what was {n}'s opinion?|what does {n} have to do|what has been decided?|list the decisions please|show the tasks|what are my tasks?|what did I sign up for?|who does what?|summarise the meeting|recap so far please|give me the minutes|the main points please|sum up the talk about {m}|how did the debate on {m} go?|what is still open?|which items were postponed?|what are we talking about now?|which item is this|which topics came up|who talked the most?|how much have I talked?|how long have we been going?|who is here?|did anything change?|search the last minutes for {m}|who was against {m}|what was the number for {m} again?|is {m} off?",
}  # fmt: skip
_FOR_ME_ALONE: Final = {
    "ko": {
        "me only": "나만 보게 {r}|저만 볼 수 있게 {r}|나한테만, {r}|저한테만 알려 주세요, {r}|{r} 나한테만 알려 줘|{r} 저한테만요|{r} 나만 볼게|{r} 저에게만 보여 주세요|내 화면에만 띄워 줘, {r}|{r} 나만 알게 말해 줘|나 혼자만 볼 거야, {r}|{r} 저 혼자 보려고요|나만 듣게 {r}|{r} 나만 들리게 말해 줘|나한테만 보이게 {r}|{r} 나한테만 보내|저만 알고 있을게요, {r}|{r} 저한테만 답해 주세요|나만 읽을게, {r}",
        "secret": "몰래 {r}|비밀인데 {r}|{r} 비밀로 해 줘|비밀로 알려 주세요, {r}|{r} 몰래 알려 줘|살짝 물어볼게, {r}|{r} 살짝만 알려 줘|{r} 살짝 귀띔해 주세요|슬쩍 알려 주라, {r}|은밀히 {r}|{r} 티 안 나게 알려 줘|살짝 알려 줘 {r}|{r} 슬쩍 말해 줘|귀띔 좀 해 줘, {r}|나만 살짝 들을게, {r}|{r} 저한테만 살짝 말씀해 주세요|몰래 물어보는 건데 {r}|속닥속닥 {r}|이거 비밀이야, {r}",
        "whisper": "귓속말로 {r}|귓속말로 답해 줘, {r}|{r} 귓속말로 부탁해요|조용히 알려 줘, {r}|{r} 조용히 나한테 알려 줘|조용히 물어보는 건데 {r}|소리 내지 말고 답해 줘, {r}|{r} 말로 하지 말고 글로 나한테 줘|{r} 소리 내서 읽지 마",
        "message": "디엠으로 {r}|{r} 디엠으로 보내 줘|{r} DM으로 주세요|{r} 쪽지로 보내 줘|갠톡으로 {r}|{r} 개인 메시지로 주세요|{r} 개인 톡으로 알려 줘|일대일로 답해 줘, {r}|{r} 나한테 따로 보내 줘|개인 채널로 {r}|{r} 내 메일로만 보내 줘|저한테 따로 알려 주세요 {r}|개인적으로 묻는 건데 {r}|{r} 개인적으로 알려 주세요",
        "not the others": "다른 사람 모르게 {r}|남들 안 보이게 {r}|{r} 다른 사람한테는 말하지 마|{r} 딴 사람들 안 보이게 알려 줘|{r} 모두한테 보내지 말고|단톡에 올리지 말고 {r}|{r} 공개하지 말고 알려 줘|다들 못 보게 {r}|{r} 남들은 몰랐으면 좋겠어|사람들한테 안 들리게 {r}|아무도 모르게 {r}|{r} 누가 볼까 봐 그래|창피하니까 {r}|{r} 채팅창에는 올리지 마세요",
        "between us": "우리끼리 얘긴데 {r}|우리 둘만 아는 건데 {r}|너랑 나만 알자, {r}|{r} 우리끼리만 알자|우리끼리만, {r}|{r} 이건 둘만의 비밀이야|이건 비공개로, {r}|비공개로 {r}|{r} 비공개로 답해 주세요|비공개 질문입니다, {r}",
    },
    "en": {
        "me only": "just for me: {r}|only for me, {r}|{r} just tell me|{r} tell only me|for my eyes only: {r}|{r} show it to me only|{r} only I should see it|{r} to me alone please|visible to me only, {r}|{r} answer just me|for me alone, {r}|{r} this is just for myself|{r} just me please|tell just me, {r}|{r} me only|show only me, {r}|{r} only tell me|give only me this: {r}|{r} for my eyes only|answer me alone, {r}|for my own eyes, {r}|on my own please, {r}",
        "secret": "secretly, {r}|it's a secret, but {r}|off the record, {r}|{r} keep it secret|in confidence, {r}|confidentially, {r}|{r} in confidence please|discreetly, {r}|tell me discreetly, {r}|{r} hush hush|{r} off the record",
        "whisper": "whisper it to me, {r}|psst, {r}|{r} whisper please|quietly, {r}|tell me quietly, {r}|{r} quietly please|on the quiet, {r}|don't say it out loud, {r}|{r} don't read it aloud|{r} just in writing, to me|{r} not out loud|whisper me {r}|{r} write it to me, don't speak|under your breath, {r}|keep it down, {r}|{r} answer me quietly",
        "message": "DM me: {r}|dm me {r}|{r} send it by DM|{r} message me directly|{r} as a direct message|{r} send it to me personally|{r} in a private message please|message me privately, {r}|{r} to my inbox only|{r} reply one-to-one|on the side, {r}",
        "not the others": "don't tell the others, {r}|without the others seeing, {r}|{r} don't let anyone see|{r} don't show everybody|{r} don't post it in the chat|not in front of everyone, {r}|nobody else needs to know, {r}|{r} the others shouldn't see it|{r} and don't tell anyone I asked|I'd rather the rest didn't see this, {r}|{r} keep it from the group|without anyone noticing, {r}|{r} it's embarrassing to ask|no one has to see this, {r}",
        "between us": "just between us, {r}|between you and me, {r}|{r} between us|{r} this stays between us|keep this between us, {r}|privately, {r}|in private, {r}|{r} in private please|a private question: {r}|can I ask privately, {r}|{r} privately|private please, {r}",
    },
}  # fmt: skip
_FOR_ALL: Final = {
    "ko": {
        "me": "나 궁금한데 {r}|저도 궁금한데요 {r}|내가 잘 몰라서 그런데 {r}|나한테 {r}|저한테 {r}|{r} 나 좀 알려 줘|{r} 나한테 알려 줘|{r} 저에게 알려 주세요|내가 헷갈려서, {r}|{r} 나만 모르나|{r} 나만 헷갈려?|제가 적으려고요, {r}",
        "all": "모두에게 {r}|다 같이 보게 {r}|{r} 다들 볼 수 있게 알려 줘|{r} 전체 채팅에 올려 줘|여기 다 있는 데서 {r}|{r} 우리한테 알려 줘|우리 모두를 위해 {r}|{r} 크게 말해 줘|{r} 공개로 알려 줘|{r} 사람들한테도 알려 줘",
        "only": "그것만 말해 줘, {r}|{r} 그것만|짧게만 {r}|하나만 물을게, {r}|다른 건 말고 {r}|{r} 한 줄로만|{r} 이것만 알려 주세요|따로 정한 거 말고 {r}",
        "others": "{n}가 늦게 왔는데 {r}|{n} 없을 때 {r}|{n}가 나가기 전에 {r}|{n}가 못 들었대, {r}|{n}가 놓쳤다는데 {r}|{n}한테도 들리게 {r}|{n}가 물어보는데 {r}|{n} 들어왔으니 다시, {r}|{n}가 자리 비운 동안 {r}",
        "now": "잠깐만, {r}|아까 말한 건데 {r}|끝나기 전에 {r}|다시 한번, {r}|방금 {r}|지금까지 {r}|혹시 {r}|쉬기 전에 {r}|모임아 {r}|시간 없으니까 {r}",
    },
    "en": {
        "me": "tell me, {r}|I was wondering, {r}|remind me, {r}|help me out here, {r}|for me, {r}|I forgot, {r}|{r} is it just me?|{r} am I the only one confused?|let me ask, {r}|I'm writing this down, {r}|{r} I'm not sure I got that|give me a hand, {r}",
        "all": "for everyone: {r}|tell us all, {r}|{r} so that everybody can see it|{r} post it in the chat|out loud please, {r}|{r} show it to all of us|for the whole group, {r}|{r} tell the others too|{r} read it out|publicly, {r}",
        "only": "only this: {r}|just one question, {r}|just quickly, {r}|{r} just that|{r} only the short version|{r} in one line only|nothing else, {r}|just to be clear, {r}",
        "others": "{n} came late, {r}|while {n} was away, {r}|before {n} left, {r}|{n} couldn't hear, {r}|{n} missed it, {r}|{n} wants to know, {r}|{n} is back, so again: {r}|since {n} dropped off, {r}|for {n}: {r}",
        "now": "wait, {r}|before we finish, {r}|once more, {r}|so far, {r}|sorry, {r}|right, {r}|hey Moim, {r}|we're short of time, {r}|going back a bit, {r}|before the break, {r}",
    },
}  # fmt: skip
_OF_THE_MEETING: Final = {
    "ko": {
        "others away": "{n} 없을 때 우리 뭐라고 했지?|{n} 나가 있는 동안 뭐 정했어?|{n}가 놓친 부분이 뭐야?|{n}가 오기 전에 무슨 얘기 했더라|{n}가 늦게 와서 뭘 못 들었죠?|{n}한테 앞 내용 알려 줘|{n}는 언제 나갔어?|{n} 돌아왔어?|누가 중간에 나갔지?|{n}가 못 들은 얘기 다 같이 다시 보자",
        "missed it": "내가 {m} 기한 놓쳤나?|{m} 마감 놓치면 어떻게 돼?|우리가 {m} 신청을 놓쳤어?|제가 {m} 안내를 못 받은 건가요|{m} 놓친 사람 몇 명이래?|{m} 늦으면 벌금 있나요?|{m} 연결이 끊긴 게 언제였지?",
        "on leave": "내가 쉬는 동안 {m}은 누가 해?|나 휴가 때 {m} 누가 대신 맡아?|제가 자리 비우면 {m} 누가 챙기나요|저 없는 날 {m}은 어떻게 하죠?|내가 못 오면 {m} 미루는 거야?|나 출장 갔을 때 {m} 담당 누구로 했지?",
        "mine": "나한테 떨어진 일 있어?|{n}가 나한테 뭐 부탁했지?|내가 아까 {m} 얘기 뭐라 했더라|제가 말한 {m} 숫자가 뭐였죠?|내 업무만 보여 줘|나랑 {n}가 같이 할 일이 뭐야|나만 {m} 맡은 거야?|저만 {m} 찬성했나요?|저에게 주어진 과제 알려 주세요|나 말고 {m} 하는 사람 누구야?",
        "secret matters": "{m} 비공개로 하기로 했어?|{m} 비밀 유지 서약은 누가 받아?|{m} 디엠으로 공지하기로 한 거 맞죠?|{m}은 우리끼리 진행하기로 했나요?|{m} 개인 정보는 누가 관리해?|{n}가 {m}을 몰래 바꿨다고 했어?|{m} 조용히 처리하자고 한 게 누구야|{m} 따로 보내기로 한 사람 누구지|다른 사람들한테 {m} 언제 알려?",
        "talk": "나 없어도 {m} 먼저 정해요|저 잠깐 나갔다 올게요|저 다녀왔습니다, 계속 말씀하세요|{n} 씨 {m} 저한테 따로 보내 주세요|{m} 얘기는 우리끼리만 알고 있죠|제가 조금 늦을 것 같아요|{n} 씨 못 들었어요, 다시 말해 줄래요?|이따 개인적으로 얘기해요|{n} 저만 믿으세요 ㅎㅎ|방금 끊겼네요 죄송합니다",
    },
    "en": {
        "others away": "What did we say when {n} was away?|what did {n} miss?|what did we decide after {n} left?|what happened before {n} came in?|fill {n} in on {m}|did {n} come back?|who dropped off the call?|what was said while {n} was on the phone|when did {n} leave?|catch {n} up so we can all go on",
        "missed it": "did I miss the date for {m}?|what if we miss the deadline for {m}?|have we missed {m}?|who missed the cut-off for {m}?|how many people missed {m}|was {m} late?|am I late with {m}?|when did the connection for {m} drop?",
        "on leave": "who does {m} while I'm on leave?|who stands in for me on {m}?|what happens with {m} when I'm off?|if I can't come, is {m} moved?|who looks after {m} while I'm away next week|when I'm travelling, who handles {m}?",
        "mine": "is anything on me?|what did {n} ask me to do?|what did I say on {m} earlier|what figure did I give for {m}?|only my own tasks|what do {n} and I have to do|am I the only one on {m}?|was it only me in favour of {m}?|what have I been assigned|who besides me does {m}?",
        "secret matters": "is {m} confidential?|who keeps {m} secret?|do we announce {m} by direct message?|did we agree to keep {m} among ourselves?|who has the private numbers for {m}?|did {n} change {m} secretly?|who wanted {m} done quietly|who gets {m} privately?|when do we tell the others about {m}?",
        "talk": "you can settle {m} without me|I'll be away for a minute|I'm back, please go on|{n}, send me {m} privately|let's keep {m} between ourselves|I may be a bit late|{n}, I didn't hear you, say it again?|let's talk in private later|sorry, I got cut off|just trust me, {n}",
    },
}  # fmt: skip
_GARBLED: Final = {
    "ko": "없을 때:업슬때|없는:엄는|없을:업쓸|없었:업섯|했어:햇써|했:햇|뭐라고:머라고|뭐:모|놓친:노친|놓쳤:노쳣|얘기:예기|왔는데:완는데|왔어:와써|못 들:모뜰|끊:끈|알려:알녀|나만:나만은|한테:한태|저 :쩌 | :",
    "en": "what:wat|miss:mis|while:wile|I was:eye was|I :i |'s:s|'m:m|away:a way|heard:herd|just:jus|privately:privatly|tell:tel|everyone:every one|they:the|and:an",
}  # fmt: skip
"""What a listener or a hasty hand makes of it."""
_AWAY: Final = {
    "ko": {
        "left": "나 화장실 갔다 왔는데|저 잠깐 나갔다 왔어요,|전화 받고 왔어|제가 자리를 비웠었는데|나 자리 비운 사이에|저 없는 동안|나 없을 때|내가 빠진 사이|제가 없었을 때|커피 가지러 갔다 온 사이|나 밖에 있는 동안|제가 다른 회의 간 동안|택배 받고 왔는데|담배 피우고 왔어|애 재우고 왔는데|누가 불러서 나갔다 왔는데|잠깐 일 보고 왔어요,|나갔다 온 사이|내가 없는 틈에|저 없는 새에|부재중이라|밥 먹고 왔는데|물 마시고 온 동안|나 빼고|부재 중에|내가 없었던 시간에",
        "late": "방금 들어왔는데|저 지금 왔어요,|늦게 와서 그런데|제가 지각해서요,|나 이제 접속했어|늦게 합류했습니다.|내가 오기 전에|제가 들어오기 전에|나 막 왔는데|이제 막 들어와서|지금 접속해서|십오 분 늦었어,|조금 늦었네요,|지각했어|돌아왔어|복귀했습니다.|다시 왔어요,|앞부분을 못 봐서|합류한 지 얼마 안 돼서",
        "cut": "인터넷이 끊겼는데|방금 튕겨서|저 연결이 끊긴 동안|소리가 안 들렸는데|이어폰이 꺼져서 못 들었어,|노트북이 멈췄었어|제 화면이 나가서|와이파이 끊긴 사이|접속이 끊겨서|폰 배터리가 나가서|렉 걸렸었는데|앱이 꺼졌었어요,|음소거였네|재접속했는데|전화가 들어와서 안 들렸어,",
        "heedless": "졸다가 못 들었는데|제가 못 들었는데|딴생각하다 놓쳤어|저 잠시 집중을 못 해서요,|멍때리고 있었는데|내가 놓친 것 같은데|제가 놓쳤네요,|딴짓하다가|깜빡 잠들었어|다른 거 보느라|메일 쓰느라 못 들었어요,|집중이 흐트러져서|방금 그 말을 못 들었어|못 따라가겠어|귀 기울이지 못했는데",
        "time": "방금 십 분간 없었는데|두 시부터 못 들었어,|지난 오 분 동안 자리에 없었어요.|처음 이십 분을 빠졌는데|내가 나간 뒤로|제가 나가고 나서|저 나간 다음에|아까부터 없었는데|한 시부터 한 시 반까지 비웠는데|마지막 칠 분 못 들었어|중간에 빠졌었는데|초반에 없었어서|세 시 이후로 없었어요,|잠깐 몇 분 놓쳤는데",
    },
    "en": {
        "left": "I was in the bathroom,|I stepped out for a bit,|I was on the phone,|while I was away,|while I was out,|I had to leave the room,|in my absence,|when I wasn't here,|I went to get coffee,|I was in another meeting,|I'm back,|when I was gone,|the doorbell rang,|had to take the dog out,|I put the kids to bed,|my boss called me over,|went for a smoke,|grabbed lunch,|had to run an errand,|ok I'm back,|without me,|was afk,|ran to the loo,|I wasn't around,|while I was gone,|I was off the call,|as I was absent,",
        "late": "I just joined,|I've only just come in,|sorry I'm late,|I came late,|just got here,|before I came in,|before I joined,|I'm only here now,|I arrived late,|just hopped on,|just connected,|just walked in,|new here,|joining late,|running late, here now,|I'm twenty minutes late,|I wasn't here at the start,|only got in now,",
        "cut": "my internet dropped,|I got kicked out,|my connection was gone,|I couldn't hear anything,|my headphones died,|my laptop froze,|my screen went off,|the wifi cut me off,|my audio cut out,|I was disconnected,|had to reboot,|the call dropped on me,|my battery died,|I was on mute and deaf,|my phone crashed,",
        "heedless": "I dozed off,|I didn't hear,|I wasn't listening,|I zoned out,|I lost focus,|I think I missed it,|I missed that,|I was distracted,|I fell asleep,|I was writing an email,|wasn't paying attention,|didn't catch that,|I can't follow,|I'm lost,|my mind wandered,",
        "time": "I was gone for ten minutes,|I haven't heard anything since two,|for the last five minutes I wasn't here,|I missed the first twenty minutes,|after I left,|since I stepped out,|since I dropped off,|I've been away for a while,|between two and half past I was out,|I missed the last bit,|I wasn't there for the first half,|I've been gone since three,|for the past few minutes I was off,",
    },
}  # fmt: skip
_MISSED: Final = {
    "ko": "뭐라고 했어?|뭐라고들 했어?|뭐라고 하셨어요?|무슨 얘기 했어?|무슨 말 나왔어요?|무슨 얘기 나왔나요?|뭐 했어|뭐 있었어?|뭐 놓쳤어?|어디까지 했어?|상황 좀 알려 줘|내용 정리해 주세요|요약 좀|앞 내용 알려 줘|진행 상황 공유 부탁드려요|뭐 정했어?|그동안 내용 좀|뭐 지나갔어?|무슨 일 있었나요?|이야기가 어떻게 됐어요?|중요한 거 있었어?|뭘 알아야 돼?|따라잡게 해 줘|지금까지 얘기 좀|업데이트 부탁해요|뭐래?|어떻게 돌아가?|무슨 말씀들 하셨나요|들은 거 말해 줘|한 줄로 알려 줘|뭐라 그랬어|캐치업 좀|진도 어디까지 나갔어?|얘기 좀 해 봐|별일 없었지?|결론 났어?",
    "en": "what did you say?|what did they say?|what was said?|what happened?|what did I miss?|what came up?|what went on?|where are we?|anything important?|fill me in|catch me up|recap please|what have you talked about?|what was that about?|what was decided?|give me the gist|bring me up to speed|what do I need to know?|update me|anything I should know?|short summary?|how far have you got?|what's new?|what's the story so far?|what have I missed?|what'd I miss|help me catch up|what did everyone talk about?|where are things?|run me through it|what was that bit?|what did you cover?|did I miss anything?|what's been going on?|tell me what was discussed",
}  # fmt: skip
_OF_EACH: Final = 4
"""Requests that each way of saying it is filled with; twice so many for oneself alone, which has most to say."""
_BARE: Final = 12
"""How often each request stands alone, about as often as with words that make it private."""


def made_requests(seed: int = 20261128) -> Iterator[Row]:
    """Requests labelled `private` or `public`; those that say it in like ways are one group."""
    dice = Random(seed)
    for language in ("ko", "en"):
        asked, missed = _REQUESTS[language].split("|"), _MISSED[language].split("|")
        ways = [
            *(("private", kind, way, asked, 2 * _OF_EACH) for kind, way in _ways(_FOR_ME_ALONE[language])),
            *[("public", "bare", "{r}", asked, len(asked))] * _BARE,
            *(("public", kind, way, asked, _OF_EACH) for kind, way in _ways(_FOR_ALL[language])),
            *(("public", kind, way, asked, _OF_EACH) for kind, way in _ways(_OF_THE_MEETING[language])),
            *(("private", kind, f"{way} {{r}}", missed, _OF_EACH) for kind, way in _ways(_AWAY[language])),
            *(("private", kind, f"{way} {{r}}", asked, 1) for kind, way in _ways(_AWAY[language])),
        ]
        for label, kind, way, requests, often in ways:
            for number, request in enumerate(dice.sample(requests, often)):
                names = {slot: dice.choice(words.split("|")) for slot, words in _SLOTS[language].items()}
                text = way.format(r=request.format(**names), **names)
                garbled = text if number != 1 else _garbled(text, language, dice)
                yield Row(garbled, label, f"made {label} {kind} {language}", language)


def _ways(by_kind: dict[str, str]) -> list[tuple[str, str]]:
    return [(kind, way) for kind, ways in by_kind.items() for way in ways.split("|")]


def _garbled(text: str, language: str, dice: Random) -> str:
    """`text` with two of its words misheard, where they occur in it."""
    there = [pair.split(":") for pair in _GARBLED[language].split("|") if pair.split(":")[0] in text]
    for right, wrong in dice.sample(there, min(2, len(there))):
        text = text.replace(right, wrong, 1)
    return text
