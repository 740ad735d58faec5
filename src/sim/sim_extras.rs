//! Pages that a simulated host may have besides those of the Web: loops, chains, refreshes, bases, marks.

use super::draw::{below, purpose, unit};
use super::sim::SimWeb;
use super::sim_config::Feature;
use super::{Language, Web};

/// One of the places for extras that each host has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot(pub(super) u8);

/// Places a host.
pub(super) const SLOTS: u64 = 64;

/// Redirects of the short and the long chain.
const SHORT: u8 = 3;
const LONG: u8 = 30;

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Anchor,
    Nofollow,
    Area,
    Frame,
    Refresh,
    /// Relative to `base href`.
    Base,
}

/// What a slot answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// A page with links.
    Page(&'static [(Slot, Way)]),
    Redirect(Slot),
    /// A redirect to the home page of another host.
    Moved,
    Gone(u16),
}

impl Slot {
    pub(super) const REFRESH: Slot = Slot(0);
    const REFRESHED: Slot = Slot(1);
    pub(super) const BASE: Slot = Slot(2);
    const BASED: Slot = Slot(3);
    pub(super) const LOOP: Slot = Slot(4);
    const LOOP_END: Slot = Slot(6);
    const SELF: Slot = Slot(7);
    const CHAIN: Slot = Slot(8);
    const CHAIN_END: Slot = Slot(8 + SHORT);
    const LONG: Slot = Slot(12);
    const LONG_END: Slot = Slot(12 + LONG);
    pub(super) const LISTED: Slot = Slot(43);
    pub(super) const LISTED_TOO: Slot = Slot(44);
    pub(super) const SMUGGLED: Slot = Slot(45);
    pub(super) const META_NOFOLLOW: Slot = Slot(46);
    const BEHIND_META: Slot = Slot(47);
    pub(super) const HEADER_NOFOLLOW: Slot = Slot(48);
    const BEHIND_HEADER: Slot = Slot(49);
    pub(super) const META_NOINDEX: Slot = Slot(50);
    pub(super) const HEADER_NOINDEX: Slot = Slot(51);
    pub(super) const OTHER_NOFOLLOW: Slot = Slot(52);
    const BEHIND_OTHER: Slot = Slot(53);
    const UNFOLLOWED: Slot = Slot(54);
    const MOVED: Slot = Slot(55);
    const EMBEDS: Slot = Slot(56);
    const BY_AREA: Slot = Slot(57);
    const BY_FRAME: Slot = Slot(58);
    const GONE: Slot = Slot(60);
    const MISSING: Slot = Slot(61);
    const FORBIDDEN: Slot = Slot(62);

    fn name(self) -> String {
        let fixed = match self {
            Slot::REFRESH => "refresh.html",
            Slot::REFRESHED => "refreshed.html",
            Slot::BASE => "base/index.html",
            Slot::BASED => "base/real/leaf.html",
            Slot::SELF => "self.html",
            Slot::CHAIN_END => "chain-end.html",
            Slot::LONG_END => "long-end.html",
            Slot::LISTED => "listed.html",
            Slot::LISTED_TOO => "listed-too.html",
            Slot::SMUGGLED => "smuggled.html",
            Slot::META_NOFOLLOW => "meta-nofollow.html",
            Slot::BEHIND_META => "behind-meta.html",
            Slot::HEADER_NOFOLLOW => "header-nofollow.html",
            Slot::BEHIND_HEADER => "behind-header.html",
            Slot::META_NOINDEX => "meta-noindex.html",
            Slot::HEADER_NOINDEX => "header-noindex.html",
            Slot::OTHER_NOFOLLOW => "other-nofollow.html",
            Slot::BEHIND_OTHER => "behind-other.html",
            Slot::UNFOLLOWED => "unfollowed.html",
            Slot::MOVED => "moved.html",
            Slot::EMBEDS => "embeds.html",
            Slot::BY_AREA => "by-area.html",
            Slot::BY_FRAME => "by-frame.html",
            Slot::GONE => "gone.html",
            Slot::MISSING => "missing.html",
            Slot::FORBIDDEN => "forbidden.html",
            Slot(at @ 4..=6) => return format!("loop-{}.html", at - 4),
            Slot(at @ 8..=10) => return format!("chain-{}.html", at - 8),
            Slot(at @ 12..=41) => return format!("long-{}.html", at - 12),
            Slot(at) => return format!("none-{at}.html"),
        };
        fixed.to_owned()
    }

