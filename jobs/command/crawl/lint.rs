//! What a user typed that can be read but can hardly have been meant: patterns that match nothing, or everything.
//!
//! Nothing is refused here; each finding is a line that says what will happen and what may have been meant.

use webmill_capture::CanonicalUrl;
use webmill_crawl::CrawlOptions;
use webmill_crawl::scope::{Scope, ScopeOptions, SeedMark};

/// Seeds that are looked at: with a million of them the first tell enough.
const SEEDS: usize = 1_000;

/// Findings about the scope of a crawl of these seeds, in words.
pub fn scope(options: &CrawlOptions, seeds: &[CanonicalUrl]) -> Vec<String> {
    let scope = &options.scope;
    let mut findings = Vec::new();
    for (flag, patterns) in [("--include", &scope.url_include), ("--exclude", &scope.url_exclude)] {
        findings
            .extend(patterns.iter().filter_map(|p| expression(p).map(|why| format!("{flag} {p:?}: {why}"))));
    }
    for rule in &scope.rules {
        let terms = rule.when.iter().filter_map(|term| term.trim_start_matches('!').strip_prefix("re:"));
        findings.extend(terms.filter_map(|p| expression(p).map(|why| format!("--{rule}: {why}"))));
        findings.extend(seeds_of_rule(&rule.when, seeds).map(|seed| {
            format!(
                "--{rule}: {seed} is no seed of this run; it counts for what an earlier run found from it"
            )
        }));
    }
    let seeds = &seeds[..seeds.len().min(SEEDS)];
    // Options that cannot be compiled are reported as errors, elsewhere.
    if let Ok(compiled) =
        Scope::new(&ScopeOptions { country_table: None, countries: Vec::new(), ..scope.clone() }, seeds)
    {
        findings.extend(prefixes(scope, &compiled, seeds));
        findings.extend(everything_out(scope, &compiled, seeds));
    }
    findings
}

/// Why an expression can hardly have been meant.
fn expression(pattern: &str) -> Option<String> {
    if let Some(rest) = pattern.strip_prefix('^')
        && let literal = literal_start(rest)
        && !["http://", "https://"]
            .iter()
            .any(|scheme| scheme.starts_with(&literal) || literal.starts_with(scheme))
    {
        let meant =
            if literal.starts_with('/') { format!("://[^/]+{rest}") } else { format!("^https?://{rest}") };
        return Some(format!(
            "it matches no URL, since all begin with http:// or https://; did you mean {meant:?}?"
        ));
    }
    let star = pattern.find("*.").filter(|at| {
        let before = pattern[..*at].chars().next_back();
        before.is_some_and(|c| c.is_alphanumeric() || c == '/')
    });
    if star.is_some() {
        return Some(format!(
            "as an expression `*` repeats what stands before it; did you mean {:?}?",
            pattern.replace("*.", r".*\.")
        ));
    }
    if pattern.contains("\\.") || pattern.chars().any(|c| "[]()+?|^$*{}\\".contains(c)) {
        return None;
    }
    let extension = pattern
        .strip_prefix('.')
        .is_some_and(|name| name.len() <= 5 && name.chars().all(char::is_alphanumeric));
    extension.then(|| {
        format!(
            "it matches anywhere in a URL, `.` any character; did you mean {:?}, or a rule ext:{}?",
            format!("\\{pattern}$"),
            &pattern[1..]
        )
    })
}

/// What an expression begins with, as far as it is plain text.
fn literal_start(pattern: &str) -> String {
    let mut literal = String::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let plain = match c {
            '\\' => match chars.next() {
                Some(escaped) if !escaped.is_ascii_alphanumeric() => escaped,
                _ => break,
            },
            c if c.is_alphanumeric() || "/:-_~%=&".contains(c) => c,
            _ => break,
        };
        // What may be repeated no times is not there for certain.
        if chars.peek().is_some_and(|next| "?*{".contains(*next)) {
            break;
        }
        literal.push(plain);
    }
    literal
}

/// Seeds that a rule names and nobody gave.
fn seeds_of_rule<'a>(terms: &'a [String], seeds: &'a [CanonicalUrl]) -> impl Iterator<Item = &'a str> {
    let named = terms.iter().filter_map(|term| term.trim_start_matches('!').strip_prefix("seed:"));
    named.filter(|text| {
        let mark = CanonicalUrl::parse(text).map(|url| SeedMark::of(&url));
        !seeds.iter().any(|seed| Some(SeedMark::of(seed)) == mark)
    })
}

