//! The robots.txt files of a simulated Web, and an evaluator of their rules that shares nothing with the crawler's.
//!
//! A rule is kept as it is written and as it is meant; only the meaning decides. Rules that are written in percent
//! encoding never compete with others, so that the length of the written form cannot matter.

use super::draw::{below, purpose, unit};
use super::layout::SECTIONS;
use super::sim::SimWeb;
use super::sim_config::{RobotsKind, pick};
use super::sim_hosts::Health;
use webmill_capture::cut::Cut;

/// Product token that some files speak to by name: that of the crawler that the truth is for.
const AGENT: &str = "webmill";

struct Rule {
    allow: bool,
    written: String,
    meant: String,
}

struct Group {
    agents: Vec<String>,
    rules: Vec<Rule>,
    delay: Option<f64>,
}

impl Group {
    fn of(agent: &str, rules: Vec<Rule>) -> Self {
        Group { agents: vec![agent.to_owned()], rules, delay: None }
    }
}

fn rule(allow: bool, pattern: impl Into<String>) -> Rule {
    let written = pattern.into();
    Rule { allow, meant: written.clone(), written }
}

/// What a host allows to the crawler.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HostRules {
    rules: Vec<(bool, String)>,
    delay_s: Option<f64>,
}

impl HostRules {
    /// Whether a path with query may be asked for: the longest rule decides, `Allow` where two are as long.
    pub(super) fn allows(&self, path: &str) -> bool {
        if path == "/robots.txt" {
            return true;
        }
        let fitting = self.rules.iter().filter(|(_, pattern)| fits(pattern, path));
        fitting.max_by_key(|(allow, pattern)| (pattern.len(), *allow)).is_none_or(|(allow, _)| *allow)
    }

    /// Whether all is allowed.
    pub(super) fn is_open(&self) -> bool {
        self.rules.is_empty()
    }

    /// `Crawl-delay` in seconds.
    pub(super) fn delay_s(&self) -> Option<f64> {
        self.delay_s
    }
}

/// Whether a pattern with `*` and a final `$` fits the beginning of a path.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, whole) = pattern.strip_suffix('$').map_or((pattern, false), |before| (before, true));
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return !whole || rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if whole && pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = rest.cut(at + piece.len()..);
    }
    true
}

impl SimWeb {
    pub(super) fn robots_kind(&self, host: u64) -> RobotsKind {
        let at = unit(self.web.hash(host, purpose::ROBOTS));
        pick(&self.config.robots.all(), RobotsKind::ALL, at).unwrap_or(RobotsKind::Missing)
    }

    /// Redirects between robots.txt and the rules; of a loop, its length.
    pub(super) fn robots_hops(&self, host: u64) -> u32 {
        match self.robots_kind(host) {
            RobotsKind::Hops => 1 + below(self.web.hash(host, purpose::ROBOTS).rotate_left(32), 5) as u32,
            RobotsKind::Looping => 2,
            _ => 0,
        }
    }

    /// Three folders of a host, drawn.
    fn folders(&self, host: u64) -> Vec<Rule> {
        let from = below(self.web.hash(host, purpose::ROBOTS).rotate_left(16), SECTIONS.len() as u64);
        let section = |i: u64| SECTIONS[(from + i * 5) as usize % SECTIONS.len()];
        let mut rules = vec![
            rule(false, format!("/{}/", section(0))),
            rule(false, format!("/{}/", section(1))),
            // Without a slash at the end: all that begins so.
            rule(false, format!("/{}", section(2))),
        ];
        if let Some(trap) = self.trap(host).filter(|_| self.web.hash(host, purpose::ROBOTS) & 1 == 0) {
            rules.push(rule(false, trap.prefix()));
        }
        rules
    }

    fn groups(&self, host: u64) -> Vec<Group> {
        let all = |rules| vec![Group::of("*", rules)];
        match self.robots_kind(host) {
            RobotsKind::AllowAll => all(vec![rule(false, "")]),
            RobotsKind::DisallowAll => all(vec![rule(false, "/")]),
            RobotsKind::Folders | RobotsKind::Hops | RobotsKind::Passing | RobotsKind::Huge => {
                all(self.folders(host))
            }
            RobotsKind::AllowWins => all(vec![
                rule(false, "/"),
                rule(true, "/$"),
                rule(true, "/news/"),
                rule(true, "/docs/"),
                rule(true, "/extra/"),
                // As long as each other: Allow wins, whichever comes first.
                rule(false, "/blog/"),
                rule(true, "/blog/"),
                rule(true, "/notes/"),
                rule(false, "/notes/"),
            ]),
            RobotsKind::Wildcards => all(vec![
                rule(false, "/*/1*.html$"),
                rule(true, "/*/12*.html$"),
                rule(false, "/reviews/*7.html"),
                rule(false, "/*?"),
                rule(false, "/topics/*$"),
                rule(true, "/topics/3"),
            ]),
            RobotsKind::Groups => vec![
                Group::of("otherbot", vec![rule(false, "/")]),
                Group {
                    agents: vec![AGENT.to_ascii_uppercase(), "second-bot".into()],
                    rules: vec![rule(false, "/news/")],
                    delay: None,
                },
                Group::of("*", vec![rule(false, "/")]),
                Group::of(AGENT, vec![rule(false, "/blog/")]),
            ],
            RobotsKind::Encoded => {
                let encoded = |written: &str, meant: &str| Rule {
                    allow: false,
                    written: written.into(),
                    meant: meant.into(),
                };
                all(vec![encoded("/%6Eews/", "/news/"), encoded("/guides/%31", "/guides/1")])
            }
            RobotsKind::Messy => all(vec![rule(false, "/news/"), rule(false, "/docs/")]),
            RobotsKind::Delay => vec![Group {
                delay: Some(self.config.crawl_delay_s),
                ..Group::of("*", vec![rule(false, "/letters/")])
            }],
            RobotsKind::Sitemaps => all(vec![rule(false, "/stories/")]),
            // What cannot be had forbids all as long as it fails.
            RobotsKind::Failing => all(vec![rule(false, "/")]),
            RobotsKind::Missing
            | RobotsKind::Empty
            | RobotsKind::Html
            | RobotsKind::Looping
            | RobotsKind::Forbidden => Vec::new(),
        }
    }

