//! Widths of the standard fonts in thousandths of their size.
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
