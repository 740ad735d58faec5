//! Pages from data: pure functions.

use std::sync::LazyLock;

use crate::index::Timestamp;
use crate::surface::{Lang, escape, fill, thousands};
use minijinja::{Environment, Value, context};
use webmill_capture::{Error, Result};

use super::ask::Match;
use super::calendar::Calendar;
use super::data::{CaptureFacts, CaptureLine, CollectionSummary, HostLine, SearchAnswer, SearchHit, UrlLine};
use super::{links, show, views};

const TEMPLATES: [(&str, &str); 11] = [
    ("base.html", include_str!("templates/base.html")),
    ("parts.html", include_str!("templates/parts.html")),
    ("home.html", include_str!("templates/home.html")),
    ("collection.html", include_str!("templates/collection.html")),
    ("calendar.html", include_str!("templates/calendar.html")),
    ("urls.html", include_str!("templates/urls.html")),
    ("hosts.html", include_str!("templates/hosts.html")),
    ("search.html", include_str!("templates/search.html")),
    ("search_all.html", include_str!("templates/search_all.html")),
    ("facts.html", include_str!("templates/facts.html")),
    ("problem.html", include_str!("templates/problem.html")),
];

static ENGLISH: LazyLock<Environment<'static>> = LazyLock::new(|| environment(Lang::En));
static CHINESE: LazyLock<Environment<'static>> = LazyLock::new(|| environment(Lang::Zh));

fn environment(lang: Lang) -> Environment<'static> {
    let mut environment = crate::surface::environment(lang, "site", &TEMPLATES, escape);
    environment.add_global("other_tag", lang.other().tag());
    environment.add_global("style", include_str!("templates/style.css"));
    environment
}

/// The URLs that begin alike, or those of a host or domain: a page of them.
#[derive(Debug, Clone, Default)]
pub struct UrlList {
    /// What was asked for.
    pub url: String,
    /// Which URLs that means.
    pub kind: Match,
    /// The URLs in order.
    pub lines: Vec<UrlLine>,
    /// Whether this is not the first page.
    pub later: bool,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
}

/// Why there is no other page to show.
#[derive(Debug, Clone, Default)]
pub struct Problem<'a> {
    /// Status of the answer.
    pub status: u16,
    /// The URL it is about.
    pub url: Option<&'a str>,
    /// Why, in the reader's words.
    pub note: Option<&'a str>,
    /// Why, in words of the server's or of the archive's.
    pub detail: Option<&'a str>,
    /// Captures that come near.
    pub near: &'a [CaptureLine],
}

/// Makes pages in a language.
#[derive(Debug, Clone)]
pub struct Pages {
    /// The language.
    pub lang: Lang,
    /// Address of the page that is made, to which `lang=…` can be added: what the link to the other language leads to.
    pub here: String,
}

impl Pages {
    /// Pages at `here` (path and query) in a language.
    pub fn new(lang: Lang, here: impl Into<String>) -> Pages {
        Pages { lang, here: here.into() }
    }

    /// The list of collections.
    ///
    /// # Errors
    /// [`Error::Internal`] only, here and below: for a template that is wrong.
    pub fn home(&self, collections: &[CollectionSummary]) -> Result<String> {
        let searchable = collections.iter().any(|about| about.searchable);
        let collections: Vec<_> = collections.iter().map(|c| views::collection(self.lang, c)).collect();
        self.render("home.html", None, "home", context! { collections, searchable })
    }

    /// The best pages of each collection for a query of words; `unsearched` are those without texts.
    ///
    /// # Errors
    /// As [`Pages::home`].
    pub fn search_all(
        &self,
        query: &str,
        found: &[(CollectionSummary, SearchAnswer)],
        unsearched: &[CollectionSummary],
    ) -> Result<String> {
        let group = |(about, answer): &(CollectionSummary, SearchAnswer)| {
            let total = views::counted(self.lang, answer.total, "result", "results");
            context! {
                of => views::collection(self.lang, about),
                total,
                hits => answer.hits.iter().map(|hit| hit_view(&about.name, hit)).collect::<Vec<_>>(),
                more => answer.total > answer.hits.len() as u64,
                href => format!("/{}/search?q={}", links::value(&about.name), links::value(query)),
            }
        };
        let page = context! {
            q => query.trim(),
            groups => found.iter().map(group).collect::<Vec<_>>(),
            unsearched => unsearched.iter().map(|c| views::collection(self.lang, c)).collect::<Vec<_>>(),
        };
        self.render("search_all.html", None, "search", page)
    }

