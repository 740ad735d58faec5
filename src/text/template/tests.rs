use super::footprint::{HASH, MOST_WORDS};
use super::*;
use crate::blocks::blocks;
use proptest::prelude::*;
use webmill_html::{Limits, parse};

fn page(html: &str) -> Page {
    let dom = parse(html, &Limits::default());
    blocks(&dom, dom.body().unwrap())
}

/// A page of a site with a notice, the text of its own and a foot, and which of its three blocks are chosen.
fn site(n: u64, chosen: [bool; 3]) -> (Page, Footprint) {
    let page = page(&format!(
        "<div class=x{n}><p>We use cookies.</p></div><main><p>Text of page {n} alone.</main><footer>© {}</footer>",
        2020
    ));
    let footprint = Footprint::new(&page, &chosen);
    (page, footprint)
}

fn sample(pages: impl IntoIterator<Item = [bool; 3]>) -> Sample {
    let mut sample = Sample::default();
    for (n, chosen) in (1u64..).zip(pages) {
        sample.add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15), site(n, chosen).1);
    }
    sample
}

const RIGHT: [bool; 3] = [false, true, false];
const WRONG: [bool; 3] = [true, true, false];

#[test]
fn the_pages_outvote_one() {
    let (template, learnt) = Template::learn(TemplateMethod::Footprint, &sample([RIGHT, WRONG, RIGHT]));
    let template = template.unwrap();
    assert_eq!((learnt.verdict, learnt.pages, learnt.hit, template.len()), (Verdict::On, 3, 1, 2));

    // A page that was not in the sample, with another class.
    let (page, footprint) = site(99, WRONG);
    assert!(template.touches(&footprint) && !template.touches(&site(99, RIGHT).1));
    let mut chosen = WRONG;
    assert_eq!(template.prune(&page, &mut chosen, None), 1);
    assert_eq!(chosen, RIGHT);

    // Never the title, never all.
    let mut chosen = WRONG;
    assert_eq!(template.prune(&page, &mut chosen, Some(0)), 0);
    let mut chosen = [true, false, true];
    assert_eq!(template.prune(&page, &mut chosen, None), 0);
    assert_eq!(chosen, [true, false, true]);
}

#[test]
fn off() {
    let verdict = |pages: &[[bool; 3]]| {
        Template::learn(TemplateMethod::Footprint, &sample(pages.iter().copied())).1.verdict
    };
    assert_eq!(verdict(&[]), Verdict::FewPages);
    assert_eq!(verdict(&[RIGHT, WRONG]), Verdict::FewPages);
    assert_eq!(verdict(&[RIGHT; 20]), Verdict::NoResidue);
    // What all pages choose, or most, is theirs to choose.
    assert_eq!(verdict(&[WRONG; 20]), Verdict::NoResidue);
    assert_eq!(verdict(&[WRONG, WRONG, RIGHT]), Verdict::NoResidue);
    assert_eq!(verdict(&[WRONG, WRONG, RIGHT, RIGHT, RIGHT]), Verdict::NoResidue);
    assert_eq!(verdict(&[WRONG, WRONG, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT]), Verdict::On);
    // One page of ten has no other text.
    let mut pages = vec![RIGHT; 10];
    pages[0] = [true, false, true];
    assert_eq!(verdict(&pages), Verdict::On);
}

#[test]
fn too_much_is_off() {
    let mut sample = Sample::default();
    for n in 0..20 {
        let page = page(&format!("<p>{}</p><b>t{n}</b>", "The same long notice on all pages. ".repeat(4)));
        sample.add(n, Footprint::new(&page, &[n % 4 == 0 || n == 1, true]));
    }
    let (template, learnt) = Template::learn(TemplateMethod::Footprint, &sample);
    assert!(template.is_none() && learnt.verdict == Verdict::TooMuch && learnt.share > 0.8);
}

#[test]
fn halves_that_contradict_are_unconfirmed() {
    // Only every other page by key chooses the notice: what one half leaves out is main text to most of the other.
    let mut sample = Sample::default();
    for n in 0..40 {
        let (_, footprint) = site(n, if n % 2 == 0 && n < 26 { WRONG } else { RIGHT });
        sample.add(n, footprint);
    }
    let (template, learnt) = Template::learn(TemplateMethod::Footprint, &sample);
    assert!(template.is_none() && learnt.agreement == 0.0);
    assert_eq!(learnt.verdict, Verdict::Unconfirmed);
}