    /// What the host of this number allows: nothing where robots.txt cannot be had.
    pub(super) fn rules(&self, host: u64) -> HostRules {
        if !self.health(host).is_alive() {
            return HostRules { rules: vec![(false, "/".into())], delay_s: None };
        }
        let groups = self.groups(host);
        let speaks_to = |group: &Group, name: &str| group.agents.iter().any(|a| a.eq_ignore_ascii_case(name));
        let named = groups.iter().any(|group| speaks_to(group, AGENT));
        let wanted = if named { AGENT } else { "*" };
        let mut found = HostRules { rules: Vec::new(), delay_s: None };
        for group in groups.into_iter().filter(|group| speaks_to(group, wanted)) {
            found.delay_s = found.delay_s.or(group.delay);
            let rules = group.rules.into_iter().filter(|rule| !rule.meant.is_empty());
            found.rules.extend(rules.map(|rule| (rule.allow, rule.meant)));
        }
        found
    }

    /// The body of robots.txt; `None` where there is none to give.
    pub(super) fn robots_text(&self, host: u64) -> Vec<u8> {
        let kind = self.robots_kind(host);
        match kind {
            RobotsKind::Html => {
                return b"<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><p>User-agent: *<br>Disallow: /</p></body></html>\n"
                    .to_vec();
            }
            RobotsKind::Messy => {
                // Rules before any group count for nobody; so do lines that are none.
                return b"\xEF\xBB\xBF# robots\rDisallow: /\r\ruser-AGENT : *   # everybody\rDISALLOW:/news/\t# no news\r\xFF\xFEnonsense\rNo-such-key: /\r  disallow:   /docs/  \r"
                    .to_vec();
            }
            _ => {}
        }
        let mut text = String::new();
        let end = if host.is_multiple_of(3) { "\r\n" } else { "\n" };
        for group in self.groups(host) {
            for agent in &group.agents {
                text.push_str(&format!("User-agent: {agent}{end}"));
            }
            if let Some(delay) = group.delay {
                text.push_str(&format!("Crawl-delay: {delay}{end}"));
            }
            for rule in &group.rules {
                let key = if rule.allow { "Allow" } else { "Disallow" };
                text.push_str(&format!("{key}: {}{end}", rule.written));
            }
            text.push_str(end);
        }
        if kind == RobotsKind::Sitemaps {
            let name = self.web.host_name(host);
            text.push_str(&format!("Sitemap: http://{name}{}{end}", super::sim_sitemaps::PATHS[0]));
        }
        if kind == RobotsKind::Huge {
            while text.len() < 600_000 {
                text.push_str("# nothing to be read here, nor in the lines that follow\n");
            }
        }
        text.into_bytes()
    }

    /// Whether a host has sitemaps: those are for hosts whose robots.txt can be had.
    pub(super) fn has_sitemaps(&self, host: u64) -> bool {
        self.robots_kind(host) == RobotsKind::Sitemaps && !matches!(self.health(host), Health::Down)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_the_standard_says() {
        for (pattern, path, want) in [
            ("/help", "/help.html", true),
            ("/help", "/help/index.html", true),
            ("/help/", "/help.html", false),
            ("/", "/", true),
            ("/$", "/", true),
            ("/$", "/a", false),
            ("/*/1*.html$", "/news/17.html", true),
            ("/*/1*.html$", "/news/21.html", false),
            ("/*/1*.html$", "/news/17.html?x", false),
            ("/*?", "/a?b", true),
            ("/*?", "/a", false),
            ("/topics/*$", "/topics/4.html", true),
            ("*.gif", "/x.gif", true),
            ("/a*b*c", "/aXbYc/d", true),
            ("/a*b*c$", "/abcbc", true),
            ("/ab*bc$", "/abc", false),
        ] {
            assert_eq!(fits(pattern, path), want, "{pattern} {path}");
        }
    }

    #[test]
    fn the_longest_rule_decides_and_allow_wins_ties() {
        let rules = |list: &[(bool, &str)]| HostRules {
            rules: list.iter().map(|(allow, pattern)| (*allow, (*pattern).to_owned())).collect(),
            delay_s: None,
        };
        let host =
            rules(&[(false, "/"), (true, "/p"), (false, "/page"), (true, "/page"), (false, "/page.h")]);
        for (path, want) in
            [("/", false), ("/p", true), ("/page", true), ("/page.html", false), ("/robots.txt", true)]
        {
            assert_eq!(host.allows(path), want, "{path}");
        }
        assert!(rules(&[]).allows("/x"));
    }
}
