//! When a page was published.
//!
//! Order of trust: structured data, stated metadata, a day in the page's address, `<time>` elements, text near
//! the title, bylines anywhere, a dateline at the beginning of the text, the data that scripts carry, any block that is
//! little more than a date. Dates among comments and related articles, or in code, do not count, nor those that a
//! [label](super::date_label) gives to a change or an event. Where nothing of all this is found, the first `<time>` or bare date
//! among comments counts, for the posts of a thread are comments of each other; and last when the page was changed, if it states
//! no more. A moment that is stated in UTC is given as the day in the folders of the page's address, where that is the same moment
//! in another zone.
//!
//! Dates of numbers are read by the order of the page ([`DateOrder`]). Where that is undecided and the first date found may be
//! either of two days, that source and those after it are asked for one of these two; if none states it, the other dates of
//! the page may prove an order. Else the date stays ambiguous.
//!
//! Cost: a walk over the body and a look at short blocks; [`MAX_SCRIPT`] bytes of scripts.

use super::author::in_frame;
use super::date_label::{DateRole, labelled_dates, role_after};
use crate::blocks::class_names::Kind;
use crate::blocks::page::{Block, FAR, Page};
use webmill_capture::cut::Cut;
use webmill_capture::{CanonicalUrl, calendar};
use webmill_html::{
    DateOrder, Dom, Metadata, NodeId, Tag, WrittenDate, find_date, find_date_at, is_of_other_page,
    proven_order,
};

/// Blocks after the title in which a date is looked for.
const NEAR_BLOCKS: usize = 12;
/// Bylines in which a date is looked for.
const MAX_DATED: usize = 40;
/// `<time>` elements that are read.
const MAX_TIMES: usize = 5;
/// Bytes of scripts that are searched.
const MAX_SCRIPT: usize = 2 << 20;
/// Bytes of a block that is little more than a date.
const MAX_BARE: usize = 120;
/// Blocks whose dates may prove the order of day and month.
const MAX_PROVING: usize = 1_000;
/// Elements around and in a block that may say that it is code.
const MAX_UP: usize = 24;
const MAX_INSIDE: usize = 100;

/// The date of a page whose title is block `near`.
pub(crate) fn published(dom: &Dom<'_>, meta: &Metadata, page: &Page, near: usize) -> Option<WrittenDate> {
    let order = meta.date_order;
    let stated = || {
        let mut stated = [&meta.structured.published, &meta.about.published].into_iter().flatten();
        stated.find_map(|date| find_date(date, order))
    };
    let near_title = |wanted: DateFilter<'_>| {
        let range = near.saturating_sub(2)..(near + NEAR_BLOCKS).min(page.blocks.len());
        in_blocks(dom, page, order, wanted, Search::default(), &mut page.blocks[range].iter())
    };
    let bylines = |wanted: DateFilter<'_>, search: Search| {
        let dated = |block: &&Block| {
            let container = &page.containers[block.container as usize];
            container.distance[Kind::Byline as usize] <= 1 || block.inline_kinds & Kind::Byline.bit() != 0
        };
        in_blocks(dom, page, order, wanted, search, &mut page.blocks.iter().filter(dated).take(MAX_DATED))
    };
    let bare_blocks = |wanted: DateFilter<'_>, search: Search| {
        let bare = |block: &&Block| may_be_dated(page, block) && is_bare(page.text_of(block));
        in_blocks(dom, page, order, wanted, search, &mut page.blocks.iter().take(2_000).filter(bare))
    };
    let changed = || {
        let mut stated = [&meta.structured.modified, &meta.about.modified].into_iter().flatten();
        stated.find_map(|date| find_date(date, order))
    };
    let sources: [&DateSource<'_>; 14] = [
        &|_| stated().map(|date| local_day(date, meta)),
        &|_| in_address(meta),
        &|_| in_times(dom, order, false),
        &near_title,
        &|wanted| bylines(wanted, Search::default()),
        &|_| in_dateline(dom, page, near, order),
        &|_| in_scripts(dom),
        &|_| updated_near(dom, page, near, order),
        &|wanted| bare_blocks(wanted, Search::default()),
        // The first post of a thread is one of its comments; what is shown first is the oldest as a rule.
        &|_| in_times(dom, order, true),
        &|wanted| bare_blocks(wanted, Search { others: true, ..Search::default() }),
        &|wanted| bylines(wanted, Search { changes: true, ..Search::default() }),
        &|wanted| bare_blocks(wanted, Search { changes: true, ..Search::default() }),
        &|_| changed(),
    ];
    let mut doubtful: Option<WrittenDate> = None;
    for source in sources {
        if doubtful.is_none() {
            match source(&|_| true) {
                Some(WrittenDate::Certain(date)) => return Some(WrittenDate::Certain(date)),
                found => doubtful = found,
            }
        }
        let Some(either) = &doubtful else { continue };
        let decides = |date: &WrittenDate| match date {
            WrittenDate::Certain(date) => either.may_be(date),
            WrittenDate::Ambiguous { .. } => false,
        };
        if let Some(date) = source(&decides).filter(decides) {
            return Some(date);
        }
    }
    doubtful.map(|date| date.by_order(order_shown(page)))
}