    /// The front of a collection: search boxes, numbers, its largest hosts, its newest captures.
    ///
    /// # Errors
    /// As [`Pages::home`].
    pub fn collection(
        &self,
        about: &CollectionSummary,
        hosts: &[HostLine],
        newest: &[CaptureLine],
    ) -> Result<String> {
        let most = hosts.iter().map(|host| host.captures).max().unwrap_or(0);
        let hosts: Vec<_> =
            hosts.iter().map(|host| views::host(self.lang, &about.name, host, most)).collect();
        let newest: Vec<_> = newest.iter().map(|line| views::capture(&about.name, line)).collect();
        self.render("collection.html", Some(about), "front", context! { hosts, newest })
    }

    /// The calendar of a URL.
    ///
    /// # Errors
    /// As [`Pages::home`].
    pub fn calendar(&self, about: &CollectionSummary, calendar: &Calendar) -> Result<String> {
        let (name, url, lang) = (&about.name, &calendar.url, self.lang);
        let most = calendar.years.values().copied().max().unwrap_or(0);
        // By the logarithm: a year of few captures is seen beside a year of many.
        let height =
            |count: u64| ((1.0 + count as f64).ln() / (1.0 + most as f64).ln() * 42.0).round() as u32;
        let year = |(&year, &count): (&u32, &u64)| {
            context! {
                year => format!("{year:04}"),
                href => links::year(name, year, url),
                count => thousands(count),
                unit => views::unit(lang, count),
                height => height(count),
                current => year == calendar.year,
            }
        };
        let mut days: Vec<(Timestamp, Vec<Value>)> = Vec::new();
        for (line, sameness) in &calendar.captures {
            let sameness = &lang.words("site")[sameness.name()];
            let value = context! { sameness, ..views::capture(name, line) };
            match days.last_mut() {
                Some((day, lines)) if show::day_of(*day) == show::day_of(line.timestamp) => lines.push(value),
                _ => days.push((line.timestamp, vec![value])),
            }
        }
        let listed = |(at, lines): (Timestamp, Vec<Value>)| {
            context! { id => show::date(at), name => show::long_date(lang, show::day_of(at)), lines }
        };
        let page = context! {
            url,
            short => show::short_url(url),
            total => views::captures(lang, calendar.total()),
            first => views::date(calendar.ends.map(|(first, _)| first)),
            last => views::date(calendar.ends.map(|(_, last)| last)),
            below_href => links::prefix(name, url),
            live => links::live(url),
            // Newest first, which a narrow screen shows without scrolling.
            years => calendar.years.iter().rev().map(year).collect::<Vec<_>>(),
            year => format!("{:04}", calendar.year),
            week => lang.words("site")["week"].split(' ').collect::<Vec<_>>(),
            months => (1..=12).map(|month| self.month(name, calendar, month)).collect::<Vec<_>>(),
            days => days.into_iter().map(listed).collect::<Vec<_>>(),
            cut => calendar.cut,
        };
        self.render("calendar.html", Some(about), "calendar", page)
    }

    fn month(&self, collection: &str, calendar: &Calendar, month: u32) -> Value {
        let listed =
            |date: &str| calendar.captures.iter().any(|(line, _)| show::date(line.timestamp) == date);
        let day = |day: u32| match calendar.days.get(&(month, day)) {
            Some(found) => {
                let date = show::date(found.capture.timestamp);
                // Several captures are shown in the list below, where it has them; one is opened.
                let href = match found.captures {
                    2.. if listed(&date) => format!("#d{date}"),
                    _ => links::replay(collection, found.capture.timestamp, &found.capture.url),
                };
                let many = (found.captures > 1).then(|| thousands(found.captures));
                context! { day, href, many, outcome => found.outcome.name() }
            }
            None => context! { day => (day > 0).then_some(day), href => (), many => (), outcome => () },
        };
        let mut weeks = Calendar::weeks(calendar.year, month);
        // Months of equal height.
        weeks.resize(6, [0; 7]);
        let weeks: Vec<Vec<_>> = weeks.iter().map(|week| week.iter().map(|d| day(*d)).collect()).collect();
        let any = calendar.days.keys().any(|day| day.0 == month);
        context! { name => show::month_name(self.lang, month), weeks, any }
    }

