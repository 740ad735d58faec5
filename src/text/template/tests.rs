use super::footprint::{MAX_LABEL, mark};
use super::learnt::importance;
use super::*;
use crate::blocks::blocks;
use crate::main_text::{TextLimits, main_text_without};
use proptest::prelude::*;
use webmill_html::{Limits, metadata, parse};

fn page(html: &str) -> (Page, Footprint) {
    let dom = parse(html, &Limits::default());
    let page = blocks(&dom, dom.body().unwrap());
    let footprint = Footprint::new(&dom, &page);
    (page, footprint)
}

const NOTICE: &str = "Members may borrow up to ten books at a time, and must bring them back in May.";

/// A page of a site: a notice, a heading and a text of its own under a label, and a foot.
fn site(n: u64) -> (Page, Footprint) {
    page(&format!(
        "<div class='top x{n}'><p>{NOTICE}</p></div><main><h1>Page number {n} of the site</h1><h2>Story</h2>\
         <p>Number {n} has a text that no other page of this small site has, and that is why people read it.</p></main>\
         <footer>© 2020</footer>"
    ))
}

fn sample(pages: impl IntoIterator<Item = Footprint>) -> Sample {
    let mut sample = Sample::default();
    for (n, page) in (1u64..).zip(pages) {
        sample.add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15), page);
    }
    sample
}

fn sites(pages: u64) -> Sample {
    sample((0..pages).map(|n| site(n).1))
}

#[test]
fn what_pages_share_goes_whatever_was_chosen() {
    let (template, learnt) = Template::learn(&sites(12));
    let template = template.unwrap();
    assert_eq!((learnt.verdict, learnt.pages, template.len()), (Verdict::On, 12, 3));
    assert!((0.4..0.6).contains(&learnt.share), "{learnt:?}");
    let told: Vec<_> =
        learnt.texts.iter().map(|text| (text.path.as_str(), text.depth, text.pages, text.words)).collect();
    let [notice, rest @ ..] = told.as_slice() else { panic!("{told:?}") };
    // The class of the first page by key.
    assert!(
        notice.0.starts_with("body > div.top.x") && (notice.1, notice.2, notice.3) == (2, 12, 17),
        "{told:?}"
    );
    assert_eq!(rest, [("body > footer", 1, 12, 1), ("body > main > h2", 2, 12, 1)]);
    assert!(learnt.texts.iter().all(|text| text.is_template && text.importance == 0.0 && text.styles == 1));

    // A page that was not in the sample. The label over its own text stays.
    let (page, _) = site(99);
    let prune = |mut chosen: [bool; 5], title| (template.prune(&page, &mut chosen, title), chosen);
    assert_eq!(prune([true; 5], Some(1)), (2, [false, true, true, true, false]));
    assert_eq!(prune([false, true, false, true, false], Some(1)), (0, [false, true, false, true, false]));
    // Never all, and what is left beside the title is not nothing.
    assert_eq!(prune([true, true, true, false, true], Some(1)).0, 0);
    assert_eq!(prune([true, false, false, false, true], None).0, 0);
    assert_eq!(prune([false; 5], None).0, 0);
}

#[test]
fn labels_stay_where_they_stand_over_text_of_the_page() {
    use Kind::{Label, Notice, Own};
    let stays_in = |kinds: &[Kind], sections: &[u32]| {
        let part = |(&kind, &section): (&Kind, &u32)| Part { kind, section, is_prose: kind != Label };
        let parts: Vec<Part> = kinds.iter().zip(sections).map(part).collect();
        taken(&parts).iter().map(|taken| u8::from(!taken)).collect::<Vec<_>>()
    };
    let stays = |kinds: &[Kind]| stays_in(kinds, &[0, 1, 2, 3, 4, 5][..kinds.len()]);
    assert_eq!(stays(&[Label, Own, Label, Label, Own, Label]), [0, 1, 1, 1, 1, 0]);
    assert_eq!(stays(&[Own, Label, Notice, Own]), [1, 0, 0, 1]);
    assert_eq!(stays(&[Own, Notice, Label, Own]), [1, 0, 1, 1]);
    assert_eq!(stays(&[Label, Notice]), [0, 0]);
    assert_eq!(stays(&[]), [] as [u8; 0]);
    // A notice between texts of the page's own, in the section of one of them, is part of them.
    let all = [Notice, Own, Notice, Notice, Own, Notice];
    assert_eq!(stays_in(&all, &[7; 6]), [0, 1, 1, 1, 1, 0]);
    assert_eq!(stays_in(&all, &[7, 7, 7, 8, 7, 7]), [0, 1, 1, 0, 1, 0]);
    assert_eq!(stays_in(&[Own, Label, Notice, Own], &[7, 7, 8, 8]), [1, 1, 1, 1]);
}

