//! Lyrics with times: LRC.
//!
//! **Definition.** A line begins with one or more times `[mm:ss.xx]`, each of which makes a row of it; `[ti:]`, `[ar:]`,
//! `[al:]`, `[by:]`, `[length:]` and `[offset:]` stand on lines of their own. Hundredths may be thousandths or missing, a colon may stand
//! for the point. A positive offset in milliseconds lets the words come earlier. Times within a line (`<mm:ss.xx>`) are left out.
//!
//! **Algorithm.** Rows are sorted by time; those of equal time stay in order.
//!
//! **Bad input.** At most 20,000 rows; lines without a time are left out of lyrics that have times.

use serde::{Deserialize, Serialize};

use crate::media::facts::{self, MediaFacts, MediaOptions};
use crate::media::{Window, text};

/// Rows of lyrics that are kept.
pub(crate) const MAX_LINES: usize = 20_000;

/// Times before one line that are read.
const MAX_TIMES: usize = 64;

/// A row of lyrics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LyricLine {
    /// When it is sung, in milliseconds from the beginning.
    pub at_ms: u64,
    /// Its words; empty where the singing pauses.
    pub text: String,
}

/// Lyrics with times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lyrics {
    /// `[ti:]`, the title.
    pub title: Option<String>,
    /// `[ar:]`, the artist.
    pub artist: Option<String>,
    /// `[al:]`, the album.
    pub album: Option<String>,
    /// `[by:]`, who made the file.
    pub by: Option<String>,
    /// `[length:]`, milliseconds of the song.
    pub length_ms: Option<u64>,
    /// `[offset:]`, milliseconds by which the words come earlier; the rows have it in them.
    pub offset_ms: i64,
    /// Rows by time.
    pub lines: Vec<LyricLine>,
}