/// When the page was changed, as a label near its title says.
pub(crate) fn updated_near(dom: &Dom<'_>, page: &Page, near: usize, order: DateOrder) -> Option<WrittenDate> {
    let range = near.saturating_sub(2)..(near + NEAR_BLOCKS).min(page.blocks.len());
    let blocks =
        page.blocks[range].iter().filter(|block| may_be_dated(page, block) && !is_of_others(page, block));
    let dates = |block: &Block| labelled_dates(page.text_of(block), order);
    let mut found =
        blocks.flat_map(|block| dates(block).into_iter().map(move |(role, date)| (block, role, date)));
    let (block, _, date) = found.find(|(_, role, _)| *role == DateRole::Modified)?;
    (!is_code(dom, page, block)).then_some(date)
}

/// A stated date, or the day in the folders of the page's address where that is the same moment in another zone than the stated UTC:
/// a page under `/2023/11/08/` whose head says `2023-11-09T03:28:00Z`.
fn local_day(stated: WrittenDate, meta: &Metadata) -> WrittenDate {
    let path = meta.own_address().or(meta.base.as_ref()).map_or("", CanonicalUrl::path);
    let in_folders = |day: &String| day.get(..10).is_some_and(|day| path.contains(&day.replace('-', "/")));
    let address = in_address(meta).and_then(WrittenDate::certain).filter(in_folders);
    let WrittenDate::Certain(moment) = &stated else { return stated };
    let utc = moment.ends_with('Z') || moment.ends_with("+00:00");
    let hour = moment.get(11..13).and_then(|hour| hour.parse::<u32>().ok());
    let (Some(day), Some(hour), Some(shown)) = (day_number(moment), hour, address) else {
        return stated;
    };
    // Zones are 12 hours behind to 14 hours ahead of UTC.
    let same = |shown: i64| shown + 1 == day && hour < 12 || shown == day + 1 && hour >= 10;
    let moved = utc && day_number(&shown).is_some_and(same);
    if moved { WrittenDate::Certain(shown) } else { stated }
}

/// The number of a day in ISO 8601.
fn day_number(date: &str) -> Option<i64> {
    let number = |from: usize, to: usize| date.get(from..to)?.parse::<u32>().ok();
    calendar::days_of_civil(number(0, 4)?.into(), number(5, 7)?, number(8, 10)?)
}

/// The order that the other dates of the page prove, if they do not contradict each other.
fn order_shown(page: &Page) -> DateOrder {
    let short = |block: &&Block| block.counts.units < 30.0 && block.counts.digits >= 6;
    let proven =
        page.blocks.iter().filter(short).take(MAX_PROVING).map(|block| proven_order(page.text_of(block)));
    let mut shown = DateOrder::Undecided;
    for order in proven.filter(|&order| order != DateOrder::Undecided) {
        if shown != DateOrder::Undecided && shown != order {
            return DateOrder::Undecided;
        }
        shown = order;
    }
    shown
}

