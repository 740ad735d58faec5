//! Rows of the tables that a crawl leaves beside its event log: what it knows when a run ends.

use webmill_table::{Bytes16, Millis, table, text_enum};

text_enum! {
    /// How a host stands with the crawl.
    pub enum Standing {
        /// It answers.
        Well = "well",
        /// Its last answers failed; it is asked again.
        Trouble = "in-trouble",
        /// It failed too often, or an operator parked it: it is left alone until the crawl is opened again.
        LeftAlone = "left-alone",
        /// It has its number of pages.
        Limit = "limit",
        /// A verdict settles all queued URLs of it.
        Refused = "refused",
        /// Nothing was asked of it yet.
        NotAsked = "not-asked",
    }
}

text_enum! {
    /// Why a URL is missing.
    pub enum MissingWhy {
        /// Every attempt failed; `--retry` asks again.
        GivenUp = "given-up",
        /// Its host is in trouble: the next run asks again.
        Waits = "waits",
        /// The run ended before its turn came.
        Queued = "queued",
        /// A rule, a limit or the answer leaves it out.
        LeftOut = "left-out",
    }
}

text_enum! {
    /// What a count of the crawl counts.
    pub enum CountedAs {
        /// Events, by outcome.
        Outcome = "outcome",
        /// Links not followed, by reason.
        Refused = "refused-link",
        /// URLs left out, by media type.
        MediaType = "refused-type",
        /// URLs left out as copies, by host and pattern.
        Pattern = "cut-pattern",
        /// URLs given up, by outcome.
        GivenUp = "given-up",
        /// Visits of pages, by what they found.
        Visit = "visit",
        /// Visits of requisites of pages, by what they found.
        RequisiteVisit = "requisite-visit",
        /// Beginnings of answers that broke off and were not kept, by reason.
        LostPart = "lost-part",
        /// Sums of the whole crawl.
        Sum = "sum",
    }
}

table! {
    /// One row per host of a crawl, by name: its requests, its state, and what the crawl learnt about it.
    CrawlHostRow = "crawl_hosts" {
        url_host_name: String = "host name, lower case, IDNA ASCII form", "pku.edu.cn";
        standing: Standing = "how it stands when the run ends", "well";
        reason: Option<String> = "outcome of its last failure, or what settles its URLs; null where it is well", "connect-failure";
        verdict: Option<String> = "outcome that its queued URLs get, where one is decided", "host-limit";
        pages_stored: u64 = "pages stored in all runs", "412";
        requests_answered: u64 = "requests answered in all runs", "431";
        bytes: u64 = "bytes of all answers as transferred", "9120233";
        urls_queued: u64 = "URLs that wait", "17";
        failures: u32 = "failures in a row; 0 where it is well", "0";
        failing_since: Millis = "first of the failures in a row; null where it is well", "2026-04-15T08:13:06Z";
        next_request: Millis = "no request before; null: not in this run", "2026-04-15T08:13:06Z";
        response_ms: u32 = "milliseconds that its last answer took", "184";
        crawl_delay_ms: Option<u32> = "Crawl-delay of its robots.txt, milliseconds, as it is obeyed", "2000";
        learned_pause_ms: Option<u64> = "pause between requests that its refusals taught, milliseconds; null: none", "4000";
        cut_patterns: u32 = "patterns of its URLs that are left out because their pages were copies", "0";
        urls_cut: u64 = "URLs that this left out", "0";
        pages_observed: u32 = "pages compared with what the host had shown", "412";
        pages_copied: u32 = "of these, pages that brought nothing new", "3";
        pages_rated: u32 = "pages whose rate of change is estimated", "398";
        mean_rate: Option<f64> = "geometric mean of their rates, changes a day; null without any", "0.021";
        validators_right: u32 = "of the last hundred judged, validators that told the truth (ETag, Last-Modified, 304)", "12";
        validators_wrong: u32 = "of the last hundred judged, validators that did not", "0";
        hints_right: u32 = "of the last hundred judged, dates of sitemaps and feeds that told the truth", "31";
        hints_wrong: u32 = "of the last hundred judged, dates that did not", "2";
    }
}

table! {
    /// One row per reason and host for which URLs of the crawl are not in its archive.
    MissingRow = "missing" {
        why: MissingWhy = "given-up and waits: may be had; queued: not reached; left-out: not wanted or not there", "given-up";
        outcome: String = "outcome as in table events; for URLs that wait the trouble of their host", "timeout";
        url_host_name: Option<String> = "host name; null where URLs were too long for the log", "pku.edu.cn";
        urls: u64 = "how many URLs", "13";
    }
}

table! {
    /// One row per thing that the crawl counted over all its runs: what was not followed or left out, and why.
    CrawlCountRow = "crawl_counts" {
        counted: CountedAs = "name of the count", "refused-type";
        name: String = "its name: an outcome, a reason, a media type, host and pattern", "image/png";
        count: u64 = "how many of them", "2311";
    }
}

