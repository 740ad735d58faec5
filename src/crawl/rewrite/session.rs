//! What a session id is.
//!
//! | where | taken out |
//! |---|---|
//! | names that mean nothing else (`PHPSESSID`, `jsessionid`, `ASPSESSIONIDxxxxxxxx`, `osCsid`, …) | always |
//! | `cfid` and `cftoken` | both together, `cftoken` of 8 or more digits or hex |
//! | names that say session (`session_id`, `sessid`, `zenid`, …) | a random token or a UUID |
//! | names that may say it (`sid`, `session`, `sess`, `SID`) | a random token |
//! | `s` | exactly 32 hex digits, as forums have it |
//! | path parameters (`;name=value`) | as in queries |
//! | path segments `(S(…))`, `(A(…)F(…))` of ASP.NET | with a value of 16 or more; `(…)` of 24 of its letters |
//!
//! A *random token* is one of 16 to 256 characters that is either hex with both digits and letters (24 lower-case digits
//! that begin with a time are a database id and none), or letters and digits in an order that no word has: at least
//! three changes between letters and digits, changes of class in at least two of five places (one of four where all letters have one
//! case), no more than six lower-case letters in a row. Decimal numbers are never one: they count stories and people.

/// Names of nothing but sessions, lower-case.
const ALWAYS: [&str; 12] = [
    "phpsessid",
    "phpsession",
    "jsessionid",
    "jsessionidsso",
    "oscsid",
    "oscadminid",
    "xtcsid",
    "bv_sessionid",
    "bv_engineid",
    "mscsid",
    "ysm_sessionid",
    "cfsessionid",
];

/// Names that say session.
const LIKELY: [&str; 14] = [
    "session_id",
    "sessionid",
    "session-id",
    "sessid",
    "sess_id",
    "sessionkey",
    "session_key",
    "sesskey",
    "sessiontoken",
    "session_token",
    "zenid",
    "jsid",
    "phpsid",
    "usersid",
];

/// Names that may say session.
const POSSIBLE: [&str; 5] = ["sid", "session", "sess", "ssid", "psid"];

/// What must be known of all parameters to judge one.
pub(super) struct Whole {
    cold_fusion: bool,
}

impl Whole {
    pub fn of(query: &str) -> Whole {
        let (mut id, mut token) = (false, false);
        for (_, parameter) in super::parameters(query) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            id |= name.eq_ignore_ascii_case("cfid");
            token |= name.eq_ignore_ascii_case("cftoken")
                && value.len() >= 8
                && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        }
        Whole { cold_fusion: id && token }
    }

    pub fn is_session(&self, name: &str, value: &str) -> bool {
        // The longest name: `ASPSESSIONID` and eight letters.
        if name.len() > 24 {
            return false;
        }
        let lower = name.to_ascii_lowercase();
        let name = lower.as_str();
        if ALWAYS.contains(&name) || is_asp(name) {
            return true;
        }
        if matches!(name, "cfid" | "cftoken") {
            return self.cold_fusion;
        }
        match value.len() {
            32 if name == "s" => is_mixed_hex(value),
            16..=256 if LIKELY.contains(&name) => is_random(value) || is_uuid(value),
            16..=256 if POSSIBLE.contains(&name) => is_random(value) && !is_uuid(value),
            _ => false,
        }
    }
}

/// `aspsessionid` and eight random letters.
fn is_asp(name: &str) -> bool {
    name.strip_prefix("aspsessionid")
        .is_some_and(|rest| rest.len() == 8 && rest.bytes().all(|b| b.is_ascii_lowercase()))
}

fn is_mixed_hex(value: &str) -> bool {
    let bytes = value.as_bytes();
    let one_case = !(bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase));
    one_case
        && bytes.iter().all(u8::is_ascii_hexdigit)
        && bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().any(u8::is_ascii_alphabetic)
}

