//! Which page of a collection a request is for.

use percent_encoding::percent_decode_str;
use webmill_capture::cut::Cut;

use super::links;

webmill_capture::words! {
    /// Which URLs are meant by one.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Match {
        /// That URL.
        #[default]
        Exact = "exact",
        /// All that begin with it.
        Prefix = "prefix",
        /// All of its host.
        Host = "host",
        /// All of its host and of the hosts below.
        Domain = "domain",
    }
}

impl Match {
    fn named(name: &str) -> Option<Match> {
        Match::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// A page of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// The front page of the collection.
    Front,
    /// The calendar of a URL.
    Calendar {
        /// The URL as asked for.
        url: String,
        /// The year, if not the newest.
        year: Option<u32>,
    },
    /// The URLs of a prefix, host or domain.
    Urls {
        /// The URL as asked for.
        url: String,
        /// Which URLs that means.
        kind: Match,
        /// Where the page begins: a key of the index.
        from: Option<String>,
    },
    /// The list of hosts.
    Hosts {
        /// Page, from 0.
        page: usize,
    },
    /// Full text.
    Search {
        /// The words.
        query: String,
        /// Page, from 0.
        page: usize,
    },
    /// Known facts about a capture.
    Info {
        /// When it was captured.
        timestamp: u64,
        /// URL of the page.
        url: String,
    },
}

impl Ask {
    /// The page at `rest` (the path after `/{collection}/`, as sent) with `query` (as sent, without `?`); `None` where it
    /// is none of the site's: replay, an API, or nothing.
    pub fn parse(rest: &str, query: Option<&str>) -> Option<Ask> {
        let parameter = |name: &str| {
            let pairs = query.unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(n, _)| *n == name).map(|(_, value)| decode(value)).next()
        };
        let page = || parameter("page").and_then(|page| page.parse().ok()).unwrap_or(0).min(100_000);
        match rest {
            "" => return Some(Ask::Front),
            "info" => {
                let timestamp = moment(&parameter("time")?)?;
                return Some(Ask::Info { timestamp, url: parameter("url")? });
            }
            "hosts" => return Some(Ask::Hosts { page: page() }),
            "search" => {
                return Some(Ask::Search { query: parameter("q").unwrap_or_default(), page: page() });
            }
            "calendar" => {
                let url = parameter("url").unwrap_or_default().trim().to_owned();
                if url.is_empty() {
                    return Some(Ask::Front);
                }
                let year = parameter("year").and_then(|year| year.parse().ok()).filter(|year| *year <= 9999);
                let from = parameter("from").filter(|from| !from.is_empty());
                return Some(match parameter("match").as_deref().and_then(Match::named) {
                    Some(Match::Exact) => Ask::Calendar { url, year },
                    Some(kind) => Ask::Urls { url: without_star(url), kind, from },
                    None => Self::of(url, year, from),
                });
            }
            _ => {}
        }
        let (first, url) = rest.split_once('/')?;
        // The query of the request is part of the URL that is asked for.
        let whole = |url: &str| match query {
            Some(query) => format!("{}?{}", plain(url), plain(query)),
            None => plain(url),
        };
        if first == "info" {
            let (timestamp, url) = url.split_once('/')?;
            return Some(Ask::Info { timestamp: moment(timestamp)?, url: whole(url) });
        }
        let year = first.strip_suffix('*')?;
        let digits = year.bytes().all(|b| b.is_ascii_digit());
        match year.len() {
            0 => Some(Self::of(whole(url), None, None)),
            4..=14 if digits => Some(Self::of(whole(url), year.cut(..4).parse().ok(), None)),
            _ => None,
        }
    }

    /// A star after a URL asks for all URLs with that prefix, a star before a host for the hosts below it.
    fn of(url: String, year: Option<u32>, from: Option<String>) -> Ask {
        if let Some(host) = url.strip_prefix("*.") {
            return Ask::Urls { url: without_star(host.to_owned()), kind: Match::Domain, from };
        }
        if url.ends_with('*') {
            return Ask::Urls { url: without_star(url), kind: Match::Prefix, from };
        }
        Ask::Calendar { url, year }
    }

    /// Its address in a form to which `lang=…` can be added.
    pub fn address(&self, collection: &str) -> String {
        let name = links::value(collection);
        match self {
            Ask::Front => format!("/{name}/"),
            Ask::Calendar { url, year } => {
                let year = year.map(|year| format!("&year={year:04}")).unwrap_or_default();
                format!("/{name}/calendar?url={}&match=exact{year}", links::value(url))
            }
            Ask::Urls { url, kind, from } => {
                let from =
                    from.as_ref().map(|from| format!("&from={}", links::value(from))).unwrap_or_default();
                format!("/{name}/calendar?url={}&match={}{from}", links::value(url), kind.name())
            }
            Ask::Hosts { page } => format!("/{name}/hosts?page={page}"),
            Ask::Search { query, page } => format!("/{name}/search?q={}&page={page}", links::value(query)),
            Ask::Info { timestamp, url } => {
                format!("/{name}/info?time={timestamp:014}&url={}", links::value(url))
            }
        }
    }
}