/// Reads lyrics with times; `None` where no line has one.
///
/// # Examples
/// ```
/// let lyrics = webmill_documents::media::lyrics("[ti:Rain]\n[00:12.50][01:10]x").expect("lyrics");
/// let rows: Vec<(u64, &str)> = lyrics.lines.iter().map(|line| (line.at_ms, line.text.as_str())).collect();
/// assert_eq!(rows, [(12_500, "x"), (70_000, "x")]);
/// ```
pub fn lyrics(text: &str) -> Option<Lyrics> {
    let mut lyrics = Lyrics::default();
    for line in text.split(['\n', '\r']) {
        if lyrics.lines.len() >= MAX_LINES {
            break;
        }
        let mut rest = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
        let mut times = Vec::new();
        while let Some((inner, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            match milliseconds(inner) {
                Some(ms) if times.len() < MAX_TIMES => times.push(ms),
                Some(_) => {}
                None if times.is_empty() => {
                    lyrics.note(inner);
                    break;
                }
                None => break,
            }
            rest = behind.trim_start();
        }
        if !times.is_empty() {
            let words = words_of(rest);
            lyrics.lines.extend(times.into_iter().map(|at_ms| LyricLine { at_ms, text: words.clone() }));
        }
    }
    lyrics.lines.truncate(MAX_LINES);
    for line in &mut lyrics.lines {
        line.at_ms = line.at_ms.saturating_add_signed(lyrics.offset_ms.saturating_neg());
    }
    lyrics.lines.sort_by_key(|line| line.at_ms);
    (!lyrics.lines.is_empty()).then_some(lyrics)
}

impl Lyrics {
    /// Takes `key:value` between brackets.
    fn note(&mut self, inner: &str) {
        let Some((key, value)) = inner.split_once(':') else { return };
        match key.trim().to_ascii_lowercase().as_str() {
            "ti" => facts::set(&mut self.title, value),
            "ar" => facts::set(&mut self.artist, value),
            "al" => facts::set(&mut self.album, value),
            "by" => facts::set(&mut self.by, value),
            "length" => self.length_ms = self.length_ms.or(milliseconds(value)),
            "offset" => self.offset_ms = value.trim().trim_start_matches('+').parse().unwrap_or(0),
            _ => {}
        }
    }

    /// As text again: a line a row, its time before it.
    pub fn written(&self) -> String {
        written(self.lines.iter().map(|line| (line.at_ms, line.text.clone())))
    }
}

/// `mm:ss`, `mm:ss.xx`, `mm:ss.xxx`, `mm:ss:xx`.
fn milliseconds(time: &str) -> Option<u64> {
    let mut parts = time.trim().splitn(3, [':', '.']);
    let mut number = |most: usize| {
        let digits = parts.next()?.trim();
        let fits = (1..=most).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        fits.then_some(digits)
    };
    let (minutes, seconds) = (number(4)?.parse::<u64>().ok()?, number(2)?.parse::<u64>().ok()?);
    let fraction = number(6);
    if seconds >= 60 || time.matches([':', '.']).count() > 1 && fraction.is_none() {
        return None;
    }
    let thousandths = fraction.unwrap_or_default().chars().chain("000".chars()).take(3).collect::<String>();
    Some((minutes * 60 + seconds) * 1000 + thousandths.parse::<u64>().ok()?)
}

/// Letters that a time within a line has at most.
const MAX_TIME: usize = 16;

/// The words of a line, without the times of each.
fn words_of(line: &str) -> String {
    let line = line.get(..line.floor_char_boundary(2 * text::MAX_FIELD)).unwrap_or(line);
    let mut words = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('<') {
        words.push_str(before);
        // A line may have many that never end.
        let near = behind.get(..behind.floor_char_boundary(MAX_TIME)).unwrap_or(behind);
        rest = match near.split_once('>') {
            Some((inner, _)) if milliseconds(inner).is_some() => {
                behind.get(inner.len() + 1..).unwrap_or_default()
            }
            _ => {
                words.push('<');
                behind
            }
        };
    }
    words.push_str(rest);
    text::one_line(&words).unwrap_or_default()
}

/// Rows as text, sorted: `[mm:ss.xx]` with a third digit where it is not zero, at most 256 KiB.
pub(crate) fn written(rows: impl Iterator<Item = (u64, String)>) -> String {
    let mut rows: Vec<(u64, String)> = rows.take(MAX_LINES).collect();
    rows.sort_by_key(|(ms, _)| *ms);
    let mut text = String::new();
    for (ms, words) in rows {
        let (minutes, seconds, rest) = (ms / 60_000, ms / 1000 % 60, ms % 1000);
        let time = match rest % 10 {
            0 => format!("[{minutes:02}:{seconds:02}.{:02}]", rest / 10),
            _ => format!("[{minutes:02}:{seconds:02}.{rest:03}]"),
        };
        let words = text::one_line(&words).unwrap_or_default();
        if text.len() + time.len() + words.len() + 1 > text::MAX_LYRICS {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&time);
        text.push_str(&words);
    }
    text
}

/// Sets lyrics, unless they are set or the text is blank: rows in order where lines have times, else as they are.
pub(crate) fn set(field: &mut Option<String>, words: &str) {
    if field.is_none() {
        let timed = words.contains('[').then(|| lyrics(words)).flatten();
        *field = timed.map_or_else(|| text::lines(words, text::MAX_LYRICS), |lyrics| Some(lyrics.written()));
    }
}

/// A file of lyrics; `None` where it is none.
pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let decoded = webmill_html::decode(window.head(), None, options.tld);
    let found = lyrics(&decoded.text)?;
    facts.lyrics = Some(found.written());
    (facts.title, facts.artist, facts.album) = (found.title, found.artist, found.album);
    facts.duration_ms = found.length_ms;
    if !window.is_whole() {
        facts.warn("lyrics-cut");
    }
    Some(())
}