/// Which dates are taken.
type DateFilter<'a> = &'a dyn Fn(&WrittenDate) -> bool;

/// Where a date may be stated.
type DateSource<'a> = dyn Fn(DateFilter<'_>) -> Option<WrittenDate> + 'a;

/// A day in the path of the page's own address: `/2019/10/22/`.
fn in_address(meta: &Metadata) -> Option<WrittenDate> {
    let url: &CanonicalUrl = meta.own_address().or(meta.base.as_ref())?;
    let path = url.path();
    let starts = path
        .char_indices()
        .filter(|&(at, c)| c.is_ascii_digit() && !path.cut(..at).ends_with(|c: char| c.is_ascii_digit()));
    starts
        .map(|(at, _)| path.cut(at..))
        .filter(|rest| rest.starts_with("19") || rest.starts_with("20"))
        .find_map(|rest| {
            let end = rest
                .find(|c: char| !(c.is_ascii_digit() || c == '/' || c == '-' || c == '.'))
                .unwrap_or(rest.len());
            let day = rest.cut(..end);
            if day.split(['/', '-', '.']).next().is_some_and(|part| part.len() == 8) {
                // 20191022
                return find_date(
                    &format!("{}-{}-{}", day.cut(..4), day.cut(4..6), day.cut(6..8)),
                    DateOrder::Undecided,
                );
            }
            find_date(day, DateOrder::Undecided)
        })
        .or_else(|| {
            // The whole of a part: /news/29-10-2021.
            let numbers =
                |part: &&str| part.len() == 10 && part.bytes().all(|b| b.is_ascii_digit() || b == b'-');
            path.split('/').filter(numbers).find_map(|part| find_date(part, DateOrder::Undecided))
        })
}

/// The first `<time>` outside of frames, or with `framed` anywhere.
fn in_times(dom: &Dom<'_>, order: DateOrder, framed: bool) -> Option<WrittenDate> {
    let times =
        dom.descendants(dom.body()?).filter(|&n| dom.tag(n) == Tag::Time && (framed || !in_frame(dom, n)));
    let published = |n: &NodeId| !is_of_change(dom, *n) && !is_of_other_page(dom, *n);
    times.take(MAX_TIMES).filter(published).find_map(|n| {
        dom.attr(n, "datetime").and_then(|when| find_date(when, order)).or_else(|| {
            let mut text = String::new();
            dom.text_content(n, &mut text);
            find_date(&text, order)
        })
    })
}

/// Whether a `<time>` says, or what stands right before it, that it is the day of a change.
fn is_of_change(dom: &Dom<'_>, time: NodeId) -> bool {
    const NAMES: [&str; 2] = ["updated", "modified"];
    let called =
        |list: &str| list.split_ascii_whitespace().any(|name| NAMES.iter().any(|end| name.ends_with(end)));
    let alone = |list: &str| !list.contains("publish");
    if dom.attr(time, "class").is_some_and(|list| called(list) && alone(list)) {
        return true;
    }
    let labels = |&n: &NodeId| {
        dom.is_text(n)
            || matches!(dom.tag(n), Tag::Span | Tag::B | Tag::Strong | Tag::I | Tag::Em | Tag::Label)
    };
    let Some(before) = dom.prev_sibling(time).filter(labels) else { return false };
    let mut text = String::new();
    dom.text_content(before, &mut text);
    role_after(&text) == DateRole::Modified
}

/// Whether a block is where dates are of something else: comments, related articles, the footer.
fn is_of_others(page: &Page, block: &Block) -> bool {
    let distance = &page.containers[block.container as usize].distance;
    [Kind::Comment, Kind::Related, Kind::Footer].iter().any(|&kind| distance[kind as usize] < FAR)
}

