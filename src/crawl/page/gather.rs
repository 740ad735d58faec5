//! What a response names, each URL once, bounded.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Candidate, PageReader, Reading, weight_of_led};
use crate::Purpose;
use crate::focus::{LinkSource, LinkText, LinkWords, Scorer};
use crate::requisites::MAX_PER_PAGE;
use crate::scope::Standing;
use crate::steering::{FoundAddress, NO_RULE, RuleResults};
use webmill_capture::{CanonicalUrl, UrlKey};
use webmill_html::links::Link;
use webmill_html::{Dom, metadata};
use webmill_text::{TextLimits, main_text};

/// Reason of links that only scripts name.
pub const IN_SCRIPT: &str = "in-script";

/// A reading while it grows.
pub(super) struct Gather<'r> {
    pub reader: &'r PageReader,
    /// Of the response.
    pub url: &'r CanonicalUrl,
    /// Of the response.
    pub at: Standing,
    pub reading: &'r mut Reading,
    seen: HashMap<UrlKey, Purpose>,
    /// What rules lead to, by its address as the page has it, and whether a link of the page allows or forbids following.
    expected: HashMap<UrlKey, Option<bool>>,
    bytes: usize,
    requisites: u32,
    scorer: Option<Arc<Scorer>>,
    /// What the page says of all its links.
    source: LinkSource,
    /// What the texts of the link say that is being taken.
    words: LinkWords,
    /// Where pages stand among those found, by the address as it is asked for and as it was named, in focused crawls.
    places: HashMap<UrlKey, usize>,
}

impl<'r> Gather<'r> {
    pub fn new(
        reader: &'r PageReader,
        url: &'r CanonicalUrl,
        at: Standing,
        reading: &'r mut Reading,
    ) -> Self {
        let (seen, expected) = (HashMap::new(), HashMap::new());
        let (scorer, words, places) = (reader.scorer(), LinkWords::default(), HashMap::new());
        let source = scorer.as_ref().map(|scorer| scorer.source(url, "")).unwrap_or_default();
        let (bytes, requisites) = (0, 0);
        Gather { reader, url, at, reading, seen, expected, bytes, requisites, scorer, source, words, places }
    }

    /// Whether texts of links are wanted.
    pub fn is_focused(&self) -> bool {
        self.scorer.is_some()
    }

    /// What a page's own text says.
    pub fn read_text(&mut self, dom: &Dom<'_>) {
        let Some(scorer) = &self.scorer else { return };
        let about = metadata(dom, self.url, &[]);
        let limits = TextLimits { markdown: false, details: false, ..TextLimits::default() };
        let main = main_text(dom, &about, &limits);
        let title = main.about.title.unwrap_or_default();
        self.reading.words = Some(scorer.page(self.url.as_str(), &title, &main.text));
        self.source = scorer.source(self.url, &title);
    }

    /// A link of markup, with its texts.
    pub fn link_of_markup(&mut self, link: Link) {
        if let Some(scorer) = &self.scorer {
            let Link { anchor, before, after, heading, .. } = &link;
            let text = LinkText { anchor, before, after, heading };
            self.words = scorer.link(&self.source, &text, &link.target);
        }
        self.link(link.target, None);
        self.words = LinkWords::default();
    }

    /// A page that was found is linked again: the better of each text counts.
    fn again(&mut self, key: UrlKey) {
        if let Some(place) = self.places.get(&key)
            && let Some(candidate) = self.reading.found.get_mut(*place)
        {
            let words = candidate.words.as_deref().copied().unwrap_or_default().larger(self.words);
            candidate.words = (words != LinkWords::default()).then(|| Box::new(words));
        }
    }

    /// What rules lead to, before the links are read.
    pub fn expect(&mut self, looked: &Option<RuleResults>) {
        let led = looked.iter().flat_map(|looked| &looked.led);
        self.expected.extend(led.map(|led| (led.url.key(), None)));
    }

    /// A link of the page, which is followed unless rules steer: those lead elsewhere, or there by themselves.
    pub fn link(&mut self, target: CanonicalUrl, last_modified: Option<i64>) {
        if self.reader.steering.is_none() {
            return self.page(target, last_modified);
        }
        match self.expected.get_mut(&target.key()) {
            Some(follow) => *follow = Some(true),
            None => self.reading.refused.add(NO_RULE),
        }
    }

    /// A link that its page forbids to follow.
    pub fn forbidden_link(&mut self, target: &CanonicalUrl) {
        if let Some(follow) = self.expected.get_mut(&target.key()) {
            follow.get_or_insert(false);
        }
        self.reading.refused.add("link-nofollow");
    }

    /// A link of a script that is not followed: counted, unless the page has it in its markup too or it would be left out anyway.
    pub fn link_of_script(&mut self, target: CanonicalUrl) {
        if let Ok(url) = self.reader.admit(target, self.at, self.at.depth + 1)
            && url != *self.url
            && !self.seen.contains_key(&url.key())
        {
            self.reading.refused.add(IN_SCRIPT);
        }
    }

