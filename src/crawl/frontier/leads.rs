//! Which layers of rules lead to a URL, and which of them have read its page.
//!
//! **What it keeps** (layer `meta`, so in the same commit as all else): key of the URL → [`UrlLeads`] as `postcard` writes it; key of the
//! URL, under another name, for each page that is to be looked at again because a lead came after it was read.
//!
//! **Invariant.** A page is to be looked at again if and only if its answer is kept and one of its leads was not read, or was read as
//! further along its chain than it is.
//!
//! **Cost.** A read and a write for each link that a rule follows; about a hundred bytes a URL. At most [`MOST`] leads a URL.

use serde::{Deserialize, Serialize};

use super::Frontier;
use crate::scope::{Lineage, SeedMark, Standing};
use crate::steering::Lead;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// First bytes of the key of a URL's leads.
const LEADS: &[u8] = b"leads ";
/// First bytes of the key of a page that is to be looked at again.
const LOOK: &[u8] = b"look ";
/// The first key behind all of them.
const BEHIND_LOOKS: &[u8] = b"look!";
/// Layers that may lead to one URL.
const MOST: usize = 1_024;

/// What came of a lead.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Noted {
    /// It was known.
    Known,
    /// It is noted; `false`: the same layer is known, by a longer way.
    New(bool),
    /// As many as there may be are known.
    TooMany,
}

/// Where an answer is kept: number of the shard, offset of the record.
pub type KeptAnswer = (u32, u64);

/// The leads of a URL.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct UrlLeads {
    url: String,
    known: Vec<KnownLead>,
    /// Its last answer that brought a page.
    answer: Option<KeptAnswer>,
    /// Where it redirects to.
    moved: Option<String>,
    depth: u32,
    /// Parts of its lineage, which has no form of fixed fields itself.
    off_site: u8,
    seed: u32,
    /// Whether any layer has taken part in its page.
    is_of: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KnownLead {
    lead: Lead,
    /// As how far along its chain the page was read; `None`: not.
    read: Option<u32>,
}

impl KnownLead {
    fn is_read(&self) -> bool {
        self.read.is_some_and(|steps| steps <= self.lead.steps)
    }
}

impl UrlLeads {
    fn is_to_be_looked_at(&self) -> bool {
        self.answer.is_some() && self.known.iter().any(|known| !known.is_read())
    }

    fn leads(&self) -> Vec<Lead> {
        self.known.iter().map(|known| known.lead).collect()
    }

    fn unread(&self) -> Vec<Lead> {
        self.known.iter().filter(|known| !known.is_read()).map(|known| known.lead).collect()
    }

    /// Notes a lead.
    fn note(&mut self, lead: Lead) -> Noted {
        if let Some(known) = self.known.iter_mut().find(|known| known.lead.is_of_layer(lead)) {
            if known.lead.steps <= lead.steps {
                return Noted::Known;
            }
            known.lead = lead;
            return Noted::New(false);
        }
        if self.known.len() >= MOST {
            return Noted::TooMany;
        }
        self.known.push(KnownLead { lead, read: None });
        // Whatever order they came in.
        self.known.sort_unstable_by_key(|known| known.lead);
        Noted::New(true)
    }
}

/// A page that is to be looked at again.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Look {
    /// Its address.
    pub url: CanonicalUrl,
    /// Its answer.
    pub answer: KeptAnswer,
    /// Where it stands.
    pub at: Standing,
    /// Those of its leads that it was not read by.
    pub leads: Vec<Lead>,
}

/// What a page was read by.
#[derive(Debug, Clone, Copy)]
pub struct ReadBy<'a> {
    /// Where its answer is kept; `None`: where it was.
    pub answer: Option<KeptAnswer>,
    /// Where it stands.
    pub at: Standing,
    /// The layers.
    pub leads: &'a [Lead],
    /// Whether the page is of any of them.
    pub is_of: bool,
}

