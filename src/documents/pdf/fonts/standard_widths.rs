//! Widths of the standard fonts in thousandths of their size; codes of those of symbols (ISO 32000-1, annex D).
//!
//! Source: Adobe's metrics of the core 14 fonts (AFM 4.1), the 229 characters of the standard Latin set. Oblique faces of
//! Helvetica are as wide as the upright ones; Courier is 600 throughout.

/// Widths of Helvetica, Helvetica-Bold, Times-Roman, Times-Bold, Times-Italic and Times-BoldItalic, and the names of the glyphs
/// that have them.
pub(super) const WIDTHS: &str = "\
167 167 167 167 167 167: fraction
191 238 180 278 214 278: quotesingle
222 278 278 278 278 278: i l lslash
222 278 278 333 278 278: j
222 278 333 333 333 333: quoteleft quoteright quotesinglbase
260 280 200 220 275 220: bar brokenbar
278 278 250 250 250 250: comma period periodcentered space
278 278 278 278 278 278: backslash dotlessi iacute icircumflex idieresis igrave slash
278 278 333 389 333 389: I Iacute Icircumflex Idieresis Igrave
278 333 278 333 278 278: t
278 333 278 333 333 333: colon semicolon
278 333 333 333 278 333: f
278 333 333 333 333 389: exclam
278 333 333 333 389 333: bracketleft bracketright
333 333 300 300 300 300: onesuperior threesuperior twosuperior
333 333 333 333 333 333: acute breve caron cedilla circumflex dieresis dotaccent grave guilsinglleft guilsinglright hungarumlaut hyphen macron ogonek parenleft parenright ring tilde
333 333 333 333 389 389: exclamdown
333 389 333 444 389 389: r
333 500 444 500 556 500: quotedblbase quotedblleft quotedblright
334 389 480 394 400 348: braceleft braceright
350 350 350 350 350 350: bullet
355 474 408 555 420 555: quotedbl
365 365 310 330 310 300: ordmasculine
370 370 276 300 276 266: ordfeminine
389 389 500 500 500 500: asterisk
400 400 400 400 400 400: degree
469 584 469 581 422 570: asciicircum
500 500 444 444 389 389: z zcaron
500 556 389 389 389 389: s scaron
500 556 389 500 444 500: J
500 556 444 444 444 444: c ccedilla
500 556 500 500 444 444: v y yacute ydieresis
500 556 500 500 444 500: x
500 556 500 556 444 500: k
500 611 556 556 500 556: fi fl
537 556 453 540 523 500: paragraph
556 556 444 444 444 444: e eacute ecircumflex edieresis egrave
556 556 444 500 500 500: a aacute acircumflex adieresis agrave aring atilde
556 556 500 500 500 500: Euro cent currency dagger daggerdbl dollar eight endash five florin four guillemotleft guillemotright nine numbersign one section seven six sterling three two underscore yen zero
556 611 444 500 500 500: question
556 611 500 500 500 500: eth g o oacute ocircumflex odieresis ograve otilde
556 611 500 556 500 500: b d p q thorn
556 611 500 556 500 556: h n ntilde u uacute ucircumflex udieresis ugrave
556 611 500 556 500 576: mu
556 611 611 667 556 611: L Lslash
584 584 541 520 541 570: asciitilde
584 584 564 570 675 570: divide equal greater less multiply plus plusminus
584 584 564 570 675 606: logicalnot minus
611 611 444 500 500 500: questiondown
611 611 500 500 500 500: oslash
611 611 500 556 500 500: germandbls
611 611 556 611 611 667: F
611 611 611 667 556 611: T Z Zcaron
667 667 556 556 500 556: S Scaron
667 667 556 611 611 611: P Thorn
667 667 611 667 611 667: E Eacute Ecircumflex Edieresis Egrave
667 667 722 722 556 611: Y Yacute Ydieresis
667 667 722 722 611 667: V X
667 722 667 667 611 667: B
667 722 722 722 611 667: A Aacute Acircumflex Adieresis Agrave Aring Atilde
667 722 722 778 667 667: K
667 722 778 833 778 778: ampersand
722 722 667 722 611 667: R
722 722 667 722 667 667: C Ccedilla
722 722 722 722 667 722: N Ntilde
722 722 722 722 722 722: D Eth U Uacute Ucircumflex Udieresis Ugrave
722 722 722 778 722 778: H
722 778 722 722 667 667: w
737 737 760 747 760 747: copyright registered
778 778 722 778 722 722: G O Oacute Ocircumflex Odieresis Ograve Oslash Otilde Q
833 833 889 944 833 889: M
833 889 778 833 722 778: m
834 834 750 750 750 750: onehalf onequarter threequarters
889 889 667 722 667 722: ae
889 889 833 1000 833 833: percent
944 944 722 722 667 722: oe
944 944 944 1000 833 889: W
1000 1000 889 1000 889 944: AE
1000 1000 889 1000 944 944: OE
1000 1000 980 1000 980 1000: trademark
1000 1000 1000 1000 889 1000: ellipsis emdash
1000 1000 1000 1000 1000 1000: perthousand
1015 975 921 930 920 832: at";