    /// URLs that begin alike.
    ///
    /// # Errors
    /// As [`Pages::home`].
    pub fn prefix_list(&self, about: &CollectionSummary, list: &UrlList) -> Result<String> {
        let words = self.lang.words("site");
        let address = format!(
            "/{}/calendar?url={}&match={}",
            links::value(&about.name),
            links::value(&list.url),
            list.kind.name()
        );
        let next = list
            .next
            .as_ref()
            .map(|from| views::turn(format!("{address}&from={}", links::value(from)), &words["next"]));
        let previous = list.later.then(|| views::turn(address.clone(), &words["beginning"]));
        let heading = match list.kind {
            Match::Host => &words["host_title"],
            Match::Domain => &words["domain_title"],
            _ => &words["prefix_title"],
        };
        let lines: Vec<_> = list.lines.iter().map(|line| views::url(self.lang, &about.name, line)).collect();
        let short = show::short_url(&list.url);
        let page =
            context! { url => &list.url, short, heading, match => list.kind.name(), lines, previous, next };
        self.render("urls.html", Some(about), "urls", page)
    }

    /// Hosts, `total` in all; `page` counts from 0.
    ///
    /// # Errors
    /// As [`Pages::home`].
    pub fn hosts(
        &self,
        about: &CollectionSummary,
        hosts: &[HostLine],
        total: u64,
        page: usize,
        page_size: usize,
    ) -> Result<String> {
        let address = format!("/{}/hosts?page=", links::value(&about.name));
        let (previous, next) =
            self.turns(&address, page, (page as u64 + 1).saturating_mul(page_size as u64) < total);
        let most = hosts.iter().map(|host| host.captures).max().unwrap_or(0);
        let known = hosts.iter().any(|host| host.pages.is_some() || host.pagerank.is_some());
        let hosts: Vec<_> =
            hosts.iter().map(|host| views::host(self.lang, &about.name, host, most)).collect();
        let total = views::counted(self.lang, total, "host_count", "hosts_count");
        let page = context! { hosts, known, total, previous, next };
        self.render("hosts.html", Some(about), "hosts", page)
    }

    /// Pages that answer a query of words; `page` counts from 0.
    ///
    /// # Errors
    /// As [`Pages::home`].
    pub fn search_results(
        &self,
        about: &CollectionSummary,
        query: &str,
        answer: &SearchAnswer,
        page: usize,
        page_size: usize,
    ) -> Result<String> {
        let address = format!("/{}/search?q={}&page=", links::value(&about.name), links::value(query));
        let more = (page as u64 + 1).saturating_mul(page_size as u64) < answer.total;
        let (previous, next) = self.turns(&address, page, more);
        let hits: Vec<_> = answer.hits.iter().map(|hit| hit_view(&about.name, hit)).collect();
        let page = context! {
            q => query.trim(),
            list => hits,
            total => views::counted(self.lang, answer.total, "result", "results"),
            start => page * page_size + 1,
            previous,
            next,
        };
        self.render("search.html", Some(about), "search", page)
    }

