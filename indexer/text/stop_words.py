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
# Words that questions are full of, whatever they are about. Few documents have them, so that they
# would pass for names: "how can I find my …" in a library of contracts.
ASKING_WORDS: dict[str, frozenset[str]] = {
    "en": _words(
        "able allowed anybody anyone check describe difference differ doing done example exist "
        "exists explain find gave get gets getting give given gives go going got happen happened "
        "happens help kind kinds know let like list long made make makes making many may mean "
        "meaning means might mine much must name need needed needs please possible purpose reason "
        "said say says see set shall show something take takes tell thing things think type types "
        "use used uses using want wanted way ways work works"
    ),
    "de": _words(
        "bedeutet benutze benutzen bitte brauche darf durfen erklare erklaren finde finden gab "
        "geben geht geschieht gib gibt gross haben heisst hilfe kannst konnen konnte lange mache "
        "machen macht mein meine meinem meinen meiner mochte moglich muss mussen nenne passiert "
        "sag sagt soll sollen sollte sollten tun unterschied warum weiss welche welchem welchen "
        "welcher welches wem wen werden weshalb wessen wieso wieviel wieviele will wofur wollen "
        "woher wohin worum wozu wurde wurden zeig zeige"
    ),
    "fr": _words(
        "aide arrive avoir besoin combien comment connaitre difference dire dis dit doit dois "
        "exemple explique expliquer faire fais fait faut laquelle lequel lesquelles lesquels mon "
        "montre peut peuvent peux possible pourquoi pourrait puis quand quel quelle quelles quels "
        "quoi sait savoir trouve trouver utilise utiliser veut veux voir"
    ),
    "es": _words(
        "ayuda busco cuales cuanta cuantas cuanto cuantos debe debo decir dice diferencia "
        "ejemplo encontrar encuentro existe existen explica explicar hace hacer hago mis mostrar "
        "muestra necesito ocurre pasa podria posible puede pueden puedo queria quiere quiero "
        "quienes saber significa tener tengo usar uso utilizar ver"
    ),
    "it": _words(
        "aiuto bisogno cosa deve devo dice differenza dire dove esempio esiste esistono fa fare "
        "mia mio mostra perche possibile posso potrebbe possono puo quale quali quanta quante "
        "quanti quanto sapere serve significa spiega succede trovare trovo usare uso vedere voglio "
        "vuole"
    ),
    "pt": _words(
        "acontece ajuda deve devo diferenca dizer diz encontrar encontro exemplo existe existem "
        "explica explicar faco faz fazer gostaria meus minha mostra mostrar onde pode podem posso "
        "possivel porque precisa preciso quais quanta quantas quanto quantos quero quer saber "
        "significa ter tenho usar uso ver"
    ),
    "nl": _words(
        "betekent doe doen gaat gebeurt gebruik gebruiken geef geven graag hebben helpen hoeveel "
        "kunnen kunt laat maak maken mag moet moeten mogelijk nodig toon uitleg verschil vind "
        "vinden waarom waarvoor weten welk welke werkt wil willen worden wordt zien zeg zegt"
    ),
    "ru": _words(
        "бывает быть делать зачем значит должен должна должны должно знать какая какие "
        "какими каких какова каковы каково какого какое какой каком какую куда мне могу могут "
        "могла может можно мой мою моя мои найти нужен нужна нужно нужны объясни объясните откуда "
        "отличается пожалуйста показать покажи почему пример происходит работает разница расскажи "
        "сделать сколько случае случится список хочу чей чего чем чему"
    ),
    "pl": _words(
        "bedzie chce czego czy czym dlaczego jaka jaki jakie jakich jakiego jakim kiedy "
        "kogo komu lista mam moga moge moj moja moje mozna musi musze mozliwe nalezy oznacza "
        "podaj pokaz potrzebuje powinien prosze przyklad robi robic roznica skad trzeba uzyc "
        "uzywac wyjasnij zeby znalezc znaczy zrobic"
    ),
    "el": _words(
        "βρω γιατι εξηγησε εχει εχω θελω κανει κανω μπορει μπορω μου παραδειγμα πειτε ποια ποιασ "
        "ποιεσ ποιο ποιοι ποιον ποιοσ ποιων ποση ποσα ποσο ποσοι ποσοσ ποτε πρεπει σημαινει "
        "συμβαινει χρησιμοποιω"
    ),
    "tr": _words(
        "acikla anlama bul bulabilirim edebilirim fark gerekir gerekiyor goster hangi hangisi "
        "istiyorum kac kadar lazim mumkun neden nedir nelerdir niye olur oluyor ornek var "
        "yapabilirim yapar yapilir yapmak zaman"
    ),
    "hi": _words(
        "कितना कितनी कितने किस किसका किसकी किसके किसने कैसा कैसी कैसे क्यों कौनसा "
        "चाहिए बताइए मुझे मेरा मेरी मेरे सकते"
    ),
    "ar": _words(
        "اريد اشرح اعرف اين اذكر تعني توجد توضيح لماذا لي ماذا ممكن يجب يعني يمكن يمكنني يوجد"
    ),
    "he": _words(
        "אוכל אילו אפשר איזה איזו אלו הסבר יכול יכולה כיצד להסביר למה לעשות לי "
        "מדוע משמעות צריך שלי תסביר"
    ),
    "th": _words("ทำไม เท่าไร ไหน ใคร อะไร อย่างไร เมื่อไร"),
    "zh": _words("什么 怎么 如何 哪些 哪个 多少 请问 吗 我 怎样 可以 谁 哪里 呢"),
}
ALL_STOP_WORDS = frozenset().union(*STOP_WORDS.values())
