//! Rewriting of found URLs, so that one page has one address: session ids are taken off.
//!
//! **Definition.** Session ids are taken out of queries (`?PHPSESSID=…`), path parameters (`/a.jsp;jsessionid=…`) and paths
//! (ASP.NET's `/(S(…))/`). Some names are always a session; others (`sid`, `s`, `session`) only where the value looks like a random
//! token. The rules are in `session`. All other parts keep their bytes.
//!
//! **Properties.** Idempotent; host, scheme and port never change; the result is canonical. **Cost.** One pass over
//! path and query; URLs that need nothing are handed back as they came. **Determinism.** A function of URL and options.

mod session;

use std::borrow::Cow;
use webmill_capture::cut::Cut;

use webmill_capture::CanonicalUrl;

/// Takes session ids off URLs.
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// use webmill_crawl::rewrite::Rewriter;
/// let rewriter = Rewriter::new(true);
/// let found = "http://a.example/list;jsessionid=0AE9?page=2&PHPSESSID=t8nbvq1nn5qfs2q4o5p8m0l1u3";
/// let url = rewriter.apply(CanonicalUrl::parse(found).unwrap());
/// assert_eq!(url.as_str(), "http://a.example/list?page=2");
/// ```
#[derive(Debug, Clone)]
pub struct Rewriter {
    strips: bool,
}

impl Rewriter {
    /// A rewriter; one that `strips` nothing hands URLs back as they came.
    pub fn new(strips: bool) -> Rewriter {
        Rewriter { strips }
    }

    /// The address under which the page is fetched.
    pub fn apply(&self, url: CanonicalUrl) -> CanonicalUrl {
        if !url.is_web() || !self.strips {
            return url;
        }
        let mut path = Cow::Borrowed(url.path());
        let mut query = url.query().map(Cow::Borrowed);
        if let Some(shorter) = session::path(&path) {
            path = Cow::Owned(shorter);
        }
        if let Some(text) = query.take() {
            query = without_session(text);
        }
        if path == url.path() && query.as_deref() == url.query() {
            return url;
        }
        let text = url.as_str();
        let mut out = text.cut(..text.len() - url.path_and_query().len()).to_owned();
        out.push_str(&path);
        if let Some(query) = query {
            out.push('?');
            out.push_str(&query);
        }
        CanonicalUrl::parse(&out).unwrap_or(url)
    }
}

/// The query without session ids; `None` where nothing is left.
fn without_session(query: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let whole = session::Whole::of(&query);
    match without(&query, |name, value| whole.is_session(name, value)) {
        Some(shorter) => shorter.map(Cow::Owned),
        None => Some(query),
    }
}

/// Parameters of a query with the separator before them: nothing, `&`, `;` or the `&amp;` of pages that escape twice.
fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = query;
    let mut separator = "";
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let end = rest.find(['&', ';']).unwrap_or(rest.len());
        let item = (separator, rest.cut(..end));
        rest = rest.cut(end..);
        separator = if rest.starts_with("&amp;") { "&amp;" } else { rest.get(..1).unwrap_or_default() };
        done = separator.is_empty();
        rest = rest.cut(separator.len()..);
        Some(item)
    })
}

/// The query without the parameters that `drops` names: `None` where it drops none, `Some(None)` where nothing is left.
fn without(query: &str, drops: impl Fn(&str, &str) -> bool) -> Option<Option<String>> {
    let dropped = |parameter: &str| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        drops(name, value)
    };
    if !parameters(query).any(|(_, parameter)| dropped(parameter)) {
        return None;
    }
    let mut out = String::with_capacity(query.len());
    let mut first = true;
    for (separator, parameter) in parameters(query).filter(|(_, parameter)| !dropped(parameter)) {
        if !first {
            out.push_str(separator);
        }
        out.push_str(parameter);
        first = false;
    }
    Some((!out.is_empty()).then_some(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apply(strips: bool, text: &str) -> String {
        let url = CanonicalUrl::parse(&format!("http://a.example{text}")).expect("a URL");
        let out = Rewriter::new(strips).apply(url).into_string();
        out.strip_prefix("http://a.example").expect("the same host").to_owned()
    }

    #[test]
    fn removal_keeps_the_rest_as_it_is() {
        let id = "PHPSESSID=0123456789abcdef0123456789abcdef";
        for (from, to) in [
            (format!("/?{id}"), "/"),
            (format!("/?{id}&a=%2F+b&&c"), "/?a=%2F+b&&c"),
            (format!("/?a=1&{id}"), "/?a=1"),
            (format!("/?a=1&{id}&b=2"), "/?a=1&b=2"),
            (format!("/?a=1&amp;{id}&amp;b=2"), "/?a=1&amp;b=2"),
            (format!("/?a=1;{id};b=2"), "/?a=1;b=2"),
            (format!("/?{id}&{id}"), "/"),
            (format!("/?q={id}"), &format!("/?q={id}")),
            ("/?".into(), "/?"),
            ("/?a=x;y;z".into(), "/?a=x;y;z"),
        ] {
            assert_eq!(apply(true, &from), to, "{from}");
            assert_eq!(apply(false, &from), from);
        }
    }

    #[test]
    fn other_schemes_stay() {
        for text in ["mailto:a@b?PHPSESSID=1", "ftp://a/x;jsessionid=1", "javascript:x;jsessionid=1"] {
            let url = CanonicalUrl::parse(text).expect("a URL");
            assert_eq!(Rewriter::new(true).apply(url.clone()), url);
        }
    }

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(";jsessionid=1a2B".to_owned()),
            Just("/(S(abcdefabcdefabcdefabcdef))".to_owned()),
            Just("PHPSESSID=".to_owned()),
            Just("sid=0123456789abcdef".to_owned()),
            Just("cfid=1&cftoken=12345678".to_owned()),
            Just("&amp;".to_owned()),
            "[a-c/?&;=%.()]{0,3}",
        ]
    }

    proptest! {
        #[test]
        fn idempotent_and_canonical(pieces in prop::collection::vec(piece(), 0..8), strip: bool) {
            let rewriter = Rewriter::new(strip);
            if let Some(url) = CanonicalUrl::parse(&format!("http://a:81/{}", pieces.concat())) {
                let once = rewriter.apply(url.clone());
                prop_assert_eq!(CanonicalUrl::parse(once.as_str()), Some(once.clone()));
                prop_assert_eq!((once.host(), once.port()), (url.host(), url.port()));
                prop_assert!(once.as_str().len() <= url.as_str().len());
                prop_assert_eq!(rewriter.apply(once.clone()), once, "{}", url);
                if !strip {
                    prop_assert_eq!(rewriter.apply(url.clone()), url);
                }
            }
        }
    }
}
