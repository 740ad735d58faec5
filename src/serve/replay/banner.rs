//! The page around a replayed page: its banner with date and neighbours; and the page that says what the archive lacks.
//!
//! Both are in Chinese or English, as the browser asks, and do without scripts. The frame's script, where it runs, only
//! keeps banner and address true to what the frame shows. Everything foreign in them (URLs, titles) is escaped text or an
//! address of the archive's own.

use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName};
use webmill_capture::calendar::MONTHS;

use super::place::Modifier;
use super::{ASSETS, Context, Replayed, headers};
use crate::site::Lang;

/// A language of the archive's own pages.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese, in simplified characters.
    Chinese,
}

impl Language {
    /// The language that `Accept-Language` prefers; English where it names neither.
    ///
    /// # Examples
    /// ```
    /// use webmill_serve::replay::Language;
    /// assert_eq!(Language::of(Some("de, zh-CN;q=0.8, en;q=0.5")), Language::Chinese);
    /// assert_eq!(Language::of(Some("en, zh;q=0.5")), Language::English);
    /// assert_eq!(Language::of(None), Language::English);
    /// ```
    pub fn of(accept: Option<&str>) -> Language {
        match Lang::choose(None, None, accept) {
            Lang::En => Language::English,
            Lang::Zh => Language::Chinese,
        }
    }

    fn of_two(self, english: &'static str, chinese: &'static str) -> &'static str {
        match self {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    fn tag(self) -> &'static str {
        self.of_two("en", "zh-Hans")
    }
}

/// The page around a capture.
#[derive(Copy, Clone, Debug)]
pub struct Frame<'a> {
    /// The capture: its timestamp is the one found, not the one asked for.
    pub context: Context<'a>,
    /// The reader's language.
    pub language: Language,
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

/// What a page that the archive lacks is told to be.
#[derive(Copy, Clone, Debug)]
pub struct Missing<'a> {
    /// What was asked for. Links lead to the frame's page or, for other modifiers, stay in the frame.
    pub context: Context<'a>,
    /// The reader's language.
    pub language: Language,
    /// Captures that come near: of the URL at other times, or of URLs like it, as timestamp and URL. The first
    /// 20 are shown.
    pub nearest: &'a [(&'a str, &'a str)],
    /// Address of the list of all captures, on this server.
    pub calendar: Option<&'a str>,
}

