"""From the names of locales to the codes that webmill names languages by.

ISO 639-3, but the macrolanguage's where ISO 639-1 has a code for that: `zho`, `fas`, `est`, `mlg`. `nor` is bokmål, `nno`
nynorsk, `kur` Kurmanji, `ckb` Sorani.
"""

import re

# ISO 639-1, and what catalogues use in its place, to ISO 639-3 (macrolanguages as ISO 639-2/T has them).
TWO = dict(
    pair.split(":")
    for pair in """
    aa:aar ab:abk af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul bi:bis bm:bam
    bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cs:ces cv:chv cy:cym da:dan de:deu dv:div dz:dzo ee:ewe
    el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg
    gn:grn gu:guj gv:glv ha:hau he:heb iw:heb hi:hin hr:hrv ht:hat hu:hun hy:hye ia:ina id:ind in:ind ie:ile ig:ibo
    ik:ipk io:ido is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik kk:kaz kl:kal km:khm kn:kan ko:kor ks:kas
    ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lv:lav mg:mlg mi:mri mk:mkd ml:mal
    mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nor no:nor ne:nep nl:nld nn:nno nr:nbl nv:nav ny:nya oc:oci om:orm
    or:ori os:oss pa:pan pl:pol ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus rw:kin sa:san sc:srd sd:snd se:sme
    sg:sag si:sin sk:slk sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel
    tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:aka ty:tah ug:uig uk:ukr ur:urd uz:uzb
    ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha zh:zho zu:zul
    fil:tgl gug:grn kmr:kur bto:bcl lzh:lzh als:gsw bat-smg:sgs fiu-vro:vro dgo:doi ekk:est lvs:lav pes:fas arb:ara
    swh:swa cmn:zho roa-tara:- be-tarask:- be-x-old:- zh-classical:- simple:- map-bms:- sh:- mo:- tw:aka ber:-
    nds-nl:- crh-cyrl:- kk-arab:- kk-latn:- kk-cn:- kk-tr:- ug-latn:- tt-latn:- ku-arab:ckb sr-el:srp sr-ec:srp
    kk-cyrl:kaz tg-latn:- tg-cyrl:tgk tt-cyrl:tat ug-arab:uig gom-latn:- gom-deva:kok kok:kok gom:kok ks-deva:-
    ks-arab:kas shi-latn:- shi-tfng:- shy-latn:- tly-cyrl:- rif-arab:- hif-latn:hif cbk-zam:- be@latin:- ca@valencia:cat
    en@shaw:- en@boldquot:- en@quot:- tt@iqtelif:- sd@devanagari:- ks@devanagari:- ks@aran:kas ug@latin:- kk@latin:-
    uz@cyrillic:uzb uz@latin:uzb uz-cyrl:uzb az@latin:aze az-ir:- nan@latin:- aze@arabic:- pa-pk:- zh-lzh:- en-us:eng
    sr@ije:srp sr@ijekavian:srp sr@ijekavianlatin:srp sr@latin:srp sr@latn:srp sr-latn:srp ber:- ur-in:urd ms@arabic:-
    oc@gascon:oci oc-fr:oci en-shaw:- sw-tz:swa kmr-latn:kur qqq:- qqx:- x-test:- x-klingon:- tlh:- ja-hira:- sma:sma
    az-arab:- azb:azb yue:- gan:- wuu:- hak:- nan:- gan-hant:- gan-hans:- cdo:- mo-md:- pa-pk:- fa-af:fas
    """.split()
)

# Three-letter codes without a two-letter one that stand for themselves where there is text enough.
THREE = set(
    """
    ace ast awa azb ban bar bcl bho brx ckb ceb crh csb doi dsb eml ext frp frr fur gag gcf glk gsw haw hif hil hsb hrx ilo inh
    kaa kab kbd krc ksh lez lij lld lmo ltg lus lzz mai mdf mhr min mni mrj mwl myv mzn nap nds nso olo pam pap
    pcd pdc pfl pms pnb rmy rue sah sat scn sco sdh sgs sid skr sma smj smn sms stq szl tcy tly tpi tyv udm vec vep vls vmf vro war
    xal xmf yrl zea zgh tzm kum rup trp shn aeb ary arz arq bqi hne kjp lbe av nah nov pnt frc jam kea krl lki luz rki
    """.split()
)


# Files of the declaration by our codes, where these differ; `-` for other orthographies and dialects of what there is.
DECLARATION = dict(
    pair.split(":")
    for pair in """
    als:sqi arb:ara ayr:aym azj_latn:aze bos_latn:bos cmn_hans:zho cmn_hant:zho deu_1996:deu ell_monotonic:ell
    gug:grn hat_kreyol:hat hau_NG:hau khk:mon kmr:kur lav:lav mly_latn:msa nob:nor nya_chinyanja:nya oci_1:frp lnc:oci pbu:pus pes_1:fas
    plt:mlg por_PT:por por_BR:por quz:que quy:que ron_2006:ron sin:sin srp_cyrl:srp srp_latn:srp swh:swa tuk_latn:tuk uig_arab:uig
    uzn_latn:uzb uzn_cyrl:uzb ydd:yid aka_asante:aka roh_rumgr:roh tso_ZW:tso fuf:ful gaz:orm gsw1:gsw tha:tha urd:urd
    hau_3:hau ven:ven mal:mal tam:tam por:por src:srd nep:nep
    deu_1901:- ell_polytonic:- bos_cyrl:- azj_cyrl:- tuk_cyrl:- uig_latn:- mly_arab:- mal_chillus:- tam_LK:- tha2:- urd_2:-
    pes_2:- hau_NE:- ron_1953:- ron_1993:- ven2:- hat_popular:- oci_2:- oci_3:- oci_4:- lat_1:- nya_chechewa:- tso_MZ:-
    cmn_hans_beijing:- cmn_hans_guiyang:- cmn_hans_harbin:- cmn_hans_nanjing:- cmn_hans_tianjin:- jpn_osaka:- jpn_tokyo:-
    khk_mong:- vie_han:- tgl_tglg:- san_gran:- lin_tones:- fuf_adlm:- fuv:- fuv2:- chr_cased:- chr_uppercase:- jav_java:-
    quc:- qud:- qug:- qul:- qva:- qvc:- qvh:- qvm:- qvn:- qwh:- qxa:- qxn:- qxu:- gan:- hak:- hsn:- wuu:- yue:- cjy:- nan:-
    roh:- roh_puter:- roh_surmiran:- roh_sursilv:- roh_sutsilv:- roh_vallader:- cnr:- aka_akuapem:- aka_fante:- fri:- kng_AO:-
    prv:- auv:- gsc:- ckb:- kaa:- nbl:nde cbi:- pov:- src:srd tzm_tfng:- emk:- dyu:- cas:- arl:- kkh_lana:- ccp:- vai:- iii:- ike:-
    """.split()
)


def code(locale):
    """The code of a locale's name (`pt_BR`, `sr@latin`, `kk-cyrl`), or None."""
    name = locale.strip().lower().replace("_", "-").split(".")[0]
    for cut in (name, re.sub(r"@.*", "", name) if "@" not in name or "latin" not in name else name):
        if cut in TWO:
            return None if TWO[cut] == "-" else TWO[cut]
    if "@" in name:
        return None
    bare = name.split("-")[0]
    if bare in TWO:
        return None if TWO[bare] == "-" else TWO[bare]
    return bare if bare in THREE or bare in TWO.values() else None