#[test]
fn needed_pages() {
    // A notice on 20 of 64 pages is enough, on 19 it is not; of 20 pages 10 are enough.
    let notice = page("<p>Notice</p>");
    let other = |n: u64| page(&format!("<p>other {n}</p>"));
    let verdict = |with: u64, all: u64| {
        let mut sample = Sample::default();
        for n in 0..all {
            let page = if n < with { &notice } else { &other(n) };
            sample.add(n, Footprint::new(page, &[n == 0 || n >= with]));
        }
        Template::learn(TemplateMethod::Footprint, &sample).1.verdict
    };
    assert_eq!((verdict(20, 64), verdict(19, 64)), (Verdict::On, Verdict::NoResidue));
    assert_eq!((verdict(10, 20), verdict(9, 20)), (Verdict::On, Verdict::NoResidue));
}

#[test]
fn marks() {
    let mut buffer = String::new();
    let mut of = |place, text: &str| mark(place, text, &mut buffer);
    assert_eq!(of(1, "View — page source"), of(1, "view page SOURCE!"));
    assert_ne!(of(1, "View page source"), of(2, "View page source"));
    assert_ne!(of(1, "第1页"), of(1, "第2页"));
    assert_eq!(of(1, "Café"), of(1, "CAFÉ"));
    assert_eq!(of(7, "a") & !HASH, 0);

    // Copies on a page are one mark, chosen if one of them is.
    let copies = page("<p>Again</p><p>again</p><p>more</p>");
    assert_eq!(Footprint::new(&copies, &[true, false, false]).marks().len(), 2);
    for chosen in [[true, false, false], [false, true, false]] {
        assert_eq!(Footprint::new(&copies, &chosen).words(), 1);
    }
    assert_eq!(Footprint::new(&copies, &[false; 3]).words(), 0);

    // Long and many.
    let long = page(&format!("<p>{}</p>", "word ".repeat(5000)));
    assert_eq!(Footprint::new(&long, &[true]).words(), MOST_WORDS);
    let many = page(&(0..5000).map(|n| format!("<p>w{n}</p>")).collect::<String>());
    let all = Footprint::new(&many, &vec![true; many.blocks.len()]);
    assert_eq!(all.marks().len(), MAX_MARKS);
    assert!(all.marks().is_sorted() && Footprint::default().words() == 0);
}

#[test]
fn kept_as_json() {
    let sample = sample([RIGHT, WRONG, RIGHT]);
    let again: Sample = serde_json::from_str(&serde_json::to_string(&sample).unwrap()).unwrap();
    assert_eq!(again, sample);
    let template = Template::learn(TemplateMethod::Footprint, &sample).0.unwrap();
    let again: Template = serde_json::from_str(&serde_json::to_string(&template).unwrap()).unwrap();
    assert_eq!(again, template);
}

proptest! {
    #[test]
    fn the_order_of_pages_changes_nothing(
        keys in prop::collection::vec((0u64..200, 0usize..3), 0..150),
        cut in 0usize..150,
        swap in any::<bool>(),
    ) {
        let pages: Vec<(u64, Footprint)> = keys
            .iter()
            .map(|&(key, kind)| (key, site(key % 50, [RIGHT, WRONG, [true; 3]][kind]).1))
            .collect();
        let mut whole = Sample::default();
        for (key, page) in pages.clone() {
            whole.add(key, page);
        }
        prop_assert!(whole.len() <= MAX_PAGES);
        let (mut a, mut b) = (Sample::default(), Sample::default());
        for (i, (key, page)) in pages.into_iter().enumerate() {
            if i < cut { a.add(key, page) } else { b.add(key, page) }
        }
        let merged = if swap { b.merge(a); b } else { a.merge(b); a };
        prop_assert_eq!(&merged, &whole);
        prop_assert_eq!(Template::learn(TemplateMethod::Footprint, &merged), Template::learn(TemplateMethod::Footprint, &whole));
    }

    #[test]
    fn pruning_takes_what_was_chosen_and_template(
        pages in prop::collection::vec(prop::array::uniform3(any::<bool>()), 3..40),
        mut chosen in prop::array::uniform3(any::<bool>()),
    ) {
        if let (Some(template), learnt) = Template::learn(TemplateMethod::Footprint, &sample(pages)) {
            prop_assert!(learnt.hit > 0 && learnt.share <= MAX_SHARE && learnt.agreement >= MIN_AGREEMENT);
            let (page, footprint) = site(1000, chosen);
            let before = chosen;
            let taken = template.prune(&page, &mut chosen, None);
            prop_assert!(taken == 0 || template.touches(&footprint));
            prop_assert_eq!(taken, before.iter().zip(&chosen).filter(|(b, a)| b != a).count());
            prop_assert!(before.iter().zip(&chosen).all(|(b, a)| *b || !*a));
            // The text of the page alone is never template.
            prop_assert_eq!(before[1], chosen[1]);
            prop_assert!(taken == 0 || chosen.iter().any(|&c| c));
        }
    }
}

