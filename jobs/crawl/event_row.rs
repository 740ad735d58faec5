//! `events`: what a crawl did, one row per event.

use webmill_capture::{CanonicalUrl, UrlKey};
use webmill_crawl::event::Event;
use webmill_table::{Bytes16, Millis, table, text_enum};

text_enum! {
    /// What a URL was asked for.
    pub enum EventPurpose from webmill_crawl::Purpose {
        /// For the corpus.
        Page = "page",
        /// For the URLs that it lists.
        Sitemap = "sitemap",
        /// For the rules of its host.
        Robots = "robots",
        /// For a page that needs it to be shown.
        Requisite = "requisite",
    }
}

table! {
    /// One row per URL that the crawl fetched, refused or gave up, in order of time: every attempt has its own row.
    EventRow = "events" {
        url: String = "URL asked for, canonical form", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "xxh3-128 of the canonical URL, 32 hexadecimal digits: the key that tables are joined by", "9f…";
        url_host_name: Option<String> = "host name, lower case, IDNA ASCII form; null where the URL is cut", "pku.edu.cn";
        purpose: EventPurpose = "what it was asked for: page, sitemap, robots, requisite (of a page)", "page";
        outcome: String = "what came of it: stored, unchanged, redirect, gone, media-type, robots-denied, retry, host-unreachable, timeout, …; `webmill crawl --retry ?` lists all", "stored";
        fetch_status: Option<i16> = "HTTP status code; null where there was no answer", "200";
        fetch_time: Millis = "when the request began, or the decision was taken", "2026-04-15T08:13:06Z";
        elapsed_ms: u32 = "milliseconds from the request to the end of the answer", "184";
        bytes: u64 = "bytes of the answer as transferred, head included", "30233";
        depth: u32 = "links from a seed to here; redirects do not count", "3";
        retries: u8 = "attempts that failed before", "0";
        referrer: Option<String> = "page that the URL was first found on; null for seeds", "http://pku.edu.cn/news/";
        url_origin: Option<String> = "URL first asked for, where redirects led here", "http://pku.edu/";
        redirect_to: Option<String> = "URL that the answer redirects to, canonical form", "https://pku.edu.cn/";
        ip: Option<String> = "server address; null through a proxy or without a connection", "162.105.129.12";
        robots_reason: Option<String> = "rule of robots.txt that forbids the URL, as written", "Disallow: /private/";
        detail: Option<String> = "more about the outcome, in words", "connection reset";
        truncated: Option<String> = "why the body ends early: length, time or disconnect; null where it is whole", "disconnect";
        protocol: Option<String> = "http/1.1 or h2; null without an answer", "http/1.1";
        warc_filename: Option<String> = "shard that the answer stands in; null where it was not kept", "crawl-00001.rawdb";
        warc_record_offset: Option<i64> = "byte offset of the stored record in the shard", "183214";
        warc_record_length: Option<i64> = "bytes of the stored record", "18410";
        is_cut: bool = "whether texts were too long for the log and are cut: the URL may not be whole", "false";
    }
}

impl From<&Event> for EventRow {
    fn from(event: &Event) -> EventRow {
        let url = (!event.cut).then(|| CanonicalUrl::parse(&event.url)).flatten();
        EventRow {
            url_key: Bytes16(UrlKey::of(&event.url).0),
            url_host_name: url.map(|url| url.host().to_owned()),
            url: event.url.clone(),
            purpose: event.purpose.into(),
            outcome: event.outcome.clone().into_owned(),
            fetch_status: event.status.and_then(|status| i16::try_from(status).ok()),
            fetch_time: Millis(Some(event.fetch_time_ms)),
            elapsed_ms: event.elapsed_ms,
            bytes: event.bytes,
            depth: event.depth,
            retries: event.retries,
            referrer: event.referrer.clone(),
            url_origin: event.origin.clone(),
            redirect_to: event.redirect_to.clone(),
            ip: event.ip.clone(),
            robots_reason: event.robots_reason.clone(),
            detail: event.detail.clone(),
            truncated: event.truncated.as_deref().map(str::to_owned),
            protocol: event.protocol.as_deref().map(str::to_owned),
            warc_filename: event.shard.clone(),
            warc_record_offset: event.offset.and_then(|n| i64::try_from(n).ok()),
            warc_record_length: event.length.and_then(|n| i64::try_from(n).ok()),
            is_cut: event.cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_crawl::Purpose;
    use webmill_crawl::event::outcome;

    #[test]
    fn a_row_says_what_the_event_says() {
        let mut event = Event::new("http://A.example/x", Purpose::Robots, outcome::ROBOTS, 5);
        (event.status, event.shard, event.offset) = (Some(404), Some("crawl-00000.rawdb".into()), Some(7));
        let row = EventRow::from(&event);
        assert_eq!((row.purpose.as_str(), &*row.outcome, row.fetch_status), ("robots", "robots", Some(404)));
        assert_eq!(row.url_host_name.as_deref(), Some("a.example"));
        assert_eq!((row.fetch_time, row.warc_record_offset), (Millis(Some(5)), Some(7)));
        event.cut = true;
        event.status = Some(60_000);
        let row = EventRow::from(&event);
        assert_eq!((row.is_cut, row.url_host_name, row.fetch_status), (true, None, None));
    }
}
