//! The encoding that a document declares in its own first bytes.
//!
//! **Definition.** The "prescan a byte stream to determine its encoding" and "get an XML encoding" algorithms of the HTML
//! standard: `<meta charset>`, `<meta http-equiv=content-type content="…; charset=…">`, `<?xml encoding="…"?>`. A label of
//! UTF-16 means UTF-8 and `x-user-defined` windows-1252, since the label itself was readable as ASCII.
//!
//! **Departure.** The standard reads 1,024 bytes; old pages put scripts and comments before their `<meta>`, so that
//! reading goes on to `<body>` or 16 KiB, as browsers do while they wait for the head to end.
//!
//! **Cost.** Linear in the bytes read. No allocation but for attribute values.
//!
//! **Reference.** HTML standard, 13.2.3.2 "Determining the character encoding".

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes that the standard has read for a declaration.
const STANDARD_BYTES: usize = 1024;

/// Bytes that are read where the head is longer.
const MAX_BYTES: usize = 16 << 10;

/// The encoding named by `<meta>` or the XML declaration at the head of `bytes`.
pub(super) fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(MAX_BYTES)];
    Scan { bytes: head, at: 0 }.meta().or_else(|| xml_encoding(head))
}

struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Scan<'b> {
    fn meta(&mut self) -> Option<&'static Encoding> {
        while let Some(n) = memchr::memchr(b'<', &self.bytes[self.at..]) {
            self.at += n;
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                // The two hyphens that open the comment may be the two that close it.
                self.at += memchr::memmem::find(&rest[2..], b"-->").map(|n| n + 5)?;
            } else if starts_with_tag(rest, b"meta") {
                self.at += 5;
                if let Some(found) = self.meta_element() {
                    return Some(found);
                }
            } else if starts_with_tag(rest, b"body") && self.at >= STANDARD_BYTES {
                return None;
            } else if rest.get(1).is_some_and(u8::is_ascii_alphabetic)
                || (rest.get(1) == Some(&b'/') && rest.get(2).is_some_and(u8::is_ascii_alphabetic))
            {
                self.at += rest.iter().position(|&b| is_space(b) || b == b'>')?;
                while self.attribute().is_some() {}
            } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
                self.at += memchr::memchr(b'>', rest)?;
            } else {
                self.at += 1;
            }
        }
        None
    }

    /// Reads the attributes of a `<meta>` and says what encoding they declare.
    fn meta_element(&mut self) -> Option<&'static Encoding> {
        let (mut http_equiv, mut content, mut charset) = (None, None, None);
        while let Some((name, value)) = self.attribute() {
            let slot = match name.as_slice() {
                b"http-equiv" => &mut http_equiv,
                b"content" => &mut content,
                b"charset" => &mut charset,
                _ => continue,
            };
            // Of an attribute given twice the first counts.
            slot.get_or_insert(value);
        }
        let label = match charset {
            Some(label) => label,
            None if http_equiv.as_deref() == Some(b"content-type") => content_charset(&content?)?.to_vec(),
            None => return None,
        };
        adjusted(&label)
    }

    /// The standard's "get an attribute": name and value in lower case; `None` at the end of the tag or bytes.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip(|b| is_space(b) || b == b'/');
        if self.peek()? == b'>' {
            return None;
        }
        let start = self.at;
        let name_end = loop {
            match self.peek()? {
                b'=' if self.at > start => break self.at,
                b'/' | b'>' => return Some((self.lower(start, self.at), Vec::new())),
                b if is_space(b) => {
                    let end = self.at;
                    self.skip(is_space);
                    if self.peek()? != b'=' {
                        return Some((self.lower(start, end), Vec::new()));
                    }
                    break end;
                }
                _ => self.at += 1,
            }
        };
        self.at += 1;
        self.skip(is_space);
        let name = self.lower(start, name_end);
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                let from = self.at + 1;
                let end = from + memchr::memchr(quote, &self.bytes[from..])?;
                self.at = end + 1;
                Some((name, self.lower(from, end)))
            }
            b'>' => Some((name, Vec::new())),
            _ => {
                let from = self.at;
                self.skip(|b| !is_space(b) && b != b'>');
                self.peek()?;
                Some((name, self.lower(from, self.at)))
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, of: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&of) {
            self.at += 1;
        }
    }

    fn lower(&self, from: usize, to: usize) -> Vec<u8> {
        self.bytes[from..to].to_ascii_lowercase()
    }
}

