//! Personal data in texts: e-mail addresses, IP addresses, telephone numbers.
//!
//! **Definition.** E-mail addresses as RFC 5322 writes them without quotes and comments, with a host of two labels at least. Addresses of IP
//! version 4 that are public (IANA's registry of special-purpose addresses), and no part of a longer number with dots. Telephone numbers with a
//! country's code and 8 to 15 digits in all (ITU-T E.164), those of North America in three groups, and mobile numbers of China.
//!
//! **Masks.** A reader sees what stood there: an address of example.com (RFC 2606), 192.0.2.1 (RFC 5737), a number that is reserved for fiction.

use std::borrow::Cow;
use std::net::Ipv4Addr;
use std::ops::Range;
use std::sync::LazyLock;
use webmill_capture::cut::Cut;

use regex::Regex;

use super::{Room, Signals, View};

/// A kind of personal data: how it is found, whether a find is one, and what takes its place.
struct Kind {
    pattern: LazyLock<Regex>,
    /// Without one of these characters there is none.
    sign: &'static [char],
    is_one: fn(&str, Range<usize>) -> bool,
    /// Whether the begin of a find that is none may be one: a number behind which others stand.
    shrinks: bool,
    mask: &'static str,
}

/// What takes the place of an e-mail address, an IP address, a telephone number.
pub const MASKS: [&str; 3] = ["email@example.com", "192.0.2.1", "+1-202-555-0100"];

static KINDS: [Kind; 3] = [
    Kind {
        pattern: LazyLock::new(|| {
            pattern(
                r"(?-u:\b)[A-Za-z0-9!#$%&'*+/?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?",
            )
        }),
        sign: &['@'],
        is_one: is_mail_address,
        shrinks: false,
        mask: MASKS[0],
    },
    Kind {
        pattern: LazyLock::new(|| pattern(r"[0-9]{1,3}(?:\.[0-9]{1,3})+")),
        sign: &['.'],
        is_one: is_public_address,
        shrinks: false,
        mask: MASKS[1],
    },
    Kind {
        pattern: LazyLock::new(|| {
            pattern(
                r"\+[1-9][0-9]{0,2}(?:[ .-]?\([0-9]{1,4}\))?(?:[ .-]?[0-9]{1,14}){1,6}|(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[.-])[2-9][0-9]{2}[.-][0-9]{4}|1[3-9][0-9][ -]?[0-9]{4}[ -]?[0-9]{4}",
            )
        }),
        sign: &['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
        is_one: is_telephone_number,
        shrinks: true,
        mask: MASKS[2],
    },
];

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of this file is one")
}

/// The characters before and behind a part of a text.
fn around(text: &str, at: &Range<usize>) -> (Option<char>, Option<char>) {
    (text.cut(..at.start).chars().next_back(), text.cut(at.end..).chars().next())
}

fn is_public_address(text: &str, at: Range<usize>) -> bool {
    let (before, behind) = around(text, &at);
    if [before, behind].into_iter().flatten().any(|c| c.is_ascii_digit()) {
        return false;
    }
    text.cut(at).parse::<Ipv4Addr>().is_ok_and(|ip| {
        let [a, b, c, _] = ip.octets();
        let special =
            matches!((a, b, c), (0 | 240..=255, _, _) | (100, 64..=127, _) | (192, 0, 0) | (198, 18..=19, _));
        !special && !ip.is_private() && !ip.is_loopback() && !ip.is_link_local() && !ip.is_documentation()
    })
}

/// Versions of programs (`react@18.2.0`) and places of their sources (`git@…`) are no addresses.
fn is_mail_address(text: &str, at: Range<usize>) -> bool {
    let last = text.cut(at.clone()).rsplit('.').next().unwrap_or_default();
    last.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.cut(at).starts_with("git@")
}

fn is_telephone_number(text: &str, at: Range<usize>) -> bool {
    let (before, behind) = around(text, &at);
    let number = text.cut(at.clone());
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    // Decimals, and great numbers in groups of three.
    let is_decimal = number.starts_with('+') && number.contains('.') && !number.contains([' ', '-', '(']);
    if is_decimal || number.split([' ', '.', '-']).any(|group| group == "000") {
        return false;
    }
    let joined = |c: Option<char>| {
        c.is_some_and(|c| {
            c.is_alphanumeric() && !webmill_text::is_han(c) || matches!(c, '-' | '+' | '/' | '_')
        })
    };
    let dotted = behind == Some('.') && text.cut(at.end + 1..).starts_with(|c: char| c.is_ascii_digit());
    (8..=15).contains(&digits) && !joined(before) && !joined(behind) && !dotted && before != Some('.')
}

impl Kind {
    /// Where it stands in a text.
    fn each(&self, text: &str, mut found: impl FnMut(Range<usize>)) {
        let mut from = 0;
        while text.cut(from..).contains(self.sign) {
            let Some(all) = self.pattern.find_at(text, from) else { return };
            let mut end = Some(all.end());
            while let Some(at) = end.filter(|end| !(self.is_one)(text, all.start()..*end)) {
                let sign = text.cut(all.start()..at).rfind([' ', '.', '-']).filter(|_| self.shrinks);
                end = sign.map(|sign| all.start() + sign);
            }
            match end.filter(|end| *end > all.start()) {
                Some(end) => {
                    found(all.start()..end);
                    from = end;
                }
                None => from = all.end(),
            }
        }
    }
}

pub(super) fn measure(view: &View<'_>, _: &mut Room, row: &mut Signals) {
    let counts = KINDS.each_ref().map(|kind| {
        let mut n = 0;
        kind.each(view.text, |_| n += 1);
        n
    });
    [row.emails, row.ip_addresses, row.phone_numbers] = counts;
}

/// A text with [`MASKS`] in the places of personal data, and how many were put in.
///
/// # Examples
/// ```
/// let (masked, n) = webmill_learn::quality::mask("Write to kim@univ.example.org or call +49 30 1234567.");
/// assert_eq!((&*masked, n), ("Write to email@example.com or call +1-202-555-0100.", 2));
/// ```
pub fn mask(text: &str) -> (Cow<'_, str>, u64) {
    let mut masked = Cow::Borrowed(text);
    let mut all = 0;
    for kind in &KINDS {
        let (mut out, mut from, mut n) = (String::new(), 0, 0);
        kind.each(&masked, |at| {
            if masked.cut(at.clone()) != kind.mask {
                out.push_str(masked.cut(from..at.start));
                out.push_str(kind.mask);
                from = at.end;
                n += 1;
            }
        });
        if n > 0 {
            out.push_str(masked.cut(from..));
            masked = Cow::Owned(out);
            all += n;
        }
    }
    (masked, all)
}
