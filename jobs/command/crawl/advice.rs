//! Advice about seeds that did not become pages: what happened, and which flag or setting mends it.

use webmill_capture::CanonicalUrl;
use webmill_crawl::SeedNews;
use webmill_crawl::event::{Event, outcome};

/// Lines that are written.
const NAMED: usize = 10;

/// One line for each seed that something is to be said of; then how many there are more.
pub fn of_seeds(news: &SeedNews) -> Vec<String> {
    // The last word counts: a URL on a host that is away has several.
    let last =
        |(at, event): &(usize, &Event)| news.events[at + 1..].iter().all(|later| later.url != event.url);
    let all: Vec<String> =
        news.events.iter().enumerate().filter(last).filter_map(|(_, event)| advice(event)).collect();
    let more = news.more + all.len().saturating_sub(NAMED) as u64;
    let mut lines: Vec<String> = all.into_iter().take(NAMED).collect();
    if more > 0 {
        lines.push(format!("{more} more seeds have something to be said of; see the event log"));
    }
    lines
}

/// What there is to say about the seed of an event; nothing where all went as usual.
pub fn advice(event: &Event) -> Option<String> {
    let seed = match event.origin.as_deref() {
        Some(first) if first != event.url => format!("{first} (now {})", event.url),
        _ => event.url.clone(),
    };
    let detail = event.detail.as_deref().unwrap_or_default();
    let host = CanonicalUrl::parse(&event.url).map_or_else(String::new, |url| url.host().to_owned());
    let said = match &*event.outcome {
        outcome::REDIRECT => redirect(event, detail)?,
        outcome::TOO_MANY_REDIRECTS => {
            format!("redirects without end{}; cookies (--cookies) end some of them", quoted(detail))
        }
        outcome::TLS_FAILURE => tls(detail),
        outcome::NO_SUCH_HOST => "there is no such host: is the name right?".to_owned(),
        outcome::DNS_FAILURE => format!("its name could not be looked up{}", quoted(detail)),
        outcome::PRIVATE_ADDRESS => {
            format!("a private address{}, which is not asked without --allow-private", quoted(detail))
        }
        outcome::HOST_UNREACHABLE
            if detail.starts_with("429") || detail.starts_with(outcome::SERVER_ERROR) =>
        {
            format!("its server kept refusing{}; a longer --delay may help", quoted(detail))
        }
        outcome::CONNECT_FAILURE | outcome::HOST_UNREACHABLE | outcome::DISCONNECT => {
            format!(
                "no connection{}; is the port right, and is it {}://?",
                quoted(detail),
                other_scheme(&event.url)
            )
        }
        outcome::TIMEOUT => format!("no answer in time{}", quoted(detail)),
        outcome::PROTOCOL_ERROR => {
            format!("what came back is no HTTP{}; is it {}://?", quoted(detail), other_scheme(&event.url))
        }
        outcome::PROXY_FAILURE => format!("the proxy failed{}", quoted(detail)),
        outcome::GONE => format!("there is no such page (status {})", event.status.unwrap_or(404)),
        outcome::CLIENT_ERROR => refused(event.status.unwrap_or(400), &host),
        outcome::SERVER_ERROR => format!("the server failed (status {})", event.status.unwrap_or(500)),
        outcome::TOO_BUSY => {
            "the server kept saying that it is too busy; a longer --delay may help".to_owned()
        }
        outcome::ROBOTS_DENIED => format!(
            "robots.txt forbids it ({}); on one's own server --ignore-robots passes over it",
            event.robots_reason.as_deref().unwrap_or("Disallow")
        ),
        outcome::ROBOTS_UNREACHABLE => {
            format!("robots.txt cannot be had, which forbids all of {host}{}", quoted(detail))
        }
        outcome::MEDIA_TYPE => {
            format!("its answer is of a type that is not stored{}; --media-type takes more", quoted(detail))
        }
        outcome::OUT_OF_SCOPE => format!("it is out of scope{}", quoted(detail)),
        outcome::TRAP => format!("it looks like one of endlessly many{}", quoted(detail)),
        outcome::CUT_OFF => "its body broke off in every attempt; the longest part is stored".to_owned(),
        _ => return None,
    };
    Some(format!("seed {seed}: {said}"))
}

fn quoted(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(" ({detail})") }
}

fn other_scheme(url: &str) -> &'static str {
    if url.starts_with("https:") { "http" } else { "https" }
}

/// A redirect within a host, or from http to https, is as usual.
fn redirect(event: &Event, detail: &str) -> Option<String> {
    let Some(to) = event.redirect_to.as_deref() else {
        return Some(format!("it redirects nowhere{}", quoted(detail)));
    };
    let host = |text: &str| {
        let url = CanonicalUrl::parse(text)?;
        Some(url.host().trim_start_matches("www.").trim_end_matches('.').to_owned())
    };
    let elsewhere = host(to) != host(&event.url);
    match detail {
        "" | "known already" if !elsewhere => None,
        "" => Some(format!("it redirects to {to}, on another host")),
        "known already" => Some(format!("it redirects to {to}, which is known already")),
        "host" => Some(format!(
            "it redirects to {to}, which is not followed: its host is out of scope; name that URL as a seed"
        )),
        why => Some(format!("it redirects to {to} ({why})")),
    }
}