/// Prefixes on hosts that are not in scope, or under the other scheme.
fn prefixes(options: &ScopeOptions, scope: &Scope, seeds: &[CanonicalUrl]) -> Vec<String> {
    let mut findings = Vec::new();
    for prefix in &options.prefixes {
        let Some(url) = CanonicalUrl::parse(prefix).filter(|url| url.is_web()) else { continue };
        if !scope.host(url.host()) {
            findings.push(format!(
                "--prefix {prefix:?} matches nothing: its host is none that the seeds stand for; add --host {}",
                url.host()
            ));
            continue;
        }
        let mut same_host = seeds.iter().filter(|seed| seed.host() == url.host()).peekable();
        if same_host.peek().is_some() && same_host.all(|seed| seed.scheme() != url.scheme()) {
            let other = if url.scheme() == "http" { "https" } else { "http" };
            findings.push(format!("--prefix {prefix:?}: the seeds of this host begin with {other}://"));
        }
    }
    findings
}

/// Rules that leave nothing of the seeds' own sites.
fn everything_out(options: &ScopeOptions, scope: &Scope, seeds: &[CanonicalUrl]) -> Option<String> {
    if options.max_depth == Some(0) || seeds.is_empty() {
        return None;
    }
    let mut reason = None;
    for seed in seeds {
        // Two pages that no pattern was made for.
        for path in ["/", "/qzx/7.html"] {
            let verdict = scope.verdict(&seed.join(path)?, 1);
            if verdict.accepted
                || !(verdict.rule.starts_with("rule") || ["url-exclude", "host"].contains(&verdict.rule))
            {
                return None;
            }
            reason.get_or_insert(verdict.rule);
        }
    }
    Some(match reason? {
        "url-exclude" => "--exclude leaves out every page of the seeds' sites: the seeds alone will be fetched".to_owned(),
        "host" => "the sites of the seeds are not in scope (--within, --host, --domain): of them the seeds alone will be fetched".to_owned(),
        rule => format!("{rule} leaves out every page of the seeds' sites: the seeds alone will be fetched"),
    })
}

#[cfg(test)]
mod tests {
    use webmill_crawl::scope::{RuleAction, ScopeRule, Seeds};

    use super::*;

    #[test]
    fn expressions_that_cannot_have_been_meant() {
        for (pattern, word) in [
            ("^/docs/", "did you mean \"://[^/]+/docs/\""),
            (r"^www\.a\.example", "did you mean \"^https?://www"),
            ("^ftp://", "matches no URL"),
            ("^http:/a", "matches no URL"),
            ("report*.pdf", r#"did you mean "report.*\\.pdf""#),
            ("/files/*.pdf", "repeats what stands before it"),
            (".pdf", "ext:pdf"),
        ] {
            let why = expression(pattern).unwrap_or_else(|| panic!("{pattern}"));
            assert!(why.contains(word), "{pattern}: {why}");
        }
        for fine in [
            "^https?://a",
            "^http",
            "^h",
            "^https://a\\.example/",
            "^(http|https)://",
            "^.*/x",
            "^[a-z]+://",
            "^s?x",
            r"\.pdf$",
            "/docs/",
            ".*",
            "a.*.b",
            "print=",
            r"[?&]q=.*\.x",
            "",
            "^",
            "^x?http://",
        ] {
            assert_eq!(expression(fine), None, "{fine}");
        }
    }

    fn find(change: impl Fn(&mut ScopeOptions)) -> Vec<String> {
        let mut options = CrawlOptions::default();
        change(&mut options.scope);
        let seeds =
            ["https://a.example/start", "https://b.example/"].map(|text| CanonicalUrl::parse(text).unwrap());
        scope(&options, &seeds)
    }

    #[test]
    fn patterns_that_leave_nothing_or_match_nothing() {
        let list = |text: &str| vec![text.to_owned()];
        assert!(find(|_| {}).is_empty());
        assert!(find(|o| o.url_exclude = list("/start|\\.zip$")).is_empty());
        assert!(find(|o| (o.url_exclude, o.max_depth) = (list(".*"), Some(0))).is_empty());
        let one = |found: Vec<String>, word: &str| {
            assert!(found.len() == 1 && found[0].contains(word), "{found:?}")
        };
        one(find(|o| o.url_exclude = list(".*")), "--exclude leaves out every page");
        one(find(|o| o.url_exclude = list("^/x")), "matches no URL");
        one(find(|o| o.prefixes = list("https://c.example/docs/")), "add --host c.example");
        one(find(|o| o.prefixes = list("http://a.example/docs/")), "begin with https://");
        assert!(find(|o| o.prefixes = list("https://a.example/docs/")).is_empty());
        assert!(find(|o| o.prefixes = list("/docs/")).is_empty());
        one(
            find(|o| (o.seeds, o.hosts) = (Seeds::None, list("c.example"))),
            "sites of the seeds are not in scope",
        );
        let rule = |text: &str| vec![ScopeRule::parse(RuleAction::Reject, text).unwrap()];
        one(find(|o| o.rules = rule("all")), "rule 1 (reject all) leaves out");
        one(find(|o| o.rules = rule("!seed:https://c.example/ ext:zip")), "is no seed of this run");
        assert!(find(|o| o.rules = rule("seed:https://a.example/start ext:zip")).is_empty());
        one(find(|o| o.rules = rule("re:^/x")), "matches no URL");
    }
}
