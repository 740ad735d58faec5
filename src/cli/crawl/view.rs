//! What a crawl shows while it runs: a line every ten seconds on a terminal, every minute elsewhere.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use webmill_capture::date::format_rfc3339;
use webmill_crawl::focus::FocusCounts;
use webmill_crawl::frontier::NEVER_MS;
use webmill_crawl::page::IN_SCRIPT;
use webmill_crawl::steering::NO_RULE;
use webmill_crawl::{Counted, HostTrouble, Missing, Observer, Snapshot, Totals};

/// Between two lines on a terminal, and in a log.
const PERIODS: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(60)];

/// The view that fits stderr.
pub fn view() -> Box<dyn Observer> {
    let [on_terminal, in_log] = PERIODS;
    let period = if std::io::stderr().is_terminal() { on_terminal } else { in_log };
    Box::new(Lines { last: None, period })
}

/// Nobody looks at the crawl: it is a matter of seconds.
pub struct UnseenCrawl;

impl Observer for UnseenCrawl {
    fn look(&mut self, _: &Snapshot) {}
}

/// How a focused crawl does.
pub fn harvest(counts: &FocusCounts) -> String {
    format!(
        "{} relevant of {} pages: harvest {:.3}, {:.3} over the last {}; {} links in reserve",
        grouped(counts.relevant),
        grouped(counts.fetched),
        counts.harvest(),
        counts.harvest_now(),
        grouped(counts.window),
        grouped(counts.reserved)
    )
}

/// A line each period, and one at the end.
struct Lines {
    last: Option<Instant>,
    period: Duration,
}

impl Observer for Lines {
    fn look(&mut self, s: &Snapshot) {
        let now = Instant::now();
        let first = *self.last.get_or_insert(now);
        if !s.last && now - first < self.period {
            return;
        }
        self.last = Some(now);
        webmill_jobs::say!("     crawl  {}", in_a_line(s));
    }
}

fn in_a_line(s: &Snapshot) -> String {
    let mut text = format!(
        "{}  {} stored, {:.0}/s; {} received; {} waiting; {} in trouble",
        clock(s.elapsed),
        grouped(s.totals.stored),
        s.pages_per_second,
        size(s.totals.bytes as f64),
        grouped(s.frontier.queued),
        many(s.troubled_hosts, "host")
    );
    if let Some(eta) = s.eta {
        let _ = write!(text, "; ETA {}", clock(eta));
    }
    if let Some(counts) = &s.focus {
        let _ = write!(text, "; {} relevant, harvest {:.2}", grouped(counts.relevant), counts.harvest());
    }
    if s.paused {
        text.push_str("; PAUSED");
    }
    if let Some((host, until_ms)) = &s.long_wait {
        let _ = write!(text, "; waits for {host} until {}", format_rfc3339(*until_ms));
    }
    text
}

/// The end of a run, in words.
pub fn sum_up(totals: &Totals, how: &str) {
    webmill_jobs::say!(
        "     crawl  {how}: {} stored{}, {} received in all runs",
        many(totals.stored, "page"),
        match totals.requisites {
            0 => String::new(),
            n => format!(" with {}", many(n, "requisite")),
        },
        size(totals.bytes as f64)
    );
    if !totals.outcomes.is_empty() {
        webmill_jobs::say!("            events of all runs: {}", outcomes(totals));
    }
    if !totals.rules.is_empty() {
        let of = |name: &str| totals.rules.get(name);
        webmill_jobs::say!(
            "            rules took part in {}, led along {}{}; {} not followed for no rule asks for them",
            many(of("pages"), "page"),
            many(of("links"), "link"),
            match of("looks") {
                0 => String::new(),
                n => format!(", came to {} only after they were read", many(n, "page")),
            },
            many(totals.refused.get(NO_RULE), "link"),
        );
    }
    if !totals.refused.is_empty() {
        let refused: Vec<String> =
            totals.refused.iter().map(|(name, n)| format!("{name} {}", grouped(n))).collect();
        let hint = if totals.refused.get(IN_SCRIPT) > 0 {
            "; --set crawl.script_links=true follows those in scripts"
        } else {
            ""
        };
        webmill_jobs::say!("            links not followed, by reason: {}{hint}", refused.join(" · "));
    }
    if !totals.lost_parts.is_empty() {
        webmill_jobs::say!(
            "            answers cut off of which the longest part was not kept, by reason: {}; their URLs are asked for again",
            most(&totals.lost_parts)
        );
    }
    if !totals.refused_types.is_empty() {
        webmill_jobs::say!(
            "            left out by media type: {}; --media-type +TYPE takes such answers, with --retry media-type these too",
            most(&totals.refused_types)
        );
    }
    if !totals.cut_patterns.is_empty() {
        let (urls, patterns) = totals.cut_patterns.iter().fold((0, 0), |(n, m), (_, urls)| (n + urls, m + 1));
        webmill_jobs::say!(
            "            left out as copies: {} of {} ({}); --retry pattern-cut fetches them, with --set crawl.brake=false nothing more is left out",
            many(urls, "URL"),
            many(patterns, "pattern"),
            most(&totals.cut_patterns)
        );
    }
}