fn tls(detail: &str) -> String {
    let has = |word: &str| detail.to_ascii_lowercase().contains(word);
    let why = if has("expired") && !has("notexpired") {
        "its certificate has expired; `accept_invalid_certificates = true` in [crawl.fetch] of a recipe takes it all the same"
    } else if has("notvalidforname") || has("not valid for") || has("name mismatch") {
        "its certificate is for another name; is the host right?"
    } else if has("unknownissuer")
        || has("self-signed")
        || has("self signed")
        || has("caused by")
        || has("certificate")
    {
        "its certificate is not trusted; `extra_roots = \"FILE.pem\"` in [crawl.fetch] of a recipe adds the one that signed it"
    } else {
        "no TLS could be agreed on; is it http://?"
    };
    format!("{why}{}", quoted(detail))
}

fn refused(status: u16, host: &str) -> String {
    match status {
        401 => format!(
            "it asks who we are (status 401); name an account for {host} in [crawl.fetch.accounts] of a recipe"
        ),
        402 | 403 | 451 => format!(
            "the server refuses it (status {status}); some do so where nobody is named: --contact URL|MAIL"
        ),
        407 => "the proxy asks who we are (status 407); write its account into --proxy".to_owned(),
        405 | 406 => format!("the server refuses this form of request (status {status})"),
        status => format!("the server refuses it (status {status})"),
    }
}

#[cfg(test)]
mod tests {
    use webmill_crawl::Purpose;

    use super::*;

    fn event(outcome: &'static str, detail: &str, change: impl Fn(&mut Event)) -> Event {
        let mut event = Event::new("https://a.example/", Purpose::Page, outcome, 1);
        event.detail = (!detail.is_empty()).then(|| detail.to_owned());
        change(&mut event);
        event
    }

    #[test]
    fn every_failure_of_a_seed_has_its_advice() {
        let to = |target: &'static str| move |e: &mut Event| e.redirect_to = Some(target.to_owned());
        for (event, words) in [
            (event(outcome::TLS_FAILURE, "invalid peer certificate: UnknownIssuer", |_| {}), "extra_roots"),
            (event(outcome::TLS_FAILURE, "invalid peer certificate: Expired", |_| {}), "has expired"),
            (
                event(
                    outcome::TLS_FAILURE,
                    "invalid peer certificate: certificate not valid for name \"a\"",
                    |_| {},
                ),
                "another name",
            ),
            (
                event(outcome::TLS_FAILURE, "received corrupt message of type InvalidContentType", |_| {}),
                "is it http://?",
            ),
            (
                event(outcome::REDIRECT, "", to("https://b.example/x")),
                "redirects to https://b.example/x, on another host",
            ),
            (event(outcome::REDIRECT, "host", to("https://b.example/")), "name that URL as a seed"),
            (event(outcome::REDIRECT, "to itself", to("https://a.example/")), "(to itself)"),
            (event(outcome::REDIRECT, "no Location that can be followed", |_| {}), "redirects nowhere"),
            (event(outcome::CLIENT_ERROR, "", |e| e.status = Some(401)), "[crawl.fetch.accounts]"),
            (event(outcome::CLIENT_ERROR, "", |e| e.status = Some(403)), "--contact"),
            (event(outcome::CLIENT_ERROR, "", |e| e.status = Some(418)), "status 418"),
            (
                event(outcome::PRIVATE_ADDRESS, "127.0.0.1", |_| {}),
                "(127.0.0.1), which is not asked without --allow-private",
            ),
            (event(outcome::CONNECT_FAILURE, "refused", |_| {}), "is it http://?"),
            (
                event(outcome::ROBOTS_DENIED, "", |e| e.robots_reason = Some("Disallow: /".into())),
                "(Disallow: /)",
            ),
            (
                event(outcome::GONE, "", |e| e.origin = Some("http://old.example/".into())),
                "seed http://old.example/ (now https://a.example/)",
            ),
        ] {
            let line = advice(&event).unwrap_or_else(|| panic!("{event:?}"));
            assert!(line.starts_with("seed ") && line.contains(words), "{line}");
        }
        for usual in [
            event(outcome::STORED, "", |_| {}),
            event(outcome::REDIRECT, "", to("https://www.a.example/")),
            event(outcome::REDIRECT, "known already", to("http://a.example/x")),
        ] {
            assert_eq!(advice(&usual), None);
        }
        for name in outcome::SOFT {
            assert!(advice(&event(name, "", |_| {})).is_some(), "{name}");
        }
    }

    #[test]
    fn of_many_seeds_the_first_are_named() {
        let gone = |n: usize| event(outcome::GONE, "", |e| e.url = format!("https://a.example/{n}"));
        let news = SeedNews { events: (0..30).map(gone).collect(), more: 5 };
        let lines = of_seeds(&news);
        assert_eq!(lines.len(), 11);
        assert!(lines[10].starts_with("25 more"), "{lines:?}");
        let away = |detail| event(outcome::HOST_UNREACHABLE, detail, |_| {});
        let news = SeedNews { events: vec![away("refused"), away("429; waits")], more: 0 };
        let lines = of_seeds(&news);
        assert_eq!(lines.len(), 1, "the last that is known: {lines:?}");
        assert!(lines[0].contains("kept refusing (429; waits)"), "{lines:?}");
    }
}
