//! From the pairs of a query string to a query.
//!
//! The three families of clients use the same words where they mean the same; what a dialect alone has does no harm in the
//! others and is read in all. Parameters that no dialect knows are passed over, as all their servers do; values that
//! cannot be meant are refused.

use super::run::MAX_KEPT;
use super::scope::wildcard;
use super::{
    BadRequest, Collapse, Dialect, Field, Filter, Limits, MatchType, Output, Query, ResumeKey, SortOrder,
    key_range,
};
use crate::index::Timestamp;
use webmill_capture::cut::Cut;

/// Makes the key of a URL: the one that the index is sorted by.
pub type KeyOf = fn(&str) -> String;

/// Most filters and collapses, each; of fields four times as many.
const MAX_PARTS: usize = 16;
/// Longest value of a parameter, in bytes.
const MAX_VALUE_BYTES: usize = 8 << 10;
/// Blocks of a page where the client does not say.
const PAGE_SIZE: u64 = 5;
/// Most blocks of a page.
const MAX_PAGE_SIZE: u64 = 50;

impl Query {
    /// Reads the pairs of a query string, decoded, in their order.
    ///
    /// # Errors
    /// What the client has to change: no `url`, a number that is none, a filter that cannot be compiled.
    pub fn parse<'p>(
        pairs: impl IntoIterator<Item = (&'p str, &'p str)>,
        dialect: Dialect,
        key: KeyOf,
        limits: &Limits,
    ) -> Result<Query, BadRequest> {
        let mut asked =
            QueryParameters { query: blank(dialect, key, limits), match_type: None, closest: None, sort: "" };
        let mut url = None;
        for (name, value) in pairs {
            if value.len() > MAX_VALUE_BYTES {
                return Err(BadRequest(format!("{name} is longer than {MAX_VALUE_BYTES} bytes")));
            }
            match name {
                "url" | "urlkey" => url = url.or((!value.is_empty()).then_some(value)),
                _ => asked.take(name, value)?,
            }
        }
        // The wording of pywb, which clients show.
        let url = url.ok_or_else(|| BadRequest("The \"url\" param is required".to_owned()))?;
        asked.finish(url)
    }
}

fn blank(dialect: Dialect, key: KeyOf, limits: &Limits) -> Query {
    Query {
        dialect,
        url: String::new(),
        match_type: MatchType::Exact,
        range: crate::index::KeyRange::default(),
        from: None,
        to: None,
        filters: Vec::new(),
        collapse: Vec::new(),
        omit_self_redirects: false,
        resolve_revisits: false,
        show_dupe_count: false,
        sort: SortOrder::Index,
        limit: None,
        last: false,
        offset: 0,
        page: None,
        page_size: PAGE_SIZE,
        show_num_pages: false,
        show_paged_index: false,
        resume: None,
        show_resume_key: false,
        output: if dialect == Dialect::Pywb { Output::Cdxj } else { Output::Text },
        fields: None,
        gzip: true,
        key,
        limits: limits.clone(),
    }
}

/// A query while its parameters come in.
struct QueryParameters<'p> {
    query: Query,
    match_type: Option<MatchType>,
    closest: Option<Timestamp>,
    sort: &'p str,
}

