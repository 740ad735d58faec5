//! How well an encoding fits bytes: what a label is judged by.
//!
//! Shares and means over the first 64 KiB beyond ASCII; linear, allocation bounded by that.

pub(super) mod letters;
pub(super) mod words;

use encoding_rs::{
    BIG5, CoderResult, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_8859_2, ISO_8859_3, ISO_8859_4,
    ISO_8859_8, ISO_8859_8_I, ISO_8859_10, ISO_8859_13, ISO_8859_14, ISO_8859_15, ISO_8859_16, KOI8_R,
    KOI8_U, MACINTOSH, SHIFT_JIS, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1255, WINDOWS_1257,
    WINDOWS_1258,
};

/// Bytes that are judged.
const SAMPLE: usize = 64 << 10;

/// The bytes to judge: from the first that is not ASCII.
fn judged(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|b| !b.is_ascii()).unwrap_or(bytes.len());
    &bytes[start..bytes.len().min(start + SAMPLE)]
}

/// Encodings of the Latin script, of one byte a character.
pub(super) fn is_latin(encoding: &'static Encoding) -> bool {
    [
        WINDOWS_1252,
        WINDOWS_1250,
        WINDOWS_1254,
        WINDOWS_1257,
        WINDOWS_1258,
        ISO_8859_2,
        ISO_8859_3,
        ISO_8859_4,
        ISO_8859_10,
        ISO_8859_13,
        ISO_8859_14,
        ISO_8859_15,
        ISO_8859_16,
        MACINTOSH,
    ]
    .contains(&encoding)
}

/// Whether two names stand for one encoding, or for one and its extension.
pub(super) fn same_family(a: &'static Encoding, b: &'static Encoding) -> bool {
    const FAMILIES: [&[&Encoding]; 3] =
        [&[GBK, GB18030], &[KOI8_R, KOI8_U], &[ISO_8859_8, ISO_8859_8_I, WINDOWS_1255]];
    a == b || FAMILIES.iter().any(|family| family.contains(&a) && family.contains(&b))
}

/// Mean length of the runs of non-ASCII bytes.
pub(super) fn mean_run(bytes: &[u8]) -> f64 {
    let (mut high, mut runs, mut inside) = (0u32, 0u32, false);
    for b in judged(bytes) {
        let beyond = !b.is_ascii();
        high += u32::from(beyond);
        runs += u32::from(beyond && !inside);
        inside = beyond;
    }
    f64::from(high) / f64::from(runs.max(1))
}

/// Malformed sequences among the characters beyond ASCII that `encoding` reads.
pub(super) fn malformed_share(bytes: &[u8], encoding: &'static Encoding) -> f64 {
    let bytes = judged(bytes);
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text =
        String::with_capacity(decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3));
    // Not the last of the input: a character that is cut off counts as no error.
    let (result, ..) = decoder.decode_to_string(bytes, &mut text, false);
    debug_assert_eq!(result, CoderResult::InputEmpty);
    let beyond = text.chars().filter(|c| !c.is_ascii()).count();
    let malformed = text.chars().filter(|&c| c == '\u{FFFD}').count();
    malformed as f64 / beyond.max(1) as f64
}

/// Where the double-byte characters of a text lie in an encoding's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Zones {
    /// Share in the frequent zones: punctuation, kana, Hangul, first-level ideographs. Text read under the wrong table
    /// falls everywhere; prose under the right one hardly leaves them.
    pub(super) frequent: f64,
    /// Share in rows that are full in this language and thin in the others: what tells tables with equal zones apart.
    pub(super) telling: f64,
    /// Double-byte characters counted.
    pub(super) characters: u32,
}

