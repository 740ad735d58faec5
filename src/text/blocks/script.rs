//! Superscripts and subscripts in plain characters.
//!
//! **Definition.** Raised or lowered characters are written in Unicode's own superscripts and subscripts where all of its
//! characters have one (10⁶, H₂O, xᵢ), else behind `^` or `_`, in braces if it is longer than a character (`2^{k/2}`,
//! `V_{CC}`). Not all that is raised is an exponent: ordinals (1st, XIXe, nº), abbreviations (Mme, ™) and marks of notes
//! in brackets stay as the page has them, the number of a note becomes a superscript (word¹). Which is which is told by
//! the raised characters, by the text before them, and by whether they are a link. Text that merely looks small stays text.
//!
//! **Cost.** Constant: anything longer than [`MAX_SCRIPT`] characters is text.

use webmill_capture::cut::Cut;
use webmill_html::{Dom, NodeId, Tag};

/// Characters of what may be an exponent or an index.
const MAX_SCRIPT: usize = 24;
/// Bytes before them that are looked at.
pub(crate) const MAX_BEFORE: usize = 64;
/// Nodes looked at for them.
const MAX_NODES: usize = 32;

/// Where characters stand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Position {
    Super,
    Sub,
}

impl Position {
    /// The position that an element gives to its text.
    pub(crate) fn of(tag: Tag) -> Option<Position> {
        match tag {
            Tag::Sup => Some(Position::Super),
            Tag::Sub => Some(Position::Sub),
            _ => None,
        }
    }

    fn mark(self) -> char {
        match self {
            Position::Super => '^',
            Position::Sub => '_',
        }
    }
}

/// How the text of an element is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// As it is.
    Text,
    /// In characters of its own.
    Characters,
    /// Behind a mark.
    Marked,
    /// Behind a mark, in braces.
    Braced,
}

impl Form {
    /// The characters written before the text.
    pub(crate) fn before(self, position: Position) -> Option<&'static str> {
        match (self, position) {
            (Form::Marked, Position::Super) => Some("^"),
            (Form::Marked, Position::Sub) => Some("_"),
            (Form::Braced, Position::Super) => Some("^{"),
            (Form::Braced, Position::Sub) => Some("_{"),
            _ => None,
        }
    }
}

/// The character at a position, where Unicode has it.
fn placed(position: Position, c: char) -> Option<char> {
    let (from, to) = match position {
        Position::Super => (
            "0123456789+-−–=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδφχθ",
            "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᵠᵡᶿ",
        ),
        Position::Sub => {
            ("0123456789+-−–=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")
        }
    };
    let at = from.chars().position(|x| x == c)?;
    to.chars().nth(at)
}

/// Writes what of `text` has a character at the position in it, from a byte on.
pub(crate) fn place_from(text: &mut String, from: usize, position: Position) {
    let placed: String = text.cut(from..).chars().map(|c| placed(position, c).unwrap_or(c)).collect();
    text.replace_range(from.., &placed);
}

/// Appends a part of a formula at a position.
pub(crate) fn write_script(text: &str, position: Position, out: &mut String) {
    let text = text.trim();
    let first = text.chars().next();
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut all = compact.chars().map(|c| placed(position, c));
    if text.is_empty() {
    } else if compact.chars().count() <= MAX_SCRIPT && all.all(|c| c.is_some()) {
        out.extend(compact.chars().filter_map(|c| placed(position, c)));
    } else if text.chars().nth(1).is_none() {
        // A prime is raised by itself.
        if !(position == Position::Super && matches!(first, Some('′' | '″' | '‴' | '\'' | '°'))) {
            out.push(position.mark());
        }
        out.push_str(text);
    } else {
        out.push(position.mark());
        out.push('{');
        out.push_str(text);
        out.push('}');
    }
}

/// How the text of a raised or lowered element is written behind `before` (the text before it, without a space
/// between); `linked` where it is in a link.
pub(crate) fn form_of(dom: &Dom<'_>, node: NodeId, position: Position, before: &str, linked: bool) -> Form {
    let mut text = String::new();
    let (mut linked, mut nested) = (linked, false);
    for (n, d) in dom.descendants(node).enumerate() {
        let tag = dom.tag(d);
        if n > MAX_NODES || text.len() > 4 * MAX_SCRIPT || matches!(tag, Tag::Img | Tag::Br) {
            return Form::Text;
        }
        linked |= tag == Tag::A;
        nested |= Position::of(tag).is_some();
        text.push_str(dom.text(d));
    }
    match form(position, text.trim(), linked, before) {
        Form::Text => Form::Text,
        _ if nested => Form::Braced,
        form => form,
    }
}