#[test]
fn a_poem_that_all_pages_discuss_stays_and_thin_pages_are_no_copies() {
    let poem =
        "The mill stands by the lake and grinds what farmers bring, and nobody has seen it rest since then.";
    let foot = "The society of friends of the mill thanks all who wrote on these pages over twenty years.";
    let html = |n: u64| {
        let own =
            format!("Reader {n} finds that verse {} says more of weather than of bread or mills. ", n * 7);
        let article =
            format!("<p>{own}</p><blockquote><p>{poem}</p></blockquote><p>{own} Nobody else says so.</p>");
        format!(
            "<body><article>{}</article><p>{foot}</p>",
            if n % 5 < 4 { article } else { format!("<p>Picture {n} of it.</p>") }
        )
    };
    let (template, learnt) = Template::learn(&sample((0..20).map(|n| page(&html(n)).1)));
    assert_eq!(learnt.verdict, Verdict::On);
    let (page, template) = (html(31), template.unwrap());
    let dom = parse(&page, &Limits::default());
    let found = main_text_without(&dom, &metadata(&dom, None, &[]), &TextLimits::default(), &template).text;
    assert!(found.contains(poem) && !found.contains(foot), "{found}");
}

#[test]
fn labels_and_sentences() {
    let label = |html: &str| is_label(&page(html).0.blocks[0]);
    assert!(label("<p>Erroneous code example:") && label("<p>1.") && label("<p>相关链接"));
    assert!(
        !label("<p>Sold out today.") && !label(&format!("<p>{}", "word ".repeat(MAX_LABEL as usize + 1)))
    );
    // Links, labels and headings are no prose.
    let (_, found) = page(
        "<h1>A heading of more than six words it is</h1><p>Label</p><p>Five <a href=/>linked</a> words are here.",
    );
    assert_eq!(found.prose(|_| true), 4);
}

#[test]
fn importances() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 5e-4, "{a} {b}");
    near(importance(10, 10), 0.0);
    near(importance(1, 10), 1.0);
    near(importance(1, 1), 1.0);
    near(importance(8, 10), 0.0969);
    near(importance(4, 16), 0.5);
    let needed = |n| (1..=n).find(|&shown| importance(shown, n) <= MAX_IMPORTANCE).unwrap();
    assert_eq!([8, 10, 16, 20, 32].map(needed), [7, 8, 13, 15, 23]);
}

#[test]
fn off() {
    let verdict = |pages: u64| Template::learn(&sites(pages)).1.verdict;
    assert_eq!([0, 7, 8].map(verdict), [Verdict::FewPages, Verdict::FewPages, Verdict::On]);
    let other =
        |n: u64| page(&format!("<p>Page {n} has a text of its own and shares nothing with others.")).1;
    assert_eq!(Template::learn(&sample((0..20).map(other))).1.verdict, Verdict::NoneShared);
    // A notice that 22 of 32 pages show is theirs; 23 are enough.
    let some =
        |with: u64| Template::learn(&sample((0..32).map(|n| if n < with { site(n).1 } else { other(n) }))).1;
    assert_eq!((some(22).verdict, some(23).verdict), (Verdict::NoneShared, Verdict::On));
    assert_eq!(some(22).texts.len(), 3);
    assert!(some(22).texts.iter().all(|text| !text.is_template && text.pages == 22));
}