impl Zones {
    /// `None` for encodings that are not double-byte.
    pub(super) fn of(bytes: &[u8], encoding: &'static Encoding) -> Option<Self> {
        let zone: fn(u8, u8) -> (bool, bool) = match () {
            () if encoding == GBK || encoding == GB18030 => |lead, trail| {
                (trail >= 0xA1 && matches!(lead, 0xA1..=0xA3 | 0xB0..=0xD7), matches!(lead, 0xC9..=0xD7))
            },
            () if encoding == BIG5 => {
                |lead, trail| (matches!(lead, 0xA1..=0xC6), trail < 0x80 && lead >= 0xA4)
            }
            () if encoding == SHIFT_JIS => {
                |lead, _| (matches!(lead, 0x81..=0x83 | 0x88..=0x97), matches!(lead, 0x82 | 0x83))
            }
            () if encoding == EUC_JP => |lead, trail| {
                (trail >= 0xA1 && matches!(lead, 0xA1..=0xA5 | 0xB0..=0xCF), matches!(lead, 0xA4 | 0xA5))
            },
            () if encoding == EUC_KR => |lead, trail| {
                let hangul = matches!(lead, 0xB0..=0xC8);
                (trail >= 0xA1 && (hangul || matches!(lead, 0xA1..=0xA3)), hangul)
            },
            () => return None,
        };
        let half_width = encoding == SHIFT_JIS;
        let bytes = judged(bytes);
        let (mut all, mut frequent, mut telling, mut at) = (0u32, 0u32, 0u32, 0);
        while at + 1 < bytes.len() {
            let (lead, trail) = (bytes[at], bytes[at + 1]);
            if lead.is_ascii() || (half_width && matches!(lead, 0xA1..=0xDF)) {
                at += 1;
                continue;
            }
            let (in_frequent, in_telling) = zone(lead, trail);
            all += 1;
            frequent += u32::from(in_frequent);
            telling += u32::from(in_telling);
            at += 2;
        }
        let share = |n: u32| f64::from(n) / f64::from(all.max(1));
        Some(Zones { frequent: share(frequent), telling: share(telling), characters: all })
    }
}

/// Whether double-byte text is what its label says beyond doubt, so that no statistics are needed.
pub(super) fn plainly(bytes: &[u8], label: &'static Encoding) -> bool {
    Zones::of(bytes, label).is_some_and(|zones| zones.frequent > 0.9 && zones.telling > 0.15)
        && malformed_share(bytes, label) < 0.002
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    #[test]
    fn scripts_come_in_runs_and_marks_alone() {
        assert!(mean_run(&encoded("déjà vu à la carte, café", WINDOWS_1252)) < 1.5);
        assert!(mean_run(&encoded("网页 的 文字", GBK)) > 2.5);
        assert!(mean_run(b"ascii").abs() < 1e-9);
    }

    #[test]
    fn prose_lies_in_the_frequent_zones_of_its_own_table() {
        let text = "我們在網頁上看到的文字，多半是常用的字。";
        let big5 = encoded(text, BIG5);
        assert!(Zones::of(&big5, BIG5).is_some_and(|zones| zones.frequent > 0.95));
        assert!(Zones::of(&big5, GBK).is_some_and(|zones| zones.frequent < 0.6));
        assert_eq!(Zones::of(&big5, WINDOWS_1252), None);
        let texts = [
            (text, BIG5),
            ("我们在网页上看到的文字，多半是常用的字。", GBK),
            ("한국어 문서의 문자를 올바르게 판정하기 위한 예문입니다.", EUC_KR),
            ("日本語のページの文字コードを判定するための例文です。", SHIFT_JIS),
            ("日本語のページの文字コードを判定するための例文です。", EUC_JP),
        ];
        for (text, right) in texts {
            let bytes = encoded(text, right);
            for (_, other) in texts {
                assert_eq!(plainly(&bytes, other), right == other, "{} as {}", right.name(), other.name());
            }
        }
        assert!(malformed_share(&big5, BIG5) < 1e-9);
        assert!(malformed_share(&big5[..big5.len() - 1], BIG5) < 1e-9);
    }

    #[test]
    fn families() {
        assert!(same_family(GBK, GB18030));
        assert!(!same_family(GBK, BIG5));
        assert!(is_latin(WINDOWS_1252));
    }
}