/// A limit that the user set ended the run.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// URLs that it kept from being asked for.
    pub waits: u64,
    /// What the command needs to go on behind it, with a blank before; nothing where it holds for one run.
    pub wider: &'static str,
}

/// What was not brought home, why, and what brings it; in a run that ended at a limit what waits besides.
pub fn tell_missing(missing: &Missing, limit: Option<Limit>, out: &Path) {
    missing_in_words(missing, limit, out).iter().for_each(|line| webmill_jobs::say!("{line}"));
}

fn missing_in_words(missing: &Missing, limit: Option<Limit>, out: &Path) -> Vec<String> {
    let mut reasons: Vec<String> =
        missing.given_up.iter().map(|(name, n)| format!("{} {name}", grouped(n))).collect();
    if missing.waiting > 0 {
        reasons.push(format!(
            "{} on {} in trouble",
            grouped(missing.waiting),
            many(missing.host_count, "host")
        ));
    }
    let urls = missing.urls();
    let are = if urls == 1 { "is" } else { "are" };
    let mut lines = Vec::new();
    match limit {
        None => {
            lines.push(format!("incomplete: {} {are} missing: {}", many(urls, "URL"), reasons.join(", ")))
        }
        Some(_) if urls > 0 => {
            lines.push(format!("not brought home so far: {}: {}", many(urls, "URL"), reasons.join(", ")))
        }
        Some(_) => {}
    }
    for (host, queued) in &missing.hosts {
        let (failures, waiting) = (many(host.failures.into(), "failure"), grouped(*queued));
        lines.push(format!(
            "            {}: {}, {failures} in a row, {waiting} waiting",
            host.host, host.reason
        ));
    }
    if missing.hosts.len() as u64 != missing.host_count {
        lines.push("            …".into());
    }
    let mut wider = "";
    if let Some(limit) = limit.filter(|limit| limit.waits > 0) {
        lines.push(format!("not asked for yet: {}", many(limit.waits, "URL")));
        wider = limit.wider;
    }
    if lines.is_empty() {
        return lines;
    }
    let outcomes: Vec<&str> = missing.given_up.iter().map(|(name, _)| name).collect();
    let retry = if outcomes.is_empty() { String::new() } else { format!(" --retry {}", outcomes.join(",")) };
    // Seeds and settings are in the folder.
    lines.push(format!(
        "go on with: webmill crawl --out {}{retry}{wider}",
        quoted(&out.display().to_string())
    ));
    lines
}