/// The label in a `content` attribute: "extracting a character encoding from a meta element".
fn content_charset(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        rest = &rest[memchr::memmem::find(rest, b"charset")? + 7..];
        let after = rest.trim_ascii_start();
        if let Some(value) = after.strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            return match value.first()? {
                quote @ (b'"' | b'\'') => {
                    let inner = &value[1..];
                    memchr::memchr(*quote, inner).map(|end| &inner[..end])
                }
                _ => Some(value.split(|&b| is_space(b) || b == b';').next().unwrap_or(value)),
            };
        }
    }
}

/// "Get an XML encoding".
fn xml_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let after = &declaration[memchr::memmem::find(declaration, b"encoding")? + 8..];
    let value = skip_controls(skip_controls(after).strip_prefix(b"=")?);
    let (quote @ (b'"' | b'\''), inner) = value.split_first()? else { return None };
    let label = &inner[..memchr::memchr(*quote, inner)?];
    if label.iter().any(|&b| b <= b' ') {
        return None;
    }
    adjusted(label)
}

fn skip_controls(bytes: &[u8]) -> &[u8] {
    let blank = bytes.iter().take_while(|&&b| b <= b' ').count();
    &bytes[blank..]
}

/// The encoding of a label found in readable bytes.
fn adjusted(label: &[u8]) -> Option<&'static Encoding> {
    let found = Encoding::for_label(label)?;
    Some(match found.name() {
        _ if found == UTF_16LE || found == UTF_16BE => UTF_8,
        "x-user-defined" => WINDOWS_1252,
        _ => found,
    })
}

fn starts_with_tag(rest: &[u8], name: &[u8]) -> bool {
    rest.len() > name.len() + 1
        && rest[1..=name.len()].eq_ignore_ascii_case(name)
        && (is_space(rest[name.len() + 1])
            || rest[name.len() + 1] == b'/'
            || (name == b"body" && rest[5] == b'>'))
}

fn is_space(b: u8) -> bool {
    matches!(b, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_capture::cut::Cut;

    #[test]
    fn reads_the_declarations_of_the_standard() {
        let long = format!("<script>{}</script><meta charset=big5>", "x ".repeat(2000));
        let body = format!("<!--{}--><body><meta charset=big5>", "x".repeat(2000));
        let cases: [(&str, Option<&str>); 27] = [
            ("", None),
            ("<meta charset=gb2312>", Some("GBK")),
            ("<META CharSet = 'GB18030' >", Some("gb18030")),
            ("<meta charset=\"utf-16le\">", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<meta charset=nonsense><meta charset=euc-kr>", Some("EUC-KR")),
            ("<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'>", Some("Shift_JIS")),
            ("<meta content='text/html; charset=\"big5\"' http-equiv=content-type>", Some("Big5")),
            ("<meta content='text/html; charset=big5'>", None),
            ("<meta http-equiv=content-type content='charset charset = euc-jp;x'>", Some("EUC-JP")),
            ("<meta http-equiv=content-type content='charset=\"euc-jp'>", None),
            ("<meta http-equiv=refresh content='0; url=?charset=big5'>", None),
            ("<meta charset=big5 charset=gbk>", Some("Big5")),
            ("<metacharset=big5>", None),
            ("<meta/charset=big5>", Some("Big5")),
            ("<meta charset=big5", None),
            ("<!-- <meta charset=big5> --><meta charset=gbk>", Some("GBK")),
            ("<!--><meta charset=gbk>", Some("GBK")),
            ("<!-- <meta charset=gbk>", None),
            ("<p title='<meta charset=big5>'><meta charset=gbk>", Some("GBK")),
            ("</x><!x><?x><meta charset=gbk>", Some("GBK")),
            ("< <<a<meta charset=gbk>", None),
            ("<?xml version='1.0' encoding = \"koi8-r\"?><x>", Some("KOI8-R")),
            ("<?xml encoding='utf-16'?>", Some("UTF-8")),
            ("<?xml encoding='gbk?>", None),
            (&long, Some("Big5")),
            (&body, None),
        ];
        for (source, expected) in cases {
            let found = declared_encoding(source.as_bytes()).map(Encoding::name);
            assert_eq!(found, expected, "{}", source.cut(..source.len().min(80)));
        }
    }
}