/// The page around a capture, to be sent for [`Modifier::Frame`].
pub fn frame_page(frame: &Frame) -> Replayed {
    let Frame { context, language, .. } = frame;
    let url = escaped(context.url);
    let when = escaped(&written_date(context.timestamp, *language));
    let at = |timestamp: &str| escaped(&format!("{}{timestamp}/{}", context.prefix, context.url));
    let step = |timestamp: Option<&str>, mark: &str, english, chinese| match timestamp {
        Some(timestamp) => format!(
            "<a href=\"{}\" title=\"{}\">{mark} {}</a>",
            at(timestamp),
            escaped(&written_date(timestamp, *language)),
            language.of_two(english, chinese)
        ),
        None => format!("<span>{mark} {}</span>", language.of_two(english, chinese)),
    };
    let other = |timestamp: &&str| *timestamp != context.timestamp;
    let ends = frame.ends;
    let first = step(ends.map(|(first, _)| first).filter(other), "⇤", "First", "最早");
    let last = step(ends.map(|(_, last)| last).filter(other), "⇥", "Last", "最新");
    let previous = step(frame.previous, "←", "Previous", "上一份");
    let next = step(frame.next, "→", "Next", "下一份");
    let count = match (frame.captures, language) {
        (None, _) => String::new(),
        (Some(1), Language::English) => "the only capture".to_owned(),
        (Some(n), Language::English) => format!("one of {n} captures"),
        (Some(n), Language::Chinese) => format!("共 {n} 份存档"),
    };
    let calendar = frame.calendar.map_or(String::new(), |address| {
        format!("<a href=\"{}\">{}</a>", escaped(address), language.of_two("Calendar", "日历"))
    });
    let raw = escaped(&format!("{}{}id_/{}", context.prefix, context.timestamp, context.url));
    let inside = format!(
        "{}{}{}{}/{}",
        context.prefix,
        context.timestamp,
        Modifier::Page.as_str(),
        context.token.unwrap_or_default(),
        context.url
    );
    let body = format!(
        "<body class=\"frame\">\n<header id=\"banner\">\n\
         <p><b>{archived}</b> <time datetime=\"{machine}\">{when}</time> <span id=\"url\">{url}</span></p>\n\
         <details><summary>{others}</summary>\n<nav>{first} {previous} <span class=\"count\">{count}</span> {next} {last} \
         {calendar} <a href=\"{raw}\">{source}</a></nav></details>\n\
         <p id=\"left\" hidden>{left}</p>\n</header>\n\
         <iframe name=\"archived\" title=\"{archived}\" src=\"{inside}\" sandbox=\"allow-scripts allow-forms\"></iframe>\n\
         </body>\n</html>\n",
        archived = language.of_two("Archived page", "存档网页"),
        others = language.of_two("Other captures", "其他存档"),
        source = language.of_two("As captured", "原始内容"),
        left = language
            .of_two("The page led out of the archive and was held back.", "页面试图离开存档，已被阻止。"),
        machine = machine_date(context.timestamp),
        inside = escaped(&inside),
    );
    let script = format!(
        "<script defer src=\"{0}{ASSETS}frame.js\" data-prefix=\"{0}\" data-timestamp=\"{1}\" data-token=\"{2}\"></script>\n",
        context.prefix,
        context.timestamp,
        context.token.unwrap_or_default()
    );
    let title = format!("{} · {when}", escaped(context.url));
    page(context, StatusCode::OK, *language, &title, &script, &body)
}

/// The page for what the archive lacks: 404, and what comes near.
pub fn not_archived_page(missing: &Missing) -> Replayed {
    let Missing { context, language, nearest, calendar } = missing;
    let (modifier, token) = match context.modifier {
        Modifier::Frame => ("", ""),
        modifier => (modifier.as_str(), context.token.unwrap_or_default()),
    };
    let mut list = String::new();
    for (timestamp, url) in nearest.iter().take(20) {
        let address = format!("{}{timestamp}{modifier}{token}/{url}", context.prefix);
        list.push_str(&format!(
            "<li><a href=\"{}\"><time datetime=\"{}\">{}</time> {}</a></li>\n",
            escaped(&address),
            machine_date(timestamp),
            escaped(&written_date(timestamp, *language)),
            escaped(url)
        ));
    }
    let near = match list.is_empty() {
        true => String::new(),
        false => {
            format!("<h2>{}</h2>\n<ul>\n{list}</ul>\n", language.of_two("What comes near", "相近的存档"))
        }
    };
    // A list of captures is not for the frame, which holds captures only.
    let calendar = calendar.filter(|_| modifier.is_empty()).map_or(String::new(), |address| {
        format!(
            "<p><a href=\"{}\">{}</a></p>\n",
            escaped(address),
            language.of_two("All captures", "全部存档")
        )
    });
    let title = language.of_two("Not in this archive", "存档中没有此网页");
    let body = format!(
        "<body class=\"missing\">\n<main>\n<h1>{title}</h1>\n<p class=\"url\">{}</p>\n<p>{}</p>\n{near}{calendar}</main>\n</body>\n</html>\n",
        escaped(context.url),
        language.of_two(
            "This archive holds no capture of it. It is not fetched from the live Web.",
            "此存档没有收录它，也不会从互联网上实时抓取。"
        ),
    );
    page(context, StatusCode::NOT_FOUND, *language, title, "", &body)
}