table! {
    /// One row per page that was visited, host by host: its history and how fresh its copy is.
    PageHistoryRow = "page_history" {
        url: String = "URL, canonical form", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "xxh3-128 of the canonical URL, 32 hexadecimal digits: the key that tables are joined by", "9f…";
        url_host_name: String = "host name, lower case, IDNA ASCII form", "pku.edu.cn";
        url_host_tld: Option<String> = "top-level domain; null for IP addresses", "cn";
        depth: u32 = "links from a seed to here", "3";
        priority: f64 = "priority in best-first order", "0.5";
        first_visit: Millis = "first visit that brought the page", "2026-04-15T08:13:06Z";
        last_visit: Millis = "last visit that saw what the page says", "2026-05-15T08:13:06Z";
        last_tried: Millis = "last visit of any outcome", "2026-05-15T08:13:06Z";
        next_due: Millis = "when it is due; null: it has left the schedule", "2026-06-15T08:13:06Z";
        interval_days: f64 = "interval of the schedule, days; 0 before the first visit", "30.0";
        visits: u32 = "visits that saw what the page says", "5";
        changes: u32 = "of these, visits that saw a change", "2";
        rate: f64 = "estimated rate, changes a day; 0 before the first visit", "0.021";
        expected_freshness: Option<f64> = "probability that the copy is as the page is now; null without a rate", "0.87";
        expected_age_days: Option<f64> = "expected time since the first change that the copy lacks, days; null without a rate", "0.4";
        fetch_status: Option<i16> = "HTTP status of the last answer; null: there was none", "200";
        failed_visits: u32 = "failed visits in a row", "0";
        gone_visits: u32 = "visits in a row that found it gone", "0";
        not_modified: u32 = "answers 304 in a row", "2";
        content_digest: Option<String> = "SHA-1 of the last payload, base32", "KNJXQ2TQMRLWOZTE…";
    }
}

table! {
    /// One row per host with visited pages, and one without host name for all of them: how fresh the copies are.
    FreshnessRow = "freshness" {
        url_host_name: Option<String> = "host name; null in the row of all pages", "pku.edu.cn";
        pages: u64 = "pages with a rate of change", "398";
        pages_gone: u64 = "pages that left the schedule", "4";
        expected_freshness: Option<f64> = "share of copies that are expected to be as their pages are now", "0.87";
        weighted_freshness: Option<f64> = "the same, by the priority of the pages", "0.91";
        expected_age_days: Option<f64> = "mean expected age of the copies, days", "1.9";
        weighted_age_days: Option<f64> = "the same, by the priority of the pages", "0.8";
        visits_again: u64 = "visits of pages that were seen before", "1204";
        unchanged_share: Option<f64> = "share of these visits that found no change", "0.94";
        mean_rate: Option<f64> = "geometric mean of the rates, changes a day", "0.021";
        mean_life_days: Option<f64> = "days between two changes at this mean", "47.6";
    }
}

table! {
    /// One row per top-level domain and decade of rates: how often its pages change. A row per decade without domain is for all pages.
    ChangeRateRow = "change_rates" {
        url_host_tld: Option<String> = "top-level domain; null: all pages, those of IP addresses too", "cn";
        rate_from: f64 = "changes a day at least; 0 in the lowest decade", "0.01";
        rate_below: Option<f64> = "changes a day less than this; null in the highest decade", "0.1";
        life_days: Option<f64> = "mean life at the lower rate, days: pages here live at most as long; null: no bound", "100.0";
        pages: u64 = "pages visited", "212";
        share: f64 = "share of the pages of the domain", "0.53";
    }
}

table! {
    /// One row per run of the crawl, in order: what its visits found, and how fresh the copies were at its end.
    CrawlRoundRow = "crawl_rounds" {
        round: u32 = "number of the run, from 0; of a run that was killed the next one tells", "3";
        began: Millis = "when the crawl was opened", "2026-04-15T08:13:06Z";
        ended: Millis = "when the run ended", "2026-04-15T09:13:06Z";
        ended_by: String = "why it ended: finished, page limit, byte limit, time limit, patience, stopped", "finished";
        requests: u64 = "requests answered or failed", "1402";
        bytes: u64 = "bytes received", "9120233";
        pages_stored: u64 = "pages stored in full", "212";
        visits_new: u64 = "visits that found a page never seen", "19";
        visits_changed: u64 = "visits that found a change", "184";
        visits_near: u64 = "visits that found other bytes but hardly another text", "9";
        visits_unchanged: u64 = "visits that found the same", "1101";
        visits_gone: u64 = "visits that found a page gone", "4";
        visits_moved: u64 = "visits that found a redirect", "2";
        visits_error: u64 = "visits that said nothing about the page", "11";
        pages_known: u64 = "pages with a rate of change, at the end of the run", "4120";
        expected_freshness: Option<f64> = "share of their copies that are expected to be fresh, at the end of the run", "0.93";
        expected_age_days: Option<f64> = "mean expected age of their copies, days, at the end of the run", "0.7";
    }
}
