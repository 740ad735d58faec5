//! Customers' reviews.
//!
//! `main_text` asks for them; the text of a product's page goes without them where it says more than they do.
//!
//! **Definition.** Elements that repeat and are named after reviews or marked up as such (`Review` of schema.org), most of
//! them with a byline; of what was chosen as text only those with a rating. A single one must be marked up and stand beside
//! other text. What JSON-LD states as a review is one too, wherever the page shows it, if it does.
//!
//! **Cost.** Linear in the elements and in the reviews' blocks, times [`MAX_INNER`] nodes of a review that was chosen.

use std::collections::{HashMap, HashSet};

use super::thread::{Reader, ThreadPage};
use super::who::bylines;
use super::{Post, PostKind, Room};
use crate::blocks::class_names::Kind;
use crate::blocks::page::{Container, Page};
use crate::comparison::bare_into;
use crate::threads::{Division, division};
use webmill_html::{Dom, StatedReview};

/// What elements of reviews are called.
const NAMES: [&str; 4] = ["review", "Review", "testimonial", "pingjia"];
/// What elements of ratings are called.
const RATINGS: [&str; 2] = ["rating", "stars"];
/// Nodes of a review in which its rating is looked for.
const MAX_INNER: usize = 200;
/// Bytes of letters and digits by which a stated review and a shown one are the same, and how many a block must have.
const MAX_KEY: usize = 80;
const MIN_KEY: usize = 8;

/// The reviews of a page.
#[derive(Default)]
pub(crate) struct Reviews {
    /// Each with its first block.
    pub(super) posts: Vec<(u32, Post)>,
    /// The blocks that they are.
    pub(super) taken: Vec<(u32, u32)>,
    pub(super) stated: Vec<StatedReview>,
    pub(super) room: Room,
}

impl Reviews {
    /// Leaves them out of a text that says more than they do; whether it is such a one.
    pub(crate) fn leave_out(&self, page: &Page, chosen: &mut [bool]) -> bool {
        let units = |chosen: &[bool]| -> f32 {
            page.blocks.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(it, _)| it.counts.units).sum()
        };
        let mut rest = chosen.to_vec();
        self.taken.iter().for_each(|range| rest[range.0 as usize..range.1 as usize].fill(false));
        let is_beside = 2.0 * units(&rest) > units(chosen);
        if is_beside {
            chosen.copy_from_slice(&rest);
        }
        is_beside
    }

    /// Adds what the page states and no post says; of a post that is stated what it lacks.
    pub(super) fn add_stated(&self, posts: &mut Vec<(u32, Post)>, end: u32, room: &mut Room) {
        let known: HashMap<String, usize> =
            posts.iter().enumerate().map(|(at, (_, post))| (key(&post.text), at)).collect();
        for StatedReview { author, published, text } in &self.stated {
            let post = match known.get(&key(text)) {
                Some(&at) => &mut posts[at].1,
                None if !room.has_post_of(text.len()) => continue,
                None => {
                    posts.push((end, Post { text: text.clone(), ..Post::default() }));
                    &mut posts.last_mut().expect("one was added").1
                }
            };
            post.kind = PostKind::Review;
            post.author = post.author.take().or_else(|| author.clone());
            post.date = post.date.take().or_else(|| published.clone());
        }
    }
}

/// The reviews of a page, with those that it states.
pub(crate) fn reviews(of: &ThreadPage<'_, '_>, stated: &[StatedReview]) -> Reviews {
    let mut out = shown(of).unwrap_or_default();
    if !stated.is_empty() {
        out.stated = stated.to_vec();
        let keys: HashSet<String> = stated.iter().map(|review| key(&review.text)).collect();
        let is_stated = |i: &u32| {
            let key = key(of.page.text_of(&of.page.blocks[*i as usize]));
            of.chosen[*i as usize] && key.len() >= MIN_KEY && keys.contains(&key)
        };
        out.taken.extend((0..of.page.blocks.len() as u32).filter(is_stated).map(|i| (i, i + 1)));
    }
    out
}

/// What a review is known by.
fn key(text: &str) -> String {
    let mut key = String::new();
    bare_into(text, MAX_KEY, &mut key);
    key
}

