//! Reading a response while it is fresh: its links, its requisites, its robots directives, its fingerprint.
//!
//! **What.** The part of a crawl that needs the page's tree. It runs in the task that fetched the page, in parallel with
//! others, and gives the writer thread only what it must remember. Main text and tables are the business of later jobs.
//!
//! **Algorithm.** transfer decoding → content decoding → media type → charset → tree → robots directives → requisites →
//! links → rewriting → static traps → scope → each URL once. Where rules steer the crawl, what their layers find on the page stands in place of its
//! links, which are counted. Requisites come first, so that a picture that is shown and
//! linked is fetched as what the page needs; both are given in document order. Links come from the markup, from the headers
//! `Link` and `Refresh`, from the items of feeds, and where that is asked for from scripts, whose links are counted else; requisites from markup, style sheets, drawings and manifests.
//!
//! **Cost.** Linear in the page, [`PARSED_BYTES`] of it at most. A large page is read in pieces of 4 MiB, each a tree of its
//! own, so that a page of a million links costs one such tree and the links, which [`MAX_FOUND_BYTES`] bounds; few of them are
//! read at the same time, and less of each where the crawl's memory is small ([`ReadingBudget`]). Nothing is
//! dropped in silence: what lies beyond a limit is counted in [`Reading::refused`] and [`Reading::dropped_links`].

mod address;
mod gather;
mod headers;
mod large;
mod listed;
mod markup;
mod needed;
mod pieces;
mod steered;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use crate::duplicate_throttle::PageFingerprint;
use crate::focus::{LinkWords, PageWords, Scorer};
use crate::rewrite::Rewriter;
use crate::scope::{Scope, Standing};
use crate::steering::{FoundAddress, Lead, RuleResults, Steering};
use crate::{Counted, Purpose};
use webmill_capture::{CanonicalUrl, Response, decode_content};
use webmill_html::sniff::{is_markup, sniff};

pub use self::address::{account, plain};
use self::gather::Gather;
pub use self::gather::IN_SCRIPT;
use self::large::LARGE_BYTES;
pub use self::large::{LargePlace, ReadingBudget};

/// Bytes of a body that are read, at most.
pub const PARSED_BYTES: usize = 64 << 20;

/// Bytes that the URLs found on one page may take, at most.
pub const MAX_FOUND_BYTES: usize = 128 << 20;

/// Turns responses into readings; shared by all fetching tasks.
#[derive(Debug)]
pub struct PageReader {
    /// What may be fetched.
    pub scope: Scope,
    /// In what form URLs are asked for.
    pub rewriter: Rewriter,
    /// Product token that robots directives are read for.
    pub agent: String,
    /// Whether images are fetched as well.
    pub images: bool,
    /// Whether pages that scripts name are followed.
    pub script_links: bool,
    /// Whether what pages need to be shown is fetched too, and how much of it.
    pub requisites: bool,
    /// Rules, where they say which links are followed.
    pub steering: Option<Steering>,
    /// What texts are held against, where the crawl is a focused one.
    pub focus: Option<RwLock<Arc<Scorer>>>,
    /// What reading may take of memory.
    pub budget: ReadingBudget,
}

/// A URL that a response names and that may be fetched.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// In the form that will be asked for.
    pub url: CanonicalUrl,
    /// What it is for.
    pub purpose: Purpose,
    /// When a sitemap or feed says that it was last changed, ms since 1970: a hint, which may be a lie.
    pub last_modified: Option<i64>,
    /// What the texts of the link say, where the crawl is a focused one.
    pub words: Option<Box<LinkWords>>,
}