/// Whether a block is code, or holds some.
fn is_code(dom: &Dom<'_>, page: &Page, block: &Block) -> bool {
    let container = &page.containers[block.container as usize];
    let node = container.node;
    let code = |n: NodeId| matches!(dom.tag(n), Tag::Pre | Tag::Code | Tag::Samp | Tag::Kbd | Tag::Listing);
    let around = std::iter::once(node).chain(dom.ancestors(node));
    // What is in an element of several blocks may be in another one of them.
    let alone = container.end - container.first == 1;
    around.take(MAX_UP).any(code) || alone && dom.descendants(node).take(MAX_INSIDE).any(code)
}

/// Whether a text is little more than a date: at most a label before it and a time of the day behind it.
fn is_bare(text: &str) -> bool {
    if text.len() > MAX_BARE {
        return false;
    }
    let Some((at, _)) = find_date_at(text, DateOrder::Undecided) else { return false };
    let words = |text: &str| text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).count();
    words(text.cut(..at)) <= 4
        && words(text.cut(at..)) <= 10
        && !text.cut(..at).contains(['=', '/', '_', '$', '#'])
}

/// Whether a block is a link that says more than a date before it: `Terms of Use (10 Mar 2001)`.
fn is_link_elsewhere(block: &Block, text: &str) -> bool {
    if block.counts.link_units <= 0.5 * block.counts.units {
        return false;
    }
    let Some((at, _)) = find_date_at(text, DateOrder::Undecided) else { return false };
    let words = text.cut(..at).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut roles = labelled_dates(text, DateOrder::Undecided).into_iter().map(|(role, _)| role);
    words.count() >= 2 && !roles.any(|role| role == DateRole::Published)
}

/// Whether a block is short and may have the digits of a date, which those of other scripts than ours are not counted among.
fn may_be_dated(page: &Page, block: &Block) -> bool {
    block.counts.units < 30.0 && (block.counts.digits >= 3 || !page.text_of(block).is_ascii())
}

/// Which dates of blocks are looked for: those of publication in blocks of the page itself, but for those that are set.
#[derive(Copy, Clone, Default)]
struct Search {
    /// In comments, related articles and the footer too.
    others: bool,
    /// Those that a label gives to a change.
    changes: bool,
}

/// The first wanted date in short blocks that no label gives to something else.
fn in_blocks(
    dom: &Dom<'_>,
    page: &Page,
    order: DateOrder,
    wanted: DateFilter<'_>,
    search: Search,
    blocks: &mut dyn Iterator<Item = &Block>,
) -> Option<WrittenDate> {
    blocks
        .filter(|block| may_be_dated(page, block) && (search.others || !is_of_others(page, block)))
        .filter(|block| !is_link_elsewhere(block, page.text_of(block)))
        .filter_map(|block| Some((block, labelled_day(page.text_of(block), order, search.changes)?)))
        .find_map(|(block, date)| (wanted(&date) && !is_code(dom, page, block)).then_some(date))
}

/// The date of a text that its label gives to publication, else the first without a label; or that of a change.
fn labelled_day(text: &str, order: DateOrder, change: bool) -> Option<WrittenDate> {
    let mut dates = labelled_dates(text, order);
    let by_role = |role| dates.iter().position(|(known, _)| *known == role);
    let at = match change {
        true => by_role(DateRole::Modified)?,
        false => by_role(DateRole::Published).or_else(|| by_role(DateRole::Unknown))?,
    };
    Some(dates.swap_remove(at).1)
}

/// A date at the beginning of a long block near the title: `Berlin, 3. Mai 2020 – …`.
fn in_dateline(dom: &Dom<'_>, page: &Page, near: usize, order: DateOrder) -> Option<WrittenDate> {
    page.blocks[near.min(page.blocks.len())..].iter().take(NEAR_BLOCKS).find_map(|block| {
        let text = page.text_of(block);
        let date = labelled_day(text.cut(..text.floor_char_boundary(60)), order, false)?;
        (!is_of_others(page, block) && !is_code(dom, page, block) && !is_link_elsewhere(block, text))
            .then_some(date)
    })
}

