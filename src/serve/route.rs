//! Which answer a request is for, by its path and query string alone.
//!
//! The scheme of addresses is pywb's, so that its clients work, and those of OutbackCDX and the Wayback CDX server beside
//! it. A URL that is asked for stands in the path as it is, its query string after it: everything after the prefix belongs
//! to it.
//!
//! | path | answer |
//! |---|---|
//! | `/` | the collections |
//! | `/search?q=…` | texts of all collections |
//! | `/{coll}/`, `/{coll}/*/URL` | pages for people |
//! | `/{coll}/cdx`, `/{coll}/index` `?url=…` | pywb |
//! | `/{coll}?url=…`, `/{coll}?q=…`, `/{coll}/ap/{point}?…`, `/{coll}/delete` | OutbackCDX |
//! | `/{coll}/cdx/search/cdx?url=…` | Wayback |
//! | `/{coll}/timegate/URL`, `/{coll}/URL` | TimeGate |
//! | `/{coll}/timemap/{form}/URL`, `/{coll}/timemap/{page}/{form}/URL` | TimeMap |
//! | `/{coll}/{time}id_/URL` | the stored answer |
//! | `/{coll}/{time}mp_/URL`, `/{coll}/{time}/URL` | replay |

/// What a path asks for. URLs are as sent, with their query string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route<'a> {
    /// The list of collections.
    Root,
    /// Full text of all collections.
    Search,
    /// A page for people: the path after the collection.
    Site {
        /// Name of the collection.
        collection: &'a str,
        /// What follows `/{coll}/`.
        rest: &'a str,
    },
    /// A query in pywb's words.
    Cdx {
        /// Name of the collection.
        collection: &'a str,
    },
    /// A query in the Wayback CDX server's words.
    Wayback {
        /// Name of the collection.
        collection: &'a str,
    },
    /// A query or write of OutbackCDX.
    Outback {
        /// Name of the collection.
        collection: &'a str,
        /// The access point, where one is named.
        point: Option<&'a str>,
    },
    /// Deletes captures.
    Delete {
        /// Name of the collection.
        collection: &'a str,
    },
    /// A TimeGate.
    TimeGate {
        /// Name of the collection.
        collection: &'a str,
        /// The URL that is asked for.
        url: String,
    },
    /// A TimeMap.
    TimeMap {
        /// Name of the collection.
        collection: &'a str,
        /// `link`, `json` or `cdxj`.
        form: &'a str,
        /// Which page of it, from 1; 0: the first, as it is named without a number.
        page: u64,
        /// The URL that is asked for.
        url: String,
    },
    /// A capture.
    Replay {
        /// Name of the collection.
        collection: &'a str,
        /// Up to fourteen digits; empty for the newest.
        time: &'a str,
        /// `id_`, `mp_`, …; empty for the frame around it.
        modifier: &'a str,
        /// What stands behind the modifier: the mark of references that replayed pages make; empty for none.
        token: &'a str,
        /// The URL that is asked for.
        url: String,
    },
    /// Nothing.
    Unknown,
}

impl<'a> Route<'a> {
    /// Reads a path and a query string, both as sent.
    pub fn parse(path: &'a str, query: Option<&str>) -> Route<'a> {
        let Some(path) = path.strip_prefix('/') else { return Route::Unknown };
        if path.is_empty() {
            return Route::Root;
        }
        if path == "search" {
            return Route::Search;
        }
        let Some((collection, rest)) = path.split_once('/') else {
            return Route::Outback { collection: path, point: None };
        };
        // What stands in the path is the URL as it is; only a request that encoded its scheme encoded all of it.
        let whole = |url: &str| {
            let url = if url.contains("://") || !url.contains('%') {
                url.to_owned()
            } else {
                let decoded = crate::form::decode(url);
                if decoded.contains("://") { decoded } else { url.to_owned() }
            };
            match query {
                Some(query) => format!("{}?{query}", two_slashes(url)),
                None => two_slashes(url),
            }
        };
        match rest {
            "" => return Route::Site { collection, rest },
            "cdx" | "cdx/" | "index" | "index/" => return Route::Cdx { collection },
            "cdx/search/cdx" => return Route::Wayback { collection },
            "delete" => return Route::Delete { collection },
            _ => {}
        }
        let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
        match first {
            "ap" if !after.is_empty() => {
                return Route::Outback { collection, point: Some(after.trim_end_matches('/')) };
            }
            "timegate" if !after.is_empty() => return Route::TimeGate { collection, url: whole(after) },
            "timemap" => return timemap(collection, after, whole),
            _ => {}
        }
        if let Some((time, modifier, token)) = moment(first)
            && !after.is_empty()
        {
            return Route::Replay { collection, time, modifier, token, url: whole(after) };
        }
        // Calendars, lists of URLs and facts about captures are pages for people.
        if first.ends_with('*') || matches!(first, "info" | "_replay") {
            return Route::Site { collection, rest };
        }
        let begins_a_url = rest.contains("://") || first.ends_with(':') || first.contains('.');
        if begins_a_url || rest.get(..12).is_some_and(|start| start.to_ascii_lowercase().contains("%3a%2f")) {
            return Route::TimeGate { collection, url: whole(rest) };
        }
        Route::Site { collection, rest }
    }
}

impl Route<'_> {
    /// The collection and the URL that a reader asks for, where the address is one for people.
    pub(crate) fn for_people(&self, query: Option<&str>) -> Option<(Option<&str>, Option<&str>)> {
        match self {
            Route::Root | Route::Search | Route::Unknown => Some((None, None)),
            Route::Site { collection, .. } => Some((Some(collection), None)),
            Route::Outback { collection, point: None } if query.is_none() => Some((Some(collection), None)),
            Route::TimeGate { collection, url } | Route::Replay { collection, modifier: "", url, .. } => {
                Some((Some(collection), Some(url)))
            }
            _ => None,
        }
    }
}