/// What a response says.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Reading {
    /// Pages, requisites or sitemaps that it names, each once, in order.
    pub found: Vec<Candidate>,
    /// What a sitemap says of other hosts: counts where the host's robots.txt vouches for the sitemap.
    pub foreign: Vec<Candidate>,
    /// Pages that rules lead to, each once a layer, in order.
    pub led: Vec<FoundAddress>,
    /// What its text says, where the crawl is a focused one and it is a page.
    pub words: Option<PageWords>,
    /// What rules read of it; `None`: nothing was to be read.
    pub looked: Option<RuleResults>,
    /// Where a redirect leads, as asked for: the rewritten form and the form that the server gave.
    pub redirect: Option<(CanonicalUrl, CanonicalUrl)>,
    /// URLs that will not be fetched, by reason.
    pub refused: Counted,
    /// Links and requisites beyond a limit; they are among the refused too.
    pub dropped_links: u64,
    /// An example of each reason that speaks of a trap.
    pub trapped: Vec<(CanonicalUrl, &'static str)>,
    /// What the duplicate throttle looks at.
    pub fingerprint: Option<PageFingerprint>,
    /// The page forbids that its links are followed.
    pub nofollow: bool,
    /// Whether it is a page of markup.
    pub markup: bool,
    /// Whether it is the tree of a rendered page.
    pub(crate) rendered: bool,
    /// Where a rendered page wanted to go on to by itself; these are among the found or refused too.
    pub onward: Vec<String>,
    /// What was wrong with a sitemap.
    pub defect: Option<String>,
    /// Its place among the large responses being read.
    pub(crate) place: Option<LargePlace>,
}

/// A decoded body.
struct Body<'b> {
    bytes: Cow<'b, [u8]>,
    /// As the server says, lower case.
    media_type: Option<String>,
    /// As the bytes say.
    sniffed: Option<&'static str>,
}

impl Body<'_> {
    /// Whether the server says that it is of this type.
    fn is(&self, media_type: &str) -> bool {
        self.media_type.as_deref() == Some(media_type)
    }
}

