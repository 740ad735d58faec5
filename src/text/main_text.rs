//! The text a reader came for, without navigation, advertising and the rest of the frame.
//!
//! The page is divided into [blocks](super::blocks); each gets a [row of numbers](super::choice::block_row) from its text, its ancestors'
//! names and sums, its neighbours and the page; a learnt ensemble of small trees gives its probability of being main
//! text; the [choice](super::choice) is that of highest expected F1. A page whose scripts carry the article in structured
//! data falls back to these.
//!
//! Cost: linear in nodes and characters but for sorting the blocks; memory is bounded by the limits of
//! [`TextLimits`] and those of the tree. Determinism: no clock, no random number, no order of a hash table.
//!
//! References: C. Kohlschütter, P. Fankhauser, W. Nejdl, *Boilerplate detection using shallow text features*, WSDM 2010,
//! doi:10.1145/1718487.1718542; J. Bevendorff et al., *An empirical comparison of web content extraction algorithms*,
//! SIGIR 2023, doi:10.1145/3539618.3591920.

use std::ops::Range;
use webmill_capture::cut::Cut;

use super::blocks::blocks;
use super::blocks::code::code_containers;
use super::blocks::page::{LeftOut, MAX_TEXT, NONE, Page};
use super::blocks::redirect::redirects_to;
use super::blocks::schema_types::{OG_ARTICLE, OG_PRODUCT, bit_of};
use super::choice::page_features::Hints;
use super::choice::page_type::{PageType, likeliest};
use super::choice::platform::{made_by, named};
use super::choice::{Choice, SHIPPED, Tables, choose};
use super::comparison::bare;
use super::focus::Focus;
use super::metadata::author::author;
use super::metadata::published::{published, updated_near};
use super::metadata::stated_title::title_variants;
use super::metadata::title::title;
use super::output::entries::complete_lists;
use super::output::markdown::{MarkdownPage, markdown, paragraphs};
use super::output::posts::reviews::{Reviews, reviews};
use super::output::posts::thread::{Thread, ThreadPage, thread};
use super::output::posts::{Post, comments, posts};
use super::output::price::price;
use super::output::records::{DataTable, records};
use super::output::render::{data_tables, plain};
use super::output::rescue::complete;
use super::output::xml::{XmlForm, xml, xml_paragraphs};
use crate::template::{Footprint, Template};
use crate::threads::{PageContext, Threads, threads};
use webmill_capture::timing::{self, Part};
use webmill_html::{About, Dom, Metadata, WrittenDate};

/// Longer text is not replaced by structured data.
const MAX_RECOVERED_BYTES: usize = 2000;

/// What bounds the output.
#[derive(Copy, Clone, Debug)]
pub struct TextLimits {
    /// Bytes of [`MainText::text`]; longer text is cut at a line.
    pub max_text_bytes: usize,
    /// Whether [`MainText::markdown`] is made; it costs about as much as the text.
    pub markdown: bool,
    /// Whether [`MainText::tables`] and [`MainText::posts`] are collected.
    pub details: bool,
    /// What counts more where a block is in doubt.
    pub focus: Focus,
    /// Whether data tables are part of the text, and collected.
    pub tables: bool,
    /// Whether [`MainText::markdown`] and [`MainText::xml`] name the targets of links; their words stay.
    pub links: bool,
    /// Whether [`MainText::markdown`] and [`MainText::xml`] show images.
    pub images: bool,
    /// In which form [`MainText::xml`] is made; `None` for not at all.
    pub xml: Option<XmlForm>,
}

impl Default for TextLimits {
    fn default() -> Self {
        TextLimits {
            max_text_bytes: MAX_TEXT,
            markdown: true,
            details: true,
            focus: Focus::default(),
            tables: true,
            links: true,
            images: true,
            xml: None,
        }
    }
}

/// What a page says. Decoders of other formats than HTML begin with the default, which says nothing.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct MainText {
    /// Plain text, a paragraph, heading, item or table row a line.
    pub text: String,
    /// The same as Markdown; empty if the limits say so.
    pub markdown: String,
    /// The same as elements of XML, a block a line; empty if the limits say so.
    pub xml: String,
    /// Ranges of the text that are code, in order.
    pub code: Vec<Range<usize>>,
    /// Its data tables, of a product's page also the price; empty if the limits say so.
    pub tables: Vec<DataTable>,
    /// The posts of a thread that is the text, comments beside it, and reviews; empty if the limits say so.
    pub posts: Vec<Post>,
    /// What the page states of itself, with the title, author and date of publication that its visible part bears out.
    pub about: About,
    /// What kind of page it is.
    pub page_type: PageType,
    /// Expected F1 of the text, between 0 and 1; of an empty one, how likely it is that there is none.
    pub confidence: f32,
    /// What limits left out of it.
    pub left_out: LeftOut,
    /// Blocks that the template of the host took.
    pub pruned: usize,
    /// Where the page leads, if that is all that it does: it has a refresh to another page and next to no text. Such a
    /// page has no main text, and its type is [`PageType::Empty`].
    pub redirects_to: Option<String>,
}

