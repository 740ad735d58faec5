//! Function words: the region of Europe that a text of Latin letters comes from.
//!
//! **Definition.** Words of ASCII letters outside of tags, scripts and styles that are frequent in languages of one region
//! and in none of another. Letters with marks, over which the encodings disagree, play no part.
//!
//! **Cost.** One walk over the first 64 KiB, a binary search a word.

use encoding_rs::{
    Encoding, ISO_8859_2, ISO_8859_4, ISO_8859_10, ISO_8859_13, ISO_8859_15, ISO_8859_16, MACINTOSH,
    WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257,
};

/// Bytes that are looked at.
const SAMPLE: usize = 64 << 10;

/// Where the languages of an encoding are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Region {
    /// Windows-1252: English, French, German, Spanish, Portuguese, Italian, Dutch, the languages of the North.
    Western,
    /// Windows-1250: Polish, Czech, Slovak, Hungarian, Romanian, Croatian, Slovene.
    Central,
    /// Windows-1254: Turkish.
    Turkish,
    /// Windows-1257: Lithuanian, Latvian, Estonian.
    Baltic,
}

impl Region {
    /// Of an encoding of the Latin script; `None` for those of others and of no region.
    pub(in super::super) fn of(encoding: &'static Encoding) -> Option<Self> {
        let among = |all: &[&'static Encoding]| all.contains(&encoding);
        match () {
            () if among(&[WINDOWS_1252, ISO_8859_15, MACINTOSH]) => Some(Region::Western),
            () if among(&[WINDOWS_1250, ISO_8859_2, ISO_8859_16]) => Some(Region::Central),
            () if among(&[WINDOWS_1254]) => Some(Region::Turkish),
            () if among(&[WINDOWS_1257, ISO_8859_4, ISO_8859_10, ISO_8859_13]) => Some(Region::Baltic),
            () => None,
        }
    }
}

/// Words of each region, in order. A word that another region writes too, as `na`, `je` and `da`, is in none.
const WORDS: [&[&str]; 4] = [
    &[
        "and", "are", "auf", "av", "che", "con", "das", "del", "della", "dem", "den", "der", "des", "det",
        "die", "du", "ein", "eine", "ekki", "el", "en", "er", "est", "et", "for", "from", "gli", "har",
        "het", "ikke", "im", "inte", "is", "ist", "las", "le", "les", "los", "med", "met", "mit", "niet",
        "nicht", "not", "och", "of", "og", "os", "per", "por", "pour", "que", "qui", "sem", "som", "sono",
        "sur", "that", "the", "this", "til", "uma", "una", "und", "une", "van", "var", "von", "voor", "was",
        "with", "zijn",
    ],
    &[
        "ale", "ali", "ako", "az", "bol", "byl", "byla", "care", "cu", "dla", "din", "egy", "hogy", "ili",
        "jak", "jako", "jest", "jsou", "kako", "kao", "ki", "kot", "mai", "meg", "mint", "nem", "nie", "nu",
        "oraz", "pentru", "pod", "pre", "pri", "pro", "przez", "sa", "su", "sunt", "volt", "za", "ze",
    ],
    &["ama", "bir", "bu", "daha", "gibi", "icin", "ile", "kadar", "olan", "olarak", "sonra", "ve"],
    &["bija", "buvo", "ir", "kad", "kaip", "kas", "kui", "ning", "oma", "see", "tai", "tas", "yra"],
];

/// How many of a text's words are of each region.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct Words([u32; 4]);

impl Words {
    /// Counts the words of a page.
    pub(in super::super) fn of(bytes: &[u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(SAMPLE)];
        let (mut words, mut at) = (Words::default(), 0);
        while let Some(&b) = bytes.get(at) {
            match b {
                b'<' => at += tag(&bytes[at..]),
                _ if is_wordlike(b) => {
                    let rest = &bytes[at..];
                    let end = rest.iter().position(|&b| !is_wordlike(b)).unwrap_or(rest.len());
                    words.add(&rest[..end]);
                    at += end;
                }
                _ => at += 1,
            }
        }
        words
    }

    fn add(&mut self, word: &[u8]) {
        const LONGEST: usize = 8;
        let mut lower = [0; LONGEST];
        let Some(lower) = lower.get_mut(..word.len()) else { return };
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        for (count, known) in self.0.iter_mut().zip(WORDS) {
            *count += u32::from(known.iter().any(|&known| known.as_bytes() == lower));
        }
    }

    /// Whether the text is of `region`: some of its words, and hardly any of the others'.
    pub(in super::super) fn speak_for(self, region: Region) -> bool {
        let own = self.0[region as usize];
        let others = self.0.iter().sum::<u32>() - own;
        own >= 2 && own > 3 * others
    }
}

fn is_wordlike(b: u8) -> bool {
    b.is_ascii_alphabetic() || !b.is_ascii()
}

/// Length of the tag that `bytes` begin with; of a script or style with all that is in it.
fn tag(bytes: &[u8]) -> usize {
    for (name, end) in [(&b"<script"[..], &b"</script"[..]), (b"<style", b"</style")] {
        if bytes.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            let found = bytes.windows(end.len()).position(|window| window.eq_ignore_ascii_case(end));
            return found.map_or(bytes.len(), |at| at + 1);
        }
    }
    match bytes.get(1) {
        Some(b) if b.is_ascii_alphabetic() || matches!(b, b'/' | b'!' | b'?') => {
            memchr::memchr(b'>', bytes).map_or(bytes.len(), |at| at + 1)
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_regions_without_their_marks() {
        let cases: [(&[u8], Option<Region>); 8] = [
            (b"Tickets for the members of the club, and more.", Some(Region::Western)),
            (b"D\xE9couvrez les pages qui sont pour vous", Some(Region::Western)),
            (b"To nie jest tak, jak by\xB3o przez lata", Some(Region::Central)),
            (b"T\xFCrk\xE7e bir metin ve bu sayfa", Some(Region::Turkish)),
            (b"Tai yra tekstas, ir kad b\xFBt\xF8", Some(Region::Baltic)),
            (b"<script>for (this of that) { the is }</script> ok", None),
            (b"<p title='the of and'> na je da </p>", None),
            (b"< the of and", Some(Region::Western)),
        ];
        for (text, expected) in cases {
            let words = Words::of(text);
            for region in [Region::Western, Region::Central, Region::Turkish, Region::Baltic] {
                assert_eq!(words.speak_for(region), expected == Some(region), "{}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn no_word_is_of_two_regions() {
        for (i, words) in WORDS.iter().enumerate() {
            for word in *words {
                let others = WORDS.iter().enumerate().filter(|(j, _)| *j != i);
                assert!(others.clone().all(|(_, words)| !words.contains(word)), "{word}");
                assert!(word.len() <= 8 && word.bytes().all(|b| b.is_ascii_lowercase()), "{word}");
            }
        }
    }
}
