//! Who wrote a comment, and when, from the lines around it.

use crate::person_name::clean_author;
use webmill_capture::cut::Cut;
use webmill_html::{DateOrder, WrittenDate, find_date, find_date_at};

/// Whether a text holds a date; before 1990 nobody commented on pages.
pub(super) fn is_dated(text: &str) -> bool {
    let recent = |date: &String| date.as_str() >= "1990";
    find_date(text, DateOrder::Undecided).is_some_and(|date| match &date {
        WrittenDate::Certain(date) | WrittenDate::Ambiguous { month_first: date, .. } => recent(date),
    })
}

/// The date in a text, if it is certain.
pub(super) fn date_in(text: &str, order: DateOrder) -> Option<String> {
    find_date(text, order).filter(|_| is_dated(text))?.certain()
}

/// A byline up to its first digit: `Ann, 3 May 2020`.
pub(super) fn before_date(text: &str) -> &str {
    let end = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let name = text.cut(..end).trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')');
    const SAID: &str = " says, said, wrote, writes, on, at, schrieb, sagt, a dit, 说, 发表于,发表于";
    SAID.split(',').fold(name, |name, end| name.strip_suffix(end).unwrap_or(name))
}

/// Words that stand between a name and the comment, or a date.
const SAYING: &str = "says said wrote writes replied responded commented on at schrieb schreibt sagt sagte \
    meint meinte antwortet am um dit écrit le à dijo dice escribió escribe comentó el a las \
    disse diz escreveu comentou em ha scritto detto zegt schreef op skrev sier säger написал \
    пишет";
/// What stands behind a name without a blank.
const SAYING_WIDE: &str =
    "发表于,發表於,发布于,留言于,评论于,写道,寫道,回复说,评论说,说道,说,說,より,さん,님의 말,님";
/// What stands in front of a name.
const CALLED: &str = "comment by,comment from,commented by,comment posted by,left by,reply by,kommentar von,\
    commentaire de,comentario de,commento di,reactie van,pingback:,trackback:,trackback by,\
    pingback by,trackback from,pingback from,at,on,网友：,网友:,发表人：";
/// Words within and around times of the day.
const OF_TIMES: &str = "am pm a.m. p.m. at um uhr à h o'clock utc gmt est edt cst cdt mst mdt pst pdt cet cest on @ - – — | · : , / the";

/// The name in a byline: the words before its date, or behind it.
pub(super) fn writer(text: &str, order: DateOrder) -> Option<String> {
    let text = without_number(text);
    let Some((at, _)) = find_date_at(text, order) else { return name_in(text) };
    name_in(text.cut(..at)).or_else(|| name_in(behind_date(text.cut(at..))))
}

/// What follows the date that a text begins with.
pub(super) fn behind_date(text: &str) -> &str {
    let mut rest = text;
    let mut words = 0;
    let mut year = false;
    while !rest.is_empty() {
        rest = rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = rest.cut(..end);
        let bare = word.trim_matches([',', '.', ';', ')', '(', ']', '[']).to_lowercase();
        let numeric = word.starts_with(|c: char| c.is_ascii_digit() || c == '(' || c == '+');
        let of_time = bare.is_empty() || OF_TIMES.split(' ').any(|known| known == bare);
        // Before the year every word is of the date.
        if !(numeric && word.contains(|c: char| c.is_ascii_digit()) || of_time || !year && words < 4) {
            break;
        }
        year |= word.bytes().filter(u8::is_ascii_digit).count() >= 4;
        words += 1;
        rest = rest.cut(end..);
    }
    rest
}

/// A text without the number that it begins with: `#12 `, `12.`, `3楼`.
fn without_number(text: &str) -> &str {
    let bare = text.trim_start_matches(['#', '(', '[', '第', ' ']);
    let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = bare.len() - rest.len();
    let ends = rest.strip_prefix(['.', ')', ']', '楼', '樓', ' ']);
    match ends {
        Some(rest)
            if (1..=5).contains(&digits)
                && (bare.len() < text.len() || !rest.starts_with(char::is_alphabetic)) =>
        {
            rest.trim_start()
        }
        _ => text,
    }
}

/// A name without what introduces it and what says that it said something.
fn name_in(text: &str) -> Option<String> {
    let mut name = text.trim();
    for called in CALLED.split(',') {
        let Some(head) = name.get(..called.len()).filter(|head| head.to_lowercase() == called) else {
            continue;
        };
        let rest = name.cut(head.len()..);
        if !called.ends_with(char::is_alphabetic) || !rest.starts_with(char::is_alphanumeric) {
            name = rest.trim_start_matches([' ', ':', '：']);
        }
    }
    for _ in 0..6 {
        let trimmed = name.trim_end_matches(|c: char| c.is_whitespace() || ":：.…,-–—|·@(\"[".contains(c));
        let last = trimmed.rsplit(char::is_whitespace).next().unwrap_or_default();
        let lower = last.to_lowercase();
        let wide = SAYING_WIDE.split(',').find_map(|said| trimmed.strip_suffix(said));
        name = match wide {
            Some(rest) => rest,
            None if SAYING.split(' ').any(|said| said == lower) => trimmed.cut(..trimmed.len() - last.len()),
            None => {
                name = trimmed;
                break;
            }
        };
    }
    clean_author(name)
}