    /// Known facts about a capture.
    ///
    /// # Errors
    /// As [`Pages::home`].
    pub fn capture_facts(
        &self,
        about: &CollectionSummary,
        line: &CaptureLine,
        facts: Option<&CaptureFacts>,
    ) -> Result<String> {
        let name = &about.name;
        let known = facts.is_some();
        let nothing = CaptureFacts::default();
        let facts = facts.unwrap_or(&nothing);
        let number = |n: Option<u64>| n.map(thousands);
        let place = facts.places.map(|places| {
            let said = ["place_crawled", "place_known"].iter().zip(places).map(|(word, place)| {
                let numbers =
                    [thousands(place.position), thousands(place.of), format!("{:.2}", place.percentile)];
                fill(&self.lang.words("site")[*word], &numbers)
            });
            said.collect::<Vec<_>>().join("; ")
        });
        let rows = [
            ("author", facts.author.clone()),
            ("published", facts.published.clone()),
            ("description", facts.description.clone()),
            ("language", facts.languages.as_deref().map(|codes| show::languages(self.lang, codes))),
            ("charset", facts.charset.clone()),
            ("word_count", number(facts.words)),
            ("link_count", number(facts.links)),
            ("rank_place", place),
            ("pagerank", facts.pagerank.map(show::score)),
            ("in_links", number(facts.in_links)),
        ];
        let rows: Vec<_> =
            rows.into_iter().filter_map(|(word, value)| Some(context! { word, value => value? })).collect();
        let link = |url: &str| context! { url => show::short_url(url), href => links::calendar(name, url) };
        let cluster = facts.cluster.as_ref().map(|cluster| {
            let kinds = ["representative", "body", "text", "near"];
            let kind = kinds.iter().find(|kind| **kind == cluster.kind).map(|kind| format!("kind_{kind}"));
            context! {
                number => thousands(cluster.number),
                size => thousands(cluster.size),
                kind,
                representative => link(&cluster.representative),
                others => cluster.others.iter().map(|other| link(other)).collect::<Vec<_>>(),
            }
        });
        let title = facts.title.as_deref().or(line.title.as_deref()).map(str::trim).filter(|t| !t.is_empty());
        let text = facts.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let page = context! {
            line => views::capture(name, line),
            facts => context! { title },
            rows,
            cluster,
            text,
            known,
        };
        self.render("facts.html", Some(about), "facts", page)
    }

    /// Why there is no other page to show.
    ///
    /// # Errors
    /// As [`Pages::home`].
    pub fn problem(&self, about: Option<&CollectionSummary>, problem: &Problem<'_>) -> Result<String> {
        let words = self.lang.words("site");
        let heading = match problem.status {
            401 | 403 => "error_403",
            404 => "error_404",
            451 => "error_451",
            400..500 => "error_400",
            503 => "error_503",
            _ => "error_500",
        };
        let name = about.map(|about| about.name.clone()).unwrap_or_default();
        let of = |kind: Match| {
            let url = links::value(problem.url.unwrap_or_default());
            format!("/{}/calendar?url={url}&match={}", links::value(&name), kind.name())
        };
        let page = context! {
            heading => &words[heading],
            status_code => problem.status,
            url => problem.url,
            short => problem.url.map(show::short_url),
            note => problem.note,
            detail => problem.detail,
            near => problem.near.iter().map(|line| views::capture(&name, line)).collect::<Vec<_>>(),
            prefix_href => of(Match::Prefix),
            host_href => of(Match::Host),
            live => problem.url.and_then(links::live),
        };
        self.render("problem.html", about, "problem", page)
    }

    /// Links to the pages before and after.
    fn turns(&self, address: &str, page: usize, more: bool) -> (Option<Value>, Option<Value>) {
        let words = self.lang.words("site");
        let before =
            page.checked_sub(1).map(|page| views::turn(format!("{address}{page}"), &words["previous"]));
        (before, more.then(|| views::turn(format!("{address}{}", page + 1), &words["next"])))
    }

    fn render(
        &self,
        template: &str,
        about: Option<&CollectionSummary>,
        here: &str,
        page: Value,
    ) -> Result<String> {
        let sign = if self.here.contains('?') { '&' } else { '?' };
        let frame = context! {
            c => about.map(|about| views::collection(self.lang, about)),
            here,
            lang_href => format!("{}{sign}lang={}", self.here, self.lang.other().name()),
        };
        let environment = if self.lang == Lang::En { &*ENGLISH } else { &*CHINESE };
        let made = environment.get_template(template).and_then(|t| t.render(context! { ..page, ..frame }));
        made.map_err(|error| Error::Internal(format!("page {template}: {error:#}")))
    }
}

/// A page that answers a query.
fn hit_view(collection: &str, hit: &SearchHit) -> Value {
    let href = match hit.timestamp {
        Some(at) => links::replay(collection, at, &hit.url),
        None => links::calendar(collection, &hit.url),
    };
    let spans = hit.excerpt.iter().map(|span| context! { text => &span.text, found => span.found });
    context! {
        url => show::short_url(&hit.url),
        title => views::title(hit.title.as_deref()),
        href,
        calendar => links::calendar(collection, &hit.url),
        date => hit.timestamp.map(show::date),
        iso => hit.timestamp.map(show::iso),
        excerpt => spans.collect::<Vec<_>>(),
    }
}