fn form(position: Position, text: &str, linked: bool, before: &str) -> Form {
    let length = text.chars().count();
    let numbers = |c: char| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | '–' | '+' | '−' | '\u{a0}');
    if length == 0 || length > MAX_SCRIPT {
        return Form::Text;
    }
    let digits = text.contains(|c: char| c.is_ascii_digit());
    let letters = text.contains(char::is_alphabetic);
    // Numbers of notes, masses of isotopes, numerators.
    if digits
        && text.starts_with(|c: char| !",.".contains(c))
        && text.chars().all(|c| placed(position, c).is_some() && !letters && !"()".contains(c))
    {
        return Form::Characters;
    }
    let word = before.cut(before.trim_end_matches(char::is_alphanumeric).len()..);
    if linked || digits && !letters && word.chars().count() > 1 && word.chars().all(char::is_alphabetic) {
        // Several notes: their numbers, and what is between them.
        let listed = digits && text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(numbers);
        return if listed { Form::Characters } else { Form::Text };
    }
    let based = !word.is_empty() || before.ends_with([')', ']', '}', '|', '′', '″', '\'', '’']);
    let is_script = based
        && match position {
            Position::Super => is_exponent(text, word),
            Position::Sub => is_index(text, word),
        };
    if !is_script {
        Form::Text
    } else if text.chars().all(|c| placed(position, c).is_some()) {
        Form::Characters
    } else if length == 1 {
        Form::Marked
    } else {
        Form::Braced
    }
}

/// Longest run of letters.
fn longest_word(text: &str) -> usize {
    text.split(|c: char| !c.is_alphabetic()).map(|word| word.chars().count()).max().unwrap_or(0)
}

fn has_operator(text: &str) -> bool {
    text.contains(['+', '-', '−', '–', '*', '/', '=', '·', '×', '^', '±'])
}

/// Whether a raised text is an exponent of the word before it.
fn is_exponent(text: &str, word: &str) -> bool {
    let single = word.chars().count() <= 1;
    let formula = single || word.chars().all(char::is_numeric);
    if text.starts_with(['.', ',']) || !text.contains(char::is_alphanumeric) {
        return matches!(text, "+" | "-" | "−" | "–" | "++" | "--" | "−−");
    }
    if text.chars().all(char::is_alphabetic) {
        // Ordinals and abbreviations end in a raised letter too: 2e, 1o, Mc, Dr.
        let variable =
            matches!(text, "n" | "i" | "j" | "k" | "m" | "p" | "q" | "x" | "y" | "z" | "t" | "T" | "N" | "K");
        let saint = text == "t" && word.starts_with(char::is_uppercase);
        let greek = text.chars().all(|c| matches!(c, 'α'..='ω' | 'Α'..='Ω')) && text.chars().count() == 1;
        return formula
            && (variable && !saint || greek || word == "e" && longest_word(text) <= 4 && text != "r");
    }
    let bracketed = text.starts_with(['(', '[', '{']);
    if bracketed && !has_operator(text) && (!single || text.starts_with('[')) {
        return false;
    }
    let ordinal = text.starts_with(|c: char| c.is_ascii_digit()) && longest_word(text) > 1;
    let loose = text.contains(char::is_whitespace) && !has_operator(text);
    longest_word(text) <= 2 && !ordinal && !loose
}

