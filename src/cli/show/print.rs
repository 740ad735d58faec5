//! Known facts about a page, for people: one screen.

use std::fmt::Write;

use webmill_graph::measure::Values;

use super::shown::{Links, PageReport, Rank};
use crate::anchors::Anchor;
use crate::print::flat as plain;

/// Where values begin.
const INDENT: usize = 12;

struct Screen(String);

impl Screen {
    /// A line with its heading; empty values are left out.
    fn line(&mut self, heading: &str, value: &str) {
        if !value.is_empty() {
            let _ = writeln!(self.0, "{heading:<INDENT$}{}", plain(value));
        }
    }

    fn more(&mut self, value: &str) {
        self.line("", value);
    }

    /// Says how many are not listed.
    fn rest(&mut self, total: u64, listed: usize) {
        if total > listed as u64 {
            self.more(&format!("… {} more", total - listed as u64));
        }
    }
}

/// The text for the terminal.
pub fn screen(shown: &PageReport) -> String {
    let mut screen = Screen(String::new());
    let _ = writeln!(screen.0, "{}", plain(&shown.url));
    about(shown, &mut screen);
    other_forms(shown, &mut screen);
    captures(shown, &mut screen);
    text(shown, &mut screen);
    if let Some(found) = &shown.rank {
        rank(found, &mut screen);
    }
    links("links in", "from", shown.links_in.as_ref(), &mut screen);
    links("links out", "to", shown.links_out.as_ref(), &mut screen);
    copies(shown, &mut screen);
    surroundings(shown, &mut screen);
    ending(shown, &mut screen);
    screen.0
}

fn about(shown: &PageReport, screen: &mut Screen) {
    let Some(page) = &shown.page else { return };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    screen.line("title", &text(&page.about.title));
    screen.line("author", &text(&page.about.author));
    let modified = page.about.modified.as_ref().map(|date| format!("modified {date}"));
    let dates: Vec<String> = page.about.published.iter().cloned().chain(modified).collect();
    screen.line("dates", &dates.join(", "));
    let kind = [page.page_type.map(str::to_owned), page.languages.clone(), page.charset.clone()];
    let words = format!("{} words", page.words);
    let kind: Vec<String> = kind
        .into_iter()
        .flatten()
        .chain((page.is_html || page.page_type.is_some()).then_some(words))
        .collect();
    screen.line("kind", &kind.join(", "));
    screen.line("site", &text(&page.about.site_name));
    screen.line("licence", &text(&page.about.licence));
    if page.about.canonical_url.as_deref().is_some_and(|url| url != shown.url) {
        screen.line("canonical", &text(&page.about.canonical_url));
    }
}

/// What it is as a document, a picture, a sound or a video.
fn other_forms(shown: &PageReport, screen: &mut Screen) {
    if let Some(document) = &shown.document {
        let parts = [
            Some(document.format.to_owned()),
            document.pages.map(|pages| format!("{pages} pages")),
            document.title_source.map(|source| format!("title by {source}")),
            document.failure.as_ref().map(|reason| format!("not read: {reason}")),
        ];
        let warnings = document.warnings.iter().map(|warning| format!("warning: {warning}"));
        let parts: Vec<String> = parts.into_iter().flatten().chain(warnings).collect();
        screen.line("document", &parts.join(", "));
    }
    if let Some(medium) = &shown.medium {
        let size = medium.width.zip(medium.height).map(|(width, height)| format!("{width} × {height}"));
        let seconds = medium.duration_ms.map(|ms| format!("{:.1} s", ms as f64 / 1e3));
        let by = medium.shown_by.as_ref().map(|page| format!("not fetched, shown by {page}"));
        let kind = [Some(medium.kind.to_owned()), medium.format.clone(), size, seconds, by];
        let names =
            [&medium.artist, &medium.album, &medium.title, &medium.camera, &medium.alt].map(Clone::clone);
        let parts: Vec<String> = kind.into_iter().chain(names).flatten().collect();
        screen.line("medium", &parts.join(", "));
    }
}