/// A time of fourteen digits.
fn moment(digits: &str) -> Option<u64> {
    let fourteen = digits.len() == 14 && digits.bytes().all(|b| b.is_ascii_digit());
    fourteen.then(|| digits.parse().ok()).flatten()
}

fn without_star(url: String) -> String {
    url.strip_suffix('*').map(str::to_owned).unwrap_or(url)
}

/// A URL in a path: what [`links::tail`] had to encode is itself again, `%41` stays what it is.
fn plain(url: &str) -> String {
    let (mut out, mut rest) = (Vec::with_capacity(url.len()), url.as_bytes());
    while let [first, after @ ..] = rest {
        let byte = after.first_chunk().filter(|_| *first == b'%').and_then(encoded);
        out.push(byte.unwrap_or(*first));
        rest = &after[if byte.is_some() { 2 } else { 0 }..];
    }
    // Bytes of another encoding: as they came.
    String::from_utf8(out).unwrap_or_else(|_| url.to_owned())
}

/// The byte that two digits stand for, where paths have it encoded.
fn encoded(digits: &[u8; 2]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16);
    let byte = (value(digits[0])? << 4 | value(digits[1])?) as u8;
    (byte >= 0x80 || b" \"<>\\`{}|^".contains(&byte)).then_some(byte)
}

/// A value of a query; bytes of another encoding as they came.
fn decode(value: &str) -> String {
    let text = value.replace('+', " ");
    percent_decode_str(&text).decode_utf8().map_or_else(|_| value.to_owned(), |text| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_say_which_page() {
        let calendar = |url: &str, year| Some(Ask::Calendar { url: url.into(), year });
        let urls = |url: &str, kind, from: Option<&str>| {
            Some(Ask::Urls { url: url.into(), kind, from: from.map(str::to_owned) })
        };
        let cases = [
            ("", None, Some(Ask::Front)),
            ("*/http://a.example/", None, calendar("http://a.example/", None)),
            ("*/http://a.example/", Some("b=1&lang=zh"), calendar("http://a.example/?b=1&lang=zh", None)),
            ("2020*/http://a.example/%E5%8C%97%2F", None, calendar("http://a.example/北%2F", Some(2020))),
            ("20200131*/a.example", None, calendar("a.example", Some(2020))),
            ("*/a.example/x*", None, urls("a.example/x", Match::Prefix, None)),
            ("*/*.example/", None, urls("example/", Match::Domain, None)),
            ("calendar", Some("url=http%3A%2F%2Fa%2F%3Fx%3D1+2"), calendar("http://a/?x=1 2", None)),
            ("calendar", Some("url=a*&match=exact&year=1999"), calendar("a*", Some(1999))),
            ("calendar", Some("url=a&match=host&from=a)%2Fb"), urls("a", Match::Host, Some("a)/b"))),
            ("calendar", Some("url=+"), Some(Ask::Front)),
            ("hosts", Some("page=2"), Some(Ask::Hosts { page: 2 })),
            (
                "search",
                Some("q=%E5%8C%97%E4%BA%AC&page=x"),
                Some(Ask::Search { query: "北京".into(), page: 0 }),
            ),
            (
                "info/20200131000000/http://a/",
                Some("q"),
                Some(Ask::Info { timestamp: 20200131000000, url: "http://a/?q".into() }),
            ),
            ("info/2020/http://a/", None, None),
            ("20200131000000/http://a/", None, None),
            ("cdx", Some("url=a"), None),
            ("x*/http://a/", None, None),
        ];
        for (rest, query, want) in cases {
            assert_eq!(Ask::parse(rest, query), want, "{rest} {query:?}");
        }
    }

    #[test]
    fn a_page_is_found_at_its_own_address() {
        let asks = [
            Ask::Front,
            Ask::Calendar { url: "http://a/?x=1&y=%20+*".into(), year: Some(2020) },
            Ask::Urls {
                url: "北京.example/".into(),
                kind: Match::Domain,
                from: Some("example,北京)/&".into()),
            },
            Ask::Hosts { page: 3 },
            Ask::Search { query: "a&b=c 北+".into(), page: 1 },
            Ask::Info { timestamp: 20200131000000, url: "http://a/?x=1&y".into() },
        ];
        for ask in asks {
            let address = ask.address("my coll");
            let (path, query) = address.split_once('?').map_or((&*address, None), |(p, q)| (p, Some(q)));
            assert_eq!(Ask::parse(path.strip_prefix("/my%20coll/").unwrap(), query), Some(ask), "{address}");
        }
    }

    #[test]
    fn links_to_calendars_lead_to_the_url_they_name() {
        for url in [
            "http://a/",
            "http://a/?q=1&b",
            "http://a/%41%2f",
            "http://a/北 京\"<>",
            "http://a/#x",
            "http://a/*",
            "urn:x",
        ] {
            let href = links::calendar("c", url);
            let (path, query) = href.split_once('?').map_or((&*href, None), |(p, q)| (p, Some(q)));
            let got = Ask::parse(path.strip_prefix("/c/").unwrap(), query);
            let Some(Ask::Calendar { url: got, .. }) = got else { panic!("{url} {got:?}") };
            assert_eq!(got.replace("%23", "#"), url);
        }
    }
}