/// A path as a shell takes it.
pub fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,=@%".contains(c);
    match path.chars().all(plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

/// Names shown of a count.
const SHOWN: usize = 6;

/// The names with the highest counts.
fn most(counted: &Counted) -> String {
    let mut counts: Vec<(&str, u64)> = counted.iter().collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let mut shown: Vec<String> =
        counts.iter().take(SHOWN).map(|(name, n)| format!("{name} {}", grouped(*n))).collect();
    if counts.len() > SHOWN {
        shown.push("…".into());
    }
    shown.join(", ")
}

/// Hosts in trouble that are named.
const TROUBLES: usize = 5;

/// The worst hosts in trouble, a line each.
pub(super) fn troubles(worst: &[(HostTrouble, u64)], now_ms: i64) -> Vec<String> {
    let line = |(trouble, queued): &(HostTrouble, u64)| {
        let next = match trouble.next_ms {
            never if never >= NEVER_MS => "left alone until the next run".to_owned(),
            due if due <= now_ms => "next try now".to_owned(),
            due => format!("next try in {}", ago(due - now_ms)),
        };
        format!(
            "{}: {} for {}, {} waiting, {next}",
            trouble.host,
            trouble.reason,
            ago(now_ms - trouble.since_ms),
            many(*queued, "URL")
        )
    };
    worst.iter().take(TROUBLES).map(line).collect()
}

/// A span of time, in its largest unit.
pub(super) fn ago(ms: i64) -> String {
    match ms.max(0) / 1000 {
        s if s < 120 => format!("{s} s"),
        s if s < 7_200 => format!("{} min", s / 60),
        s if s < 172_800 => format!("{} h", s / 3_600),
        s => format!("{} days", s / 86_400),
    }
}

fn outcomes(totals: &Totals) -> String {
    let mut counts: Vec<(&str, u64)> = totals.outcomes.iter().collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let counts: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {}", grouped(*n))).collect();
    counts.join(" · ")
}

pub(super) fn size(bytes: f64) -> String {
    match bytes {
        b if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.0} kB", b / 1e3),
    }
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A number with its noun: `1 URL`, `1,234 URLs`.
pub(super) fn many(n: u64, one: &str) -> String {
    format!("{} {one}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// `1234567` as `1,234,567`.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(size(1_234_567.0), "1.2 MB");
        assert_eq!(clock(Duration::from_secs(3_671)), "1:01:11");
        for (ms, want) in [
            (-5, "0 s"),
            (119_000, "119 s"),
            (720_000, "12 min"),
            (14_400_000, "4 h"),
            (1 << 40, "12725 days"),
        ] {
            assert_eq!(ago(ms), want);
        }
    }

    #[test]
    fn what_is_missing_is_said_with_the_command_that_brings_it() {
        let host = serde_json::json!({
            "host": "a.example", "reason": "connect-failure", "failures": 1, "since_ms": 0, "next_ms": NEVER_MS
        });
        let mut missing = Missing::default();
        missing.waiting = 1_017;
        missing.host_count = 1;
        missing.hosts = vec![(serde_json::from_value(host).unwrap(), 1_017)];
        assert_eq!(
            missing_in_words(&missing, None, Path::new("my crawl")),
            [
                "incomplete: 1,017 URLs are missing: 1,017 on 1 host in trouble",
                "            a.example: connect-failure, 1 failure in a row, 1,017 waiting",
                "go on with: webmill crawl --out 'my crawl'",
            ]
        );
        let mut missing = Missing::default();
        missing.given_up.add("timeout");
        assert_eq!(
            missing_in_words(&missing, None, Path::new("crawls/a")),
            [
                "incomplete: 1 URL is missing: 1 timeout",
                "go on with: webmill crawl --out crawls/a --retry timeout",
            ]
        );
        let limit = |waits| Some(Limit { waits, wider: " --pages N" });
        assert_eq!(
            missing_in_words(&missing, limit(2_100), Path::new("crawls/a")),
            [
                "not brought home so far: 1 URL: 1 timeout",
                "not asked for yet: 2,100 URLs",
                "go on with: webmill crawl --out crawls/a --retry timeout --pages N",
            ]
        );
        assert!(missing_in_words(&Missing::default(), limit(0), Path::new("a")).is_empty());
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn hosts_in_trouble_get_a_line_each() {
        let trouble = |next_ms: i64| -> HostTrouble {
            serde_json::from_value(json!({
                "host": "a.example", "reason": "503", "failures": 4, "since_ms": 0, "next_ms": next_ms
            }))
            .unwrap()
        };
        let worst: Vec<(HostTrouble, u64)> =
            [900_000, 0, NEVER_MS].iter().map(|next| (trouble(*next), 4_210)).collect();
        assert_eq!(
            troubles(&worst, 720_000),
            [
                "a.example: 503 for 12 min, 4,210 URLs waiting, next try in 3 min",
                "a.example: 503 for 12 min, 4,210 URLs waiting, next try now",
                "a.example: 503 for 12 min, 4,210 URLs waiting, left alone until the next run",
            ]
        );
        assert_eq!(troubles(&vec![worst[0].clone(); 30], 0).len(), TROUBLES);
    }
}
