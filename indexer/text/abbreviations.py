"""Abbreviations, whose full stop may not end a sentence, and words that often begin sentences.

Data only. Entries are in lower case and without their last full stop, except the words that begin
sentences, which are capitalised.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# By language, "" for every language: never the last word of a sentence.
NEVER_LAST: dict[str, frozenset[str]] = {
    "": _words(
        "mr mrs ms dr prof rev hon st mt messrs gen sen rep gov capt cpt cmdr col lt sgt maj adm "
        "e.g i.e eg ie cf viz vs v approx ca resp incl esp eds transl dept univ assn mme mlle "
        "srta z.b d.h u.a o.ä i.d.r bzw vgl sog ggf evtl zzgl inkl p.ex p.es"
    ),
    "de": _words("hr fr frl dipl str bd nr abs ziff art kap anm aufl hrsg jg jh s st tel"),
    "fr": _words("m mm mgr ste cie art chap env"),
    "es": _words("sr sra dra ud uds vd d dª núm pág págs art cap"),
    "it": _words("sig sigg dott avv art cap pag ecc"),
    "pt": _words("exmo exma pág págs art cap núm"),
    "nl": _words("dhr mevr mw bijv o.a d.w.z blz art"),
    "ru": _words("г гг ул д стр рис табл им т.е т.к см напр проф акад т е тел"),
    "pl": _words("np tzn tj ul al im ks hab inż mgr nr str św woj pkt ust por godz"),
    "tr": _words("örn bkz doç yrd av sn mah cad sok no"),
    "vi": _words("ts ths pgs gs tp tx bs"),
    "el": _words("κ κα σ σελ αρ βλ π.χ δηλ τηλ"),
    "hi": _words("डॉ प्रो"),
}

# Never the last word before a number; before anything else they end a sentence.
BEFORE_NUMBERS = _words(
    "no nos nr sec secs sect § fig figs tab eq eqs eqn ref refs app ex exh exhs par para paras "
    "art arts cl ch chap p pp pg vol vols ver rev cap op ann reg regs rul stat tit pt pts "
    "jan feb mar apr jun jul aug sep sept oct nov dec núm pág kap abs bd"
)

# They end a sentence only if the next word is one that begins sentences.
SELDOM_LAST = _words(
    "inc corp ltd co cos llc llp lp plc bros gmbh ag jr sr esq ph.d m.d b.a m.a a.m p.m al etc est "
    "dist ave blvd rd ft sq hrs mins thurs ala ariz ark calif colo conn fla ga kan mich minn mont "
    "neb okla penn tenn tex vt"
)

OPENERS = _words(
    "A According Additionally After Again All Also Although An And Another Any Are Around As At "
    "Based Because Before Both But By Can Despite Did Do Does During Each Either Even Every "
    "Except First Following For From Furthermore Given Has Have He Her Here Hence His How However "
    "If In Instead Is It Its Just Last Later Like Many Moreover Most My Neither Nevertheless Next "
    "Not Nothing Now Of On Once One Only Or Other Our Over Please Pursuant Second She Should "
    "Similarly Since So Some Subject Such That The Their Then There Therefore These They This "
    "Those Though Through Throughout Thus To Today Two Under Unless Until Upon Was We Were What "
    "When Where Whether Which While Who Why Will With Within Without Yes Yet You Your "
    "Das Der Die Ein Eine Er Es Im Sie Und Wir Le La Les Un Une Il Elle Nous On El Los Las En"
)