impl MainText {
    /// Puts the title before the text, as a line of its own, unless the text begins with it.
    ///
    /// # Examples
    /// ```
    /// use webmill_html::{Limits, Metadata, parse};
    /// use webmill_text::{TextLimits, fragment_text};
    /// let dom = parse("<p>One word.", &Limits::default());
    /// let mut found = fragment_text(&dom, &Metadata::default(), &TextLimits::default());
    /// found.about.title = Some("Words".to_owned());
    /// found.begin_with_title();
    /// found.begin_with_title();
    /// assert_eq!(found.text, "Words\nOne word.");
    /// ```
    pub fn begin_with_title(&mut self) {
        let Some(title) = self.about.title.as_deref().filter(|_| !self.text.is_empty()) else { return };
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let first = self.text.lines().next().unwrap_or_default();
        if title.is_empty()
            || bare(first.cut(..first.floor_char_boundary(2 * title.len() + 40))) == bare(&title)
        {
            return;
        }
        self.text.insert_str(0, &format!("{title}\n"));
        for code in &mut self.code {
            *code = code.start + title.len() + 1..code.end + title.len() + 1;
        }
    }
}

/// Extracts the main text of a page.
pub fn main_text(dom: &Dom<'_>, meta: &Metadata, limits: &TextLimits) -> MainText {
    extract(dom, meta, limits, &SHIPPED, None)
}

/// Extracts the main text of a page without what the template of its host holds.
pub fn main_text_without(
    dom: &Dom<'_>,
    meta: &Metadata,
    limits: &TextLimits,
    template: &Template,
) -> MainText {
    extract(dom, meta, limits, &SHIPPED, Some(template))
}

/// What a page adds to the sample of its host, from which its [template](Template::learn) is learnt.
pub fn footprint(dom: &Dom<'_>) -> Footprint {
    Footprint::new(dom, &blocks_of(dom))
}

/// Extracts the main text of a page by given tables, without what `template` holds.
pub(crate) fn extract(
    dom: &Dom<'_>,
    meta: &Metadata,
    limits: &TextLimits,
    tables: &Tables,
    template: Option<&Template>,
) -> MainText {
    let page = blocks_of(dom);
    let hints = hints(meta);
    let choice = choose(&page, &hints, threads_of(dom, &page, meta), tables, limits.focus);
    let Choice { mut chosen, confidence, types, kind, title_at, threads, .. } = choice;
    let redirects_to = redirects_to(dom, meta, &page);
    if redirects_to.is_some() {
        chosen.fill(false);
    }
    let span = timing::span(Part::Written);
    let pruned = template.map_or(0, |template| template.prune(&page, &mut chosen, title_at));
    let data = data_tables(&page);
    let code = code_containers(&page);
    complete(&page, &mut chosen, &code, &data);
    complete_lists(&page, &mut chosen);
    let begin = chosen.iter().position(|&chosen| chosen);
    let title = title(dom, &page, meta, begin);
    let shown = Shown { dom, meta, page: &page, headline: title.as_deref() };
    let price =
        if is_product(meta) && begin.is_some() { price(dom, &page, title_at.unwrap_or(0)) } else { None };
    price.into_iter().for_each(|at| chosen[at] = true);
    let is_board = kind == PageType::Forum || threads.hold(&page, &chosen);
    let said = said(&shown, &mut chosen, &threads, is_board, (&code, &data));
    let mut written = written(&shown, &mut chosen, &data, &said, limits);
    if let Some(at) = price.filter(|_| limits.details && limits.tables) {
        let rows = vec![vec![page.text_of(&page.blocks[at]).replace('\n', " ")]];
        written.tables.push(DataTable { caption: None, columns: vec!["price".to_owned()], rows });
    }
    if redirects_to.is_some() {
        for form in [&mut written.text, &mut written.markdown, &mut written.xml] {
            form.clear();
        }
        written.code.clear();
    }

    drop(span);
    let _span = timing::span(Part::Bylines);
    let mut about = about(&shown, title_at.unwrap_or(0), kind);
    if let Said::Thread(thread) = &said {
        begun_by(thread, meta, &mut about);
    }
    let confidence = if redirects_to.is_some() { 1.0 } else { confidence };
    let page_type = match (written.text.is_empty(), kind) {
        (true, _) => PageType::Empty,
        (false, PageType::Empty) => likeliest(&types, PageType::of_texts()),
        (false, kind) => kind,
    };
    MainText { about, page_type, confidence, pruned, redirects_to, ..written }
}