fn timemap<'a>(collection: &'a str, rest: &'a str, whole: impl Fn(&str) -> String) -> Route<'a> {
    let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
    let (page, form, url) = match first.parse::<u64>() {
        Ok(page) => {
            let (form, url) = after.split_once('/').unwrap_or((after, ""));
            (page, form, url)
        }
        Err(_) => (0, first, after),
    };
    match form {
        _ if url.is_empty() => Route::Unknown,
        "link" | "json" | "cdxj" => Route::TimeMap { collection, form, page, url: whole(url) },
        _ => Route::Unknown,
    }
}

/// `20200101000000id_`: up to fourteen digits, then letters with an underscore behind them, and perhaps a token in
/// hexadecimal; or the digits alone.
fn moment(part: &str) -> Option<(&str, &str, &str)> {
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    let (time, rest) = part.split_at(digits);
    let (modifier, token) = rest.find('_').map_or((rest, ""), |at| rest.split_at(at + 1));
    let is_modifier = |m: &str| {
        m.len() <= 8
            && m.strip_suffix('_').is_some_and(|m| !m.is_empty() && m.bytes().all(|b| b.is_ascii_lowercase()))
    };
    let named = modifier.is_empty() && !time.is_empty() || is_modifier(modifier);
    let plain = token.len() <= 64 && token.bytes().all(|b| b.is_ascii_hexdigit());
    (time.len() <= 14 && named && plain).then_some((time, modifier, token))
}

/// Proxies make one slash of two: `http:/x` was `http://x`.
fn two_slashes(url: String) -> String {
    for scheme in ["http:/", "https:/"] {
        if let Some(rest) = url.strip_prefix(scheme)
            && !rest.starts_with('/')
        {
            return format!("{scheme}/{rest}");
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_apart() {
        let url = |url: &str| url.to_owned();
        let c = "c";
        let gate = |u: &str| Route::TimeGate { collection: c, url: url(u) };
        let replay =
            |time, modifier, u: &str| Route::Replay { collection: c, time, modifier, token: "", url: url(u) };
        let map = |form, page, u: &str| Route::TimeMap { collection: c, form, page, url: url(u) };
        for (path, query, want) in [
            ("/", None, Route::Root),
            ("/search", Some("q=x"), Route::Search),
            ("/c", Some("url=x"), Route::Outback { collection: c, point: None }),
            ("/c/ap/staff", Some("url=x"), Route::Outback { collection: c, point: Some("staff") }),
            ("/c/", None, Route::Site { collection: c, rest: "" }),
            ("/c/cdx", Some("url=x"), Route::Cdx { collection: c }),
            ("/c/index", Some("url=x"), Route::Cdx { collection: c }),
            ("/c/cdx/search/cdx", None, Route::Wayback { collection: c }),
            ("/c/delete", None, Route::Delete { collection: c }),
            ("/c/timegate/http://a.org/x", Some("y=1"), gate("http://a.org/x?y=1")),
            ("/c/http://a.org/x", Some("url=1"), gate("http://a.org/x?url=1")),
            ("/c/http:/a.org/x", None, gate("http://a.org/x")),
            ("/c/a.org/x", None, gate("a.org/x")),
            ("/c/http%3A%2F%2Fa.org%2Fx", None, gate("http://a.org/x")),
            ("/c/http://a.org/%2F", None, gate("http://a.org/%2F")),
            ("/c/timemap/link/http://a.org/", None, map("link", 0, "http://a.org/")),
            ("/c/timemap/3/json/http://a.org/", None, map("json", 3, "http://a.org/")),
            ("/c/timemap/pdf/http://a.org/", None, Route::Unknown),
            ("/c/timemap/link/", None, Route::Unknown),
            ("/c/20200101000000id_/http://a.org/", None, replay("20200101000000", "id_", "http://a.org/")),
            ("/c/2020mp_/http://a.org/", Some("q"), replay("2020", "mp_", "http://a.org/?q")),
            ("/c/2020/http://a.org/", None, replay("2020", "", "http://a.org/")),
            (
                "/c/2020cs_0af/http://a.org/",
                None,
                Route::Replay {
                    collection: c,
                    time: "2020",
                    modifier: "cs_",
                    token: "0af",
                    url: url("http://a.org/"),
                },
            ),
            ("/c/id_/http://a.org/", None, replay("", "id_", "http://a.org/")),
            ("/c/*/http://a.org/", None, Route::Site { collection: c, rest: "*/http://a.org/" }),
            ("/c/hosts", None, Route::Site { collection: c, rest: "hosts" }),
            ("nothing", None, Route::Unknown),
        ] {
            assert_eq!(Route::parse(path, query), want, "{path}");
        }
    }
}