/// Codes in hexadecimals, names and widths of Symbol.
pub(super) const SYMBOL: &str = "
    20 space 250, 21 exclam 333, 22 universal 713, 23 numbersign 500, 24 existential 549, 25 percent 833,
    26 ampersand 778, 27 suchthat 439, 28 parenleft 333, 29 parenright 333, 2a asteriskmath 500, 2b plus 549,
    2c comma 250, 2d minus 549, 2e period 250, 2f slash 278, 30 zero 500, 31 one 500, 32 two 500, 33 three 500,
    34 four 500, 35 five 500, 36 six 500, 37 seven 500, 38 eight 500, 39 nine 500, 3a colon 278, 3b semicolon 278,
    3c less 549, 3d equal 549, 3e greater 549, 3f question 444, 40 congruent 549, 41 Alpha 722, 42 Beta 667,
    43 Chi 722, 44 Delta 612, 45 Epsilon 611, 46 Phi 763, 47 Gamma 603, 48 Eta 722, 49 Iota 333, 4a theta1 631,
    4b Kappa 722, 4c Lambda 686, 4d Mu 889, 4e Nu 722, 4f Omicron 722, 50 Pi 768, 51 Theta 741, 52 Rho 556,
    53 Sigma 592, 54 Tau 611, 55 Upsilon 690, 56 sigma1 439, 57 Omega 768, 58 Xi 645, 59 Psi 795, 5a Zeta 611,
    5b bracketleft 333, 5c therefore 863, 5d bracketright 333, 5e perpendicular 658, 5f underscore 500,
    60 radicalex 500, 61 alpha 631, 62 beta 549, 63 chi 549, 64 delta 494, 65 epsilon 439, 66 phi 521,
    67 gamma 411, 68 eta 603, 69 iota 329, 6a phi1 603, 6b kappa 549, 6c lambda 549, 6d mu 576, 6e nu 521,
    6f omicron 549, 70 pi 549, 71 theta 521, 72 rho 549, 73 sigma 603, 74 tau 439, 75 upsilon 576, 76 omega1 713,
    77 omega 686, 78 xi 493, 79 psi 686, 7a zeta 494, 7b braceleft 480, 7c bar 200, 7d braceright 480,
    7e similar 549, a0 Euro 750, a1 Upsilon1 620, a2 minute 247, a3 lessequal 549, a4 fraction 167,
    a5 infinity 713, a6 florin 500, a7 club 753, a8 diamond 753, a9 heart 753, aa spade 753, ab arrowboth 1042,
    ac arrowleft 987, ad arrowup 603, ae arrowright 987, af arrowdown 603, b0 degree 400, b1 plusminus 549,
    b2 second 411, b3 greaterequal 549, b4 multiply 549, b5 proportional 713, b6 partialdiff 494, b7 bullet 460,
    b8 divide 549, b9 notequal 549, ba equivalence 549, bb approxequal 549, bc ellipsis 1000, bd arrowvertex 603,
    be arrowhorizex 1000, bf carriagereturn 658, c0 aleph 823, c1 Ifraktur 686, c2 Rfraktur 795,
    c3 weierstrass 987, c4 circlemultiply 768, c5 circleplus 768, c6 emptyset 823, c7 intersection 768,
    c8 union 768, c9 propersuperset 713, ca reflexsuperset 713, cb notsubset 713, cc propersubset 713,
    cd reflexsubset 713, ce element 713, cf notelement 713, d0 angle 768, d1 gradient 713, d2 registerserif 790,
    d3 copyrightserif 790, d4 trademarkserif 890, d5 product 823, d6 radical 549, d7 dotmath 250,
    d8 logicalnot 713, d9 logicaland 603, da logicalor 603, db arrowdblboth 1042, dc arrowdblleft 987,
    dd arrowdblup 603, de arrowdblright 987, df arrowdbldown 603, e0 lozenge 494, e1 angleleft 329,
    e2 registersans 790, e3 copyrightsans 790, e4 trademarksans 786, e5 summation 713, e6 parenlefttp 384,
    e7 parenleftex 384, e8 parenleftbt 384, e9 bracketlefttp 384, ea bracketleftex 384, eb bracketleftbt 384,
    ec bracelefttp 494, ed braceleftmid 494, ee braceleftbt 494, ef braceex 494, f1 angleright 329,
    f2 integral 274, f3 integraltp 686, f4 integralex 686, f5 integralbt 686, f6 parenrighttp 384,
    f7 parenrightex 384, f8 parenrightbt 384, f9 bracketrighttp 384, fa bracketrightex 384, fb bracketrightbt 384,
    fc bracerighttp 494, fd bracerightmid 494, fe bracerightbt 494";

