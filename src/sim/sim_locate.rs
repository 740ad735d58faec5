//! What a URL of a simulated Web names.

use super::sim::SimWeb;
use super::sim_extras::Slot;

/// What a URL names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A page of the Web, by number.
    Page(u64),
    /// A page that a host has besides those.
    Extra(u64, Slot),
    /// Somewhere in the trap of a host.
    Trap(u64),
    /// robots.txt of a host, or the n-th redirect from it.
    Robots(u64, u32),
    /// The sitemap index (0) or a sitemap of a host.
    Sitemap(u64, u8),
    /// Nothing on a host that exists.
    Nothing(u64),
    /// No such host.
    Nowhere,
}

impl SimWeb {
    /// Host name and path with query of an absolute URL; the fragment is off.
    pub(super) fn split(url: &str) -> Option<(&str, &str)> {
        let rest = url.strip_prefix("http://")?;
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(at);
        Some((host.strip_suffix(":80").unwrap_or(host), if path.is_empty() { "/" } else { path }))
    }

    /// What a URL names, and whether it names it by a session id.
    pub(super) fn locate(&self, url: &str) -> (Place, bool) {
        let Some((name, path)) = Self::split(url) else { return (Place::Nowhere, false) };
        match self.host_number(name) {
            Some(host) => self.locate_on(host, path),
            None => (Place::Nowhere, false),
        }
    }

    /// What a path with query names on a host.
    pub(super) fn locate_on(&self, host: u64, path: &str) -> (Place, bool) {
        if path == "/" {
            return (Place::Page(self.web.host_start(host)), false);
        }
        if path == "/robots.txt" {
            return (Place::Robots(host, 0), false);
        }
        if let Some(place) = self.plain_page(host, path) {
            return (place, false);
        }
        if let Some(bare) = self.without_session(host, path) {
            let place = self.locate_on(host, &bare).0;
            return (place, !matches!(place, Place::Nothing(_)));
        }
        if let Some(hop) = path.strip_prefix("/robots/").and_then(|rest| rest.strip_suffix(".txt")) {
            return match hop.parse() {
                Ok(hop) if hop > 0 && hop <= self.robots_hops(host) => (Place::Robots(host, hop), false),
                _ => (Place::Nothing(host), false),
            };
        }
        if let Some(part) = self.sitemap_part(host, path) {
            return (Place::Sitemap(host, part), false);
        }
        if self.has_extras {
            if let Some(slot) = self.slot_of(host, path) {
                return (Place::Extra(host, slot), false);
            }
            if self.trap(host).is_some_and(|trap| trap.has(path)) {
                return (Place::Trap(host), false);
            }
        }
        (Place::Nothing(host), false)
    }

    fn plain_page(&self, host: u64, path: &str) -> Option<Place> {
        let stem = path.strip_suffix(".html")?;
        let ordinal = stem.rsplit('/').next()?.parse::<u64>().ok()?;
        if ordinal == 0 || ordinal >= self.web.host_size(host) {
            return None;
        }
        let mut spelt = String::with_capacity(32);
        self.web.push_path(ordinal, &mut spelt);
        (spelt == path).then(|| Place::Page(self.web.host_start(host) + ordinal))
    }

    pub(super) fn place_host(&self, place: Place) -> Option<u64> {
        match place {
            Place::Page(page) => Some(self.web.host_of(page)),
            Place::Extra(host, _)
            | Place::Trap(host)
            | Place::Robots(host, _)
            | Place::Sitemap(host, _)
            | Place::Nothing(host) => Some(host),
            Place::Nowhere => None,
        }
    }
}