/// Whether a lowered text is an index of the word before it.
fn is_index(text: &str, word: &str) -> bool {
    let loose = text.contains(char::is_whitespace) && !has_operator(text) && !text.contains(',');
    let named = word.chars().count() <= 4 || text.contains(|c: char| c.is_ascii_digit());
    // The logo of TeX lowers its second letter.
    let logo = word.ends_with('T') && text == "E";
    let said = text.contains(char::is_alphanumeric) || matches!(text, "+" | "-" | "−" | "±");
    !loose && named && !logo && said && longest_word(text) <= 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_html::{Limits, parse};

    /// The text of a body with at most one raised or lowered element.
    fn written(html: &str) -> String {
        let dom = parse(html, &Limits::default());
        let page = crate::blocks::blocks(&dom, dom.body().expect("a body"));
        page.blocks.iter().map(|block| page.text_of(block)).collect::<Vec<_>>().join("\n")
    }

    fn check(cases: &[(&str, &str)]) {
        for (html, want) in cases {
            assert_eq!(written(html), *want, "{html}");
        }
    }

    #[test]
    fn exponents_are_raised() {
        check(&[
            ("10<sup>6</sup> bytes", "10⁶ bytes"),
            ("10<sup>-3</sup>", "10⁻³"),
            ("x<sup>2</sup>+y<sup>n</sup>", "x²+yⁿ"),
            ("<i>x</i><sup><i>n</i>+1</sup>", "xⁿ⁺¹"),
            ("km<sup>2</sup>", "km²"),
            ("2<sup>1.5</sup>", "2^{1.5}"),
            ("2<sup>k/2</sup>", "2^{k/2}"),
            ("e<sup>α</sup>", "e^α"),
            ("e<sup>ix</sup>", "eⁱˣ"),
            ("(a+b)<sup>n</sup>", "(a+b)ⁿ"),
            ("x<sup>y<sup>2</sup></sup>", "x^{y²}"),
            ("Ca<sup>2+</sup> and Cl<sup>−</sup>", "Ca²⁺ and Cl⁻"),
            ("f<sup>(n)</sup>", "f⁽ⁿ⁾"),
            ("<sup>14</sup>C", "¹⁴C"),
            ("<sup>1</sup>/<sub>2</sub>", "¹/₂"),
        ]);
    }

    #[test]
    fn indices_are_lowered() {
        check(&[
            ("H<sub>2</sub>O", "H₂O"),
            ("x<sub>i</sub>", "xᵢ"),
            ("x<sub>i+1</sub>", "xᵢ₊₁"),
            ("V<sub>CC</sub>", "V_{CC}"),
            ("T<sub>eff</sub>", "T_{eff}"),
            ("log<sub>b</sub>", "log_b"),
            ("L<sup>A</sup>T<sub>E</sub>X", "LATEX"),
            ("a word<sub>in small type</sub>", "a wordin small type"),
        ]);
    }

    #[test]
    fn ordinals_abbreviations_and_notes_stay() {
        check(&[
            ("1<sup>st</sup> and 2<sup>nd</sup>", "1st and 2nd"),
            ("XIX<sup>e</sup>, 2<sup>e</sup>, 1<sup>er</sup>", "XIXe, 2e, 1er"),
            ("n<sup>o</sup> 5, M<sup>me</sup>, D<sup>r</sup>, M<sup>c</sup>Gill", "no 5, Mme, Dr, McGill"),
            ("Name<sup>TM</sup>, Name<sup>®</sup>, Name<sup>*</sup>", "NameTM, Name®, Name*"),
            ("word<sup><a href=#n1>[1]</a></sup> goes", "word[1] goes"),
            ("word<sup>[a]</sup>", "word[a]"),
            ("word<sup>(1)</sup>", "word(1)"),
            ("word<sup><a href=#n1>1</a></sup>", "word¹"),
            ("<a href=#n12>word<sup>12</sup></a>", "word¹²"),
            ("word<sup>1,2</sup>", "word¹,²"),
            ("word<sup>note 3</sup>", "wordnote 3"),
            ("<sup>Updated on 5 May 2020 by the editors</sup>", "Updated on 5 May 2020 by the editors"),
            ("19<sup>.99</sup>", "19.99"),
        ]);
    }

    #[test]
    fn parts_of_formulas() {
        for (text, position, want) in [
            ("2", Position::Super, "²"),
            ("n + 1", Position::Super, "ⁿ⁺¹"),
            ("a/b", Position::Super, "^{a/b}"),
            ("′", Position::Super, "′"),
            ("q", Position::Sub, "_q"),
            ("", Position::Sub, ""),
        ] {
            let mut out = String::new();
            write_script(text, position, &mut out);
            assert_eq!(out, want);
        }
    }

    #[test]
    fn every_character_has_its_place() {
        for c in "0123456789+-=()nix".chars() {
            for position in [Position::Super, Position::Sub] {
                if let Some(placed) = placed(position, c) {
                    assert_ne!(placed, c);
                }
            }
        }
        assert_eq!(placed(Position::Super, 'θ'), Some('ᶿ'));
        assert_eq!(placed(Position::Super, 'W'), Some('ᵂ'));
        assert_eq!(placed(Position::Super, 'z'), Some('ᶻ'));
        assert_eq!(placed(Position::Sub, 'χ'), Some('ᵪ'));
    }
}
