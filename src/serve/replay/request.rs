//! What the headers of a request tell: who asks, and what for.

use http::HeaderMap;
use webmill_capture::CanonicalUrl;

use super::place::{Modifier, Place};

/// What a browser wants an answer for: `Sec-Fetch-Dest`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A page, in a tab of its own.
    Document,
    /// A page in a page.
    Frame,
    /// A script of a page.
    Script,
    /// A script that runs beside a page.
    Worker,
    /// A style sheet.
    Style,
    /// Data that a script reads.
    Data,
    /// A picture, sound, video, font and the like.
    Media,
}

impl Destination {
    /// What a request is for; `None` where the browser does not tell.
    pub fn of(headers: &HeaderMap) -> Option<Destination> {
        Some(match headers.get("sec-fetch-dest")?.to_str().ok()? {
            "document" => Destination::Document,
            "iframe" | "frame" | "object" | "embed" | "fencedframe" => Destination::Frame,
            "script" => Destination::Script,
            "worker" | "sharedworker" | "serviceworker" | "audioworklet" | "paintworklet" => {
                Destination::Worker
            }
            "style" => Destination::Style,
            "empty" | "json" | "manifest" => Destination::Data,
            _ => Destination::Media,
        })
    }
}

/// Whether a request opens a page in a tab: one for `mp_` is then to be redirected to the page with the frame.
pub fn is_top_level(headers: &HeaderMap) -> bool {
    Destination::of(headers) == Some(Destination::Document)
}

/// Whether a request was made by a page that is not the server's own: by a replayed one, or by any website. Whatever changes an
/// archive must refuse it. Programs that are no browsers send neither header and are not meant.
pub fn is_foreign(headers: &HeaderMap, origin: &str) -> bool {
    let other = headers.get(http::header::ORIGIN).is_some_and(|of| of.as_bytes() != origin.as_bytes());
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    other || site.is_some_and(|site| site != b"same-origin" && site != b"none")
}

/// Where a request leads that was made on a replayed page but does not point into the archive (`/style.css`): the address of what was
/// meant, in the same collection and at the same time. `None` for requests made elsewhere, which are 404. `target` is
/// the path and query of the request, `is_collection` knows the paths of collections (`/news/`).
///
/// Browsers send no referrer from replayed pages themselves, whose origin is their own, but from their style
/// sheets, and where the policy is not known.
pub fn by_referer(
    target: &str,
    headers: &HeaderMap,
    origin: &str,
    is_collection: impl Fn(&str) -> bool,
) -> Option<String> {
    let referer = headers.get(http::header::REFERER)?.to_str().ok()?;
    let path = referer.strip_prefix(origin)?;
    let end = path.get(1..)?.find('/')? + 2;
    let prefix = path.get(..end).filter(|prefix| is_collection(prefix))?;
    if is_collection(target.get(..end).unwrap_or_default()) || !target.starts_with('/') {
        return None;
    }
    let place = Place::parse(path, prefix)?;
    let url = CanonicalUrl::parse_stored(place.url)?.join(target).filter(CanonicalUrl::is_web)?;
    let (modifier, token) = (Modifier::Page.as_str(), place.token.unwrap_or_default());
    Some(format!("{prefix}{}{modifier}{token}/{}", place.timestamp, url.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn requests_outside_of_the_archive_are_led_into_it_by_their_referrer() {
        let here = "http://127.0.0.1:8080";
        let cases = [
            (
                "/x.css?y",
                "http://127.0.0.1:8080/c/2024mp_ab/http://e.org/a/",
                Some("/c/2024mp_ab/http://e.org/x.css?y"),
            ),
            ("/x", "http://127.0.0.1:8080/c/2024/https://e.org/a?b=/", Some("/c/2024mp_/https://e.org/x")),
            ("//f.org/x", "http://127.0.0.1:8080/c/2024/https://e.org/", Some("/c/2024mp_/https://f.org/x")),
            ("/x", "http://127.0.0.1:8080/d/2024/https://e.org/", None),
            ("/x", "http://127.0.0.1:8080/c/search?q=a", None),
            ("/x", "http://e.org/c/2024/https://e.org/", None),
            ("/c/x", "http://127.0.0.1:8080/c/2024/https://e.org/", None),
            ("/x", "http://127.0.0.1:8080", None),
            ("/x", "http://127.0.0.1:8080/c", None),
        ];
        for (target, referer, expected) in cases {
            let headers = headers(&[("referer", referer)]);
            let found = by_referer(target, &headers, here, |prefix| prefix == "/c/");
            assert_eq!(found.as_deref(), expected, "{target} on {referer}");
        }
        assert_eq!(by_referer("/x", &HeaderMap::new(), here, |_| true), None);
    }

    #[test]
    fn foreign_requests_are_told_from_the_servers_own() {
        let here = "http://127.0.0.1:8080";
        for (pairs, foreign) in [
            (&[][..], false),
            (&[("origin", here)], false),
            (&[("origin", here), ("sec-fetch-site", "same-origin")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("origin", "null")], true),
            (&[("origin", "http://127.0.0.1:8081")], true),
            (&[("sec-fetch-site", "cross-site")], true),
            (&[("sec-fetch-site", "same-site")], true),
        ] {
            assert_eq!(is_foreign(&headers(pairs), here), foreign, "{pairs:?}");
        }
        assert!(is_top_level(&headers(&[("sec-fetch-dest", "document")])));
        assert!(!is_top_level(&headers(&[("sec-fetch-dest", "iframe")])) && !is_top_level(&HeaderMap::new()));
    }
}