/// Whether bytes begin as lyrics do: a time or one of their notes between brackets.
pub(crate) fn is_lyrics(head: &[u8], tld: Option<&[u8]>) -> bool {
    let begin = head.get(..4096).unwrap_or(head);
    let bracket = begin
        .iter()
        .position(|b| !matches!(b, 0 | 0xFE | 0xFF | 0xEF | 0xBB | 0xBF) && !b.is_ascii_whitespace());
    if bracket.and_then(|at| begin.get(at)) != Some(&b'[') {
        return false;
    }
    let decoded = webmill_html::decode(begin, None, tld);
    let inner = decoded
        .text
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map(|(inner, _)| inner);
    let note = |inner: &str| {
        inner.split_once(':').is_some_and(|(key, _)| {
            matches!(
                key.to_ascii_lowercase().as_str(),
                "ti" | "ar" | "al" | "by" | "offset" | "length" | "re" | "ve" | "id" | "au"
            )
        })
    };
    inner.is_some_and(|inner| milliseconds(inner).is_some() || note(inner)) && lyrics(&decoded.text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Format;

    fn rows(text: &str) -> Vec<(u64, String)> {
        lyrics(text).unwrap_or_default().lines.into_iter().map(|line| (line.at_ms, line.text)).collect()
    }

    #[test]
    fn a_line_with_two_times_is_two_rows() {
        assert_eq!(rows("[00:12.50][01:10]x"), [(12_500, "x".into()), (70_000, "x".into())]);
    }

    #[test]
    fn rows_are_sorted_and_moved() {
        let found = lyrics("\u{FEFF}[ti:雨]\r\n[ar: 陆羽 ]\r\n[by:me]\r\n[offset:+500]\r\n[length: 03:05]\r\n[00:02.00]two\r\n[00:00.250] one\r\nno time").unwrap();
        assert_eq!(
            (found.title.as_deref(), found.artist.as_deref(), found.by.as_deref()),
            (Some("雨"), Some("陆羽"), Some("me"))
        );
        assert_eq!((found.offset_ms, found.length_ms), (500, Some(185_000)));
        assert_eq!(found.written(), "[00:00.00]one\n[00:01.50]two");
        assert_eq!(rows("[offset:-500]\n[00:01]x"), [(1500, "x".into())]);
    }

    #[test]
    fn times_have_many_forms() {
        for (time, expected) in [
            ("00:12.50", Some(12_500)),
            ("1:02", Some(62_000)),
            ("00:12.345", Some(12_345)),
            ("00:12:34", Some(12_340)),
            ("00:12.3", Some(12_300)),
            ("100:00.00", Some(6_000_000)),
            ("00:60", None),
            ("00:12.", None),
            ("ti:x", None),
            ("12", None),
            ("00:+1", None),
        ] {
            assert_eq!(milliseconds(time), expected, "{time}");
        }
    }

    #[test]
    fn times_of_words_are_left_out() {
        assert_eq!(rows("[00:01]<00:01.00>a <00:02.00>b <c>"), [(1000, "a b <c>".into())]);
    }

    #[test]
    fn marks_that_never_end_cost_no_more_than_their_line() {
        let line = format!("[00:01.00]{}", "<00:01.0".repeat(32 << 10));
        assert_eq!(rows(&line)[0].1.len(), text::MAX_FIELD);
    }

    #[test]
    fn files_are_told_and_read_in_their_charset() {
        let source = "[ti:月亮代表我的心]\n[ar:邓丽君]\n[00:20.10]你问我爱你有多深\n[00:26.00]我爱你有几分";
        let utf16: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain(source.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        for bytes in [source.as_bytes().to_vec(), encoding_rs::GBK.encode(source).0.into_owned(), utf16] {
            assert!(is_lyrics(&bytes, None));
            let mut facts = MediaFacts::new(Format::Lrc);
            read(&Window::of(&bytes), &MediaOptions::default(), &mut facts).unwrap();
            assert_eq!(
                (facts.title.as_deref(), facts.artist.as_deref()),
                (Some("月亮代表我的心"), Some("邓丽君"))
            );
            assert_eq!(facts.lyrics.as_deref(), Some("[00:20.10]你问我爱你有多深\n[00:26.00]我爱你有几分"));
        }
        for other in ["[1, 2]", "[section]\nkey=1", "plain", "[ti:no times]", ""] {
            assert!(!is_lyrics(other.as_bytes(), None), "{other}");
        }
    }
}
