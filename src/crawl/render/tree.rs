//! The tree of a rendered page, as it is stored and as it is read.

use webmill_capture::escape::escaped;
use webmill_capture::{CanonicalUrl, Response};
use webmill_render::Rendered;

/// Media type of stored trees.
pub(crate) const CONTENT_TYPE: &str = "text/html; charset=utf-8";

/// The tree of a page that came to rest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tree {
    /// Its HTML. Where the page gave itself another address, `base` says so, for links are relative to that.
    pub html: Vec<u8>,
    /// Where the page wanted to go on to by itself.
    pub onward: Vec<String>,
}

impl Tree {
    pub(super) fn new(url: &CanonicalUrl, rendered: Rendered) -> Tree {
        let mut html = rendered.html;
        let address = CanonicalUrl::parse(&rendered.final_url).filter(|address| address != url);
        if let Some(address) = address
            && memchr::memmem::find(&html, b"<base").is_none()
            && let Some(head) = memchr::memmem::find(&html, b"<head")
            && let Some(end) = memchr::memchr(b'>', &html[head..])
        {
            let base = format!("<base href=\"{}\">", escaped(address.as_str()));
            let at = head + end + 1;
            html.splice(at..at, base.into_bytes());
        }
        Tree { html, onward: rendered.onward }
    }

    /// An answer with the head of `raw` and this tree as its body, for whoever reads links.
    pub(crate) fn as_answer(&self, raw: &[u8]) -> Vec<u8> {
        as_answer(raw, &self.html, &self.onward)
    }
}

/// An answer with the head of `raw` and `html` as its body, and links to where the page wanted to go `onward`.
pub(crate) fn as_answer(raw: &[u8], html: &[u8], onward: &[String]) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 200 OK\r\nContent-Type: {CONTENT_TYPE}\r\n").into_bytes();
    for (name, value) in Response::parse(raw).headers() {
        // What is said of the page, not of the bytes that it came in.
        let said = [&b"x-robots-tag"[..], b"link", b"refresh", b"content-language"];
        if said.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            out.extend_from_slice(&[name, b": ", value, b"\r\n"].concat());
        }
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(html);
    for url in onward {
        out.extend_from_slice(format!("<a href=\"{}\"></a>", escaped(url)).as_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(html: &str, final_url: &str) -> Tree {
        let mut rendered = Rendered::default();
        rendered.html = html.into();
        rendered.final_url = final_url.into();
        rendered.onward = vec!["http://a.example/on?a&\"b".into()];
        Tree::new(&CanonicalUrl::parse("http://a.example/").unwrap(), rendered)
    }

    #[test]
    fn a_page_that_moved_says_to_where_its_links_are_relative() {
        for (html, final_url, want) in [
            ("<head><p>", "http://a.example/", "<head><p>"),
            ("<head><p>", "http://a.example/x/y", "<head><base href=\"http://a.example/x/y\"><p>"),
            ("<head><base href=/z>", "http://a.example/x/y", "<head><base href=/z>"),
            ("<p>", "http://a.example/x/y", "<p>"),
        ] {
            assert_eq!(String::from_utf8(tree(html, final_url).html).unwrap(), want);
        }
    }

    #[test]
    fn what_the_head_says_of_the_page_holds_for_its_tree() {
        let raw = b"HTTP/1.1 203 X\r\nContent-Type: text/html; charset=gbk\r\nContent-Encoding: gzip\r\nX-Robots-Tag: nofollow\r\n\r\nold";
        let answer = tree("<p>new", "").as_answer(raw);
        assert_eq!(
            String::from_utf8(answer).unwrap(),
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nX-Robots-Tag: nofollow\r\n\r\n<p>new\
             <a href=\"http://a.example/on?a&amp;&quot;b\"></a>"
        );
    }
}
