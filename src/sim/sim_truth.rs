//! Computes what a crawler that obeys all rules must find on a simulated Web.
//!
//! Tests of the crawl and `examples/simweb.rs` compare crawls with it.
//!
//! **What.** `SimWeb::truth` follows, from the seeds, every link that may be followed, every redirect within the limit,
//! every refresh, base and sitemap, and says of each URL what must become of it ([`Coverage::expect`]).
//!
//! **Definition.** *Known* is what a seed, a followed link, a redirect or a sitemap names. A known URL is expanded if its
//! host answers, its robots.txt allows it and it answers 200; pages marked `nofollow` are not. Everything else is never to
//! be asked for. The order of fetching does not matter: redirects of the Web are one hop, chains and loops have one
//! entrance. URLs with session ids are the URLs without. Traps are no URLs here: see [`Coverage::trap_hosts`].
//!
//! **Algorithm.** Breadth-first by levels over one byte a URL, which is its depth; each level is found by a scan.
//!
//! **Cost.** Time: one page's links (about 2 µs) a known page, and a scan of the bytes a level. Memory: one byte a page, 64 a
//! host where hosts have extras, whatever the number of links.
//!
//! **Determinism.** A function of the configuration.

use std::collections::HashSet;

use super::sim::SimWeb;
use super::sim_config::Trouble;
use super::sim_extras::{Deed, SLOTS, Slot, Way};
use super::sim_locate::Place;
use super::sim_robots::HostRules;
use super::{Kind, Region, Trap};

/// Redirects that the crawler follows one after the other.
const MAX_REDIRECTS: u32 = 10;

webmill_capture::words! {
    /// What must become of a URL.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Expect {
        /// Stored once, whole.
        Store = "store",
        /// Stored once; that its body ends where it should cannot be said: endless, of wrong length, a bomb.
        StoreCut = "store-cut",
        /// Asked for; a redirect.
        Redirect = "redirect",
        /// Asked for; 4xx.
        Gone = "gone",
        /// Asked for; never answers well.
        Failed = "failed",
        /// Its host gives no page.
        Dead = "dead",
        /// Known, but robots.txt denies it: never asked for.
        Denied = "denied",
        /// Nothing that may be followed leads to it: never asked for.
        Unknown = "unknown",
        /// Another name of a page, by a session id: never stored.
        Duplicate = "duplicate",
        /// In a trap: some may be stored.
        Trap = "trap",
        /// robots.txt or a sitemap.
        Service = "service",
    }
}

impl Expect {
    /// Whether it must be stored.
    pub fn is_stored(self) -> bool {
        matches!(self, Expect::Store | Expect::StoreCut)
    }

    /// Whether it may be asked for.
    pub fn may_be_asked(self) -> bool {
        !matches!(self, Expect::Denied | Expect::Unknown | Expect::Dead)
    }
}

/// A URL and what must become of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The URL, canonical.
    pub url: String,
    /// Number of its host.
    pub host: u64,
    /// What must become of it.
    pub expect: Expect,
    /// Fewest links from a seed; redirects count nothing, sitemaps as links of the home page. `None` where it is unknown.
    pub depth: Option<u8>,
}

/// Depth of a URL that is not known, and greatest depth.
const UNKNOWN: u8 = 255;
const DEEPEST: u8 = 254;

/// What an obedient crawler must find; see the [module](super).
#[derive(Debug, Clone)]
pub struct Coverage<'a> {
    sim: &'a SimWeb,
    depths: Vec<u8>,
    /// Hosts whose sitemaps are read.
    listed: HashSet<u64>,
}

impl SimWeb {
    /// The truth for a crawler that is called webmill, follows ten redirects and no links with `rel=nofollow`, and reads sitemaps.
    ///
    /// # Examples
    /// ```
    /// use webmill_sim::{Expect, SimConfig, SimWeb};
    /// let sim = SimWeb::new(SimConfig::plain(1000, 20, 7))?;
    /// let truth = sim.truth();
    /// let seed = sim.seeds().next().expect("a seed");
    /// assert_eq!(truth.expect(&seed), Expect::Store);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn truth(&self) -> Coverage<'_> {
        let extras = if self.has_extras { self.web.hosts() * SLOTS } else { 0 };
        let depths = vec![UNKNOWN; (self.web.len() + extras) as usize];
        let mut coverage = Coverage { sim: self, depths, listed: HashSet::new() };
        coverage.explore();
        coverage
    }

    fn node_place(&self, node: u64) -> Place {
        match node.checked_sub(self.web.len()) {
            None => Place::Page(node),
            Some(at) => Place::Extra(at / SLOTS, Slot((at % SLOTS) as u8)),
        }
    }

    fn slot_node(&self, host: u64, slot: Slot) -> u64 {
        self.web.len() + host * SLOTS + u64::from(slot.0)
    }

    fn node_url(&self, node: u64) -> String {
        match self.node_place(node) {
            Place::Extra(host, slot) => format!("http://{}{}", self.web.host_name(host), slot.path()),
            _ => self.web.url(node),
        }
    }
}

