//! Where pages are and how they hang together, without their words: hosts, URLs, kinds, link targets.

use std::fmt::Write as _;

use super::draw::{Draws, below, hash, popular_rank, purpose, root4, tail_5_8, unit};
use super::vocabulary::host_word;
use super::{Kind, Language, Region, Web};

/// A link before it has words.
#[derive(Copy, Clone, Debug)]
pub(super) struct Target {
    pub(super) host: u64,
    /// Ordinal on that host.
    pub(super) ordinal: u64,
    /// Page that the anchor speaks of: the target, or on a mirror what the target mirrors.
    pub(super) named: u64,
    /// Whether it is written without the host.
    pub(super) relative: bool,
    pub(super) region: Region,
}

/// Properties that all pages of a host share.
#[derive(Copy, Clone, Debug)]
pub(super) struct Site {
    pub(super) host: u64,
    pub(super) language: Language,
    pub(super) gbk: bool,
    /// 0: charset in header and meta, 1: in meta, 2: in the header, 3: nowhere.
    pub(super) declares: u64,
}

/// The content of a page, after mirrors and copies are resolved.
#[derive(Copy, Clone, Debug)]
pub(super) struct Content {
    /// Page whose body this is: the page itself, the mirrored one, or the one it copies whole.
    pub(super) body: u64,
    /// Page whose main text this is.
    pub(super) text: u64,
    pub(super) edits: u32,
    pub(super) kind: Kind,
    pub(super) mirror_of: Option<u64>,
}

/// First folders of paths.
pub(super) const SECTIONS: [&str; 12] = [
    "news", "articles", "archive", "blog", "docs", "topics", "reports", "notes", "guides", "reviews",
    "letters", "stories",
];

impl Web {
    /// The number of the first page of a host; `host` = number of hosts gives the number of pages.
    ///
    /// The first h hosts hold the share ((h+1)^¼ − 1) / ((H+1)^¼ − 1): host h holds about (h+1)^(−¾) times the first.
    pub(super) fn host_start(&self, host: u64) -> u64 {
        if host >= self.hosts {
            return self.config.pages;
        }
        let share = (root4(host as f64 + 1.0) - 1.0) / (root4(self.hosts as f64 + 1.0) - 1.0);
        (self.config.pages as f64 * share) as u64
    }

    pub(super) fn host_size(&self, host: u64) -> u64 {
        self.host_start(host + 1) - self.host_start(host)
    }

    /// The host of a page.
    pub fn host_of(&self, page: u64) -> u64 {
        let x = page as f64 / self.config.pages as f64 * (root4(self.hosts as f64 + 1.0) - 1.0) + 1.0;
        let mut host = (((x * x) * (x * x) - 1.0).max(0.0) as u64).min(self.hosts - 1);
        while self.host_start(host) > page {
            host -= 1;
        }
        while self.host_start(host + 1) <= page {
            host += 1;
        }
        host
    }

    /// The host of which `host` is a mirror; `None` if it is none.
    pub fn mirrored_host(&self, host: u64) -> Option<u64> {
        let is_mirror = |host| host > 0 && unit(self.hash(host, purpose::MIRROR)) < self.config.mirrors;
        if !is_mirror(host) {
            return None;
        }
        let back = below(self.hash(host, purpose::MIRROR).rotate_left(32), host.min(8)) + 1;
        (0..=host - back).rev().take(64).find(|&other| !is_mirror(other))
    }

    /// Language and encoding of a host; a mirror has its original's.
    pub(super) fn site(&self, host: u64) -> Site {
        let original = self.mirrored_host(host).unwrap_or(host);
        let mut draws = Draws::new(self.config.seed, original, purpose::HOST);
        let chinese = draws.unit() < self.config.chinese;
        let gbk = chinese && draws.unit() < self.config.gbk;
        let language = if chinese { Language::Chinese } else { Language::English };
        Site { host, language, gbk, declares: draws.below(8).min(3) }
    }

    #[inline]
    pub(super) fn hash(&self, item: u64, purpose: u64) -> u64 {
        hash(self.config.seed, item, purpose)
    }

