//! What a response names, each URL once, bounded.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{Candidate, PageReader, Reading};
use crate::Purpose;
use crate::scope::Standing;
use webmill_capture::{CanonicalUrl, UrlKey};

/// A reading while it grows.
pub(super) struct Gather<'r> {
    pub reader: &'r PageReader,
    /// Of the response.
    pub url: &'r CanonicalUrl,
    /// Of the response.
    pub at: Standing,
    pub reading: &'r mut Reading,
    seen: HashMap<UrlKey, Purpose>,
    bytes: usize,
    requisites: u32,
}

impl<'r> Gather<'r> {
    pub fn new(
        reader: &'r PageReader,
        url: &'r CanonicalUrl,
        at: Standing,
        reading: &'r mut Reading,
    ) -> Self {
        Gather { reader, url, at, reading, seen: HashMap::new(), bytes: 0, requisites: 0 }
    }

    /// A link to a page.
    pub fn page(&mut self, target: CanonicalUrl, last_modified: Option<i64>) {
        // Pages name the same URL again and again.
        if self.seen.get(&target.key()) == Some(&Purpose::Page) {
            return;
        }
        match self.reader.admit(target, self.at, self.at.depth + 1) {
            Ok(url) => self.push(Candidate { url, purpose: Purpose::Page, last_modified }),
            Err((url, refusal)) => self.reading.refuse(url, refusal),
        }
    }

    /// Something that is needed to show the response.
    pub fn requisite(&mut self, target: CanonicalUrl) {
        if self.requisites >= self.reader.requisites.max_per_page {
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
        let Entry::Vacant(place) = self.seen.entry(candidate.url.key()) else { return };
        place.insert(candidate.purpose);
        if !self.has_room(&candidate) {
            return;
        }
        if candidate.purpose == Purpose::Requisite {
            self.requisites += 1;
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
