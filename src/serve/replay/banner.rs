//! The page around a replayed page: its banner with date and neighbours; and the page that says what the archive lacks.
//!
//! Both are in Chinese or English, as the browser asks, and do without scripts. The frame's script, where it runs, only
//! keeps banner and address true to what the frame shows. Everything foreign in them (URLs, titles) is escaped text or an
//! address of the archive's own.

use std::sync::LazyLock;

use crate::index::Timestamp;
use crate::surface::{Lang, escape, fill};
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName};
use minijinja::{Environment, Value, context};

use super::place::Modifier;
use super::{ASSETS, Context, Replayed, headers};
use crate::site::{Ask, CaptureLine, CollectionSummary, Pages, Problem, SECURITY_POLICY, show};

/// Captures that come near and are shown, at most.
const NEAREST: usize = 20;

const TEMPLATES: [(&str, &str); 3] = [
    ("base.html", include_str!("templates/base.html")),
    ("frame.html", include_str!("templates/frame.html")),
    ("missing.html", include_str!("templates/missing.html")),
];

static ENGLISH: LazyLock<Environment<'static>> =
    LazyLock::new(|| crate::surface::environment(Lang::En, "replay", &TEMPLATES, escape));
static CHINESE: LazyLock<Environment<'static>> =
    LazyLock::new(|| crate::surface::environment(Lang::Zh, "replay", &TEMPLATES, escape));

/// The page around a capture.
#[derive(Copy, Clone, Debug)]
pub struct Frame<'a> {
    /// The capture: its timestamp is the one found, not the one asked for.
    pub context: Context<'a>,
    /// The reader's language.
    pub language: Lang,
    /// How many captures of the URL there are, if that is known.
    pub captures: Option<u64>,
    /// Timestamps of the first capture of the URL and the last.
    pub ends: Option<(&'a str, &'a str)>,
    /// Timestamp of the capture before this one.
    pub previous: Option<&'a str>,
    /// Timestamp of the capture after this one.
    pub next: Option<&'a str>,
    /// Address of the list of all captures, on this server.
    pub calendar: Option<&'a str>,
}

/// The words about a page that the archive lacks.
#[derive(Copy, Clone, Debug)]
pub struct Missing<'a> {
    /// What was asked for. Links lead to the frame's page or, for other modifiers, stay in the frame.
    pub context: Context<'a>,
    /// The reader's language.
    pub language: Lang,
    /// The word of `[replay]` that says why, where there is more to say than that it is not there.
    pub reason: Option<&'a str>,
    /// Captures that come near: of the URL at other times, or of URLs like it, as timestamp and URL.
    pub nearest: &'a [(&'a str, &'a str)],
    /// The collection.
    pub about: &'a CollectionSummary,
}

/// The page around a capture, to be sent for [`Modifier::Frame`].
pub fn frame_page(frame: &Frame) -> Replayed {
    let Frame { context, language, .. } = frame;
    let Context { prefix, timestamp, url, .. } = *context;
    let token = context.token.unwrap_or_default();
    let when = written_date(timestamp, *language);
    let step = |to: Option<&str>| {
        to.map(|to| context! { href => format!("{prefix}{to}/{url}"), when => written_date(to, *language) })
    };
    let other = |end: &&str| *end != timestamp;
    let ends = frame.ends;
    let page = context! {
        title => format!("{url} · {when}"),
        when,
        prefix,
        timestamp,
        token,
        url,
        machine => machine_date(timestamp),
        first => step(ends.map(|(first, _)| first).filter(other)),
        last => step(ends.map(|(_, last)| last).filter(other)),
        previous => step(frame.previous),
        next => step(frame.next),
        captures => frame.captures,
        // Of a single capture the calendar is that capture.
        calendar => frame.calendar.filter(|_| frame.captures != Some(1)),
        info => format!("{prefix}info/{timestamp}/{url}"),
        raw => format!("{prefix}{timestamp}id_/{url}"),
        inside => format!("{prefix}{timestamp}{}{token}/{url}", Modifier::Page.as_str()),
    };
    made(context, StatusCode::OK, *language, "frame.html", page)
}

/// The page for what the archive lacks: 404, and what comes near. In the place of a frame it is a page of the site.
pub fn not_archived_page(missing: &Missing) -> Replayed {
    let Missing { context, language, reason, nearest, .. } = missing;
    if context.modifier == Modifier::Frame {
        return missing_page(missing);
    }
    let (modifier, token) = (context.modifier.as_str(), context.token.unwrap_or_default());
    let near = |&(timestamp, url): &(&str, &str)| {
        context! {
            href => format!("{}{timestamp}{modifier}{token}/{url}", context.prefix),
            machine => machine_date(timestamp),
            when => written_date(timestamp, *language),
            url,
        }
    };
    let page = context! {
        title => language.words("replay")["missing"].as_str(),
        url => context.url,
        note => language.words("replay")[reason.unwrap_or("missing_note")].as_str(),
        nearest => nearest.iter().take(NEAREST).map(near).collect::<Vec<_>>(),
    };
    made(context, StatusCode::NOT_FOUND, *language, "missing.html", page)
}

fn missing_page(missing: &Missing) -> Replayed {
    let Missing { context, language, reason, nearest, about } = missing;
    let line = |(time, url): &(&str, &str)| CaptureLine {
        url: (*url).to_owned(),
        timestamp: parsed(time).unwrap_or_default(),
        ..CaptureLine::default()
    };
    let near: Vec<_> = nearest.iter().take(NEAREST).map(line).collect();
    let ask = Ask::Calendar { url: context.url.to_owned(), year: None };
    let page = Pages::new(*language, ask.address(&about.name)).problem(
        Some(about),
        &Problem {
            status: 404,
            url: Some(context.url),
            note: Some(&language.words("replay")[reason.unwrap_or("missing_note")]),
            detail: None,
            near: &near,
        },
    );
    let html = page.expect("the site's templates find all that they name");
    sent(context, StatusCode::NOT_FOUND, SECURITY_POLICY, html)
}