impl Frontier {
    /// Notes that a rule leads to a URL; where that redirects, what it redirects to, over at most ten steps.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn lead(&mut self, url: &CanonicalUrl, lead: Lead) -> Result<Noted> {
        let (mut at, mut first) = (url.clone(), None);
        for _ in 0..=10 {
            let mut leads = self.leads(&at)?;
            let noted = leads.note(lead);
            if let Noted::New(_) = noted {
                self.set_leads(&at, &leads)?;
            }
            let is_new = matches!(noted, Noted::New(_));
            first.get_or_insert(noted);
            // A page that was had counts before what its address redirects to since.
            let target = leads.moved.filter(|_| is_new && leads.answer.is_none());
            match target.as_deref().and_then(CanonicalUrl::parse_stored) {
                Some(target) => at = target,
                None => break,
            }
        }
        Ok(first.unwrap_or(Noted::Known))
    }

    /// The leads of a URL, in their order.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn leads_of(&self, url: &CanonicalUrl) -> Result<Vec<Lead>> {
        Ok(self.leads(url)?.leads())
    }

    /// Whether a URL has a lead that its page was not read by.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn has_unread_leads(&self, url: &CanonicalUrl) -> Result<bool> {
        Ok(self.leads(url)?.known.iter().any(|known| !known.is_read()))
    }

    /// Notes what a page was read by; whether it is of a layer for the first time.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn read_by(&mut self, url: &CanonicalUrl, by: ReadBy<'_>) -> Result<bool> {
        if by.leads.is_empty() && by.answer.is_none() {
            return Ok(false);
        }
        let mut leads = self.leads(url)?;
        leads.answer = by.answer.or(leads.answer);
        leads.depth = by.at.depth;
        (leads.off_site, leads.seed) = (by.at.lineage.off_site, by.at.lineage.seed.0);
        for lead in by.leads {
            leads.note(*lead);
            let mut known = leads.known.iter_mut();
            if let Some(known) = known.find(|known| known.lead.is_of_layer(*lead)) {
                known.read = Some(lead.steps);
            }
        }
        let is_first = by.is_of && !leads.is_of;
        leads.is_of |= by.is_of;
        self.set_leads(url, &leads)?;
        Ok(is_first)
    }

    /// Notes that a URL redirects: what led to it leads to the target.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn moved(&mut self, url: &CanonicalUrl, target: &CanonicalUrl) -> Result<()> {
        let mut leads = self.leads(url)?;
        leads.moved = Some(target.as_str().to_owned());
        self.set_leads(url, &leads)?;
        if leads.answer.is_some() {
            return Ok(());
        }
        leads.leads().into_iter().try_for_each(|lead| self.lead(target, lead).map(drop))
    }

    /// The answer of a page is not to be had any more: it is not looked at again until it is fetched.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn lose_answer(&mut self, url: &CanonicalUrl) -> Result<()> {
        let mut leads = self.leads(url)?;
        leads.answer = None;
        self.set_leads(url, &leads)
    }

    /// Pages to look at again, up to a given number, in the order of their keys.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn looks(&self, most: usize) -> Result<Vec<Look>> {
        let mut urls = Vec::new();
        self.meta.scan(LOOK, BEHIND_LOOKS, |_, url| {
            let url = std::str::from_utf8(&url).ok().and_then(CanonicalUrl::parse_stored);
            urls.push(url.ok_or_else(|| self.store.corrupt("a page to be looked at has no address"))?);
            Ok(urls.len() < most)
        })?;
        let mut looks = Vec::with_capacity(urls.len());
        for url in urls {
            let leads = self.leads(&url)?;
            let answer =
                leads.answer.ok_or_else(|| self.store.corrupt("a page to be looked at has no answer"))?;
            let lineage = Lineage { off_site: leads.off_site, seed: SeedMark(leads.seed) };
            let at = Standing { depth: leads.depth, lineage };
            looks.push(Look { url, answer, at, leads: leads.unread() });
        }
        Ok(looks)
    }

    fn leads(&self, url: &CanonicalUrl) -> Result<UrlLeads> {
        let none = || UrlLeads { url: url.as_str().to_owned(), ..UrlLeads::default() };
        let Some(bytes) = self.meta.get(&self.leads_key(LEADS, url))? else { return Ok(none()) };
        let known: UrlLeads =
            postcard::from_bytes(&bytes).map_err(|e| self.store.corrupt(format!("leads to a page: {e}")))?;
        Ok(if known.url == url.as_str() { known } else { none() })
    }

    fn set_leads(&mut self, url: &CanonicalUrl, leads: &UrlLeads) -> Result<()> {
        let bytes =
            postcard::to_allocvec(leads).map_err(|e| Error::Internal(format!("leads to a page: {e}")))?;
        self.meta.put(self.leads_key(LEADS, url), bytes);
        let look = self.leads_key(LOOK, url);
        if leads.is_to_be_looked_at() {
            self.meta.put(look, url.as_str().as_bytes());
        } else if self.meta.get(&look)?.is_some() {
            self.meta.remove(look);
        }
        Ok(())
    }

    fn leads_key(&self, prefix: &[u8], url: &CanonicalUrl) -> Vec<u8> {
        [prefix, &self.history_key(url).to_be_bytes()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::FrontierOptions;

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example/{path}")).unwrap()
    }

    fn lead(layer: u16, steps: u32) -> Lead {
        Lead { rule: 0, layer, steps }
    }

    fn open(folder: &std::path::Path) -> Frontier {
        let options = FrontierOptions { memory: 16 << 20, ..FrontierOptions::default() };
        Frontier::open(folder, &options).unwrap().0
    }

    fn by(leads: &[Lead], answer: Option<KeptAnswer>) -> ReadBy<'_> {
        ReadBy { answer, at: Standing::default(), leads, is_of: true }
    }

    #[test]
    fn a_lead_that_comes_late_has_the_page_looked_at_once_more_also_after_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let mut frontier = open(&path);
        let page = url("1");
        assert_eq!(frontier.lead(&page, lead(2, 1)).unwrap(), Noted::New(true));
        assert_eq!(frontier.lead(&page, lead(2, 1)).unwrap(), Noted::Known);
        assert!(frontier.has_unread_leads(&page).unwrap());
        assert_eq!(frontier.looks(9).unwrap(), [], "it was not fetched");
        assert!(frontier.read_by(&page, by(&[lead(2, 1)], Some((3, 40)))).unwrap());
        assert!(!frontier.has_unread_leads(&page).unwrap());
        assert_eq!(frontier.looks(9).unwrap(), []);
        frontier.commit(b"x").unwrap();
        assert_eq!(frontier.lead(&page, lead(5, 1)).unwrap(), Noted::New(true));
        assert_eq!(frontier.looks(9).unwrap().len(), 1);
        drop(frontier);
        let mut frontier = open(&path);
        assert_eq!(frontier.looks(9).unwrap(), [], "that was not committed");
        frontier.lead(&page, lead(1, 7)).unwrap();
        frontier.commit(b"x").unwrap();
        drop(frontier);
        let mut frontier = open(&path);
        let looks = frontier.looks(9).unwrap();
        let leads = vec![lead(1, 7)];
        assert_eq!(looks, [Look { url: page.clone(), answer: (3, 40), at: Standing::default(), leads }]);
        assert!(!frontier.read_by(&page, by(&looks[0].leads, None)).unwrap(), "it was of a layer before");
        assert_eq!(frontier.looks(9).unwrap(), []);
        // A shorter way may lead further.
        assert_eq!(frontier.lead(&page, lead(1, 9)).unwrap(), Noted::Known);
        assert_eq!(frontier.lead(&page, lead(1, 3)).unwrap(), Noted::New(false));
        assert_eq!(frontier.looks(9).unwrap().len(), 1);
        frontier.lose_answer(&page).unwrap();
        assert_eq!(frontier.looks(9).unwrap(), []);
        assert!(frontier.has_unread_leads(&page).unwrap());
    }

    #[test]
    fn leads_pass_on_over_redirects_and_circles_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut frontier = open(&folder.path().join("f"));
        let (a, b, c) = (url("a"), url("b"), url("c"));
        frontier.lead(&a, lead(1, 1)).unwrap();
        frontier.moved(&a, &b).unwrap();
        assert_eq!(frontier.leads_of(&b).unwrap(), [lead(1, 1)]);
        frontier.moved(&b, &c).unwrap();
        frontier.read_by(&c, by(&[lead(1, 1)], Some((0, 0)))).unwrap();
        frontier.lead(&a, lead(2, 1)).unwrap();
        assert_eq!(frontier.leads_of(&c).unwrap(), [lead(1, 1), lead(2, 1)]);
        assert_eq!(frontier.looks(9).unwrap().len(), 1);
        let (d, e) = (url("d"), url("e"));
        frontier.moved(&d, &e).unwrap();
        frontier.moved(&e, &d).unwrap();
        assert_eq!(frontier.lead(&d, lead(4, 1)).unwrap(), Noted::New(true));
        assert_eq!(frontier.leads_of(&e).unwrap(), [lead(4, 1)]);
    }

    #[test]
    fn leads_of_a_url_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut frontier = open(&folder.path().join("f"));
        for layer in 0..MOST as u16 {
            assert_eq!(frontier.lead(&url("x"), lead(layer, 1)).unwrap(), Noted::New(true));
        }
        assert_eq!(frontier.lead(&url("x"), lead(u16::MAX, 1)).unwrap(), Noted::TooMany);
        assert_eq!(frontier.leads_of(&url("x")).unwrap().len(), MOST);
    }
}
