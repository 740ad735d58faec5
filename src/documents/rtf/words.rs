//! Control words that are characters, and those that begin anything that is no text.

/// The character that a control word stands for.
pub(super) fn character(word: &str) -> Option<char> {
    Some(match word {
        "tab" => '\t',
        "line" | "lbr" | "softline" => '\n',
        "emdash" => '—',
        "endash" => '–',
        "emspace" => '\u{2003}',
        "enspace" => '\u{2002}',
        "qmspace" => '\u{2005}',
        "bullet" => '•',
        "lquote" => '‘',
        "rquote" => '’',
        "ldblquote" => '“',
        "rdblquote" => '”',
        "zwj" => '\u{200D}',
        "zwnj" => '\u{200C}',
        _ => return None,
    })
}

/// Whether a control word begins a destination whose text is none of the document's, though no `\*` says so.
pub(super) fn is_no_text(word: &str) -> bool {
    let known = matches!(
        word,
        "aftncn"
            | "aftnsep"
            | "aftnsepc"
            | "atnid"
            | "atnauthor"
            | "atnref"
            | "bkmkend"
            | "bkmkstart"
            | "buptim"
            | "colortbl"
            | "comment"
            | "datafield"
            | "falt"
            | "filetbl"
            | "formfield"
            | "ftncn"
            | "ftnsep"
            | "ftnsepc"
            | "gridtbl"
            | "keycode"
            | "listname"
            | "listpicture"
            | "mmathPict"
            | "nonesttables"
            | "object"
            | "objdata"
            | "panose"
            | "pict"
            | "pnseclvl"
            | "printim"
            | "private"
            | "pxe"
            | "result"
            | "revtbl"
            | "rxe"
            | "shprslt"
            | "tc"
            | "tcn"
            | "txe"
            | "xe"
    );
    // Properties of formulas hold signs as values.
    known || word.starts_with('m') && word.ends_with("Pr") && word.len() > 3
}