    /// A page that a sitemap or a feed lists.
    pub fn listed(&mut self, target: CanonicalUrl, last_modified: Option<i64>) {
        if self.reader.steering.is_some()
            && let Err(refusal) = self.reader.asks_for(&self.reader.form(target.clone()))
        {
            self.reading.refused.add(refusal.reason());
            return;
        }
        self.page(target, last_modified);
    }

    /// What rules found: after all links were read.
    pub fn led(&mut self, looked: Option<RuleResults>) {
        let Some(mut looked) = looked else { return };
        let mut known = HashSet::new();
        for FoundAddress { url, lead } in std::mem::take(&mut looked.led) {
            if self.reading.nofollow {
                looked.refused.add("page-nofollow");
                continue;
            }
            if self.expected.get(&url.key()) == Some(&Some(false)) {
                looked.refused.add("rule-link-nofollow");
                continue;
            }
            match self.reader.admit(url, self.at, self.at.depth + 1) {
                Ok(url) => {
                    let led = FoundAddress { url, lead };
                    let weight = weight_of_led(&led);
                    if self.bytes + weight > self.reader.budget.found_bytes {
                        self.reading.dropped_links += 1;
                        looked.refused.add("links-beyond-limit");
                    } else if known.insert((led.url.key(), lead)) {
                        self.bytes += weight;
                        self.reading.led.push(led);
                    }
                }
                Err((url, refusal)) => {
                    looked.refused.add(refusal.reason());
                    self.reading.note_trap(url, refusal);
                }
            }
        }
        self.reading.looked = Some(looked);
    }

    /// A page that may be followed.
    fn page(&mut self, target: CanonicalUrl, last_modified: Option<i64>) {
        // Pages name the same URL again and again.
        if self.seen.get(&target.key()) == Some(&Purpose::Page) {
            self.again(target.key());
            return;
        }
        let mut words = self.words;
        if let Some(scorer) = self.scorer.as_ref().filter(|_| words == LinkWords::default()) {
            words = scorer.link(&self.source, &LinkText::default(), &target);
        }
        match self.reader.admit(target, self.at, self.at.depth + 1) {
            Ok(url) => {
                let words = (words != LinkWords::default()).then(|| Box::new(words));
                self.push(Candidate { url, purpose: Purpose::Page, last_modified, words });
            }
            Err((url, refusal)) => self.reading.refuse(url, refusal),
        }
    }

    /// Something that is needed to show the response.
    pub fn requisite(&mut self, target: CanonicalUrl) {
        if self.requisites >= MAX_PER_PAGE {
            if !self.seen.contains_key(&target.key()) {
                self.drop_requisites(1);
            }
            return;
        }
        match self.reader.admit_requisite(target, self.at) {
            Ok(url) => self.push(Candidate::new(url, Purpose::Requisite)),
            Err((url, refusal)) => self.reading.refuse(url, refusal),
        }
    }

    /// A sitemap that an index names.
    pub fn sitemap(&mut self, target: CanonicalUrl) {
        self.push(Candidate::new(target, Purpose::Sitemap));
    }

    /// What a sitemap says of another host; whether it counts is not known here.
    pub fn foreign(&mut self, candidate: Candidate) {
        if self.has_room(&candidate) {
            self.reading.foreign.push(candidate);
        }
    }

    fn push(&mut self, candidate: Candidate) {
        if candidate.url == *self.url {
            return;
        }
        let Entry::Vacant(place) = self.seen.entry(candidate.url.key()) else {
            self.again(candidate.url.key());
            return;
        };
        place.insert(candidate.purpose);
        if !self.has_room(&candidate) {
            return;
        }
        if candidate.purpose == Purpose::Requisite {
            self.requisites += 1;
        } else if self.scorer.is_some() {
            self.places.insert(candidate.url.key(), self.reading.found.len());
        }
        self.reading.found.push(candidate);
    }

    fn has_room(&mut self, candidate: &Candidate) -> bool {
        // The set of those seen takes its share.
        let weight = candidate.weight() + 2 * size_of::<UrlKey>();
        if self.bytes + weight > self.reader.budget.found_bytes {
            self.drop_links(1);
            return false;
        }
        self.bytes += weight;
        true
    }

    /// Links that are not looked at.
    pub fn drop_links(&mut self, count: u64) {
        if count > 0 {
            self.reading.dropped_links += count;
            self.reading.refused.add_many("links-beyond-limit", count);
        }
    }

    /// Requisites that are not looked at.
    pub fn drop_requisites(&mut self, count: u64) {
        if count > 0 {
            self.reading.dropped_links += count;
            self.reading.refused.add_many("requisites-beyond-limit", count);
        }
    }
}