fn page(
    context: &Context,
    status: StatusCode,
    language: Language,
    title: &str,
    head: &str,
    body: &str,
) -> Replayed {
    let Context { origin, prefix, modifier, .. } = context;
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <link rel=\"stylesheet\" href=\"{prefix}{ASSETS}frame.css\">\n{head}</head>\n{body}",
        language.tag()
    );
    let mut all = HeaderMap::new();
    let framed = *modifier != Modifier::Frame;
    let here = format!("{origin}{prefix}");
    let mut policy = format!(
        "default-src 'none'; style-src {here}{ASSETS}; script-src {here}{ASSETS}; connect-src {here}; \
         frame-src {here}; form-action 'none'; base-uri 'none'"
    );
    // Within the frame this page stands among captured ones and is held in like them.
    policy.push_str(if framed { "; sandbox" } else { "; frame-ancestors 'none'" });
    headers::set(&mut all, header::CONTENT_SECURITY_POLICY, &policy);
    headers::set(&mut all, header::CONTENT_TYPE, "text/html; charset=utf-8");
    headers::set(&mut all, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    headers::set(&mut all, header::REFERRER_POLICY, "no-referrer");
    headers::set(&mut all, header::X_DNS_PREFETCH_CONTROL, "off");
    headers::set(&mut all, header::VARY, "accept-language");
    if !framed {
        headers::set(&mut all, header::X_FRAME_OPTIONS, "DENY");
        headers::set(&mut all, HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
        headers::set(&mut all, HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    }
    Replayed { status, headers: all, body: html.into() }
}

/// Text that means itself in HTML, in attributes too.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The parts of a timestamp of 14 digits: year, month, day, time.
fn parts(timestamp: &str) -> Option<[&str; 6]> {
    let digits = timestamp.len() == 14 && timestamp.bytes().all(|b| b.is_ascii_digit());
    let part = |from: usize, to: usize| &timestamp[from..to];
    digits.then(|| [part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 12), part(12, 14)])
}

fn written_date(timestamp: &str, language: Language) -> String {
    let Some([year, month, day, h, m, s]) = parts(timestamp) else { return timestamp.to_owned() };
    let number = |text: &str| text.parse::<usize>().unwrap_or_default();
    let name = MONTHS.get(number(month).wrapping_sub(1)).copied().unwrap_or("?");
    match language {
        Language::English => format!("{} {name} {year}, {h}:{m}:{s} UTC", number(day)),
        Language::Chinese => format!("{year}年{}月{}日 {h}:{m}:{s} UTC", number(month), number(day)),
    }
}

fn machine_date(timestamp: &str) -> String {
    parts(timestamp)
        .map_or(String::new(), |[year, month, day, h, m, s]| format!("{year}-{month}-{day}T{h}:{m}:{s}Z"))
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
            language: Language::English,
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
        let chinese = frame_page(&Frame { language: Language::Chinese, ..frame });
        assert!(
            text(&chinese).contains("2024年6月15日 06:00:00 UTC") && text(&chinese).contains("共 3 份存档")
        );
    }

    #[test]
    fn what_is_missing_is_told_with_what_comes_near() {
        let nearest = [("20230101000000", "http://e.org/")];
        let missing = Missing {
            context: context(Modifier::Frame),
            language: Language::Chinese,
            nearest: &nearest,
            calendar: Some("/c/*/x"),
        };
        let page = not_archived_page(&missing);
        assert_eq!(page.status, StatusCode::NOT_FOUND);
        assert!(
            text(&page).contains("存档中没有此网页")
                && text(&page).contains("href=\"/c/20230101000000/http://e.org/\"")
        );
        let framed = not_archived_page(&Missing { context: context(Modifier::Page), ..missing });
        assert!(text(&framed).contains("href=\"/c/20230101000000mp_ab/http://e.org/\""));
        assert!(framed.headers["content-security-policy"].to_str().unwrap().ends_with("; sandbox"));
    }
}
