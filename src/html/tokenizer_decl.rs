//! Tokenizer: comments, doctypes, CDATA sections.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#markup-declaration-open-state>.

use memchr::{memchr, memmem};

use super::dom::{Namespace, Span};
use super::tree::Builder;
use super::tree_text::{Doctype, is_space};

impl Builder<'_> {
    /// What follows `<!`.
    pub fn markup_declaration(&mut self) {
        let rest = &self.src[self.pos..];
        if rest.starts_with(b"--") {
            self.pos += 2;
            self.comment_at();
        } else if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.pos += 7;
            self.doctype_at();
        } else if rest.starts_with(b"[CDATA[") && self.top().ns != Namespace::Html {
            self.pos += 7;
            self.cdata();
        } else {
            self.bogus_comment();
        }
    }

    /// A comment without dashes: to the next `>`.
    pub fn bogus_comment(&mut self) {
        let start = self.pos;
        let end = memchr(b'>', &self.src[start..]).map_or(self.src.len(), |len| start + len);
        self.pos = (end + 1).min(self.src.len());
        let span = self.without_nul(start, end);
        self.comment(span);
    }

    /// What follows `<!--`.
    fn comment_at(&mut self) {
        let start = self.pos;
        let rest = &self.src[start..];
        let (len, end) = if rest.starts_with(b">") {
            (0, 1)
        } else if rest.starts_with(b"->") {
            (0, 2)
        } else {
            comment_end(rest)
        };
        self.pos = start + end;
        let span = self.without_nul(start, start + len);
        self.comment(span);
    }

    fn cdata(&mut self) {
        let start = self.pos;
        let end = memmem::find(&self.src[start..], b"]]>").map_or(self.src.len(), |len| start + len);
        let mut from = start;
        while let Some(nul) = memchr(0, &self.src[from..end]) {
            if nul > 0 {
                self.characters(Span::new(from, from + nul));
            }
            self.nul();
            from += nul + 1;
        }
        if from < end {
            self.characters(Span::new(from, end));
        }
        self.pos = (end + 3).min(self.src.len());
    }

    fn skip_space(&mut self) {
        while self.byte(self.pos).is_some_and(is_space) {
            self.pos += 1;
        }
    }

    /// What follows `<!doctype`.
    fn doctype_at(&mut self) {
        let mut doctype = Doctype { name: Span::default(), public: None, system: None, force_quirks: false };
        doctype.force_quirks = !self.doctype_parts(&mut doctype);
        // Whatever else there is belongs to it.
        self.pos = memchr(b'>', &self.src[self.pos..]).map_or(self.src.len(), |len| self.pos + len + 1);
        self.doctype(&doctype);
    }

    /// Reads up to a `>` or up to what does not belong into a doctype; false for what means quirks mode.
    fn doctype_parts(&mut self, doctype: &mut Doctype) -> bool {
        self.skip_space();
        let start = self.pos;
        while self.byte(self.pos).is_some_and(|c| !is_space(c) && c != b'>') {
            self.pos += 1;
        }
        if self.pos == start {
            return false;
        }
        doctype.name = self.lower(start, self.pos);
        self.skip_space();
        let keyword = match self.byte(self.pos) {
            None => return false,
            Some(b'>') => return true,
            Some(_) => self.src.get(self.pos..self.pos + 6).map(<[u8]>::to_ascii_lowercase),
        };
        match keyword.as_deref() {
            Some(b"public") => {
                self.pos += 6;
                self.skip_space();
                let closed = self.identifier(&mut doctype.public);
                if !closed {
                    return false;
                }
                self.skip_space();
                match self.byte(self.pos) {
                    Some(b'>') => true,
                    Some(b'"' | b'\'') => self.identifier(&mut doctype.system) && self.ends(),
                    _ => false,
                }
            }
            Some(b"system") => {
                self.pos += 6;
                self.skip_space();
                self.identifier(&mut doctype.system) && self.ends()
            }
            _ => false,
        }
    }

    /// After the system identifier: anything but the end of the source is passed over.
    fn ends(&mut self) -> bool {
        self.skip_space();
        self.pos < self.src.len()
    }

    /// A quoted identifier; false if there is none or it lacks its second quote.
    fn identifier(&mut self, into: &mut Option<Span>) -> bool {
        let Some(quote @ (b'"' | b'\'')) = self.byte(self.pos) else { return false };
        let start = self.pos + 1;
        let mut end = start;
        while self.byte(end).is_some_and(|c| c != quote && c != b'>') {
            end += 1;
        }
        *into = Some(self.without_nul(start, end));
        let closed = self.byte(end) == Some(quote);
        self.pos = if closed { end + 1 } else { end };
        closed
    }
}

/// Length of a comment's text, and of the comment with what closes it.
fn comment_end(rest: &[u8]) -> (usize, usize) {
    let mut from = 0;
    while let Some(dash) = memchr(b'-', &rest[from..]) {
        let at = from + dash;
        let tail = &rest[at..];
        if tail.starts_with(b"-->") {
            return (at, at + 3);
        }
        if tail.starts_with(b"--!>") {
            return (at, at + 4);
        }
        // The source ends in what might have closed it.
        if matches!(tail, b"-" | b"--" | b"--!") {
            return (at, rest.len());
        }
        from = at + 1;
    }
    (rest.len(), rest.len())
}

#[cfg(test)]
mod tests {
    use super::comment_end;

    #[test]
    fn comments_end_where_the_standard_says() {
        let cases = [
            ("a-->b", (1, 4)),
            ("a--!>b", (1, 5)),
            ("a--->", (2, 5)),
            ("-->", (0, 3)),
            ("a--!-->", (4, 7)),
            ("a", (1, 1)),
            ("a-", (1, 2)),
            ("a--", (1, 3)),
            ("a---", (2, 4)),
            ("a--!", (1, 4)),
            ("a- -", (3, 4)),
            ("a--!x", (5, 5)),
            ("", (0, 0)),
        ];
        for (source, expected) in cases {
            assert_eq!(comment_end(source.as_bytes()), expected, "{source}");
        }
    }
}