impl<'p> QueryParameters<'p> {
    fn take(&mut self, name: &str, value: &'p str) -> Result<(), BadRequest> {
        let query = &mut self.query;
        let full = |len: usize, most: usize| match len < most {
            true => Ok(()),
            false => Err(BadRequest(format!("more than {most} of {name}"))),
        };
        match name {
            "matchType" if !value.is_empty() => self.match_type = Some(match_type(value)?),
            "from" => query.from = bound(name, value, '0')?,
            "to" => query.to = bound(name, value, '9')?,
            "closest" => self.closest = moment(value)?,
            "sort" => self.sort = value,
            "limit" if !value.is_empty() => {
                let limit: i64 = number(name, value)?;
                // 0 is no limit, as pywb takes it.
                query.limit = (limit != 0).then_some(limit.unsigned_abs());
                query.last = limit < 0;
            }
            "offset" if !value.is_empty() => query.offset = number(name, value)?,
            "filter" if !value.is_empty() => {
                full(query.filters.len(), MAX_PARTS)?;
                let filter = Filter::parse(value, query.dialect)?;
                query.filters.push(filter);
            }
            "collapse" if !value.is_empty() => {
                full(query.collapse.len(), MAX_PARTS)?;
                query.collapse.push(Collapse::parse(value, query.dialect)?);
            }
            "fl" | "fields" if !value.is_empty() => {
                let mut fields = Vec::new();
                for name in value.split([',', ' ']).filter(|name| !name.is_empty()) {
                    full(fields.len(), 4 * MAX_PARTS)?;
                    fields.push(Field::parse(name, query.dialect)?);
                }
                query.fields = Some(fields);
            }
            "output" if !value.is_empty() => query.output = output(value, query.dialect)?,
            // A page below 0 is no page.
            "page" if !value.is_empty() => query.page = u64::try_from(number::<i64>(name, value)?).ok(),
            "pageSize" if !value.is_empty() => {
                query.page_size = number::<u64>(name, value)?.clamp(1, MAX_PAGE_SIZE);
            }
            "resumeKey" if !value.is_empty() => query.resume = Some(ResumeKey::parse(value)?),
            "showResumeKey" => query.show_resume_key = truth(value),
            "showNumPages" => query.show_num_pages = truth(value),
            "showPagedIndex" => query.show_paged_index = truth(value),
            "showDupeCount" => query.show_dupe_count = truth(value),
            "resolveRevisits" => query.resolve_revisits = truth(value),
            "omitSelfRedirects" => query.omit_self_redirects = truth(value),
            "gzip" => query.gzip = truth(value),
            _ => {}
        }
        Ok(())
    }

    fn finish(self, url: &str) -> Result<Query, BadRequest> {
        let QueryParameters { mut query, match_type, closest, sort } = self;
        (query.url, query.match_type) = match match_type {
            Some(match_type) => (url.to_owned(), match_type),
            None => wildcard(url),
        };
        query.range = key_range(&query.url, query.match_type, query.key)
            .ok_or_else(|| BadRequest(format!("url={url:?} has no host")))?;
        query.sort = match (sort, closest) {
            ("reverse", _) => SortOrder::Reverse,
            ("" | "closest", Some(closest)) => SortOrder::Closest(closest),
            ("closest", None) => return Err(BadRequest("sort=closest needs closest=TIMESTAMP".to_owned())),
            ("" | "default" | "ascending", _) => SortOrder::Index,
            _ => return Err(BadRequest(format!("sort={sort} is not one of reverse, closest, default"))),
        };
        let in_order = query.sort == SortOrder::Index && !query.last;
        if (query.resume.is_some() || query.show_resume_key) && !in_order {
            return Err(BadRequest("resume keys go with the order of the index, from its start".to_owned()));
        }
        if !in_order && query.offset > MAX_KEPT {
            return Err(BadRequest(format!("offset goes up to {MAX_KEPT} with this order")));
        }
        if query.last && matches!(query.sort, SortOrder::Closest(_)) {
            return Err(BadRequest("a negative limit does not go with closest".to_owned()));
        }
        Ok(query)
    }
}

fn match_type(value: &str) -> Result<MatchType, BadRequest> {
    Ok(match value {
        "exact" => MatchType::Exact,
        "prefix" => MatchType::Prefix,
        "host" => MatchType::Host,
        "domain" => MatchType::Domain,
        "range" => MatchType::Range,
        // The wording of pywb.
        _ => return Err(BadRequest(format!("Invalid match_type: {value}"))),
    })
}

fn output(value: &str, dialect: Dialect) -> Result<Output, BadRequest> {
    Ok(match (value, dialect) {
        ("json", _) => Output::Json,
        ("text" | "cdx", _) => Output::Text,
        ("cdxj", _) => Output::Cdxj,
        ("link", Dialect::Pywb) => Output::Link,
        // The wording of pywb.
        _ => return Err(BadRequest(format!("output={value} not supported"))),
    })
}

fn truth(value: &str) -> bool {
    matches!(value, "true" | "1" | "yes" | "True" | "t")
}

fn number<N: std::str::FromStr>(name: &str, value: &str) -> Result<N, BadRequest> {
    value.parse().map_err(|_| BadRequest(format!("{name}={value:?} is no number")))
}

