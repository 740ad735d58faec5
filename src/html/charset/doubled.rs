//! Text that was encoded as UTF-8 twice.
//!
//! **Definition.** A program that takes UTF-8 for an encoding of one byte a character and writes what it read as UTF-8 turns
//! `é` into `Ã©` and `д` into `Ð´` or `Рґ`. A text is *doubled* if every run of its characters beyond ASCII, written in
//! that encoding, is well-formed UTF-8; one run that is not, and the text is left as it is: a page may quote such text, or
//! be put together from parts of which only some are doubled, and undoing it in parts would be guessing.
//!
//! **Encodings.** Windows-1252 (with ISO-8859-1, whose controls windows-1252 lacks: programs mix the two), windows-1251,
//! windows-1250 and Macintosh. Under the first, one character is enough, since capital letters with marks before signs
//! (`Ã©`, `â€™`) are no prose; only pairs such as `É”`, which may be a capital before a quotation mark, must be four.
//! Under the others, whose letters prose does join so now and then, there must be four.
//!
//! **Cost.** Nothing for ASCII, a few characters for almost all other texts: the first run tells. Doubled texts are copied
//! once for each time that they were doubled, four times at most.

use std::borrow::Cow;
use std::sync::LazyLock;
use webmill_capture::cut::Cut;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252};

/// Times that a text is undone.
const MAX_TIMES: usize = 4;

/// Well-formed characters that make chance unlikely where one of them alone does not.
const SEVERAL: usize = 4;

/// An encoding that UTF-8 was taken for, and the bytes of its characters.
struct MistakenEncoding {
    encoding: &'static Encoding,
    /// By character.
    bytes: [(char, u8); 128],
}

static MISTAKEN: LazyLock<[MistakenEncoding; 4]> =
    LazyLock::new(|| [WINDOWS_1252, WINDOWS_1251, WINDOWS_1250, MACINTOSH].map(MistakenEncoding::new));

impl MistakenEncoding {
    fn new(encoding: &'static Encoding) -> Self {
        let high: [u8; 128] = std::array::from_fn(|n| 0x80 + n as u8);
        let (text, _) = encoding.decode_without_bom_handling(&high);
        let mut bytes = [('\0', 0); 128];
        for (slot, pair) in bytes.iter_mut().zip(text.chars().zip(high)) {
            *slot = pair;
        }
        bytes.sort_unstable();
        MistakenEncoding { encoding, bytes }
    }

    fn byte(&self, c: char) -> Option<u8> {
        match self.bytes.binary_search_by_key(&c, |&(known, _)| known) {
            Ok(at) => Some(self.bytes[at].1),
            // A control of ISO-8859-1, as bytes without a character in the encoding are read too.
            Err(_) => matches!(c, '\u{80}'..='\u{9F}').then_some(c as u8),
        }
    }

    /// The text before it was encoded for the second time; `None` if it was encoded once.
    fn undone(&self, text: &str) -> Option<String> {
        let mut undone = String::new();
        let (mut run, mut rest) = (Vec::new(), text);
        let (mut several, mut certain) = (0, false);
        while let Some(start) = first_beyond_ascii(rest) {
            let end = rest.cut(start..).bytes().position(|b| b.is_ascii()).map_or(rest.len(), |n| start + n);
            run.clear();
            for c in rest.cut(start..end).chars() {
                run.push(self.byte(c)?);
            }
            let characters = match std::str::from_utf8(&run) {
                Ok(characters) => characters,
                // A character that the end of the page cut off.
                Err(error) if end == rest.len() && error.error_len().is_none() => {
                    std::str::from_utf8(&run[..error.valid_up_to()]).ok()?
                }
                Err(_) => return None,
            };
            several += characters.chars().count();
            certain |= characters.chars().any(|c| matches!(c, '\u{80}'..='\u{FF}' | '\u{800}'..));
            undone.push_str(rest.cut(..start));
            undone.push_str(characters);
            rest = rest.cut(end..);
        }
        undone.push_str(rest);
        let alone = self.encoding == WINDOWS_1252 && certain;
        (alone || several >= SEVERAL).then_some(undone)
    }
}