/// What a page says of itself: what it declares, and its title, authors and days as they stand near a block.
fn about(shown: &Shown<'_, '_>, near: usize, kind: PageType) -> About {
    let Shown { dom, meta, page, headline } = *shown;
    let (published, published_ambiguous) = match published(dom, meta, page, near) {
        Some(WrittenDate::Ambiguous { month_first, day_first }) => (None, vec![month_first, day_first]),
        date => (date.and_then(WrittenDate::certain), Vec::new()),
    };
    let updated = || updated_near(dom, page, near, meta.date_order)?.certain();
    About {
        author: author(dom, meta, page, near, kind),
        title: headline.map(str::to_owned),
        modified: meta.about.modified.clone().or_else(updated),
        published,
        published_ambiguous,
        ..meta.about.clone()
    }
}

/// What people say on a page where others do too.
pub(crate) enum Said<'t> {
    Nothing,
    /// Comments beside the text.
    Comments(&'t Threads, Reviews),
    /// The text itself.
    Thread(Thread),
}

/// Whether a page states that it is about a product.
fn is_product(meta: &Metadata) -> bool {
    meta.og_type.as_deref().is_some_and(|kind| kind.contains("product"))
        || meta.structured.types.iter().any(|name| name == "Product")
}

/// What people say on a page whose text is a thread if it `is_board`; the text gets the code and tables of posts and loses
/// the reviews of a product. `whole` is of `code_containers` and `data_tables`.
fn said<'t>(
    shown: &Shown<'_, '_>,
    chosen: &mut [bool],
    threads: &'t Threads,
    is_board: bool,
    whole: (&[u32], &[bool]),
) -> Said<'t> {
    if !chosen.contains(&true) {
        // Who follows a page that is missing says nothing about it.
        return Said::Nothing;
    }
    let of = shown.with_posts(chosen);
    if is_board {
        let thread = thread(&of);
        thread.complete(shown.page, chosen, whole.0, whole.1);
        return Said::Thread(thread);
    }
    let reviews = reviews(&of, &shown.meta.structured.reviews);
    // Elsewhere what several say about a thing is what the page says.
    if is_product(shown.meta) {
        reviews.leave_out(shown.page, chosen);
    }
    Said::Comments(threads, reviews)
}

/// A thread is by who wrote its first post, and of that day, unless the page states otherwise.
fn begun_by(thread: &Thread, meta: &Metadata, about: &mut About) {
    let Some(first) = thread.posts.first() else { return };
    let stated = meta.structured.authors.iter().map(String::as_str);
    let mut stated = stated.chain(meta.about.author.iter().flat_map(|names| names.split("; "))).peekable();
    // Markup names the author of each post.
    let is_open = stated.peek().is_none() || stated.any(|name| first.author.as_deref() == Some(name));
    if first.author.is_some() && is_open {
        about.author.clone_from(&first.author);
    }
    let states_date = meta.structured.published.is_some() || meta.about.published.is_some();
    // Where posts have dates, any other date is of a member or of the software.
    if thread.dated && !states_date {
        about.published.clone_from(&first.date);
        about.published_ambiguous.clear();
    }
}

/// The blocks of a page.
fn blocks_of(dom: &Dom<'_>) -> Page {
    let _span = timing::span(Part::Blocks);
    dom.body().map(|body| blocks(dom, body)).unwrap_or_default()
}

/// A page, with the title that its text goes by.
pub(crate) struct Shown<'p, 'd> {
    pub dom: &'p Dom<'d>,
    pub meta: &'p Metadata,
    pub page: &'p Page,
    pub headline: Option<&'p str>,
}

impl<'p> Shown<'p, '_> {
    fn with_posts<'c: 'p>(&'c self, chosen: &'c [bool]) -> ThreadPage<'c, 'c> {
        let Shown { dom, meta, page, headline } = *self;
        let context = PageContext { dom: Some(dom), published: None, order: meta.date_order };
        ThreadPage { dom, page, chosen, headline, context }
    }
}