impl Coverage<'_> {
    fn explore(&mut self) {
        let sim = self.sim;
        for host in (0..sim.web.hosts()).filter(|&host| sim.web.host_size(host) > 0) {
            self.depths[sim.web.host_start(host) as usize] = 0;
        }
        let mut rules = RulesCache::default();
        let mut links = Vec::new();
        for depth in 0..=DEEPEST {
            let mut from = 0;
            let mut found = false;
            while let Some(at) = self.depths.get(from..).and_then(|rest| memchr::memchr(depth, rest)) {
                let node = (from + at) as u64;
                from += at + 1;
                found = true;
                self.expand(node, depth, &mut rules, &mut links);
            }
            if !found {
                break;
            }
        }
    }

    /// Marks what a known URL leads to.
    fn expand(&mut self, node: u64, depth: u8, rules: &mut RulesCache, links: &mut Vec<u64>) {
        let sim = self.sim;
        if sim.has_extras {
            self.mark_sitemaps(node, depth, rules);
        }
        if !self.judge(node, rules).is_stored() {
            // What is only a hop was followed from the entrance.
            if !matches!(sim.node_place(node), Place::Extra(_, slot) if slot.is_hop()) {
                self.follow_redirects(node, depth, rules);
            }
            return;
        }
        self.page_links(node, links);
        let closed = matches!(sim.node_place(node), Place::Extra(_, slot) if slot.nofollow());
        if !closed {
            for target in links.drain(..) {
                self.mark(target, depth.saturating_add(1).min(DEEPEST));
            }
        }
    }

    /// Follows a redirect that was linked to, and those after it.
    fn follow_redirects(&mut self, node: u64, depth: u8, rules: &mut RulesCache) {
        let mut at = node;
        for _ in 0..MAX_REDIRECTS {
            if self.judge(at, rules) != Expect::Redirect {
                return;
            }
            let Some(to) = self.sim.redirect_target(at) else { return };
            if !self.mark(to, depth) {
                return;
            }
            if self.judge(to, rules).is_stored() {
                // A scan that is past it would miss it.
                let mut links = Vec::new();
                self.expand(to, depth, rules, &mut links);
                return;
            }
            at = to;
        }
    }

    /// Marks what the sitemaps of a host name, when the first URL of it is known: then its robots.txt is read.
    fn mark_sitemaps(&mut self, node: u64, depth: u8, rules: &mut RulesCache) {
        let sim = self.sim;
        let host = sim.node_host(node);
        if !sim.has_sitemaps(host) || !sim.health(host).is_alive() || !self.listed.insert(host) {
            return;
        }
        let rules = rules.of(sim, host);
        let (first, second) = (rules.allows("/sitemap-1.xml"), rules.allows("/sitemap-2.xml.gz"));
        if !rules.allows("/sitemap.xml") {
            return;
        }
        let depth = depth.saturating_add(1).min(DEEPEST);
        if first {
            self.mark(sim.slot_node(host, Slot::LISTED), depth);
            for page in sim.sitemap_pages(host) {
                self.mark(page, depth);
            }
        }
        if second {
            self.mark(sim.slot_node(host, Slot::LISTED_TOO), depth);
        }
    }

    /// Marks a URL as known; false where it was, at no greater depth.
    fn mark(&mut self, node: u64, depth: u8) -> bool {
        let known = &mut self.depths[node as usize];
        let better = *known > depth;
        *known = depth.min(*known);
        better
    }

    /// What must become of a URL if it is known.
    fn judge(&self, node: u64, rules: &mut RulesCache) -> Expect {
        let sim = self.sim;
        let host = sim.node_host(node);
        if !sim.health(host).is_alive() {
            return Expect::Dead;
        }
        let rules = rules.of(sim, host);
        if !rules.is_open() && !rules.allows(&sim.node_path(node)) {
            return Expect::Denied;
        }
        match sim.node_place(node) {
            Place::Extra(_, slot) => match slot.deed() {
                Some(Deed::Page(_)) => Expect::Store,
                Some(Deed::Redirect(_) | Deed::Moved) => Expect::Redirect,
                Some(Deed::Gone(_)) | None => Expect::Gone,
            },
            _ => self.judge_page(node),
        }
    }

    fn judge_page(&self, page: u64) -> Expect {
        match self.sim.web.content(page).kind {
            Kind::Redirect { .. } => return Expect::Redirect,
            Kind::Missing => return Expect::Gone,
            _ => {}
        }
        match self.sim.trouble(page) {
            Some(Trouble::Failing | Trouble::Dropped | Trouble::HalfHead | Trouble::Garbage) => {
                Expect::Failed
            }
            Some(Trouble::Refused) => Expect::Gone,
            Some(trouble) if trouble.cuts() => Expect::StoreCut,
            _ => Expect::Store,
        }
    }

    /// Where the links lead that may be followed from a page that answers 200.
    fn page_links(&self, node: u64, links: &mut Vec<u64>) {
        links.clear();
        let sim = self.sim;
        let host = sim.node_host(node);
        let slots = |all: Vec<(Slot, Way)>| {
            let followed = all.into_iter().filter(|(_, way)| *way != Way::Nofollow);
            followed.map(|(slot, _)| sim.slot_node(host, slot)).collect::<Vec<u64>>()
        };
        if let Place::Extra(_, slot) = sim.node_place(node) {
            if let Some(Deed::Page(targets)) = slot.deed() {
                links.extend(slots(targets.to_vec()));
            }
            return;
        }
        let body = sim.web.content(node).body;
        let mut targets = Vec::new();
        sim.web.targets(body, host, &mut targets);
        targets.retain(|target| target.region != Region::Advertisement);
        links.extend(targets.iter().filter_map(|target| sim.web.resolve(target)));
        if sim.has_extras && sim.is_home(body) {
            links.extend(slots(sim.home_extras(host)));
        }
    }

    /// What must become of a URL, whatever it is: canonical, or with a session id.
    pub fn expect(&self, url: &str) -> Expect {
        let sim = self.sim;
        let (place, session) = sim.locate(url);
        let Some(host) = sim.place_host(place) else { return Expect::Dead };
        if session {
            return Expect::Duplicate;
        }
        let node = match place {
            Place::Page(page) => page,
            Place::Extra(host, slot) => sim.slot_node(host, slot),
            Place::Robots(..) => return Expect::Service,
            _ if !sim.health(host).is_alive() => return Expect::Dead,
            _ => {
                let path = SimWeb::split(url).map_or("/", |(_, path)| path);
                return match place {
                    _ if !sim.rules(host).allows(path) => Expect::Denied,
                    Place::Trap(_) => Expect::Trap,
                    Place::Sitemap(..) => Expect::Service,
                    _ => Expect::Gone,
                };
            }
        };
        if self.depths[node as usize] == UNKNOWN {
            return Expect::Unknown;
        }
        self.judge(node, &mut RulesCache::default())
    }

    /// All URLs that exist, traps aside, by number of page, then extras by host.
    pub fn pages(&self) -> impl Iterator<Item = Expected> + '_ {
        let mut rules = RulesCache::default();
        (0..self.depths.len() as u64).filter_map(move |node| {
            let sim = self.sim;
            let host = sim.node_host(node);
            if let Place::Extra(host, slot) = sim.node_place(node)
                && (!sim.has_slot(host, slot) || sim.web.host_size(host) == 0)
            {
                return None;
            }
            let depth = Some(self.depths[node as usize]).filter(|&depth| depth != UNKNOWN);
            let expect = if depth.is_some() { self.judge(node, &mut rules) } else { Expect::Unknown };
            Some(Expected { url: sim.node_url(node), host, expect, depth })
        })
    }

    /// The hosts that a crawler may wander into a trap on: alive, the home page and the entry allowed; name and trap. A
    /// crawler that has limits stores a bounded number of its pages; how many is for its limits to say. It may also cut
    /// such a host off for its copies, and miss other pages of it then.
    pub fn trap_hosts(&self) -> impl Iterator<Item = (String, Trap)> + '_ {
        let sim = self.sim;
        (0..sim.web.hosts()).filter(|&host| sim.web.host_size(host) > 0).filter_map(move |host| {
            let trap = sim.trap(host)?;
            let home = sim.web.host_start(host);
            let rules = sim.rules(host);
            let entered = self.depths[home as usize] != UNKNOWN
                && sim.health(host).is_alive()
                && rules.allows("/")
                && rules.allows(trap.entry());
            entered.then(|| (sim.web.host_name(host), trap))
        })
    }

    /// `Crawl-delay` that the host with this name asks for, in seconds.
    pub fn crawl_delay_s(&self, name: &str) -> Option<f64> {
        let host = self.sim.host_number(name)?;
        self.sim.rules(host).delay_s()
    }
}

