//! Links of a page that was fetched: their scores, and what waits when a score changes.

use std::collections::HashMap;

use super::actions::{Action, FoundLink};
use super::kernel::{Focus, LINK, PAGE, SITE_OF, id};
use super::learned::LinkWorth;
use super::reserve::reserve_key;
use super::scorer::LinkWords;
use super::state::{
    HUB, LEARNED, Learned, LinkState, PRIOR, PageState, Parts, Place, SiteState, Url, key, load, save, score,
};
use super::store::Store;
use webmill_capture::error::Result;

/// Links of a page that are scored; the others are queued last.
const MAX_LINKS: usize = 2000;
/// Pages that are remembered as linking to a URL.
const MAX_REFERRERS: usize = 8;
/// Waiting links of a page that are scored again, how often, and by how much its value must have moved.
const MAX_WAITING: usize = 100;
const MAX_RESCORED: u8 = 10;
const MOVED: f32 = 0.1;

/// Another page that a page links to: the first of the links, the largest words of all, what is known of it.
type Target = (usize, LinkWords, Option<LinkState>);

/// The pages that the links of `own` lead to, by their URLs.
fn targets_of(own: Url, links: &[FoundLink<'_>], store: &dyn Store) -> Result<Vec<Target>> {
    let mut order: Vec<usize> = (0..links.len().min(MAX_LINKS)).collect();
    order.sort_by(|a, b| links[*a].url.as_str().cmp(links[*b].url.as_str()).then(a.cmp(b)));
    let mut targets: Vec<Target> = Vec::new();
    for number in order {
        let link = &links[number];
        match targets.last_mut() {
            Some((last, words, _)) if links[*last].url == link.url => *words = words.larger(link.words),
            _ if id(link.url) == own => {}
            _ => targets.push((number, link.words, load(store, &key(LINK, &id(link.url)))?)),
        }
    }
    Ok(targets)
}

/// A link of a page, what it speaks for weighed.
struct WeighedLink<'a> {
    /// Which of the page's links.
    number: usize,
    target: Url,
    found: &'a FoundLink<'a>,
    told: LinkWorth,
    parts: Parts,
}

impl Focus {
    /// A target of `hub` was fetched.
    pub(super) fn tell_hub(
        &mut self,
        hub: Url,
        (relevant, chance): (bool, f32),
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        let at = key(PAGE, &hub);
        let Some(mut state) = load::<PageState>(store, &at)? else { return Ok(()) };
        state.targets.0 = state.targets.0.saturating_add(1);
        state.targets.1 = state.targets.1.saturating_add(u32::from(relevant));
        state.expected += chance;
        let (now, lift) = (state.hub_now(), state.lift_now());
        let moved =
            (now - state.hub).abs() >= MOVED || (self.is_learned && (lift - state.lift).abs() >= MOVED);
        if moved && state.rescored < MAX_RESCORED {
            state.hub = now;
            state.lift = lift;
            state.rescored += 1;
            let mut waiting = Vec::with_capacity(state.waiting.len());
            for target in std::mem::take(&mut state.waiting) {
                let Some(mut link) = load::<LinkState>(store, &key(LINK, &target))? else { continue };
                if matches!(link.place, Place::Done { .. }) {
                    continue;
                }
                waiting.push(target);
                if link.by == hub {
                    link.parts[HUB] = now;
                    link.learned.lift = lift;
                    link.parts[LEARNED] = link.learned.part();
                    self.meta.counts.rescored += 1;
                    self.set_score(&mut link, store, actions)?;
                    save(store, &key(LINK, &target), &link)?;
                }
            }
            state.waiting = waiting;
        }
        save(store, &at, &state)
    }

    /// Gives a waiting link the score of its parts.
    fn set_score(
        &mut self,
        link: &mut LinkState,
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        let new = score(&self.weights, &link.parts);
        let old = std::mem::replace(&mut link.score, new);
        if new.to_bits() == old.to_bits() {
            return Ok(());
        }
        match link.place {
            Place::Queued => actions.push(Action::Score { url: link.url.clone(), score: new }),
            Place::Reserved(number) => {
                let kept = store.get(&reserve_key(old, number))?;
                store.remove(&reserve_key(old, number));
                store.put(&reserve_key(new, number), kept.unwrap_or_default());
            }
            Place::Done { .. } => {}
        }
        Ok(())
    }