/// The same of ZapfDingbats.
pub(super) const DINGBATS: &str = "
    20 space 278, 21 a1 974, 22 a2 961, 23 a202 974, 24 a3 980, 25 a4 719, 26 a5 789, 27 a119 790, 28 a118 791,
    29 a117 690, 2a a11 960, 2b a12 939, 2c a13 549, 2d a14 855, 2e a15 911, 2f a16 933, 30 a105 911, 31 a17 945,
    32 a18 974, 33 a19 755, 34 a20 846, 35 a21 762, 36 a22 761, 37 a23 571, 38 a24 677, 39 a25 763, 3a a26 760,
    3b a27 759, 3c a28 754, 3d a6 494, 3e a7 552, 3f a8 537, 40 a9 577, 41 a10 692, 42 a29 786, 43 a30 788,
    44 a31 788, 45 a32 790, 46 a33 793, 47 a34 794, 48 a35 816, 49 a36 823, 4a a37 789, 4b a38 841, 4c a39 823,
    4d a40 833, 4e a41 816, 4f a42 831, 50 a43 923, 51 a44 744, 52 a45 723, 53 a46 749, 54 a47 790, 55 a48 792,
    56 a49 695, 57 a50 776, 58 a51 768, 59 a52 792, 5a a53 759, 5b a54 707, 5c a55 708, 5d a56 682, 5e a57 701,
    5f a58 826, 60 a59 815, 61 a60 789, 62 a61 789, 63 a62 707, 64 a63 687, 65 a64 696, 66 a65 689, 67 a66 786,
    68 a67 787, 69 a68 713, 6a a69 791, 6b a70 785, 6c a71 791, 6d a72 873, 6e a73 761, 6f a74 762, 70 a203 762,
    71 a75 759, 72 a204 759, 73 a76 892, 74 a77 892, 75 a78 788, 76 a79 784, 77 a81 438, 78 a82 138, 79 a83 277,
    7a a84 415, 7b a97 392, 7c a98 392, 7d a99 668, 7e a100 668, 80 a89 390, 81 a90 390, 82 a93 317, 83 a94 317,
    84 a91 276, 85 a92 276, 86 a205 509, 87 a85 509, 88 a206 410, 89 a86 410, 8a a87 234, 8b a88 234, 8c a95 334,
    8d a96 334, a1 a101 732, a2 a102 544, a3 a103 544, a4 a104 910, a5 a106 667, a6 a107 760, a7 a108 760,
    a8 a112 776, a9 a111 595, aa a110 694, ab a109 626, ac a120 788, ad a121 788, ae a122 788, af a123 788,
    b0 a124 788, b1 a125 788, b2 a126 788, b3 a127 788, b4 a128 788, b5 a129 788, b6 a130 788, b7 a131 788,
    b8 a132 788, b9 a133 788, ba a134 788, bb a135 788, bc a136 788, bd a137 788, be a138 788, bf a139 788,
    c0 a140 788, c1 a141 788, c2 a142 788, c3 a143 788, c4 a144 788, c5 a145 788, c6 a146 788, c7 a147 788,
    c8 a148 788, c9 a149 788, ca a150 788, cb a151 788, cc a152 788, cd a153 788, ce a154 788, cf a155 788,
    d0 a156 788, d1 a157 788, d2 a158 788, d3 a159 788, d4 a160 894, d5 a161 838, d6 a163 1016, d7 a164 458,
    d8 a196 748, d9 a165 924, da a192 748, db a166 918, dc a167 927, dd a168 928, de a169 928, df a170 834,
    e0 a171 873, e1 a172 828, e2 a173 924, e3 a162 924, e4 a174 917, e5 a175 930, e6 a176 931, e7 a177 463,
    e8 a178 883, e9 a179 836, ea a193 836, eb a180 867, ec a199 867, ed a181 696, ee a200 696, ef a182 874,
    f1 a201 874, f2 a183 760, f3 a184 946, f4 a197 771, f5 a185 865, f6 a194 771, f7 a198 888, f8 a186 967,
    f9 a195 888, fa a187 831, fb a188 873, fc a189 927, fd a190 970, fe a191 918";