/// A time of up to fourteen digits (more are cut), filled up with `fill`: a bound for comparing alone.
fn bound(name: &str, value: &str, fill: char) -> Result<Option<Timestamp>, BadRequest> {
    if value.is_empty() {
        return Ok(None);
    }
    if !value.bytes().all(|b| b.is_ascii_digit()) {
        return Err(BadRequest(format!("{name}={value:?} is no timestamp: 1 to 14 digits")));
    }
    let mut digits: String = value.chars().take(14).collect();
    while digits.len() < 14 {
        digits.push(fill);
    }
    Ok(digits.parse().ok().map(Timestamp))
}

/// A moment of 4 to 14 digits (more are cut); missing digits are the first of their kind.
fn moment(value: &str) -> Result<Option<Timestamp>, BadRequest> {
    const FIRST: &str = "00000101000000";
    if value.is_empty() || value == "now" {
        return Ok((value == "now").then_some(Timestamp(99_991_231_235_959)));
    }
    if value.len() < 4 || !value.bytes().all(|b| b.is_ascii_digit()) {
        return Err(BadRequest(format!("closest={value:?} is no timestamp: 4 to 14 digits")));
    }
    let mut digits: String = value.chars().take(14).collect();
    // An odd digit is the first of two: `2020010` is no day yet.
    if digits.len() % 2 == 1 {
        digits.pop();
    }
    digits.push_str(FIRST.cut(digits.len()..));
    Ok(digits.parse().ok().map(Timestamp))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Keys for tests: labels turned round, path as it is.
    pub fn plain_key(url: &str) -> String {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        if rest.is_empty() {
            return String::new();
        }
        let (host, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
        let labels: Vec<&str> = host.split('.').rev().collect();
        format!("{}){path}", labels.join(","))
    }

    fn parse(pairs: &[(&str, &str)], dialect: Dialect) -> Result<Query, BadRequest> {
        Query::parse(pairs.iter().copied(), dialect, plain_key, &Limits::default())
    }

    #[test]
    fn parameters_are_read() {
        let query = parse(
            &[
                ("url", "http://a.org/x/*"),
                ("from", "2019"),
                ("to", "201902"),
                ("limit", "-3"),
                ("filter", "status:200"),
                ("filter", "!mime:pdf"),
                ("fl", "url,timestamp"),
                ("page", "2"),
                ("pageSize", "9999"),
                ("nobody", "knows"),
            ],
            Dialect::Pywb,
        )
        .unwrap();
        assert_eq!((query.url.as_str(), query.match_type), ("http://a.org/x/", MatchType::Prefix));
        assert_eq!(query.range.from, "org,a)/x/");
        assert_eq!(query.from, Some(Timestamp(20190000000000)));
        assert_eq!(query.to, Some(Timestamp(20190299999999)));
        assert_eq!((query.limit, query.last, query.filters.len()), (Some(3), true, 2));
        assert_eq!((query.page, query.page_size), (Some(2), MAX_PAGE_SIZE));
        assert_eq!(query.fields.unwrap()[0].name, "url");
        let exact = parse(&[("matchType", "exact"), ("url", "http://a.org/*")], Dialect::Pywb).unwrap();
        assert_eq!(exact.range.from, "org,a)/*");
        let closest = parse(&[("url", "a.org"), ("closest", "2020013")], Dialect::Outback).unwrap();
        assert_eq!(closest.sort, SortOrder::Closest(Timestamp(20200101000000)));
        let unlimited = parse(&[("url", "a.org"), ("limit", "0")], Dialect::Pywb).unwrap();
        assert_eq!(unlimited.limit, None);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let long = "x".repeat(9000);
        let many = vec![("filter", "a:b"); 17];
        for pair in [
            ("url", ""),
            ("limit", "x"),
            ("limit", "99999999999999999999"),
            ("from", "yesterday"),
            ("closest", "20x"),
            ("matchType", "foo"),
            ("output", "foo"),
            ("sort", "foo"),
            ("sort", "closest"),
            ("filter", "~a:("),
            ("collapse", "digest:x"),
            ("page", "x"),
            ("resumeKey", "x"),
            ("fl", "ü"),
            ("filter", &long),
        ] {
            let pairs = if pair.0 == "url" { vec![pair] } else { vec![("url", "a.org"), pair] };
            assert!(parse(&pairs, Dialect::Pywb).is_err(), "{pair:?}");
        }
        assert!(parse(&[vec![("url", "a.org")], many].concat(), Dialect::Pywb).is_err());
        let reverse = [("url", "a.org"), ("sort", "reverse"), ("showResumeKey", "true")];
        assert!(parse(&reverse, Dialect::Wayback).is_err());
    }
}
