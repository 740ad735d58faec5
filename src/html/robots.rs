//! What a page asks of robots: `<meta name=robots>` and the `X-Robots-Tag` header.
//!
//! **Definition.** Each directive forbids something; what nobody forbids is allowed (index, follow). A directive counts
//! for every robot, or for one that is named (`<meta name=googlebot>`, `X-Robots-Tag: googlebot: noindex`). Rules from
//! several places add up: the most restrictive wins, which is how the large search engines read them.
//!
//! **Cost.** Linear; 32 named robots are kept at most.

/// What one robot, or any robot, must not do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Do not show the page in results.
    pub noindex: bool,
    /// Do not follow its links.
    pub nofollow: bool,
}

impl Rules {
    /// Both sets of rules.
    #[must_use]
    pub fn and(self, other: Rules) -> Rules {
        Rules { noindex: self.noindex | other.noindex, nofollow: self.nofollow | other.nofollow }
    }

    fn add(&mut self, directive: &str) {
        match directive.to_ascii_lowercase().as_str() {
            "none" => {
                self.noindex = true;
                self.nofollow = true;
            }
            "noindex" => self.noindex = true,
            "nofollow" => self.nofollow = true,
            _ => {}
        }
    }

    fn add_list(&mut self, content: &str) {
        content.split([',', ';', ' ', '\t', '\n', '\r']).for_each(|directive| self.add(directive.trim()));
    }
}

/// The rules of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Robots {
    /// For every robot.
    pub all: Rules,
    /// For robots by product token (lower-case), in addition.
    pub agents: Vec<(String, Rules)>,
}

/// Robots that are kept by name.
const MAX_AGENTS: usize = 32;

/// Directives that have a value after a colon, so that they look like names of robots.
const VALUED: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// Names of `<meta>` that are robots; any other may mean anything.
const AGENTS: &str = "googlebot googlebot-news googlebot-image google bingbot msnbot slurp teoma baiduspider sogou \
                      360spider yandex duckduckbot applebot ccbot gptbot ia_archiver webmill";

impl Robots {
    /// The rules for a robot with the product token `agent`.
    pub fn for_agent(&self, agent: &str) -> Rules {
        let own = self.agents.iter().filter(|(name, _)| name.eq_ignore_ascii_case(agent));
        own.fold(self.all, |rules, (_, more)| rules.and(*more))
    }

    /// Takes a `<meta name content>` into account, if it speaks to robots.
    pub fn add_meta(&mut self, name: &str, content: &str) {
        let name = name.trim();
        if name.eq_ignore_ascii_case("robots") {
            self.all.add_list(content);
        } else if AGENTS.split(' ').any(|agent| name.eq_ignore_ascii_case(agent)) {
            self.agent(name, |rules| rules.add_list(content));
        }
    }

    /// Takes the value of an `X-Robots-Tag` header into account.
    pub fn add_header(&mut self, value: &[u8]) {
        let value = String::from_utf8_lossy(value);
        let mut agent: Option<String> = None;
        for part in value.split(',') {
            let mut directive = part.trim();
            if let Some((name, rest)) = directive.split_once(':') {
                let name = name.trim();
                if VALUED.iter().any(|valued| name.eq_ignore_ascii_case(valued)) {
                    continue;
                }
                // A name holds for what follows it, until the next.
                agent = Some(name.to_ascii_lowercase());
                directive = rest.trim();
            }
            match agent.as_deref() {
                Some("*") | None => self.all.add_list(directive),
                Some(name) => self.agent(name, |rules| rules.add_list(directive)),
            }
        }
    }

    fn agent(&mut self, name: &str, change: impl FnOnce(&mut Rules)) {
        let place = match self.agents.iter().position(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some(place) => place,
            None if self.agents.len() < MAX_AGENTS && name.len() <= 64 => {
                self.agents.push((name.to_ascii_lowercase(), Rules::default()));
                self.agents.len() - 1
            }
            None => return,
        };
        change(&mut self.agents[place].1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_add_up() {
        let mut robots = Robots::default();
        robots.add_meta("Robots", "NOINDEX, follow");
        robots.add_meta("robots", "noarchive; max-snippet:0");
        robots.add_meta("GoogleBot", "nofollow");
        robots.add_meta("description", "noindex nofollow none");
        assert_eq!(robots.all, Rules { noindex: true, nofollow: false });
        assert!(robots.for_agent("googlebot").nofollow && robots.for_agent("googlebot").noindex);
        assert!(!robots.for_agent("other").nofollow);
        let mut none = Robots::default();
        none.add_meta("robots", "none");
        assert_eq!(none.all, Rules { noindex: true, nofollow: true });
    }

    #[test]
    fn headers_may_name_robots() {
        // Of every robot and of Google's: noindex, nofollow.
        let cases: [(&[u8], [bool; 2], [bool; 2]); 6] = [
            (b"noindex", [true, false], [true, false]),
            (b"otherbot: noindex, nofollow", [false, false], [false, false]),
            (b"googlebot: nofollow, noindex", [false, false], [true, true]),
            (b"unavailable_after: 25 Jun 2010 15:00:00 PST", [false, false], [false, false]),
            (b"all, index, \xFF", [false, false], [false, false]),
            (b"nofollow, googlebot: noindex", [false, true], [true, true]),
        ];
        for (value, all, google) in cases {
            let mut robots = Robots::default();
            robots.add_header(value);
            let found =
                [robots.all, robots.for_agent("GoogleBot")].map(|rules| [rules.noindex, rules.nofollow]);
            assert_eq!(found, [all, google], "{}", value.escape_ascii());
        }
    }

    #[test]
    fn names_are_limited() {
        let mut robots = Robots::default();
        for i in 0..1000 {
            robots.add_header(format!("bot{i}: noindex").as_bytes());
        }
        assert_eq!(robots.agents.len(), MAX_AGENTS);
    }
}