/// Where the first character beyond ASCII stands.
fn first_beyond_ascii(text: &str) -> Option<usize> {
    let ascii = Encoding::ascii_valid_up_to(text.as_bytes());
    (ascii < text.len()).then_some(ascii)
}

/// The text that `text` was before it was encoded as UTF-8 again, and the encoding that it was taken for then; `None` if
/// it was encoded once, or only in parts more often.
pub(super) fn undo(text: &str) -> Option<(String, &'static Encoding)> {
    if text.is_ascii() {
        return None;
    }
    let (mut undone, mut taken_for): (Cow<str>, _) = (Cow::Borrowed(text), None);
    for _ in 0..MAX_TIMES {
        let Some((once, encoding)) =
            MISTAKEN.iter().find_map(|mistaken| Some((mistaken.undone(&undone)?, mistaken.encoding)))
        else {
            break;
        };
        taken_for.get_or_insert(encoding);
        undone = Cow::Owned(once);
    }
    let mut undone = undone.into_owned();
    if undone.starts_with('\u{FEFF}') {
        undone.drain(..'\u{FEFF}'.len_utf8());
    }
    Some((undone, taken_for?))
}

#[cfg(test)]
mod tests {
    use super::*;
    /// What a program makes of UTF-8 that it takes for `encoding`.
    fn doubled(text: &str, encoding: &'static Encoding) -> String {
        encoding.decode_without_bom_handling(text.as_bytes()).0.into_owned()
    }

    #[test]
    fn texts_doubled_throughout_are_undone() {
        let texts = [
            "Le café était fermé à midi – “c’est l’été”.",
            "Größe über alles",
            "我们把网页的文字和它的链接分开。",
            "Сегодня в городе прошёл дождь.",
            "日本語のページ",
            "© 2009",
            "It’s",
            "🙂 ok",
        ];
        for text in texts {
            for encoding in [WINDOWS_1252, WINDOWS_1251, WINDOWS_1250, MACINTOSH] {
                let once = doubled(text, encoding);
                if once.contains('\u{FFFD}') {
                    continue;
                }
                let long = text.chars().filter(|c| !c.is_ascii()).count() >= SEVERAL;
                if encoding == WINDOWS_1252 || long {
                    let found = undo(&once);
                    assert_eq!(
                        found.as_ref().map(|(text, _)| text.as_str()),
                        Some(text),
                        "{}",
                        encoding.name()
                    );
                }
            }
            let latin1: String = text.bytes().map(char::from).collect();
            assert_eq!(undo(&latin1), Some((text.to_owned(), WINDOWS_1252)));
            let thrice = doubled(&doubled(text, WINDOWS_1252), WINDOWS_1252);
            assert_eq!(undo(&thrice), Some((text.to_owned(), WINDOWS_1252)));
        }
        assert_eq!(undo("ï»¿Ã©").map(|(text, _)| text).as_deref(), Some("é"));
        assert_eq!(undo("cafÃ© fermÃ").map(|(text, _)| text).as_deref(), Some("café ferm"));
    }

    #[test]
    fn texts_that_are_not_are_left_alone() {
        let texts = [
            "plain",
            "Le café était fermé à midi – “c’est l’été”.",
            "Le café, which was written cafÃ©, was closed",
            "CAFÉ” and nothing else",
            "“CAFÉ”",
            "Größe, Straße, Ärger, Öl, süß",
            "IRMÃ®Z’",
            "Сегодня в городе прошёл дождь",
            "KOŚCIÓŁ, Łódź, żółć",
            "我们",
            "Ã damaged \u{FFFD}",
            "",
        ];
        for text in texts {
            assert_eq!(undo(text), None, "{text}");
        }
    }
}