/// A page of a site whose frame is the same on all pages, with what is chosen of its four blocks.
fn framed(n: u64, chosen: [bool; 4]) -> (Page, Footprint) {
    let html = format!(
        "<div class=top><p>Sign in to read more</p></div><div class=text><h1>Number{n}</h1><p>own{n} words{n} of{n} \
         page{n}</p></div><div class=foot>All rights reserved</div>"
    );
    let dom = parse(&html, &Limits::default());
    let page = blocks(&dom, dom.body().unwrap());
    let footprint = footprint_of(TemplateMethod::StyleTree, &dom, &page, &chosen);
    (page, footprint)
}

#[test]
fn the_style_tree_takes_what_all_pages_share() {
    let mut sample = Sample::default();
    for n in 0..12 {
        sample.add(n, framed(n, [n == 3, true, true, false]).1);
    }
    let (template, learnt) = Template::learn(TemplateMethod::StyleTree, &sample);
    let template = template.unwrap();
    assert_eq!((learnt.verdict, learnt.pages, learnt.hit, template.len()), (Verdict::On, 12, 1, 2));
    assert_eq!(learnt.agreement, 1.0);

    let (page, footprint) = framed(99, [true; 4]);
    assert!(template.touches(&footprint) && !template.touches(&framed(99, [false, true, true, false]).1));
    let mut chosen = [true; 4];
    assert_eq!(template.prune(&page, &mut chosen, Some(1)), 2);
    assert_eq!(chosen, [false, true, true, false]);
    // Never all but the title.
    let mut chosen = [true, false, false, true];
    assert_eq!(template.prune(&page, &mut chosen, None), 0);

    let tree = StyleTree::of_sample(&sample);
    let found = tree.elements();
    let template_paths: Vec<&str> = found.iter().filter(|e| e.is_template).map(|e| e.path.as_str()).collect();
    assert_eq!(template_paths, ["body > div.foot", "body > div.top > p"]);
    assert!(found[0].path == "body" && found[0].pages == 12 && found[0].styles == 1);
}

#[test]
fn the_style_tree_when_off() {
    let verdict = |pages: u64, chosen: [bool; 4]| {
        let mut sample = Sample::default();
        (0..pages).for_each(|n| sample.add(n, framed(n, chosen).1));
        Template::learn(TemplateMethod::StyleTree, &sample).1.verdict
    };
    assert_eq!(verdict(2, [true; 4]), Verdict::FewPages);
    assert_eq!(verdict(12, [false, true, true, false]), Verdict::NoResidue);
    assert_eq!(verdict(12, [true; 4]), Verdict::TooMuch);
    // Footprints that were made for the other method have no layout.
    let (_, learnt) = Template::learn(TemplateMethod::StyleTree, &sample([RIGHT; 9]));
    assert_eq!((learnt.verdict, learnt.pages), (Verdict::FewPages, 0));
}

#[test]
fn style_trees_are_kept_as_json_and_do_not_depend_on_the_order() {
    let (mut up, mut down) = (Sample::default(), Sample::default());
    (0..9).for_each(|n| up.add(n, framed(n, [n == 3, true, true, false]).1));
    (0..9).rev().for_each(|n| down.add(n, framed(n, [n == 3, true, true, false]).1));
    assert_eq!(up, down);
    let again: Sample = serde_json::from_str(&serde_json::to_string(&up).unwrap()).unwrap();
    assert_eq!(again, up);
    let learn = |sample| Template::learn(TemplateMethod::StyleTree, sample).0.unwrap();
    let template = learn(&up);
    assert_eq!(learn(&down), template);
    let again: Template = serde_json::from_str(&serde_json::to_string(&template).unwrap()).unwrap();
    assert_eq!(again, template);
}