/// The chosen blocks in every form that the limits ask for, and the posts of a page that has any.
pub(crate) fn written(
    shown: &Shown<'_, '_>,
    chosen: &mut [bool],
    data: &[bool],
    said: &Said<'_>,
    limits: &TextLimits,
) -> MainText {
    let Shown { dom, meta, page, headline } = *shown;
    let mut main = MainText::default();
    let mut left_out = 0;
    if limits.details {
        let of = shown.with_posts(chosen);
        (main.posts, left_out) = match said {
            Said::Thread(thread) => posts(&of, thread),
            Said::Comments(threads, reviews) => comments(&of, threads, reviews),
            Said::Nothing => (Vec::new(), 0),
        };
    }
    if !limits.tables {
        leave_out_tables(page, chosen, data);
    } else if limits.details {
        main.tables = records(dom, page, chosen, data);
    }
    (main.text, main.code) = plain(dom, page, chosen, data);
    let (base, links, images) = (meta.base.as_ref(), limits.links, limits.images);
    let thread = match said {
        Said::Thread(thread) => Some(thread),
        _ => None,
    };
    let source = MarkdownPage { dom, page, base, links, images, headline, thread };
    let max = limits.max_text_bytes.saturating_mul(2);
    if limits.markdown {
        main.markdown = match thread {
            Some(thread) => markdown(&source, &thread.shown(chosen), &thread.tables(page, data), max),
            None => markdown(&source, chosen, data, max),
        };
    }
    let recovered = recover(meta, &mut main.text, &mut main.markdown, headline, limits);
    if recovered {
        main.code.clear();
    }
    main.xml = match limits.xml {
        Some(_) if recovered => xml_paragraphs(main.text.lines(), max),
        Some(form) => xml(&source, chosen, data, form, max),
        None => String::new(),
    };
    main.left_out = page.left_out;
    main.left_out.posts = left_out;
    main.left_out.bytes += cut(&mut main.text, limits.max_text_bytes);
    main.code.retain(|code| code.end <= main.text.len());
    cut(&mut main.markdown, max);
    main
}

/// Leaves out what stands in the rows of data tables.
fn leave_out_tables(page: &Page, chosen: &mut [bool], data: &[bool]) {
    for (block, chosen) in page.blocks.iter().zip(chosen) {
        let container = &page.containers[block.container as usize];
        *chosen &= container.row == NONE || container.table == NONE || !data[container.table as usize];
    }
}

/// The threads of comments on a page.
pub(crate) fn threads_of(dom: &Dom<'_>, page: &Page, meta: &Metadata) -> Threads {
    let _span = timing::span(Part::Threads);
    let published = meta.structured.published.as_deref().or(meta.about.published.as_deref());
    threads(page, &PageContext { dom: Some(dom), published, order: meta.date_order })
}

/// What the page says of itself outside of its body.
pub(crate) fn hints(meta: &Metadata) -> Hints {
    let stated = [meta.og_title.as_deref(), meta.about.title.as_deref()];
    let titles = title_variants(&stated);
    let mut schema = meta.structured.types.iter().fold(0, |bits, name| bits | bit_of(name));
    if let Some(kind) = meta.og_type.as_deref() {
        if kind.trim().eq_ignore_ascii_case("article") {
            schema |= OG_ARTICLE;
        } else if kind.contains("product") {
            schema |= OG_PRODUCT;
        }
    }
    let path = meta.own_address().map(|url| url.path().to_string());
    let description = meta.about.description.as_deref().map(bare).unwrap_or_default();
    let stated = &meta.structured;
    let article = if stated.types.is_empty() { None } else { stated.article_body.clone() };
    let said = [meta.about.title.as_deref(), meta.about.site_name.as_deref()];
    let sites = [
        said.into_iter().flatten().fold(0, |bits, text| bits | named(text)),
        meta.own_address().map_or(0, |address| named(address.host())),
        meta.generator.as_deref().map_or(0, made_by),
    ];
    Hints { titles, schema, path, sites, article, description }
}

/// Takes the article from structured data where the page shows much less of it.
fn recover(
    meta: &Metadata,
    text: &mut String,
    marked: &mut String,
    headline: Option<&str>,
    limits: &TextLimits,
) -> bool {
    if text.len() > MAX_RECOVERED_BYTES {
        return false;
    }
    let Some(body) = &meta.structured.article_body else { return false };
    if body.len() < 400 || text.len() * 3 > body.len() {
        return false;
    }
    let lines: Vec<&str> = body.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    *text = lines.join("\n");
    if limits.markdown {
        let (title, first) = (headline.map(bare), lines.first().map(|line| bare(line)));
        let body = paragraphs(&lines[usize::from(title.is_some() && title == first)..]);
        let headline = headline.map(|headline| format!("# {}\n\n", paragraphs(&[headline])));
        *marked = headline.unwrap_or_default() + &body;
    }
    true
}

/// Cuts a text at a line, or within one that is longer than half of what may stay; how many bytes are gone.
pub(crate) fn cut(text: &mut String, max: usize) -> u64 {
    let whole = text.len();
    if whole > max {
        let end = text.floor_char_boundary(max);
        let at_a_line = text.cut(..end).rfind('\n').filter(|&line| line >= end / 2);
        text.truncate(at_a_line.unwrap_or(end));
    }
    (whole - text.len()) as u64
}

#[cfg(test)]
#[path = "main_text_tests.rs"]
mod tests;