fn captures(shown: &PageReport, screen: &mut Screen) {
    if shown.captures.total == 0 {
        let by =
            if shown.medium.is_some() { "none: pages show it" } else { "none: it is known by links alone" };
        screen.line("captures", by);
        return;
    }
    screen.line("captures", &shown.captures.total.to_string());
    for capture in &shown.captures.listed {
        let mark = if capture.is_current { "*" } else { " " };
        let time = capture.time.as_deref().unwrap_or("no date");
        let status = capture.status.map_or_else(|| "no status".to_owned(), |status| status.to_string());
        let kind = capture.media_type.as_deref().unwrap_or("-");
        let record = capture
            .warc_type
            .filter(|kind| *kind != "response")
            .map_or_else(String::new, |kind| format!(" {kind}"));
        let to = capture.redirect.as_ref().map_or_else(String::new, |to| format!(" → {to}"));
        let digest = capture.digest.as_deref().unwrap_or("-");
        let place = format!("{}:{}+{}", capture.shard, capture.offset, capture.length);
        screen.more(&format!(
            "{mark} {time} {status} {kind}{record}{to} {} bytes {digest} {place}",
            capture.bytes
        ));
    }
    screen.rest(shown.captures.total, shown.captures.listed.len());
}

fn text(shown: &PageReport, screen: &mut Screen) {
    let Some(text) = &shown.text else { return };
    for (at, line) in text.first_lines.iter().enumerate() {
        let short: String = line.chars().take(100).collect();
        let cut = if short.len() < line.len() { "…" } else { "" };
        screen.line(if at == 0 { "text" } else { "" }, &format!("{short}{cut}"));
    }
    screen.rest(text.lines as u64, text.first_lines.len());
}

fn rank(rank: &Rank, screen: &mut Screen) {
    let place = match rank.position {
        0 => String::new(),
        place => {
            let of_crawled = rank.crawled.map_or_else(String::new, |crawled| {
                let (place, of, above) = (crawled.position, crawled.of, crawled.percentile);
                format!(", {place} of {of} crawled pages, above {above:.2} % of them")
            });
            format!("{of_crawled}, {place} of {} nodes, above {:.2} %", rank.nodes, rank.percentile)
        }
    };
    screen.line("PageRank", &format!("{:.4e}{place}", rank.pagerank));
    if let Some(from) = &rank.comes_from {
        let part = |amount: f64| if rank.pagerank > 0.0 { 100.0 * amount / rank.pagerank } else { 0.0 };
        screen.more(&format!(
            "{:.1} % by teleporting, {:.1} % from pages without links",
            part(from.teleport),
            part(from.dangling)
        ));
        for link in &from.links.listed {
            screen.more(&format!("{:.1} % from {}", part(link.amount), link.url));
        }
        let others = from.links.total - from.links.listed.len() as u64;
        if others > 0 {
            screen.more(&format!("{:.1} % from {others} other pages", part(from.other_links)));
        }
    }
    let others = rank.others.iter().filter_map(|(score, value)| match score.values {
        Values::Real => value.map(|value| format!("{} {value:.3e}", score.label)),
        Values::Estimates => value.map(|value| format!("{} {value:.1}", score.label)),
        Values::Counts => None,
    });
    screen.line("other", &others.collect::<Vec<_>>().join(", "));
}

fn links(heading: &str, way: &str, links: Option<&Links>, screen: &mut Screen) {
    let Some(links) = links else { return };
    let number = |n: u64, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    screen.line(
        heading,
        &format!("{} {way} {}", number(links.links, "link"), number(links.pages.total, "page")),
    );
    for linked in &links.pages.listed {
        let anchors: Vec<String> = linked.anchors.iter().map(say_anchor).collect();
        let said = if anchors.is_empty() { String::new() } else { format!("  {}", anchors.join(", ")) };
        screen.more(&format!("{}{said}", linked.url));
    }
    screen.rest(links.pages.total, links.pages.listed.len());
}