/// 8-4-4-4-12 hex digits.
fn is_uuid(value: &str) -> bool {
    value.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// 24 lower-case hex digits that begin with a time between 2009 and 2040: an id of a document database.
fn is_object_id(value: &str) -> bool {
    let time = value.get(..8).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    value.len() == 24
        && !value.bytes().any(|b| b.is_ascii_uppercase())
        && time.is_some_and(|t| (0x495C_0780..0x83AA_7E80).contains(&t))
}

/// Whether a value is a random token.
fn is_random(value: &str) -> bool {
    if is_mixed_hex(value) {
        return !is_object_id(value);
    }
    // Base64 in queries: its signs escaped, its padding whatever.
    let plain;
    let value = if value.contains('%') {
        plain = value.replace("%2B", "+").replace("%2F", "/").replace("%3D", "=");
        plain.as_str()
    } else {
        value
    };
    let value = value.trim_end_matches('=');
    let class = |b: u8| match b {
        b'0'..=b'9' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'a'..=b'z' => Some(2),
        b'+' | b'/' | b'-' | b'_' | b'.' | b'!' | b',' => Some(3),
        _ => None,
    };
    let Some(classes) = value.bytes().map(class).collect::<Option<Vec<u8>>>() else { return false };
    if classes.len() < 16 {
        return false;
    }
    let signs = classes.iter().filter(|&&c| c == 3).count();
    let (mut changes, mut digit_changes) = (0, 0);
    for pair in classes.windows(2) {
        changes += usize::from(pair[0] != pair[1]);
        digit_changes += usize::from((pair[0] == 0) != (pair[1] == 0));
    }
    let longest_word = classes.split(|&c| c != 2).map(<[u8]>::len).max().unwrap_or(0);
    let two_cases = classes.contains(&1) && classes.contains(&2);
    let places = classes.len() - 1;
    let enough = if two_cases { changes * 5 >= places * 2 } else { changes * 4 >= places };
    enough && digit_changes >= 3 && longest_word <= 6 && signs * 8 <= classes.len()
}

/// The path without session ids, where it has any.
pub(super) fn path(path: &str) -> Option<String> {
    if !path.contains([';', '(']) && !path.contains("%28") {
        return None;
    }
    let whole = Whole { cold_fusion: false };
    let mut out = String::with_capacity(path.len());
    let mut changed = false;
    for (i, segment) in path.split('/').enumerate() {
        let mut kept = String::with_capacity(segment.len());
        for (j, part) in segment.split(';').enumerate() {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if j > 0 && whole.is_session(name, value) {
                changed = true;
                continue;
            }
            if j > 0 {
                kept.push(';');
            }
            kept.push_str(part);
        }
        if is_cookieless(&kept) {
            changed = true;
            continue;
        }
        if i > 0 {
            out.push('/');
        }
        out.push_str(&kept);
    }
    if !out.starts_with('/') {
        out.insert(0, '/');
    }
    changed.then_some(out)
}

/// ASP.NET's session in the path: `(S(…))`, also with its companions, `(X(1)S(…))`.
fn is_cookieless(segment: &str) -> bool {
    if !segment.starts_with(['(', '%']) {
        return false;
    }
    let plain = segment.replace("%28", "(").replace("%29", ")");
    let Some(mut rest) = plain.strip_prefix('(').and_then(|s| s.strip_suffix(')')) else { return false };
    // Its first version: 24 characters of base 32.
    let base32 = |b: u8| b.is_ascii_lowercase() || (b'0'..=b'5').contains(&b);
    if rest.len() == 24 && rest.bytes().all(base32) && rest.bytes().any(|b| b.is_ascii_digit()) {
        return true;
    }
    let mut found = false;
    while !rest.is_empty() {
        let Some((head, tail)) = rest.split_once(')') else { return false };
        let Some((kind, value)) = head.split_once('(') else { return false };
        let token = value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if !matches!(kind, "S" | "A" | "F" | "X" | "s" | "a" | "f" | "x") || !token || value.is_empty() {
            return false;
        }
        found |= !kind.eq_ignore_ascii_case("X") && value.len() >= 16;
        rest = tail;
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::rewrite::Rewriter;
    use webmill_capture::CanonicalUrl;

    const HEX32: &str = "9a0364b9e99bb480dd25e1f0284c8555";

    fn apply(text: &str) -> String {
        let url = CanonicalUrl::parse(&format!("http://a.example{text}")).expect("a URL");
        Rewriter::new(true).apply(url).into_string().split_off("http://a.example".len())
    }

    #[test]
    fn session_ids() {
        for (from, to) in [
            ("/?PHPSESSID=HEX32", "/"),
            ("/?phpsessid=t8nbvq1nn5qfs2q4o5p8m0l1u3&a=1", "/?a=1"),
            ("/?PHPSESSID=", "/"),
            ("/?PHPSESSID", "/"),
            ("/a.do;jsessionid=7EF2A1B0C9D8E7F6A5B4C3D2E1F00112.node1?x=1", "/a.do?x=1"),
            ("/a.do;JSESSIONID=GqLmXyZ1!-1234567890!987654321", "/a.do"),
            ("/a.do?jsessionid=0000abcdEFGH:-1", "/a.do"),
            ("/a;jsessionid=1/b;v=2/c", "/a/b;v=2/c"),
            ("/a;v=1;jsessionid=1;w=2", "/a;v=1;w=2"),
            ("/?ASPSESSIONIDQQBCTSQR=ABCDEFGHIJKLMNOPABCDEFGH&id=4", "/?id=4"),
            ("/?CFID=1234&CFTOKEN=56789012", "/"),
            ("/?id=7&cfid=1234&cftoken=a1b2c3d4-56e7-89f0", "/?id=7"),
            ("/?osCsid=HEX32&cPath=1_2", "/?cPath=1_2"),
            ("/?products_id=4&zenid=t8nbvq1nn5qfs2q4o5p8m0l1u3", "/?products_id=4"),
            ("/viewtopic.php?t=12&sid=HEX32", "/viewtopic.php?t=12"),
            ("/showthread.php?s=HEX32&t=5", "/showthread.php?t=5"),
            ("/?sid=0123456789abcdef", "/"),
            ("/?sid=DA39A3EE5E6B4B0D3255BFEF95601890AFD80709", "/"),
            ("/?session=q7Xk29LmPz81RtYv", "/"),
            ("/?sid=k3Jx9QmZ2%2BpL8vR5tYw1Ba%3D%3D", "/"),
            ("/?session_id=123e4567-e89b-12d3-a456-426614174000", "/"),
            ("/?sessionid=x8f2k9q1z7m4p6w3", "/"),
            ("/?BV_SessionID=@@@@0123.456@@@@&BV_EngineID=cccd&x=1", "/?x=1"),
            ("/(S(lit3py55t21z5v55vlm25s55))/orders.aspx", "/orders.aspx"),
            ("/app/(X(1)S(lit3py55t21z5v55vlm25s55))/", "/app/"),
            ("/(S(lit3py55t21z5v55vlm25s55))", "/"),
            ("/(4hqa0555fwsecu455xqckv45)/mileg.aspx", "/mileg.aspx"),
            ("/(a(4hqa0555fwsecu455xqckv45)S(4hqa0555fwsecu455xqckv45)f(4hqa0555fwsecu455xqckv45))/a", "/a"),
            ("/?CFID=3304324&CFTOKEN=57491900&jsessionid=a63098d96360$B0$D9$A&foo=bar", "/?foo=bar"),
            ("/%28S%28lit3py55t21z5v55vlm25s55%29%29/a", "/a"),
            ("/a/(F(b5F0nW8Kx1Zy3Qv7Lm2Rt9Pc))/b?c", "/a/b?c"),
        ] {
            assert_eq!(apply(&from.replace("HEX32", HEX32)), to, "{from}");
        }
    }

    #[test]
    fn real_identifiers() {
        for text in [
            "/?sid=12345",
            "/?sid=1234567890123456789",
            "/?sid=south-america",
            "/?sid=introduction-to-rust-2024",
            "/?sid=IntroductionToRust2024",
            "/?sid=Html5AndCss3ForBeginners",
            "/?sid=deadbeefcafebabe",
            "/?sid=507f1f77bcf86cd799439011",
            "/?session=2024-05-12-morning-keynote",
            "/?session=room-12-talk-3-day-2-of-4",
            "/?session=123e4567-e89b-12d3-a456-426614174000",
            "/?session_id=42",
            "/?s=search+words+and+more+2024",
            "/?s=0123456789abcdef",
            "/?s=HEX3201",
            "/?s=12345678901234567890123456789012",
            "/?id=HEX32",
            "/?token=HEX32",
            "/?hash=HEX32",
            "/?v=dQw4w9WgXcQ",
            "/?cfid=1234",
            "/?cftoken=12345678",
            "/?cfid=1234&cftoken=blue",
            "/?aspsession=1",
            "/?ASPSESSIONID=1",
            "/?sessions=HEX32",
            "/?q=PHPSESSID",
            "/?q=jsessionid%3D12",
            "/jsessionid=12",
            "/wiki/PHPSESSID",
            "/a;v=1.2;type=b",
            "/a;sid=12",
            "/commit/HEX32",
            "/wiki/Foo_(S(n)_model)",
            "/wiki/(S(5))",
            "/wiki/(disambiguation)",
            "/wiki/(abcdefghijklmnopqrstuvwx)",
            "/wiki/(the-second-world-war-194)",
            "/Orders(S(abcdefghijklmnopqrst))",
            "/?ssid=my-wireless-network-2",
            "/?sid=%E4%B8%AD%E6%96%87%E4%B8%AD%E6%96%87",
        ] {
            let text = text.replace("HEX32", HEX32);
            assert_eq!(apply(&text), text);
        }
    }
}