    pub(super) fn path(self) -> String {
        format!("/extra/{}", self.name())
    }

    pub(super) fn deed(self) -> Option<Deed> {
        Some(match self {
            Slot::REFRESH => Deed::Page(&[(Slot::REFRESHED, Way::Refresh)]),
            Slot::BASE => Deed::Page(&[(Slot::BASED, Way::Base)]),
            Slot::META_NOFOLLOW => Deed::Page(&[(Slot::BEHIND_META, Way::Anchor)]),
            Slot::HEADER_NOFOLLOW => Deed::Page(&[(Slot::BEHIND_HEADER, Way::Anchor)]),
            Slot::OTHER_NOFOLLOW => Deed::Page(&[(Slot::BEHIND_OTHER, Way::Anchor)]),
            Slot::EMBEDS => Deed::Page(&[(Slot::BY_AREA, Way::Area), (Slot::BY_FRAME, Way::Frame)]),
            Slot::MOVED => Deed::Moved,
            Slot::GONE => Deed::Gone(410),
            Slot::MISSING => Deed::Gone(404),
            Slot::FORBIDDEN => Deed::Gone(403),
            Slot::SELF => Deed::Redirect(Slot::SELF),
            Slot::LOOP_END => Deed::Redirect(Slot::LOOP),
            Slot(at @ (4 | 5 | 8..=10 | 12..=41)) => Deed::Redirect(Slot(at + 1)),
            Slot(59 | 63..) => return None,
            _ => Deed::Page(&[]),
        })
    }

    /// Whether nothing but a redirect leads to it.
    pub(super) fn is_hop(self) -> bool {
        matches!(self.0, 5 | 6 | 9 | 10 | 13..=41)
    }

    /// Whether a page says that its links are not to be followed.
    pub(super) fn nofollow(self) -> bool {
        matches!(self, Slot::META_NOFOLLOW | Slot::HEADER_NOFOLLOW)
    }
}

/// What home pages link to, and how.
type Links = &'static [(Slot, Way)];

/// Features that are pages: first and last slot, and what home pages link to.
const FEATURES: [(Feature, u8, u8, Links); 9] = [
    (Feature::Refresh, 0, 1, &[(Slot::REFRESH, Way::Anchor)]),
    (Feature::Base, 2, 3, &[(Slot::BASE, Way::Anchor)]),
    (Feature::Loops, 4, 7, &[(Slot::LOOP, Way::Anchor), (Slot::SELF, Way::Anchor)]),
    (Feature::Chains, 8, 42, &[(Slot::CHAIN, Way::Anchor), (Slot::LONG, Way::Anchor)]),
    (
        Feature::Marks,
        46,
        53,
        &[
            (Slot::META_NOFOLLOW, Way::Anchor),
            (Slot::HEADER_NOFOLLOW, Way::Anchor),
            (Slot::META_NOINDEX, Way::Anchor),
            (Slot::HEADER_NOINDEX, Way::Anchor),
            (Slot::OTHER_NOFOLLOW, Way::Anchor),
        ],
    ),
    (Feature::Nofollow, 54, 54, &[(Slot::UNFOLLOWED, Way::Nofollow)]),
    (Feature::Moved, 55, 55, &[(Slot::MOVED, Way::Anchor)]),
    (Feature::Embeds, 56, 58, &[(Slot::EMBEDS, Way::Anchor)]),
    (
        Feature::Gone,
        60,
        62,
        &[(Slot::GONE, Way::Anchor), (Slot::MISSING, Way::Anchor), (Slot::FORBIDDEN, Way::Anchor)],
    ),
];

impl SimWeb {
    fn has_feature(&self, host: u64, feature: Feature) -> bool {
        unit(self.feature(host, feature as u64)) < self.config.features.all()[feature as usize]
    }

    /// The slot at a path, if the host has it.
    pub(super) fn slot_of(&self, host: u64, path: &str) -> Option<Slot> {
        let name = path.strip_prefix("/extra/")?;
        let slot = (0..SLOTS as u8).map(Slot).find(|slot| slot.deed().is_some() && slot.name() == name)?;
        self.has_slot(host, slot).then_some(slot)
    }

    /// Whether a host has a slot.
    pub(super) fn has_slot(&self, host: u64, slot: Slot) -> bool {
        match slot {
            Slot::LISTED | Slot::LISTED_TOO => self.has_sitemaps(host),
            Slot::SMUGGLED => self.config.robots.sitemaps > 0.0,
            Slot(at) => FEATURES
                .iter()
                .find(|(_, first, last, _)| (*first..=*last).contains(&at))
                .is_some_and(|(feature, ..)| slot.deed().is_some() && self.has_feature(host, *feature)),
        }
    }

