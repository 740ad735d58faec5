//! Superscripts and subscripts in plain characters.
//!
//! **Definition.** Raised or lowered characters are written in Unicode's own superscripts and subscripts where all of its
//! characters have one (10⁶, H₂O, xᵢ), else behind `^` or `_`, in braces if it is longer than a character (`2^{k/2}`,
//! `V_{CC}`). Not all that is raised is an exponent: ordinals (1st, XIXe, nº), abbreviations (Mme, ™) and marks of notes
//! in brackets stay as the page has them, the number of a note becomes a superscript (word¹). Which is which is told by
//! the raised characters, by the text before them, and by whether they are a link. Text that merely looks small stays text.
//!
//! **Cost.** Constant: anything longer than `MAX_SCRIPT` characters is text.

use crate::{Dom, NodeId, Tag};
use webmill_capture::cut::Cut;

/// Characters of what may be an exponent or an index.
const MAX_SCRIPT: usize = 24;
/// Bytes before them that are looked at.
pub const MAX_BEFORE: usize = 64;
/// Nodes looked at for them.
const MAX_NODES: usize = 32;

/// Where characters stand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Position {
    /// Raised.
    Super,
    /// Lowered.
    Sub,
}

impl Position {
    /// The position that an element gives to its text.
    pub fn of(tag: Tag) -> Option<Position> {
        match tag {
            Tag::Sup => Some(Position::Super),
            Tag::Sub => Some(Position::Sub),
            _ => None,
        }
    }

    /// The position of text that is raised by so much, or lowered if it is negative: by `least` at least.
    pub fn of_rise(rise: i32, least: i32) -> Option<Position> {
        match rise {
            _ if rise >= least => Some(Position::Super),
            _ if rise <= -least => Some(Position::Sub),
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
pub enum Form {
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
    pub fn before(self, position: Position) -> Option<&'static str> {
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
pub fn place_from(text: &mut String, from: usize, position: Position) {
    let placed: String = text.cut(from..).chars().map(|c| placed(position, c).unwrap_or(c)).collect();
    text.replace_range(from.., &placed);
}

/// Appends a part of a formula at a position.
pub fn write_script(text: &str, position: Position, out: &mut String) {
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
pub fn form_of(dom: &Dom<'_>, node: NodeId, position: Position, before: &str, linked: bool) -> Form {
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

/// Appends raised or lowered text behind the begun line; `linked` where it is in a link.
///
/// # Examples
/// ```
/// use webmill_html::script::{Position, push_placed};
/// let mut out = String::from("10");
/// push_placed("6", Position::Super, false, &mut out);
/// assert_eq!(out, "10⁶");
/// ```
pub fn push_placed(text: &str, position: Position, linked: bool, out: &mut String) {
    let near = out.cut(out.ceil_char_boundary(out.len().saturating_sub(MAX_BEFORE))..);
    let form =
        form(position, text.trim(), linked, near.cut(near.rfind([' ', '\n', '\t']).map_or(0, |at| at + 1)..));
    out.push_str(form.before(position).unwrap_or_default());
    let from = out.len();
    out.push_str(text);
    if form == Form::Characters {
        place_from(out, from, position);
    }
    out.push_str(if form == Form::Braced { "}" } else { "" });
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
        // Several notes: their numbers, and the signs between them.
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
