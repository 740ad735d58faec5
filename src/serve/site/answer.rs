//! The page that was asked for, from an index and the results beside it.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::index::{CaptureSource, KeyRange, Timestamp};
use crate::surface::Lang;
use webmill_capture::Result;

use super::ask::{Ask, Match};
use super::calendar::Calendar;
use super::data::{CollectionSummary, Facts, UrlLine};
use super::links;
use super::pages::{Pages, Problem, UrlList};
use super::survey::{Survey, line};

/// URLs on a page of a list.
const URLS: usize = 100;
/// Hosts on a page.
const HOSTS: usize = 100;
/// Results on a page.
const HITS: usize = 20;
/// Hosts on the front.
const LARGEST: usize = 12;

/// A collection whose pages are made.
pub struct SiteCollection<'a> {
    /// Name and title of the collection; its numbers are those of the survey.
    pub about: &'a CollectionSummary,
    /// Its captures.
    pub index: &'a dyn CaptureSource,
    /// Its numbers, which are counted when they are first asked for.
    pub survey: &'a dyn Fn() -> Result<Arc<Survey>>,
    /// Results beside the index.
    pub facts: &'a dyn Facts,
    /// The index key of a URL; `None` for what cannot be a URL.
    pub key: &'a dyn Fn(&str) -> Option<String>,
}

/// What answers a request for a page.
#[derive(Debug)]
pub enum SiteAnswer {
    /// Status and HTML of a page.
    Page(u16, String),
    /// Another address of this server has the page that is looked for.
    Elsewhere(String),
}

/// The page that is asked for. A URL that was captured once has no calendar: the capture itself is shown.
///
/// # Errors
/// Where the index or the results cannot be read.
pub fn answer(ask: &Ask, held: &SiteCollection<'_>, lang: Lang) -> Result<SiteAnswer> {
    let pages = Pages::new(lang, ask.address(&held.about.name));
    let about = held.about;
    match ask {
        Ask::Front => {
            let survey = (held.survey)()?;
            let hosts = match held.facts.hosts(LARGEST, 0)? {
                Some((hosts, _)) => hosts,
                None => survey.host_lines(LARGEST, 0),
            };
            let mut newest = survey.newest.clone();
            for line in &mut newest {
                line.title = held.facts.title(&line.url, line.timestamp)?;
            }
            page(200, pages.collection(&survey.summary(about.clone()), &hosts, &newest)?)
        }
        Ask::Calendar { url, year } => calendar(held, &pages, url, *year),
        Ask::Urls { url, kind, from } => urls(held, &pages, url, *kind, from.as_deref()),
        Ask::Hosts { page: number } => {
            let (hosts, total) = match held.facts.hosts(HOSTS, number.saturating_mul(HOSTS))? {
                Some(found) => found,
                None => {
                    let survey = (held.survey)()?;
                    let hosts = survey.host_lines(HOSTS, number.saturating_mul(HOSTS));
                    (hosts, survey.hosts.len() as u64)
                }
            };
            page(200, pages.hosts(about, &hosts, total, *number, HOSTS)?)
        }
        Ask::Search { query, page: number } => {
            let empty = query.trim().is_empty() || !held.facts.searchable();
            let found = match empty {
                true => Default::default(),
                false => held.facts.search(query, HITS, number.saturating_mul(HITS))?,
            };
            page(200, pages.search_results(about, query, &found, *number, HITS)?)
        }
        Ask::Info { timestamp, url } => {
            let Some(key) = (held.key)(url) else { return problem(held, &pages, 400, url) };
            let mut found = None;
            held.index.scan(&KeyRange::exact(&key), &mut |entry| {
                let right = entry.timestamp == Timestamp(*timestamp);
                if right && (found.is_none() || entry.url == url.as_str()) {
                    found = Some(line(entry));
                }
                if entry.timestamp > Timestamp(*timestamp) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })?;
            let Some(found) = found else { return problem(held, &pages, 404, url) };
            let facts = held.facts.of(&found.url, found.timestamp)?;
            page(200, pages.capture_facts(about, &found, facts.as_ref())?)
        }
    }
}

fn page(status: u16, html: String) -> Result<SiteAnswer> {
    Ok(SiteAnswer::Page(status, html))
}