fn made(context: &Context, status: StatusCode, language: Lang, template: &str, page: Value) -> Replayed {
    let Context { origin, prefix, modifier, .. } = context;
    let framed = *modifier != Modifier::Frame;
    let environment = if language == Lang::Zh { &*CHINESE } else { &*ENGLISH };
    let page = context! { assets => format!("{prefix}{ASSETS}"), ..page };
    let html = environment.get_template(template).and_then(|template| template.render(page));
    // Each of the two pages is rendered whole by the tests, and no branch of it needs a name that is not set.
    let html = html.expect("the banner's templates find all that they name") + "\n";
    let here = format!("{origin}{prefix}");
    let mut policy = format!(
        "default-src 'none'; style-src {here}{ASSETS}; script-src {here}{ASSETS}; connect-src {here}; \
         frame-src {here}; form-action 'none'; base-uri 'none'"
    );
    // Within the frame this page stands among captured ones and is held in like them.
    policy.push_str(if framed { "; sandbox" } else { "; frame-ancestors 'none'" });
    sent(context, status, &policy, html)
}

fn sent(context: &Context, status: StatusCode, policy: &str, html: String) -> Replayed {
    let mut all = HeaderMap::new();
    headers::set(&mut all, header::CONTENT_SECURITY_POLICY, policy);
    headers::set(&mut all, header::CONTENT_TYPE, "text/html; charset=utf-8");
    headers::set(&mut all, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    headers::set(&mut all, header::REFERRER_POLICY, "no-referrer");
    headers::set(&mut all, header::X_DNS_PREFETCH_CONTROL, "off");
    headers::set(&mut all, header::VARY, "accept-language, cookie");
    if context.modifier == Modifier::Frame {
        headers::set(&mut all, header::X_FRAME_OPTIONS, "DENY");
        headers::set(&mut all, HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
        headers::set(&mut all, HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    }
    Replayed { status, headers: all, body: html.into() }
}

/// A timestamp of 14 digits; `None` for anything else.
fn parsed(timestamp: &str) -> Option<Timestamp> {
    let digits = timestamp.len() == 14 && timestamp.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| timestamp.parse().ok()).flatten().map(Timestamp)
}

fn written_date(timestamp: &str, language: Lang) -> String {
    parsed(timestamp).map_or_else(
        || timestamp.to_owned(),
        |at| {
            let day = show::long_date(language, show::day_of(at));
            fill(&language.words("replay")["when"], &[day, show::clock(at)])
        },
    )
}

fn machine_date(timestamp: &str) -> String {
    parsed(timestamp).map_or_else(String::new, show::iso)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(modifier: Modifier) -> Context<'static> {
        Context {
            origin: "http://127.0.0.1:8080",
            prefix: "/c/",
            token: Some("ab"),
            timestamp: "20240615060000",
            modifier,
            url: "http://e.org/?a=<b>&c='\"",
            destination: None,
        }
    }

    fn text(replayed: &Replayed) -> &str {
        std::str::from_utf8(&replayed.body).unwrap()
    }

    #[test]
    fn a_banner_tells_date_and_neighbours() {
        let frame = Frame {
            context: context(Modifier::Frame),
            language: Lang::En,
            captures: Some(3),
            ends: Some(("20200101000000", "20240615060000")),
            previous: Some("20230101000000"),
            next: None,
            calendar: Some("/c/*/x"),
        };
        let replayed = frame_page(&frame);
        let page = text(&replayed);
        for part in [
            "15 June 2024, 06:00:00 UTC",
            "datetime=\"2024-06-15T06:00:00Z\"",
            "one of 3 captures",
            "<a href=\"/c/20230101000000/http://e.org/?a=&lt;b&gt;&amp;c=&#39;&quot;\"",
            "<span>→ Next</span>",
            "<span>⇥ Last</span>",
            "title=\"1 January 2020, 00:00:00 UTC\">⇤ First</a>",
            "src=\"/c/20240615060000mp_ab/http://e.org/",
            "sandbox=\"allow-scripts allow-forms\"",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        let policy = replayed.headers["content-security-policy"].to_str().unwrap();
        assert!(
            policy.contains("frame-src http://127.0.0.1:8080/c/;")
                && policy.contains("frame-ancestors 'none'")
        );
        let chinese = frame_page(&Frame { language: Lang::Zh, ..frame });
        assert!(
            text(&chinese).contains("2024年6月15日 06:00:00 UTC") && text(&chinese).contains("共 3 份存档")
        );
    }

    #[test]
    fn what_is_missing_is_told_with_what_comes_near() {
        let nearest = [("20230101000000", "http://e.org/")];
        let missing = Missing {
            context: context(Modifier::Frame),
            language: Lang::Zh,
            reason: None,
            nearest: &nearest,
            about: &CollectionSummary { name: "c".into(), title: Some("馆".into()), ..Default::default() },
        };
        let page = not_archived_page(&missing);
        assert_eq!(page.status, StatusCode::NOT_FOUND);
        assert!(
            text(&page).contains("存档中没有")
                && text(&page).contains("href=\"/c/\"><bdi>馆</bdi>")
                && text(&page).contains("href=\"/c/20230101000000/http://e.org/\"")
        );
        let framed = not_archived_page(&Missing { context: context(Modifier::Page), ..missing });
        assert!(text(&framed).contains("href=\"/c/20230101000000mp_ab/http://e.org/\""));
        assert!(framed.headers["content-security-policy"].to_str().unwrap().ends_with("; sandbox"));
    }
}