    /// What the home page of a host links to besides the Web.
    pub(super) fn home_extras(&self, host: u64) -> Vec<(Slot, Way)> {
        let had = FEATURES.iter().filter(|(feature, ..)| self.has_feature(host, *feature));
        had.flat_map(|(.., links)| links.iter().copied()).collect()
    }

    /// The list of those links, with the entry of the trap; empty where there are none.
    pub(super) fn home_list(&self, host: u64) -> String {
        let mut html = String::new();
        for (slot, way) in self.home_extras(host) {
            let rel = if way == Way::Nofollow { " rel=\"nofollow\"" } else { "" };
            html.push_str(&format!("<li><a href=\"{}\"{rel}>{}</a></li>\n", slot.path(), slot.name()));
        }
        if let Some(trap) = self.trap(host) {
            let entry = trap.entry().replace('&', "&amp;");
            html.push_str(&format!("<li><a href=\"{entry}\">{}</a></li>\n", trap.name()));
        }
        if html.is_empty() { html } else { format!("<ul class=\"more\">\n{html}</ul>\n") }
    }

    /// Where the redirect to another host leads: the number of that host.
    pub(super) fn moved_to(&self, host: u64) -> u64 {
        let hash = self.feature(host, 30);
        let drawn = |n: u32| below(hash.rotate_left(n * 8), self.web.hosts());
        (0..8).map(drawn).find(|&other| other != host && self.web.host_size(other) > 0).unwrap_or(0)
    }

    /// The page in a slot.
    pub(super) fn extra_html(&self, host: u64, slot: Slot, links: &[(Slot, Way)]) -> String {
        let web: &Web = &self.web;
        let mut html = String::from("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
        let mut body = String::new();
        for (target, way) in links {
            let path = target.path();
            match way {
                Way::Refresh => {
                    html.push_str(&format!("<meta http-equiv=\"refresh\" content=\"0; url={path}\">"));
                }
                Way::Base => {
                    html.push_str("<base href=\"/extra/base/real/\">");
                    body.push_str("<p><a href=\"leaf.html\">leaf</a></p>\n");
                }
                Way::Area => body.push_str(&format!(
                    "<map name=\"m\"><area shape=\"rect\" coords=\"0,0,9,9\" href=\"{path}\" alt=\"area\"></map>\n"
                )),
                Way::Frame => body.push_str(&format!("<iframe src=\"{path}\"></iframe>\n")),
                Way::Nofollow => {
                    body.push_str(&format!("<p><a href=\"{path}\" rel=\"nofollow\">no</a></p>\n"));
                }
                Way::Anchor => body.push_str(&format!("<p><a href=\"{path}\">further</a></p>\n")),
            }
        }
        match slot {
            Slot::META_NOFOLLOW => html.push_str("<meta name=\"robots\" content=\"nofollow\">"),
            Slot::META_NOINDEX => html.push_str("<meta name=\"robots\" content=\"NOINDEX\">"),
            _ => {}
        }
        let text = web.hash(self.featured(host) << 8 | u64::from(slot.0), purpose::EXTRA);
        html.push_str("<title>");
        web.push_title(text, Language::English, &mut html);
        html.push_str("</title></head>\n<body>\n");
        for paragraph in 0..3 {
            html.push_str("<p>");
            for sentence in 0..4 {
                web.push_title(text ^ (paragraph * 4 + sentence + 1), Language::English, &mut html);
                html.push_str(". ");
            }
            html.push_str("</p>\n");
        }
        html.push_str(&body);
        html.push_str("</body></html>\n");
        html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_have_names_of_their_own_and_lead_to_slots() {
        let mut names = std::collections::HashSet::new();
        for slot in (0..SLOTS as u8).map(Slot) {
            assert!(names.insert(slot.path()));
            match slot.deed() {
                Some(Deed::Redirect(to)) => assert!(to.deed().is_some()),
                Some(Deed::Page(links)) => assert!(links.iter().all(|(to, _)| to.deed().is_some())),
                _ => {}
            }
        }
        let mut at = Slot::LONG;
        for _ in 0..LONG {
            let Some(Deed::Redirect(to)) = at.deed() else { panic!("{at:?} is no redirect") };
            at = to;
        }
        assert_eq!((at, at.deed()), (Slot::LONG_END, Some(Deed::Page(&[]))));
    }
}