/// The reviews that elements hold.
fn shown(of: &ThreadPage<'_, '_>) -> Option<Reviews> {
    let ThreadPage { dom, page, chosen, .. } = *of;
    let marked = |it: &Container| dom.attr(it.node, "itemtype").is_some_and(|kind| kind.ends_with("Review"));
    let named = |it: &Container| {
        let names = ["class", "id", "itemprop"].into_iter().filter_map(|name| dom.attr(it.node, name));
        names.flat_map(str::split_ascii_whitespace).any(|name| NAMES.iter().any(|word| name.contains(word)))
    };
    // Stars and scores are named after reviews too.
    let is_one = |it: &&Container| it.distance[Kind::Review as usize] == 0 && named(it) || marked(it);
    let mut found: Vec<&Container> = Vec::new();
    for it in page.containers.iter().filter(|it| it.first < it.end).filter(is_one) {
        let within = found.last().is_some_and(|last| it.first < last.end);
        if !within && (it.twins > 1 || marked(it)) && it.counts.prose_units + it.counts.stops as f32 > 0.0 {
            found.push(it);
        }
    }
    let free = |it: &Container| !chosen[it.first as usize..it.end as usize].contains(&true);
    found.retain(|it| free(it) || marked(it) || is_rated(dom, it));
    let range = |it: &&Container| (it.first, it.end);
    let mut out = Reviews { taken: found.iter().map(range).collect(), ..Reviews::default() };
    let alone = found.len() == 1 && marked(found[0]) && out.leave_out(page, &mut chosen.to_vec());
    if found.len() < 2 && !alone {
        return None;
    }
    let page_of = ThreadPage { chosen: &vec![false; page.blocks.len()], ..*of };
    let divided = Division { items: out.taken, ..division(page, &of.context, page_of.chosen) };
    let mut reader = Reader::new(&page_of, divided);
    out.taken = reader.read_all(&reader.divided.items.clone());
    let found = bylines(&page_of, &out.taken, &reader.parts, &reader.divided.cards, &reader.title, false);
    let signed = found.iter().filter(|it| it.author.is_some() || it.dated).count();
    if signed * 2 < found.len() || found.len() < if alone { 1 } else { 2 } {
        return None;
    }
    for (&range, byline) in out.taken.iter().zip(found) {
        let kind = PostKind::Review;
        let mut post = Post { kind, author: byline.author, date: byline.date, ..Post::default() };
        reader.fill(&mut post, range);
        if out.room.has_post_of(post.text.len()) {
            out.posts.push((range.0, post));
        }
    }
    Some(out)
}

/// Whether an element holds stars, or an element named after a rating.
fn is_rated(dom: &Dom<'_>, it: &Container) -> bool {
    dom.descendants(it.node).take(MAX_INNER).any(|n| {
        let named = |name: &str| {
            let names = dom.attr(n, name).unwrap_or_default().to_ascii_lowercase();
            RATINGS.iter().any(|word| names.contains(word))
        };
        if dom.is_text(n) {
            dom.text(n).contains(['★', '☆', '⭐'])
        } else {
            named("class") || named("itemprop")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MainText, TextLimits, main_text};
    use webmill_html::{Limits, metadata, parse};

    const TEXT: &str = "Made of brass, with a wick of cotton and a glass that was blown in the valley, it burns for eleven hours and can be carried against any wind. <p>The handle stays cool even then, because a ring of cork parts it from the lid, and the oil is filled in from below without a funnel.";

    fn read(kind: &str, reviews: &str) -> MainText {
        let html = format!(
            "<title>Lamp</title><meta property=og:type content={kind}><main><h1>Lamp</h1><div class=price>€ 129,00</div><p>{TEXT}{reviews}</main>"
        );
        let dom = parse(&html, &Limits::default());
        main_text(&dom, &metadata(&dom, None, &[]), &TextLimits::default())
    }

    /// Authors and dates of the reviews, and how many of the reviews' words stand in the text.
    fn told(found: &MainText) -> (Vec<String>, usize) {
        let reviews = found.posts.iter().filter(|post| post.kind == PostKind::Review);
        let said =
            |post: &Post| format!("{:?} {:?} {}", post.author, post.date, post.text).replace("Some", "");
        let words = ["Bright enough", "glass broke"].iter().filter(|words| found.text.contains(**words));
        (reviews.map(said).collect(), words.count())
    }

    #[test]
    fn reviews_by_their_markup_on_pages_of_any_type() {
        let both = |open: &str| {
            let one = |name: &str, text: &str| {
                format!("<div {open}><b itemprop=author>{name}</b> ★★★ <p itemprop=reviewBody>{text}</div>")
            };
            one("Anna", "Bright enough to read by, even at night.")
                + &one("Mats", "The glass broke after a week of rain.")
        };
        let want = vec![
            "(\"Anna\") None Bright enough to read by, even at night.".to_owned(),
            "(\"Mats\") None The glass broke after a week of rain.".to_owned(),
        ];
        let stated = "<script type=application/ld+json>{\"@type\":\"Product\",\"review\":[{\"@type\":\"Review\",\"author\":\"Anna\",\"reviewBody\":\"Bright enough to read by, even at night.\"},
            {\"@type\":\"Review\",\"author\":{\"name\":\"Mats\"},\"description\":\"The glass broke after a week of rain.\"}]}</script>";
        for reviews in [
            both("class=review"),
            both("itemprop=review itemscope itemtype=https://schema.org/Review"),
            both("class=x") + stated,
        ] {
            let product = read("product", &reviews);
            assert_eq!(told(&product), (want.clone(), 0), "{reviews}: {}", product.text);
            assert!(
                product.text.contains("€ 129,00") && product.text.contains("ring of cork"),
                "{}",
                product.text
            );
            // Elsewhere they stay in the text that holds them, and no price is looked for.
            let other = read("article", &reviews);
            assert_eq!(
                (told(&other).0, other.text.contains("129")),
                (want.clone(), reviews.contains("Product")),
                "{reviews}"
            );
        }
        // Only named so: a teaser, a page that is a review itself.
        assert_eq!(
            told(&read("product", "<div class=review>Bright enough</div><div class=review>to read.</div>")).0,
            [""; 0]
        );
        let own = "<script type=application/ld+json>{\"@type\":\"Review\",\"author\":\"Cy\",\"reviewBody\":\"All of it.\"}</script>";
        assert_eq!(told(&read("article", own)).0, [""; 0]);
    }
}
