"""Stop words by language. Data only.

Folded by ``indexer.text.terms``: small letters, no accents, no apostrophes. The lists are short, as
they only weight the words of a query; the index contains all words.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: dict[str, frozenset[str]] = {
    "en": _words(
        "a about after all also am an and any are as at be because been before being but by can "
        "could did do does dont for from had has have having he her hers him his how i if in "
        "into is it its itself just me more most my no nor not of on one only or other our out "
        "over own s same she should so some such t than that the their them then there these "
        "they this those through to too under up us very was we were what when where which while "
        "who whom why will with would you your"
    ),
    "de": _words(
        "aber als am an auch auf aus bei bin bis da damit dann das dass dem den der des die dies "
        "diese dieser doch du durch ein eine einem einen einer eines er es fur hat ich ihr im in "
        "ist ja kann man mit nach nicht noch nur oder ob sein sich sie sind so uber um und uns "
        "unter vom von vor war was wenn wer wie wir wird wo zu zum zur"
    ),
    "fr": _words(
        "a ai au aux avec c ce ces cette d dans de des du elle en est et etre eux il ils j je l "
        "la le les leur lui m ma mais me mes n ne nos notre nous on ont ou par pas plus pour qu "
        "que qui s sa sans se ses si son sont sur ta te tu un une vos votre vous y"
    ),
    "es": _words(
        "a al como con cual cuando de del desde donde e el ella ellos en entre era es esta este "
        "esto estos fue ha han hay la las le les lo los mas me mi muy no nos o para pero por que "
        "quien se ser si sin sobre son su sus te todo tu un una uno unos y ya yo"
    ),
    "it": _words(
        "a ad ai al alla alle anche che chi ci come con cosi cui da dal dalla dei del della "
        "delle "
        "di e ed era gli ha hanno i il in io la le lei lo loro ma mi ne nei nel nella no noi non "
        "o per piu quando questa questo se sei si sia sono su sua sul sulla suo ti tra tu un una "
        "uno vi voi"
    ),
    "pt": _words(
        "a ao aos as com como da das de do dos e ela ele em entre era essa esse esta este eu foi "
        "ha isso ja la mais mas me mesmo muito na nao nas nem no nos o os ou para pela pelo por "
        "qual quando que quem se sem ser seu sua sao so sobre te tem um uma voce"
    ),
    "nl": _words(
        "aan al als bij dan dat de den der deze die dit door een en er ge had heeft het hij hoe "
        "ik in is je kan maar me met mijn na naar niet nog nu of om omdat ons ook op over te tot "
        "uit van veel voor waar was wat we wel wie wij ze zich zij zijn zo zou"
    ),
    "ru": _words(
        "а без бы был была были было в во вот все вы где да для до его ее если есть еще же "
        "за и из "
        "или им их к как когда кто ли мы на над не него нее нет но о об он она они оно от по под "
        "при с со так также то того той только тот ты у уже что чтобы эта эти это этот я"
    ),
    "pl": _words(
        "a aby albo ale bez by byc byl byla bylo do dla gdy gdzie go i ich ile im jak jako "
        "je jego "
        "jej jest juz kto ktora ktore ktory lub ma na nad nie niz o od oraz po pod przed "
        "przez przy "
        "sa sie sobie ta tak ten to tu tylko w we z za ze"
    ),
    "el": _words(
        "αλλα αν απο για δεν εδω ειναι ενα εναν ενασ η ηταν θα και κατα με μια να ο οι οπου "
        "οτι που "
        "πριν προσ πωσ σε στα στη στην στησ στισ στο στον στουσ των τα τη την τησ τι τισ το "
        "τον του "
        "τουσ ωσ"
    ),
    "tr": _words(
        "acaba ama ancak bir bu da daha de diye en gibi hem her icin ile ise ki kim mi mu "
        "ne nasil "
        "nerede o olan olarak sey su ve veya ya"
    ),
    "hi": _words(
        "और इस इसके उस एक एवं कब कर कहां का कि की के को कौन क्या गया जो तक तथा तो था थी थे "
        "द्वारा ने पर "
        "भी में यह या ये लिए वह वे सकता से हर ही हुआ है हैं हो"
    ),
    "ar": _words(
        "ان او اي الي التي الذي اذا الا انه بعد بين ثم حتي دون ذلك عن عند علي في قبل قد "
        "كان كانت "
        "كل كم كيف لا لكن لم لن ليس ما متي مع من منذ هذا هذه هل هو هي و يا"
    ),
    "he": _words(
        "אבל או אותו אותה איך אין איפה אל אם אני אנחנו אף את אתה בין גם הוא היא היה היו הם "
        "הן זאת זה "
        "זו יש כי כל כמה כן לא לפי מה מי מתי על עם עד של שלו שלה"
    ),
    "th": _words("การ ความ ที่ และ ของ ใน เป็น มี ได้ ให้ จะ ไม่ ว่า กับ ก็ ๆ"),
    "zh": _words("的 了 是 在 和 有 也 就 都 而 及 与 或 这 那 个 中 为 以 被 把"),
}
ALL_STOP_WORDS = frozenset().union(*STOP_WORDS.values())