impl SimWeb {
    fn node_host(&self, node: u64) -> u64 {
        match self.node_place(node) {
            Place::Extra(host, _) => host,
            _ => self.web.host_of(node),
        }
    }

    fn node_path(&self, node: u64) -> String {
        match self.node_place(node) {
            Place::Extra(_, slot) => slot.path(),
            _ => {
                let mut path = String::with_capacity(32);
                self.web.push_path(node - self.web.host_start(self.web.host_of(node)), &mut path);
                path
            }
        }
    }

    /// Where a redirect leads.
    fn redirect_target(&self, node: u64) -> Option<u64> {
        match self.node_place(node) {
            Place::Extra(host, slot) => match slot.deed()? {
                Deed::Redirect(to) => Some(self.slot_node(host, to)),
                Deed::Moved => Some(self.web.host_start(self.moved_to(host))),
                _ => None,
            },
            _ => match self.web.content(node).kind {
                Kind::Redirect { to } => Some(self.last_target(to)),
                _ => None,
            },
        }
    }
}

/// The rules of the host asked for last.
#[derive(Default)]
struct RulesCache(Option<(u64, HostRules)>);

impl RulesCache {
    fn of(&mut self, sim: &SimWeb, host: u64) -> &HostRules {
        if self.0.as_ref().is_some_and(|(of, _)| *of != host) {
            self.0 = None;
        }
        &self.0.get_or_insert_with(|| (host, sim.rules(host))).1
    }
}
