//! Rewriting of found URLs, so that one page has one address: session ids off, and, when asked for, tracking
//! parameters off, queries sorted, `index.html` folded.
//!
//! **Definition.** Steps in this order, each optional; what they do not take out keeps its bytes:
//!
//! 1. *Session ids* (`strip_session_ids`) are taken out of queries (`?PHPSESSID=…`), path parameters
//!    (`/a.jsp;jsessionid=…`) and paths (ASP.NET's `/(S(…))/`). Some names are always a session; others (`sid`, `s`,
//!    `session`) only where the value looks like a random token. The rules are in `session`.
//! 2. *Tracking parameters* (`strip_tracking`): `utm_*`, `fbclid`, `gclid` and their kind.
//! 3. *Sorting* (`sort_query`): parameters between `&` by name; those of one name keep their order; empty ones go.
//! 4. *Folding* (`fold_index`): `/a/index.html`, `index.php`, `default.aspx`… without a query is `/a/`.
//!
//! **Properties.** Idempotent; host, scheme and port never change; the result is canonical. **Cost.** One pass over
//! path and query; URLs that need nothing are handed back as they came. **Determinism.** A function of URL and options.

mod session;
mod tracking;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// What is rewritten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RewriteOptions {
    /// Take session ids out; default true.
    pub strip_session_ids: bool,
    /// Take tracking parameters out; default false.
    pub strip_tracking: bool,
    /// Sort the parameters of queries by name; default false.
    pub sort_query: bool,
    /// Fold `index.html` and its kind into their folder; default false.
    pub fold_index: bool,
}

impl Default for RewriteOptions {
    fn default() -> Self {
        RewriteOptions {
            strip_session_ids: true,
            strip_tracking: false,
            sort_query: false,
            fold_index: false,
        }
    }
}

impl RewriteOptions {
    /// Any combination works.
    ///
    /// # Errors
    /// None.
    pub fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// The steps, ready for use.
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// use webmill_crawl::rewrite::{RewriteOptions, Rewriter};
/// let rewriter = Rewriter::new(&RewriteOptions::default()).unwrap();
/// let found = "http://a.example/list;jsessionid=0AE9?page=2&PHPSESSID=t8nbvq1nn5qfs2q4o5p8m0l1u3";
/// let url = rewriter.apply(CanonicalUrl::parse(found).unwrap());
/// assert_eq!(url.as_str(), "http://a.example/list?page=2");
/// ```
#[derive(Debug, Clone)]
pub struct Rewriter {
    options: RewriteOptions,
}

impl Rewriter {
    /// With these steps.
    ///
    /// # Errors
    /// Those of [`RewriteOptions::check`].
    pub fn new(options: &RewriteOptions) -> Result<Rewriter> {
        options.check()?;
        Ok(Rewriter { options: options.clone() })
    }

    /// The address under which the page is fetched.
    pub fn apply(&self, url: CanonicalUrl) -> CanonicalUrl {
        if !url.is_web() {
            return url;
        }
        let mut path = Cow::Borrowed(url.path());
        let mut query = url.query().map(Cow::Borrowed);
        if self.options.strip_session_ids
            && let Some(shorter) = session::path(&path)
        {
            path = Cow::Owned(shorter);
        }
        if let Some(text) = query.take() {
            query = self.query(text);
        }
        if self.options.fold_index
            && query.is_none()
            && let Some(folder) = fold_index(&path)
        {
            path = Cow::Owned(folder.to_owned());
        }
        if path == url.path() && query.as_deref() == url.query() {
            return url;
        }
        let text = url.as_str();
        let mut out = text[..text.len() - url.path_and_query().len()].to_owned();
        out.push_str(&path);
        if let Some(query) = query {
            out.push('?');
            out.push_str(&query);
        }
        CanonicalUrl::parse(&out).unwrap_or(url)
    }

    fn query<'a>(&self, mut query: Cow<'a, str>) -> Option<Cow<'a, str>> {
        if query.is_empty() {
            return Some(query);
        }
        if self.options.strip_session_ids || self.options.strip_tracking {
            let whole = session::Whole::of(&query);
            let drops = |name: &str, value: &str| {
                (self.options.strip_session_ids && whole.is_session(name, value))
                    || (self.options.strip_tracking && tracking::is_tracking(name))
            };
            if let Some(shorter) = without(&query, drops) {
                query = Cow::Owned(shorter?);
            }
        }
        if self.options.sort_query
            && let Some(sorted) = sorted(&query)
        {
            query = Cow::Owned(sorted);
        }
        Some(query)
    }
}

/// Parameters of a query with what is before them: nothing, `&`, `;` or the `&amp;` of pages that escape twice.
fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = query;
    let mut separator = "";
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let end = rest.find(['&', ';']).unwrap_or(rest.len());
        let item = (separator, &rest[..end]);
        rest = &rest[end..];
        separator = if rest.starts_with("&amp;") { "&amp;" } else { rest.get(..1).unwrap_or_default() };
        done = separator.is_empty();
        rest = &rest[separator.len()..];
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

/// The query sorted by the names of its parameters; `None` where it is so already.
fn sorted(query: &str) -> Option<String> {
    let mut parameters: Vec<&str> = query.split('&').filter(|parameter| !parameter.is_empty()).collect();
    parameters.sort_by_key(|parameter| parameter.split('=').next());
    let sorted = parameters.join("&");
    (sorted != query && !sorted.is_empty()).then_some(sorted)
}