/// A date of publication in data that a script carries.
fn in_scripts(dom: &Dom<'_>) -> Option<WrittenDate> {
    const KEYS: [&str; 6] =
        ["datePublished", "published_at", "publishedAt", "publishedDate", "date_published", "publishDate"];
    let mut budget = MAX_SCRIPT;
    for node in dom.descendants(dom.document()).filter(|&n| dom.tag(n) == Tag::Script) {
        let mut text = String::new();
        dom.text_content(node, &mut text);
        if text.len() > budget {
            break;
        }
        budget -= text.len();
        for key in KEYS {
            let Some(at) = memchr::memmem::find(text.as_bytes(), key.as_bytes()) else { continue };
            let rest = text.cut(at + key.len()..);
            let value = rest.trim_start_matches(['"', '\\', ':', ' ', '\'']);
            let value = value.cut(..value.floor_char_boundary(40));
            if value.starts_with("19") || value.starts_with("20") {
                let date = find_date(value, DateOrder::Undecided);
                if date.is_some() {
                    return date;
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, metadata, parse};

    fn read(source: &str) -> Option<String> {
        let dom = parse(source, &Limits::default());
        let page = blocks(&dom, dom.body().expect("a body"));
        let base = webmill_html::base_of(&dom, None);
        published(&dom, &metadata(&dom, base.as_ref(), &[]), &page, 0).and_then(WrittenDate::certain)
    }

    #[test]
    fn places_of_dates() {
        for (source, want) in [
            (
                "<link rel=canonical href=http://e.org/2019/10/22/x><h1>T</h1><time datetime=2009-04-11>x</time>",
                Some("2019-10-22"),
            ),
            ("<link rel=canonical href=http://e.org/news-20191022.html><p>x", Some("2019-10-22")),
            ("<link rel=canonical href=http://e.org/2019/10/x><p>x", None),
            ("<link rel=canonical href=http://e.org/p/123456789><p>x", None),
            (
                "<h1>T</h1><div class=comment><time datetime=2009-04-11>x</time></div><p>15 августа 2016, 13:43</p>",
                Some("2016-08-15"),
            ),
            (
                "<h1>T</h1><p>Pressemitteilung vom 25. Januar 2022 | Berlin – Die künftige Zusammenarbeit wird, wie man hört, in den nächsten Jahren noch enger werden, als sie es schon immer gewesen ist, und alle freuen sich darauf.",
                Some("2022-01-25"),
            ),
            (
                "<h1>T</h1><script>x={\"published_at\":\"2019-03-02T06:22:28+01:00\"}</script>",
                Some("2019-03-02T06:22:28+01:00"),
            ),
            ("<h1>T</h1><p>23.09.22</p>", Some("2022-09-23")),
            ("<h1>T</h1><p>Included at version 2.4.52 of the server</p>", None),
            ("<h1>T</h1><p><code>-rw-r--r-- 1 root root 5120 Apr 20 2007 a</code></p>", None),
            ("<h1>T</h1><pre>Apr 20 2007</pre>", None),
            ("<link rel=canonical href=http://e.org/news/29-10-2021><p>x", Some("2021-10-29")),
            (
                "<h1>T</h1><div class=comment><time datetime=2005-07-10T00:57:00>x</time><p>First</div><div class=comment><time datetime=2005-07-11>x</time></div>",
                Some("2005-07-10T00:57:00"),
            ),
            ("<h1>T</h1><div class=comments><p>2005-9-15 11:46:00</p></div>", Some("2005-09-15T11:46:00")),
            ("<meta property=article:modified_time content=2023-03-22><h1>T</h1>", Some("2023-03-22")),
            ("<meta name=published-date content=2021-02-16><h1>T</h1>", Some("2021-02-16")),
            (
                "<link rel=canonical href=http://e.org/2023/11/08/x><meta name=published-date content=2023-11-09T03:28Z><p>x",
                Some("2023-11-08"),
            ),
            (
                "<link rel=canonical href=http://e.org/2023/11/08/x><meta name=published-date content=2023-11-09T13:28Z><p>x",
                Some("2023-11-09T13:28:00Z"),
            ),
            ("<h1>T</h1><p>Updated: January 9, 2020<br>Published: November 13, 2017</p>", Some("2017-11-13")),
            (
                "<h1>T</h1><p>Updated <time datetime=2020-01-09>x</time></p><time datetime=2017-11-13>y</time>",
                Some("2017-11-13"),
            ),
            ("<h1>T</h1><p>Event date: 20 May 2023</p><p>Posted 13 November 2017</p>", Some("2017-11-13")),
            (
                "<h1>T</h1><p>Joined: 20 May 2013</p><p>Words that follow at some length, as they do.</p>",
                None,
            ),
            ("<h1>T</h1><p>更新日：令和4年3月14日</p>", Some("2022-03-14")),
            (
                "<link rel=canonical href=http://e.org/2012/02/27/x><h1>T</h1><a href=/y><p>Mill of the year</p><time pubdate datetime='2011-03-08 19:38:12'>8 mrt 2011</time></a>",
                Some("2012-02-27"),
            ),
            (
                "<h1>T</h1><a href=/x><time pubdate datetime=2011-03-08>8 mrt 2011</time></a>",
                Some("2011-03-08"),
            ),
            ("<h1>T</h1><p>Words</p><footer>Version of 2019</footer>", None),
            ("<h1>T</h1><p>Words</p><p><a href=/t>Terms of Use (10 Mar 2001)</a></p>", None),
            ("<h1>T</h1><p>Words</p><p><a href=/t>Posted on 10 Mar 2001</a></p>", Some("2001-03-10")),
        ] {
            assert_eq!(read(source).as_deref(), want, "{source}");
        }
    }

    #[test]
    fn dates_of_two_readings() {
        let time = "<time datetime=2024-04-03T10:00:00Z>x</time>";
        for (source, want) in [
            ("<html lang=en-US><h1>T</h1><p>03/04/2024</p>".to_owned(), Some("2024-03-04")),
            ("<html lang=en-GB><h1>T</h1><p>03/04/2024</p>".to_owned(), Some("2024-04-03")),
            ("<html lang=en><h1>T</h1><p>03/04/2024</p>".to_owned(), None),
            // A source of less trust tells which of the two is meant, and nothing else.
            (
                format!("<h1>T</h1><p>03/04/2024</p>{}<p>4 March 2024</p>", "<p>Words.</p>".repeat(20)),
                Some("2024-03-04"),
            ),
            (format!("<h1>T</h1><p>03/04/2024</p>{}<p>5 March 2024</p>", "<p>Words.</p>".repeat(20)), None),
            ("<h1>T</h1><p>03/04/2024</p><div class=comment>02/16/2023</div>".to_owned(), Some("2024-03-04")),
            ("<h1>T</h1><p>03/04/2024</p><div class=comment>02/16/2023<p>16/02/2023</div>".to_owned(), None),
            (format!("<h1>T</h1><p>03/04/2024</p>{time}"), Some("2024-04-03T10:00:00Z")),
        ] {
            assert_eq!(read(&source).as_deref(), want, "{source}");
        }
    }

    #[test]
    fn far_from_the_title_only_bare_dates_count() {
        let far = |block: &str| read(&format!("<h1>T</h1>{}{block}", "<p>Words of a text.</p>".repeat(20)));
        assert_eq!(far("<p>Updated on: 6 May 2020, 12:30</p>").as_deref(), Some("2020-05-06"));
        assert_eq!(far("<p>2020年5月6日 10:00</p>").as_deref(), Some("2020-05-06"));
        assert_eq!(far("<p>The ships of the fleet arrived in the harbour on 6 May 2020.</p>"), None);
        assert_eq!(far("<p>-rw-r--r-- 1 root root 5120 Apr 20 2007 a</p>"), None);
        assert_eq!(far("<p>Updated: <kbd>6 May 2020</kbd></p>"), None);
    }
}