fn problem(held: &SiteCollection<'_>, pages: &Pages, status: u16, url: &str) -> Result<SiteAnswer> {
    let url = Some(url);
    page(status, pages.problem(Some(held.about), &Problem { status, url, ..Problem::default() })?)
}

fn calendar(held: &SiteCollection<'_>, pages: &Pages, url: &str, year: Option<u32>) -> Result<SiteAnswer> {
    let Some(key) = (held.key)(url) else { return problem(held, pages, 400, url) };
    let mut calendar = Calendar::new(url, year);
    held.index.scan(&KeyRange::exact(&key), &mut |entry| {
        calendar.add(line(entry));
        ControlFlow::Continue(())
    })?;
    if calendar.total() == 0 {
        return problem(held, pages, 404, url);
    }
    if let ([(only, _)], None) = (&*calendar.captures, year)
        && calendar.total() == 1
    {
        return Ok(SiteAnswer::Elsewhere(links::replay(&held.about.name, only.timestamp, &only.url)));
    }
    // Titles repeat as contents do: one look-up a content.
    let mut titles = std::collections::HashMap::new();
    for (line, _) in &mut calendar.captures {
        let title = match titles.get(&line.digest) {
            Some(title) if !line.digest.is_empty() => Option::clone(title),
            _ => held.facts.title(&line.url, line.timestamp)?,
        };
        titles.insert(line.digest.clone(), title.clone());
        line.title = title;
    }
    // A URL is shown as it was captured, not as it was typed.
    if let Some((last, _)) = calendar.captures.last() {
        calendar.url = last.url.clone();
    }
    page(200, pages.calendar(held.about, &calendar)?)
}

fn urls(
    held: &SiteCollection<'_>,
    pages: &Pages,
    url: &str,
    kind: Match,
    from: Option<&str>,
) -> Result<SiteAnswer> {
    let Some(mut range) = range_of(url, kind, held.key) else { return problem(held, pages, 400, url) };
    let later = from.is_some_and(|from| from > &*range.from);
    if let (Some(from), true) = (from, later) {
        range.from = from.to_owned();
    }
    let mut list = UrlList { url: url.to_owned(), kind, later, ..UrlList::default() };
    let mut key = String::new();
    held.index.scan(&range, &mut |entry| {
        if list.lines.is_empty() || *entry.urlkey != *key {
            if list.lines.len() == URLS {
                list.next = Some(entry.urlkey.to_string());
                return ControlFlow::Break(());
            }
            key.clear();
            key.push_str(&entry.urlkey);
            list.lines.push(UrlLine { first: entry.timestamp, ..UrlLine::default() });
        }
        if let Some(line) = list.lines.last_mut() {
            line.captures += 1;
            line.last = entry.timestamp;
            entry.url.as_ref().clone_into(&mut line.url);
            // A revisit says nothing of its own: what it stands for was said before.
            if !entry.is_revisit() || line.captures == 1 {
                line.status = entry.status;
                entry.mime.as_ref().clone_into(&mut line.mime);
            }
        }
        ControlFlow::Continue(())
    })?;
    let status = if list.lines.is_empty() { 404 } else { 200 };
    page(status, pages.prefix_list(held.about, &list)?)
}

/// The keys of a prefix, host or domain.
fn range_of(url: &str, kind: Match, key: &dyn Fn(&str) -> Option<String>) -> Option<KeyRange> {
    // A marker tells where the key of what was typed ends: keys lose trailing slashes and sort their queries.
    let of_url = key(url)?;
    let (host, _) = of_url.split_once(')')?;
    Some(match kind {
        Match::Host => KeyRange::prefix(&format!("{host})/")),
        Match::Domain => {
            // `example,` holds the hosts below; `example)` the host itself sorts before them.
            let to = KeyRange::prefix(&format!("{host},")).to;
            KeyRange { from: format!("{host})"), to }
        }
        Match::Exact => KeyRange::exact(&of_url),
        Match::Prefix => {
            let cut = url.ends_with('/') && !of_url.ends_with('/');
            KeyRange::prefix(&if cut { format!("{of_url}/") } else { of_url })
        }
    })
}