/// The folder of an index page.
fn fold_index(path: &str) -> Option<&str> {
    const INDEX: [&str; 14] = [
        "index.html",
        "index.htm",
        "index.shtml",
        "index.xhtml",
        "index.php",
        "index.php3",
        "index.asp",
        "index.aspx",
        "index.jsp",
        "index.cfm",
        "default.htm",
        "default.html",
        "default.asp",
        "default.aspx",
    ];
    let slash = path.rfind('/')?;
    let name = &path[slash + 1..];
    INDEX.iter().any(|index| index.eq_ignore_ascii_case(name)).then(|| &path[..=slash])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apply(options: &RewriteOptions, text: &str) -> String {
        let url = CanonicalUrl::parse(&format!("http://a.example{text}")).expect("a URL");
        let out = Rewriter::new(options).unwrap().apply(url).into_string();
        out.strip_prefix("http://a.example").expect("the same host").to_owned()
    }

    const OFF: RewriteOptions = RewriteOptions {
        strip_session_ids: false,
        strip_tracking: false,
        sort_query: false,
        fold_index: false,
    };

    #[test]
    fn removal_keeps_the_rest_as_it_is() {
        let sessions = RewriteOptions::default();
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
            assert_eq!(apply(&sessions, &from), to, "{from}");
            assert_eq!(apply(&OFF, &from), from);
        }
    }

    #[test]
    fn sorting_keeps_bytes_and_order_of_equal_names() {
        let sort = RewriteOptions { sort_query: true, ..OFF };
        for (from, to) in [
            ("/?b=2&a=%2f&b=1&a=+", "/?a=%2F&a=+&b=2&b=1"),
            ("/?b&a", "/?a&b"),
            ("/?z=1&&a=2&", "/?a=2&z=1"),
            ("/?ab=1&a=2", "/?a=2&ab=1"),
            ("/?a-b=1&a=2", "/?a=2&a-b=1"),
            ("/?&", "/?&"),
            ("/?a=1;c=2&b", "/?a=1;c=2&b"),
            ("/?=2&=1", "/?=2&=1"),
        ] {
            assert_eq!(apply(&sort, from), to, "{from}");
        }
    }

    #[test]
    fn folding() {
        let fold = RewriteOptions { fold_index: true, ..OFF };
        for (from, to) in [
            ("/index.html", "/"),
            ("/a/INDEX.HTM", "/a/"),
            ("/a/Default.aspx", "/a/"),
            ("/a/index.php?id=1", "/a/index.php?id=1"),
            ("/a/index.html/b", "/a/index.html/b"),
            ("/a/myindex.html", "/a/myindex.html"),
            ("/a/index.html.bak", "/a/index.html.bak"),
            ("/a/default", "/a/default"),
        ] {
            assert_eq!(apply(&fold, from), to, "{from}");
        }
        let all = RewriteOptions {
            strip_tracking: true,
            strip_session_ids: true,
            sort_query: true,
            fold_index: true,
        };
        assert_eq!(apply(&all, "/a/index.html;jsessionid=12?utm_source=x"), "/a/");
    }

    #[test]
    fn tracking() {
        let strip = RewriteOptions { strip_tracking: true, ..OFF };
        for (from, to) in [
            ("/?utm_source=a&id=1&UTM_campaign=b&utm_x", "/?id=1"),
            ("/?fbclid=IwAR0&gclid=1", "/"),
            ("/?amp;fbclid=1", "/?amp;fbclid=1"),
            ("/?id=fbclid&utm=1&clid=2&my_utm_source=3", "/?id=fbclid&utm=1&clid=2&my_utm_source=3"),
        ] {
            let want = if from.contains("amp;") { "/?amp" } else { to };
            assert_eq!(apply(&strip, from), want, "{from}");
            assert_eq!(apply(&RewriteOptions::default(), from), from);
        }
    }

    #[test]
    fn other_schemes_stay() {
        let all = RewriteOptions {
            strip_tracking: true,
            strip_session_ids: true,
            sort_query: true,
            fold_index: true,
        };
        for text in ["mailto:a@b?b=1&a=2", "ftp://a/index.html", "javascript:x;jsessionid=1"] {
            let url = CanonicalUrl::parse(text).expect("a URL");
            assert_eq!(Rewriter::new(&all).unwrap().apply(url.clone()), url);
        }
    }

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(";jsessionid=1a2B".to_owned()),
            Just("/(S(abcdefabcdefabcdefabcdef))".to_owned()),
            Just("PHPSESSID=".to_owned()),
            Just("sid=0123456789abcdef".to_owned()),
            Just("cfid=1&cftoken=12345678".to_owned()),
            Just("utm_a=1".to_owned()),
            Just("index.html".to_owned()),
            Just("&amp;".to_owned()),
            "[a-c/?&;=%.()]{0,3}",
        ]
    }

    proptest! {
        #[test]
        fn idempotent_and_canonical(pieces in prop::collection::vec(piece(), 0..8), bits in 0u8..16) {
            let options = RewriteOptions {
                strip_session_ids: bits & 1 > 0, strip_tracking: bits & 2 > 0, sort_query: bits & 4 > 0, fold_index: bits & 8 > 0,
            };
            let rewriter = Rewriter::new(&options).unwrap();
            if let Some(url) = CanonicalUrl::parse(&format!("http://a:81/{}", pieces.concat())) {
                let once = rewriter.apply(url.clone());
                prop_assert_eq!(CanonicalUrl::parse(once.as_str()), Some(once.clone()));
                prop_assert_eq!((once.host(), once.port()), (url.host(), url.port()));
                prop_assert!(once.as_str().len() <= url.as_str().len());
                prop_assert_eq!(rewriter.apply(once.clone()), once, "{}", url);
                if bits == 0 {
                    prop_assert_eq!(rewriter.apply(url.clone()), url);
                }
            }
        }
    }
}