    /// What a page would be, by its own draw alone.
    fn drawn_kind(&self, page: u64) -> DrawnPage {
        let host = self.host_of(page);
        if self.host_start(host) == page {
            return DrawnPage::Original; // every host has its home page
        }
        let c = &self.config;
        let mut at = unit(self.hash(page, purpose::KIND));
        for (share, drawn) in [
            (c.missing, DrawnPage::Missing),
            (c.redirects, DrawnPage::Redirect),
            (c.copies, DrawnPage::Copy),
            (c.near_copies, DrawnPage::NearCopy),
        ] {
            if at < share {
                return drawn;
            }
            at -= share;
        }
        DrawnPage::Original
    }

    /// A page whose content is its own, of the same language, to copy from: of this host or of another.
    fn source(&self, page: u64, host: u64, same_host: bool) -> Option<u64> {
        let language = self.site(host).language;
        let mut draws = Draws::new(self.config.seed, page, purpose::SOURCE);
        (0..16).find_map(|_| {
            let candidate = if same_host {
                self.host_start(host) + draws.below(self.host_size(host))
            } else {
                draws.below(self.config.pages)
            };
            let of = self.host_of(candidate);
            let fits = candidate != page
                && (of == host) == same_host
                && self.mirrored_host(of).is_none()
                && self.drawn_kind(candidate) == DrawnPage::Original
                && self.site(of).language == language;
            fits.then_some(candidate)
        })
    }

    /// Resolves mirrors and copies.
    pub(super) fn content(&self, page: u64) -> Content {
        let host = self.host_of(page);
        let ordinal = page - self.host_start(host);
        let mirrored = self.mirrored_host(host).filter(|&of| ordinal < self.host_size(of));
        let mirror_of = mirrored.map(|of| self.host_start(of) + ordinal);
        let (stands, host) = (host, mirrored.unwrap_or(host));
        let page = mirror_of.unwrap_or(page);
        let own = Content { body: page, text: page, edits: 0, kind: Kind::Original, mirror_of };
        let draw = self.hash(page, purpose::KIND).rotate_left(32);
        match self.drawn_kind(page) {
            DrawnPage::Original => own,
            DrawnPage::Missing => Content { kind: Kind::Missing, ..own },
            DrawnPage::Redirect => {
                // On a mirror the redirect stays on the mirror.
                let to = self.host_start(stands) + below(draw, ordinal);
                Content { kind: Kind::Redirect { to }, ..own }
            }
            DrawnPage::Copy => {
                let whole = draw & 1 == 0;
                let Some(of) = self.source(page, host, whole) else { return own };
                Content {
                    body: if whole { of } else { page },
                    text: of,
                    kind: Kind::Copy { of, whole },
                    ..own
                }
            }
            DrawnPage::NearCopy => {
                let Some(of) = self.source(page, host, false) else { return own };
                let wanted = self.config.edits[below(draw, self.config.edits.len() as u64) as usize];
                let edits = wanted.min(self.text_words(of) / 2);
                let kind =
                    if edits == 0 { Kind::Copy { of, whole: false } } else { Kind::NearCopy { of, edits } };
                Content { text: of, edits, kind, ..own }
            }
        }
    }

    /// Targets of the links of the page whose body this is, seen from `host`, in document order.
    pub(super) fn targets(&self, body: u64, host: u64, out: &mut Vec<Target>) {
        out.clear();
        if self.planted.is_some() {
            let mut draws = Draws::new(self.config.seed, body, purpose::LINKS | 1 << 8);
            return self.topic_targets(body, host, self.link_counts(body, draws.unit()), out);
        }
        let home = self.host_of(body);
        let size = self.host_size(home);
        // A mirror's links within the site are relative: they stay on the mirror.
        let start = self.host_start(home);
        let local =
            |ordinal, region| Target { host, ordinal, named: start + ordinal, relative: true, region };
        let menu = size.min(u64::from(self.config.navigation));
        out.extend((0..menu).map(|ordinal| local(ordinal, Region::Navigation)));
        let mut draws = Draws::new(self.config.seed, body, purpose::LINKS);
        let (count, in_text) = self.link_counts(body, draws.unit());
        for i in 0..count {
            let region = if i < in_text { Region::Text } else { Region::Related };
            if draws.next() & 1 == 0 {
                let near = draws.unit();
                out.push(local(((near * near) * size as f64) as u64, region));
            } else {
                out.push(self.remote(draws.unit(), region));
            }
        }
        let mut draws = Draws::new(self.config.seed, body, purpose::ADVERTISEMENT);
        for _ in 0..self.config.advertisements {
            out.push(self.remote(draws.unit(), Region::Advertisement));
        }
    }