fn say_anchor(anchor: &Anchor) -> String {
    let short: String = anchor.anchor.chars().take(60).collect();
    match (short.is_empty(), anchor.kind) {
        (true, kind) => format!("({kind})"),
        (false, "a") => format!("“{short}”"),
        (false, kind) => format!("“{short}” ({kind})"),
    }
}

/// A similarity; nothing where it was not verified.
fn three_digits(similarity: Option<f64>) -> String {
    similarity.map_or_else(String::new, |similarity| format!("{similarity:.3}"))
}

fn copies(shown: &PageReport, screen: &mut Screen) {
    if let Some(cluster) = &shown.cluster {
        let kept = match cluster.keep {
            true => "this page is kept".to_owned(),
            false => {
                let how = [cluster.kind.to_owned(), three_digits(cluster.resemblance)].join(", ");
                format!("kept: {} ({})", cluster.representative, how.trim_end_matches(", "))
            }
        };
        screen.line("cluster", &format!("{} of {} pages; {kept}", cluster.number, cluster.size));
    }
    if let Some(duplicates) = &shown.duplicates {
        screen.line("duplicates", &duplicates.total.to_string());
        for pair in &duplicates.listed {
            screen.more(&format!("{} {} {}", pair.kind, three_digits(pair.resemblance), pair.url));
        }
        screen.rest(duplicates.total, duplicates.listed.len());
    }
    let Some(passages) = shown.passages.as_ref().filter(|passages| passages.total > 0) else { return };
    screen.line("passages", &passages.total.to_string());
    for passage in &passages.listed {
        screen.more(&format!(
            "{} words, {:.1} % of this text, with {}",
            passage.words,
            100.0 * passage.share,
            passage.url
        ));
    }
    screen.rest(passages.total, passages.listed.len());
}

fn surroundings(shown: &PageReport, screen: &mut Screen) {
    if let Some(words) = &shown.keywords {
        screen.line("keywords", &words.tfidf.join(", "));
    }
    let counts =
        [("posts", shown.posts), ("rows of tables", shown.records), ("structured items", shown.structured)];
    let counts: Vec<String> = counts
        .iter()
        .filter_map(|(what, count)| count.filter(|count| *count > 0).map(|count| format!("{count} {what}")))
        .collect();
    screen.line("has", &counts.join(", "));
    if let Some(template) = &shown.template {
        screen.line(
            "template",
            &format!(
                "{}: {} texts, of {} pages {} were compared",
                template.verdict, template.texts, template.pages, template.sampled
            ),
        );
    }
    if let Some(host) = &shown.host {
        screen.line("host", &format!(
            "{}: {} captures, {} HTML pages, {} errors, {} duplicates; {} hosts link to it, it links to {}; PageRank {:.3e}",
            host.name, host.captures, host.html_pages, host.errors, host.duplicates, host.hosts_in, host.hosts_out, host.pagerank
        ));
    }
    if let Some(rejects) = shown.rejects.as_ref().filter(|rejects| rejects.total > 0) {
        screen.line("rejects", &rejects.total.to_string());
        for reject in &rejects.listed {
            screen
                .more(&format!("{} at {}:{}: {}", reject.reason, reject.shard, reject.offset, reject.detail));
        }
    }
}

/// Missing tables, and how much was read.
fn ending(shown: &PageReport, screen: &mut Screen) {
    for (at, missing) in shown.missing.iter().enumerate() {
        let heading = if at == 0 { "not there" } else { "" };
        screen.line(heading, &format!("{}: {}", missing.table, missing.why));
    }
    let scanned: Vec<&str> =
        shown.read.iter().filter(|read| read.by.is_none()).map(|read| read.table).collect();
    let (groups, read) =
        shown.read.iter().fold((0, 0), |sum, read| (sum.0 + read.row_groups, sum.1 + read.row_groups_read));
    let scanned = if scanned.is_empty() { "none".to_owned() } else { scanned.join(", ") };
    screen.line("read", &format!("{read} of {groups} row groups; throughout: {scanned}"));
}