    pub(super) fn links(
        &mut self,
        (page, own): (&mut PageState, Url),
        links: &[FoundLink<'_>],
        payload: &mut dyn FnMut(usize) -> Vec<u8>,
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        let targets = targets_of(own, links, store)?;
        for (number, _, state) in &targets {
            if let Some(LinkState { place: Place::Done { relevant }, referrers, .. }) = state
                && !referrers.contains(&own)
            {
                page.targets.0 = page.targets.0.saturating_add(1);
                page.targets.1 = page.targets.1.saturating_add(u32::from(*relevant));
                page.expected += links[*number].words.told.chance;
            }
        }
        page.hub = page.hub_now();
        page.lift = page.lift_now();
        let mut sites: HashMap<&str, f32> = HashMap::new();
        for (number, words, state) in targets {
            let link = &links[number];
            let host = link.url.host();
            let site = match sites.get(host) {
                Some(site) => *site,
                None => {
                    let of_site: Option<SiteState> = load(store, &key(SITE_OF, host.as_bytes()))?;
                    let site = of_site.unwrap_or_default().value();
                    sites.insert(host, site);
                    site
                }
            };
            let parts: Parts = [
                words.anchor,
                words.context,
                words.url,
                page.inherited,
                page.hub,
                site,
                words.guide,
                0.0,
                0.0,
            ];
            let link = WeighedLink { number, target: id(link.url), found: link, told: words.told, parts };
            let is_done = matches!(state, Some(LinkState { place: Place::Done { .. }, .. }));
            if !is_done && page.waiting.len() < MAX_WAITING {
                page.waiting.push(link.target);
            }
            match state {
                None => self.new_link((page, own), link, payload, store, actions)?,
                Some(state) => self.known_link((page, own), link, state, store, actions)?,
            }
        }
        for number in MAX_LINKS..links.len() {
            self.meta.counts.unscored += 1;
            actions.push(Action::Queue { link: number, score: 0.0 });
        }
        Ok(())
    }

    /// Scores a link that no page had, and queues it or keeps it in the reserve.
    fn new_link(
        &mut self,
        (page, own): (&PageState, Url),
        link: WeighedLink<'_>,
        payload: &mut dyn FnMut(usize) -> Vec<u8>,
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        let WeighedLink { number, target, found, told, mut parts } = link;
        let mut learned = Learned { value: told.value, lift: page.lift, missed: 0.0, chance: 0.0 };
        learned.add(told.value, told.chance);
        parts[LEARNED] = learned.part();
        parts[PRIOR] = self.meta.prior.add(found.priority);
        let score = score(&self.weights, &parts);
        let place = if page.tunnel > self.tunnel {
            let number_kept = self.meta.sequence;
            self.meta.sequence += 1;
            let kept = (target, payload(number));
            save(store, &reserve_key(score, number_kept), &kept)?;
            self.meta.counts.reserved += 1;
            Place::Reserved(number_kept)
        } else {
            actions.push(Action::Queue { link: number, score });
            Place::Queued
        };
        let link = LinkState {
            place,
            score,
            parts,
            tunnel: page.tunnel,
            count: 1,
            priority: found.priority,
            by: own,
            referrers: vec![own],
            url: found.url.as_str().to_owned(),
            learned,
        };
        save(store, &key(LINK, &target), &link)
    }

    /// Counts a link that other pages had too; the page that gives it the best score is the one it is judged by.
    fn known_link(
        &mut self,
        (page, own): (&PageState, Url),
        link: WeighedLink<'_>,
        mut state: LinkState,
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        let WeighedLink { number, target, told, mut parts, .. } = link;
        if !state.referrers.contains(&own) {
            state.count = state.count.saturating_add(1);
            state.learned.add(told.value, told.chance);
            if state.referrers.len() < MAX_REFERRERS {
                state.referrers.push(own);
            }
        }
        if !matches!(state.place, Place::Done { .. }) {
            let popular = state.priority + self.popularity * f64::from(state.count.saturating_sub(1));
            parts[PRIOR] = self.meta.prior.of(popular).max(state.parts[PRIOR]);
            state.parts[PRIOR] = parts[PRIOR];
            let learned = Learned { value: told.value, lift: page.lift, ..state.learned };
            parts[LEARNED] = learned.part();
            state.parts[LEARNED] = state.learned.part();
            let shorter = page.tunnel < state.tunnel;
            state.tunnel = state.tunnel.min(page.tunnel);
            if score(&self.weights, &parts) > score(&self.weights, &state.parts) && state.by != Url::default()
            {
                state.parts = parts;
                state.learned = learned;
                state.by = own;
            }
            if state.by != Url::default() {
                self.set_score(&mut state, store, actions)?;
            }
            if let Place::Reserved(number_kept) = state.place
                && shorter
                && state.tunnel <= self.tunnel
            {
                store.remove(&reserve_key(state.score, number_kept));
                self.meta.counts.reserved = self.meta.counts.reserved.saturating_sub(1);
                state.place = Place::Queued;
                actions.push(Action::Queue { link: number, score: state.score });
            }
        }
        save(store, &key(LINK, &target), &state)
    }
}