impl PageReader {
    /// What texts are held against now.
    pub(crate) fn scorer(&self) -> Option<Arc<Scorer>> {
        self.focus.as_ref().map(|scorer| scorer.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Texts are held against this from now on.
    pub(crate) fn set_scorer(&self, new: &Arc<Scorer>) {
        if let Some(scorer) = &self.focus {
            *scorer.write().unwrap_or_else(PoisonError::into_inner) = new.clone();
        }
    }

    /// Whether `url` may be fetched, named by a page of standing `parent`, `depth` links from a seed; the form that would be
    /// asked for.
    ///
    /// # Errors
    /// The reason, as it is counted: that of the scope's verdict or the name of a trap.
    pub fn admit(
        &self,
        url: CanonicalUrl,
        parent: Standing,
        depth: u32,
    ) -> Result<CanonicalUrl, (CanonicalUrl, Refusal<'_>)> {
        let url = self.form(url);
        let lineage = self.scope.linked(parent.lineage, &url);
        if let Err(reason) = self.scope.url(&url, Standing { depth, lineage }) {
            return Err((url, Refusal::Scope(reason)));
        }
        match crate::traps::check(&url) {
            Ok(()) => Ok(url),
            Err(reason) => Err((url, Refusal::Trap(reason))),
        }
    }

    /// Whether `url` may be fetched because a page needs it. It keeps its form: whoever shows the page asks for that one.
    ///
    /// # Errors
    /// As [`PageReader::admit`]; hosts and depth do not count.
    pub fn admit_requisite(
        &self,
        url: CanonicalUrl,
        parent: Standing,
    ) -> Result<CanonicalUrl, (CanonicalUrl, Refusal<'_>)> {
        let url = plain(url);
        let lineage = self.scope.linked(parent.lineage, &url);
        if let Err(reason) = self.scope.requisite(&url, Standing { lineage, ..parent }) {
            return Err((url, Refusal::Scope(reason)));
        }
        match crate::traps::check(&url) {
            Ok(()) => Ok(url),
            Err(reason) => Err((url, Refusal::Trap(reason))),
        }
    }

    /// Reads `raw`, the response for `url`, found `at` this distance from a seed, or standing; without rules.
    pub fn read(&self, url: &CanonicalUrl, purpose: Purpose, at: impl Into<Standing>, raw: &[u8]) -> Reading {
        self.read_by(url, purpose, at.into(), raw, &[])
    }

    /// [`PageReader::read`], by these leads too: their targets are among the links followed.
    pub(crate) fn read_by(
        &self,
        url: &CanonicalUrl,
        purpose: Purpose,
        at: Standing,
        raw: &[u8],
        leads: &[Lead],
    ) -> Reading {
        let mut reading = Reading::default();
        self.read_into(&mut reading, url, purpose, at, (&Response::parse(raw), leads));
        reading
    }

    /// Reads the tree of a rendered page, which was rendered for the links that scripts make; by no rule.
    pub(crate) fn read_rendered(&self, url: &CanonicalUrl, at: Standing, answer: &[u8]) -> Reading {
        let mut reading = Reading { rendered: true, ..Reading::default() };
        self.read_into(&mut reading, url, Purpose::Page, at, (&Response::parse(answer), &[]));
        reading
    }

    fn read_into(
        &self,
        reading: &mut Reading,
        url: &CanonicalUrl,
        purpose: Purpose,
        at: Standing,
        (response, leads): (&Response<'_>, &[Lead]),
    ) {
        match (response.status, purpose) {
            (Some(300..=399), _) => {
                let location = response.header("location").map(webmill_capture::url_text);
                reading.redirect = location
                    .and_then(|l| url.join(&l))
                    .filter(CanonicalUrl::is_web)
                    .map(plain)
                    .map(|given| (self.rewritten(purpose, given.clone()), given));
            }
            (None | Some(200..=299), Purpose::Page) => {
                self.read_page(url, at, (response, leads), reading);
            }
            (None | Some(200..=299), Purpose::Sitemap) => self.read_sitemap(url, at, response, reading),
            (None | Some(200..=299), Purpose::Requisite) => {
                self.read_requisite(url, at, (response, leads), reading);
            }
            _ => {}
        }
    }

    /// The form in which a page is asked for.
    fn form(&self, url: CanonicalUrl) -> CanonicalUrl {
        self.rewriter.apply(plain(url))
    }

    fn rewritten(&self, purpose: Purpose, url: CanonicalUrl) -> CanonicalUrl {
        if purpose == Purpose::Requisite { url } else { self.rewriter.apply(url) }
    }

    fn read_page(
        &self,
        url: &CanonicalUrl,
        at: Standing,
        (response, leads): (&Response<'_>, &[Lead]),
        reading: &mut Reading,
    ) {
        let body = self.body(response, reading);
        let looked = self.look(url, &body, response, leads);
        if let Some(scorer) = self.scorer() {
            let plain = body.is("text/plain") && !self.is_markup(&body);
            let text = plain.then(|| webmill_html::decode(&body.bytes, response.charset_label(), None).text);
            reading.words =
                Some(text.map_or_else(PageWords::default, |text| scorer.page(url.as_str(), "", &text)));
        }
        let mut gather = Gather::new(self, url, at, reading);
        gather.expect(&looked);
        let robots = headers::robots(response);
        gather.reading.nofollow = robots.for_agent(&self.agent).nofollow;
        if self.is_markup(&body) {
            gather.reading.markup = true;
            self.read_markup(&body, response, robots, true, &mut gather);
            // Browsers and replay tools ask for it unasked.
            if self.requisites
                && let Some(icon) = url.join("/favicon.ico")
            {
                gather.requisite(icon);
            }
        } else if !self.read_feed(&body, &mut gather) {
            self.read_needs(&body, response, &mut gather);
        }
        self.read_headers(response, true, &mut gather);
        gather.led(looked);
    }

    /// A requisite may need others itself; a frame is read as a page where it is one of the crawl's.
    fn read_requisite(
        &self,
        url: &CanonicalUrl,
        at: Standing,
        (response, leads): (&Response<'_>, &[Lead]),
        reading: &mut Reading,
    ) {
        let body = self.body(response, reading);
        let follow = self.scope.url(url, at).is_ok();
        let looked = self.look(url, &body, response, if follow { leads } else { &[] });
        let mut gather = Gather::new(self, url, at, reading);
        gather.expect(&looked);
        if self.is_markup(&body) {
            let robots = headers::robots(response);
            gather.reading.nofollow = robots.for_agent(&self.agent).nofollow;
            self.read_markup(&body, response, robots, follow, &mut gather);
            self.read_headers(response, follow, &mut gather);
        } else {
            self.read_needs(&body, response, &mut gather);
            self.read_headers(response, false, &mut gather);
        }
        gather.led(looked);
    }

    fn body<'b>(&self, response: &Response<'b>, reading: &mut Reading) -> Body<'b> {
        let (mut bytes, mut cut) = decoded(response, LARGE_BYTES);
        let mut sniffed = sniff(&bytes);
        let media_type = response.media_type();
        if cut {
            // What lies there as it was received, and becomes no tree, takes no memory.
            let plain = matches!(bytes, Cow::Borrowed(_)) && !is_markup(media_type.as_deref(), sniffed);
            if !plain {
                drop(std::mem::take(&mut bytes));
                reading.place = Some(self.budget.place());
            }
            (bytes, cut) = decoded(response, self.budget.body_bytes);
            if cut {
                reading.refused.add("bytes-beyond-limit");
            }
            sniffed = sniff(&bytes);
        }
        Body { bytes, media_type, sniffed }
    }
}

/// The body without its codings, and whether there may be more than `max` bytes of it.
fn decoded<'b>(response: &Response<'b>, max: usize) -> (Cow<'b, [u8]>, bool) {
    let payload = response.payload(max);
    let full = payload.bytes.len() >= max;
    let bytes = match payload.bytes {
        Cow::Borrowed(bytes) => decode_content(response, bytes, max).bytes,
        Cow::Owned(bytes) => {
            let decoded = match decode_content(response, &bytes, max).bytes {
                Cow::Owned(decoded) => Some(decoded),
                Cow::Borrowed(_) => None,
            };
            Cow::Owned(decoded.unwrap_or(bytes))
        }
    };
    let full = full || bytes.len() >= max;
    (bytes, full)
}

/// Why a URL is not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal<'a> {
    /// The rules of scope.
    Scope(&'a str),
    /// It looks like a trap.
    Trap(&'static str),
}

impl<'a> Refusal<'a> {
    /// The reason as it is counted.
    pub fn reason(self) -> &'a str {
        match self {
            Refusal::Scope(reason) | Refusal::Trap(reason) => reason,
        }
    }
}

impl Reading {
    /// Bytes that it takes, about.
    pub fn weight(&self) -> usize {
        let all = self.found.iter().chain(&self.foreign);
        let led: usize = self.led.iter().map(weight_of_led).sum();
        all.map(Candidate::weight).sum::<usize>() + led + size_of::<Reading>()
    }

    /// Gives its place among the large responses back, where it is kept for long.
    pub fn give_place_back(&mut self) {
        self.place = None;
    }

    fn refuse(&mut self, url: CanonicalUrl, refusal: Refusal<'_>) {
        self.refused.add(refusal.reason());
        self.note_trap(url, refusal);
    }

    fn note_trap(&mut self, url: CanonicalUrl, refusal: Refusal<'_>) {
        if let Refusal::Trap(reason) = refusal
            && self.trapped.len() < 8
            && self.trapped.iter().all(|(_, r)| *r != reason)
        {
            self.trapped.push((url, reason));
        }
    }
}

/// Bytes that an address takes that a rule found, about.
fn weight_of_led(led: &FoundAddress) -> usize {
    led.url.as_str().len() + size_of::<FoundAddress>()
}

impl Candidate {
    /// A URL to be fetched for a purpose.
    pub fn new(url: CanonicalUrl, purpose: Purpose) -> Candidate {
        Candidate { url, purpose, last_modified: None, words: None }
    }

    /// Bytes that it takes, about.
    fn weight(&self) -> usize {
        let words = self.words.as_ref().map_or(0, |_| size_of::<LinkWords>());
        self.url.as_str().len() + size_of::<Candidate>() + words
    }
}