    /// Number of links besides navigation, and how many of them are in the text.
    fn link_counts(&self, body: u64, u: f64) -> (u32, u32) {
        let count = tail_5_8(f64::from(self.config.links), u).min(f64::from(self.config.max_links)) as u32;
        let words = self.text_words(self.content(body).text);
        (count, (count / 3).min(words / 8))
    }

    /// A page of the whole Web by popularity.
    fn remote(&self, u: f64, region: Region) -> Target {
        let page = self.popular.place(popular_rank(u, self.config.pages));
        let host = self.host_of(page);
        Target { host, ordinal: page - self.host_start(host), named: page, relative: false, region }
    }

    /// The page of a target, if the host has as many pages.
    pub(super) fn resolve(&self, target: &Target) -> Option<u64> {
        (target.ordinal < self.host_size(target.host)).then(|| self.host_start(target.host) + target.ordinal)
    }

    /// DNS name of a host by its number.
    pub fn host_name(&self, host: u64) -> String {
        let mut name = String::new();
        self.push_host(host, &mut name);
        name
    }

    /// Appends the name of a host. Every fourth is a sub-domain of the one before it; mirrors say that they are.
    pub(super) fn push_host(&self, host: u64, out: &mut String) {
        let sub = host % 4 == 3;
        out.push_str(match (sub, self.mirrored_host(host).is_some()) {
            (false, false) => "www.",
            (false, true) => "mirror.",
            (true, false) => "news.",
            (true, true) => "news-mirror.",
        });
        let domain = host - u64::from(sub);
        out.push_str(host_word(self.hash(domain, purpose::HOST)));
        push_number(domain, out);
        out.push_str(".example");
    }

    /// Appends the path of the page with this ordinal on any host.
    pub(super) fn push_path(&self, ordinal: u64, out: &mut String) {
        out.push('/');
        if ordinal > 0 {
            out.push_str(SECTIONS[below(self.hash(ordinal, purpose::PATH), SECTIONS.len() as u64) as usize]);
            out.push('/');
            push_number(ordinal, out);
            out.push_str(".html");
        }
    }

    /// The URL of a page, in canonical form.
    pub fn url(&self, page: u64) -> String {
        let host = self.host_of(page);
        let mut url = String::with_capacity(48);
        self.push_url(host, page - self.host_start(host), &mut url);
        url
    }

    pub(super) fn push_url(&self, host: u64, ordinal: u64, out: &mut String) {
        out.push_str("http://");
        self.push_host(host, out);
        self.push_path(ordinal, out);
    }

    /// The page with this URL.
    pub fn find(&self, url: &str) -> Option<u64> {
        let (name, path) = url.strip_prefix("http://")?.split_once(".example/")?;
        let number = |text: &str| text.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().ok();
        let host = number(name)?.checked_add(u64::from(name.starts_with("news")))?;
        let ordinal = if path.is_empty() { 0 } else { number(path.strip_suffix(".html")?)? };
        if host >= self.hosts || ordinal >= self.host_size(host) {
            return None;
        }
        let page = self.host_start(host) + ordinal;
        (self.url(page) == url).then_some(page)
    }
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum DrawnPage {
    Original,
    Copy,
    NearCopy,
    Redirect,
    Missing,
}

/// Appends a number in decimal.
pub(super) fn push_number(number: u64, out: &mut String) {
    // A string takes everything.
    let _ = write!(out, "{number}");
}
