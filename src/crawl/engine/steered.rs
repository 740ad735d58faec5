//! Rules that steer: where they begin, what they lead to, which pages are looked at again.
//!
//! **Algorithm.** A page is read on a fetching thread by the layers that led to it when it was sent for and those that it is entered by for
//! its address ([`crate::steering`]). What they find is noted as leads of the URLs found ([`crate::frontier::Frontier::lead`]), which are queued as
//! links are. A lead to a page that was read already has the page *looked at again*: its answer is read back from its shard,
//! between two turns of the writer thread; where it cannot be read back it is fetched again (event `requeued`). A lead to a
//! URL that redirects goes on to the target.
//!
//! **Crashes.** Leads and looks are part of the frontier's commit. Pages behind the last one are read again by the replay, by the leads
//! that are known then; a lead that a later page gives makes a look of it.
//!
//! **Determinism.** Which pages are fetched in the end does not depend on the order of answers; with one connection their order is a
//! function of the answers, since all looks are done before the next request.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::archive;
use crate::engine::Crawl;
use crate::engine::folder::shards_folder;
use crate::engine::open::SEEDS_AT_ONCE;
use crate::engine::queue::Naming;
use crate::engine::redirects::Redirect;
use crate::engine::replay::{Replayed, place};
use crate::event::{Event, outcome};
use crate::frontier::{KeptAnswer, Look, Noted, ReadBy};
use crate::page::{Candidate, Reading, plain};
use crate::scope::Standing;
use crate::steering::{FoundAddress, Lead, RuleResults};
use crate::{Counted, Entry, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// Note of the rules that the frontier's leads are of.
const RULES_NOTE: &str = "rules";
/// Note of the counts of rules.
const COUNTS_NOTE: &str = "rule-counts";
/// Pages that are looked at again between two turns.
const LOOKS: usize = 32;
/// Detail of the event of a page that is fetched again because its answer cannot be read back.
const NOT_READ_BACK: &str = "wanted by another layer, and not to be read back";

impl Crawl {
    /// Holds the rules against those that the crawl began with: its leads are by their numbers.
    pub(super) fn keep_to_rules(&mut self, replayed: &Replayed) -> Result<()> {
        let known = self.frontier.note(RULES_NOTE)?;
        let now = self.reader.steering.as_ref().map(|steering| steering.digest().to_be_bytes().to_vec());
        // A frontier that is built again knows no leads.
        if known.is_none() && (replayed.fresh || replayed.rebuilt.is_some()) {
            if let Some(digest) = now {
                self.frontier.set_note(RULES_NOTE, &digest);
            }
            return Ok(());
        }
        if known != now {
            let began = match known {
                Some(_) => "with other rules, or other bounds of them: named alone it goes on with its own",
                None => "without rules",
            };
            return Err(Error::Config(format!(
                "{}: this crawl began {began}; other rules want another folder",
                self.folder.display()
            )));
        }
        if let Some(counts) = self.frontier.note(COUNTS_NOTE)? {
            self.totals.rules = postcard::from_bytes(&counts).map_err(|e| {
                Error::corrupt(self.folder.join("frontier"), 0, format!("counts of rules: {e}"))
            })?;
        }
        Ok(())
    }

    /// The counts of rules become a part of the next commit.
    pub(super) fn keep_rule_counts(&mut self) -> Result<()> {
        if self.reader.steering.is_none() {
            return Ok(());
        }
        let bytes = postcard::to_allocvec(&self.totals.rules)
            .map_err(|e| Error::Internal(format!("counts of rules: {e}")))?;
        self.frontier.set_note(COUNTS_NOTE, &bytes);
        Ok(())
    }

    /// Adds the addresses that rules name, as seeds.
    pub(super) fn add_entries(&mut self) -> Result<()> {
        let reader = self.reader.clone();
        let Some(steering) = &reader.steering else { return Ok(()) };
        let mut wrong = Counted::default();
        let mut added = 0;
        steering.each_entry(&mut |url, lead| {
            let Some(url) = url else {
                wrong.add("rule-entry-no-address");
                return Ok(());
            };
            let asked = reader.rewriter.apply(plain(url.clone()));
            self.note_lead(&asked, lead)?;
            self.add_seed(&url)?;
            added += 1;
            if added % SEEDS_AT_ONCE == 0 {
                self.commit()?;
            }
            Ok(())
        })?;
        // They are named each time that the crawl is opened, and counted once.
        if !self.resumed {
            self.totals.refused.merge(&wrong);
        }
        self.commit()
    }

    /// Whether sitemaps are worth asking for.
    pub(super) fn reads_sitemaps(&self) -> bool {
        let steering = self.reader.steering.as_ref();
        self.options.sitemaps
            && self.options.scope.max_depth != Some(0)
            && steering.is_none_or(|steering| steering.enters_by_address())
    }

    /// What a URL is read by when it is fetched.
    pub(super) fn leads_for(&self, url: &CanonicalUrl, purpose: Purpose) -> Result<Vec<Lead>> {
        match &self.reader.steering {
            Some(steering) if purpose.is_stored() => Ok(steering.leads(url, self.frontier.leads_of(url)?)),
            _ => Ok(Vec::new()),
        }
    }

    /// Notes by what the page of an event was read, before what it leads to is queued: it may lead to itself.
    pub(super) fn looked(&mut self, entry: &Entry, event: &Event, reading: &Reading) -> Result<()> {
        // A record that repeats a capture has no answer of its own.
        let is_new = [outcome::STORED, outcome::CUT_OFF].contains(&&*event.outcome);
        let kept = place(event).filter(|_| is_new).map(|(at, _)| (at.file, at.offset));
        self.read_by_rules(&entry.url, entry.into(), kept, reading)
    }

    /// [`Crawl::looked`], where the answer is known by its place.
    pub(super) fn read_by_rules(
        &mut self,
        url: &CanonicalUrl,
        at: Standing,
        answer: Option<KeptAnswer>,
        reading: &Reading,
    ) -> Result<()> {
        if self.reader.steering.is_none() {
            return Ok(());
        }
        let (leads, is_of) = match &reading.looked {
            Some(RuleResults { leads, is_of, .. }) => (leads.as_slice(), *is_of),
            None => (&[][..], false),
        };
        if self.frontier.read_by(url, ReadBy { answer, at, leads, is_of })? {
            self.totals.rules.add("pages");
        }
        Ok(())
    }

    /// Queues what rules found in a response.
    pub(super) fn queue_led(&mut self, of: Naming<'_>, reading: &Reading, referrer: &Arc<str>) -> Result<()> {
        if let Some(looked) = &reading.looked {
            self.totals.refused.merge(&looked.refused);
        }
        for FoundAddress { url, lead } in &reading.led {
            self.note_lead(url, *lead)?;
            self.queue_one(of, &Candidate::new(url.clone(), Purpose::Page), referrer, None)?;
        }
        Ok(())
    }

    fn note_lead(&mut self, url: &CanonicalUrl, lead: Lead) -> Result<()> {
        match self.frontier.lead(url, lead)? {
            Noted::New(true) => self.totals.rules.add("links"),
            Noted::TooMany => self.totals.refused.add("rule-layers-beyond-limit"),
            Noted::New(false) | Noted::Known => {}
        }
        Ok(())
    }

    /// What led to a URL that redirects leads to its target.
    pub(super) fn leads_move(&mut self, redirect: &Redirect<'_>, target: &CanonicalUrl) -> Result<()> {
        if self.reader.steering.is_none() || !redirect.purpose.is_stored() {
            return Ok(());
        }
        self.frontier.moved(redirect.url, target)
    }

    /// Looks at pages again that a rule came to after they were read, some of them; whether there may be more.
    pub(super) fn look_again(&mut self) -> Result<bool> {
        if self.reader.steering.is_none() {
            return Ok(false);
        }
        let looks = self.frontier.looks(LOOKS)?;
        if looks.is_empty() {
            return Ok(false);
        }
        // What was appended last is not in the file yet.
        self.archive.flush()?;
        let shards = shards_folder(&self.folder);
        for look in looks {
            let (shard, offset) = look.answer;
            match archive::answer_at(&shards, shard, offset, look.url.as_str()) {
                Some(raw) => self.look_at(&look, &raw)?,
                None => self.fetch_for_rules(&look)?,
            }
            self.totals.rules.add("looks");
            self.changed += 1;
        }
        Ok(true)
    }

    fn look_at(&mut self, look: &Look, raw: &[u8]) -> Result<()> {
        let Look { url, at, leads, .. } = look;
        // As with every page: a bug of the reader's must not cost the crawl, nor have the page looked at for ever.
        let read = catch_unwind(AssertUnwindSafe(|| self.reader.look_again(url, *at, raw, leads)));
        let mut reading = read.unwrap_or_default();
        if reading.looked.is_none() {
            let mut refused = Counted::default();
            refused.add("rule-page-unreadable");
            reading.looked = Some(RuleResults { leads: leads.clone(), refused, ..RuleResults::default() });
        }
        self.read_by_rules(url, *at, None, &reading)?;
        let of = Naming {
            url,
            purpose: Purpose::Page,
            at: *at,
            redirects: 0,
            priority: self.priority.of(url, None),
            origin: None,
            referrer: None,
            again: None,
        };
        self.queue(of, &reading)
    }

    /// Fetches a page again whose answer cannot be read back.
    fn fetch_for_rules(&mut self, look: &Look) -> Result<()> {
        self.frontier.lose_answer(&look.url)?;
        // It is visited again anyway, and read by all layers then.
        if self.frontier.is_queued_again(&look.url)? {
            return Ok(());
        }
        let mut again = Event::new(look.url.as_str(), Purpose::Page, outcome::REQUEUED, self.now_ms());
        again.detail = Some(NOT_READ_BACK.to_owned());
        (again.depth, again.lineage) = (look.at.depth, look.at.lineage);
        self.requeue(&again, look.url.clone())?;
        self.log(again);
        Ok(())
    }
}