#[test]
fn copies_of_one_text_keep_it() {
    let story: String = (0..9)
        .map(|i| format!("<p>Part {i} of the story that every page of this host tells again.</p>"))
        .collect();
    let copy =
        |n: u64, more: &str| page(&format!("<h1>Copy {n} of the one story that is told</h1>{story}{more}")).1;
    // Equal but for headings: one page.
    let (template, learnt) = Template::learn(&sample((0..40).map(|n| copy(n, ""))));
    assert!(template.is_none() && (learnt.pages, learnt.verdict) == (1, Verdict::FewPages), "{learnt:?}");
    // Each with a line of its own.
    let lined = |n| copy(n, &format!("<p>This copy was made for reader {n} of the host."));
    let (template, learnt) = Template::learn(&sample((0..30).map(lined)));
    assert!(template.is_none() && (learnt.pages, learnt.verdict) == (30, Verdict::Copies), "{learnt:?}");
    assert!(learnt.share > 0.8 && learnt.texts.iter().all(|text| !text.is_template));
    // Where most pages say something of their own, copies among them count once.
    let mixed = (0..30).map(|n| if n < 20 { copy(n, "") } else { site(n).1 });
    let (template, learnt) = Template::learn(&sample(mixed));
    assert_eq!((learnt.pages, learnt.verdict, template.unwrap().len()), (11, Verdict::On, 3));
}

#[test]
fn marks_and_bounds() {
    let mut buffer = String::new();
    let mut of = |place, text: &str| mark(place, text, &mut buffer);
    assert_eq!(of(1, "View — page source"), of(1, "view page SOURCE!"));
    assert_ne!(of(1, "View page source"), of(2, "View page source"));
    assert_ne!(of(1, "第1页"), of(1, "第2页"));
    assert_eq!(of(1, "Café"), of(1, "CAFÉ"));

    assert_eq!(page("<p>Again</p><p>again</p><p>more</p>").1.marks().len(), 2);
    let long = page(&format!("<p>{}</p>", "word ".repeat(100_000))).1;
    assert_eq!((long.marks()[0].words, long.marks()[0].prose), (u16::MAX, u16::MAX));
    let many = page(&(0..5000).map(|n| format!("<div class=c{n}><p>w{n}</p></div>")).collect::<String>()).1;
    assert_eq!(many.marks().len(), MAX_MARKS);
    assert!(many.marks().is_sorted() && many.marks().iter().any(|mark| many.path(mark).0 == "…"));
    let deep = page(&format!("{}<p>deep", "<div class='a b c d e'>".repeat(100))).1;
    let (path, depth) = deep.path(&deep.marks()[0]);
    assert!(
        path.starts_with("… > div.a.b.c.d >") && path.ends_with(" > p") && depth == 101,
        "{path} {depth}"
    );
    assert_eq!(path.matches('>').count(), 12);
}

#[test]
fn kept_as_json() {
    let sample = sites(9);
    let again: Sample = serde_json::from_str(&serde_json::to_string(&sample).unwrap()).unwrap();
    assert_eq!(again, sample);
    let found = Template::learn(&sample);
    assert_eq!(
        serde_json::from_str::<(Option<Template>, LearntTemplate)>(&serde_json::to_string(&found).unwrap())
            .unwrap(),
        found
    );
}

proptest! {
    #[test]
    fn the_order_of_pages_changes_nothing(
        keys in prop::collection::vec((0u64..100, 0u64..3), 0..80),
        cut in 0usize..80,
        swap in any::<bool>(),
    ) {
        let pages: Vec<(u64, Footprint)> = keys.iter().map(|&(key, more)| (key, site(key % 50 + more).1)).collect();
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
        prop_assert_eq!(Template::learn(&merged), Template::learn(&whole));
    }

    #[test]
    fn pruning_takes_what_was_chosen_and_shared(mut chosen in prop::array::uniform5(any::<bool>()), title in 0usize..6) {
        let template = Template::learn(&sites(9)).0.unwrap();
        let before = chosen;
        let taken = template.prune(&site(1000).0, &mut chosen, (title < 5).then_some(title));
        prop_assert_eq!(taken, before.iter().zip(&chosen).filter(|(b, a)| b != a).count());
        prop_assert!(before.iter().zip(&chosen).all(|(b, a)| *b || !*a));
        // What the page alone says stays, and its title.
        prop_assert!(before[1] == chosen[1] && before[3] == chosen[3]);
        prop_assert!(title == 5 || before[title] == chosen[title]);
        prop_assert!(taken == 0 || (0..5).any(|i| chosen[i] && i != title));
    }
}
