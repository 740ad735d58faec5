use super::*;
use crate::passages::PassageJoin;
use proptest::prelude::*;
use webmill_capture::cut::Cut;
use webmill_sort::Budget;

fn join(texts: &[String], options: PassageOptions, budget: &Budget) -> (Vec<PagePassages>, PassageCounts) {
    let mut join = PassageJoin::new(options, budget);
    for (page, text) in texts.iter().enumerate().rev() {
        match page % 2 {
            0 => join.push(page as u32, &options.hashes(text)).unwrap(),
            _ => join.push_winnowed(page as u32, options.winnowed(text)).unwrap(),
        }
    }
    let mut found = Vec::new();
    let counts = join
        .finish()
        .unwrap()
        .align(
            |page| Ok(texts[page as usize].as_str()),
            |pair| {
                found.push(pair);
                Ok(())
            },
        )
        .unwrap();
    (found, counts)
}

fn budget() -> Budget {
    Budget::new(64 << 20)
}

/// Words that occur in no other stretch.
fn words(from: usize, count: usize) -> String {
    (from..from + count).map(|i| format!("w{i} ")).collect()
}

#[test]
fn chinese_and_mixed_texts_have_passages_in_bytes() {
    let passage = "中华人民共和国的网页数据经过清洗以后可以用来研究语言的变化，用Rust写的web工具很快，我们认为这个结果非常重要";
    let texts = [format!("前言说明：{passage}。以上是全文。"), format!("English first. {passage}！")];
    let (found, _) = join(&texts, PassageOptions::default(), &budget());
    let row = found[0].passages[0];
    for (text, from, to) in [(&texts[0], row.a_start, row.a_end), (&texts[1], row.b_start, row.b_end)] {
        assert_eq!(text.cut(from as usize..to as usize), passage);
    }
}

#[test]
fn boilerplate_is_skipped_and_counted() {
    let footer = words(900_000, 40);
    let texts: Vec<String> = (0..30).map(|i| words(i * 100, 50) + &footer).collect();
    let options = PassageOptions { max_pages: 29, ..PassageOptions::default() };
    let (found, counts) = join(&texts, options, &budget());
    assert!(found.is_empty());
    assert!(
        counts.boilerplate_hashes >= 4 && counts.boilerplate_selections == 30 * counts.boilerplate_hashes
    );
    let (found, counts) =
        join(&texts, PassageOptions { max_pages: 30, max_representatives: 29, ..options }, &budget());
    assert_eq!((found.len(), counts.boilerplate_hashes, counts.pairs_not_met), (30 * 29 / 2, 0, 0));
}

#[test]
fn pages_meet_representatives_and_the_rest_is_counted() {
    let footer = words(900_000, 40);
    let texts: Vec<String> = (0..200).map(|i| words(i * 100, 50) + &footer).collect();
    let (found, counts) = join(&texts, PassageOptions::default(), &budget());
    // The footer's inner hashes are on all pages; those that its first words decide, with what stands before, on some.
    let least: u64 = (0..200u64).map(|i| i.min(16)).sum();
    assert!((least..least + 200).contains(&(found.len() as u64)), "{}", found.len());
    assert!(counts.pairs_not_met >= 200 * 199 / 2 - least, "{counts:?}");
    // Every page is connected with the first one.
    assert!((1..200).all(|b| found.iter().any(|pair| (pair.a, pair.b) == (0, b))));
}

/// Twenty texts of 40, 50, 60 … words and the texts of all of them in one, which is page `whole`.
fn parts_and_whole(whole: usize) -> Vec<String> {
    let mut texts: Vec<String> = (0..20).map(|i| words(i * 1000, 40 + 10 * i)).collect();
    texts.insert(whole, texts.concat());
    texts
}

#[test]
fn a_page_that_holds_many_meets_them_all_wherever_it_stands() {
    let options = PassageOptions { max_partners: 3, ..PassageOptions::default() };
    for whole in [0, 7, 20] {
        let (found, counts) = join(&parts_and_whole(whole), options, &budget());
        let pairs: Vec<(u32, u32)> = found.iter().map(|pair| (pair.a, pair.b)).collect();
        let whole = whole as u32;
        let expected: Vec<(u32, u32)> =
            (0..21).filter(|&i| i != whole).map(|i| (whole.min(i), whole.max(i))).collect();
        assert_eq!(pairs, expected, "{whole}");
        assert_eq!(counts.pairs_beyond_partners, 0);
    }
}

#[test]
fn partners_of_both_pages_are_the_best_and_the_others_are_counted() {
    // Page i shares with page j what begins at word 1000 · max(i, j): the more, the larger both are.
    let all: Vec<String> = (0..8).map(|i| words(i * 1000, 40 + 10 * i)).collect();
    let texts: Vec<String> = (0..8).map(|i| all[..=i].concat() + &words(90_000 + i * 1000, 30)).collect();
    let options = PassageOptions { max_partners: 2, ..PassageOptions::default() };
    let (found, counts) = join(&texts, options, &budget());
    let pairs: Vec<(u32, u32)> = found.iter().map(|pair| (pair.a, pair.b)).collect();
    // Each chooses the two before it; of the other later ones all share the same with it, and the first two are taken.
    let expected: Vec<(u32, u32)> =
        (0..8u32).flat_map(|a| (a + 1..8).map(move |b| (a, b))).filter(|(a, b)| b - a <= 4).collect();
    assert_eq!(pairs, expected);
    assert_eq!(counts.pairs_beyond_partners as usize, 28 - expected.len());
}

#[test]
fn known_pairs_are_left_out_and_take_no_place() {
    let texts = vec![words(0, 100); 6];
    let options = PassageOptions { max_partners: 1, ..PassageOptions::default() };
    let mut join = PassageJoin::new(options, &budget());
    for (page, text) in texts.iter().enumerate() {
        join.push(page as u32, &options.hashes(text)).unwrap();
    }
    // Given in either order, more than once, and with pages that share nothing.
    for (a, b) in [(5, 0), (0, 5), (1, 5), (4, 5), (9, 5), (0, 1)] {
        join.leave_out(a, b).unwrap();
    }
    let pairs = join.finish().unwrap();
    assert!((0..6).all(|page| pairs.contains(page)) && !pairs.contains(6) && !pairs.contains(1 << 30));
    let mut found = Vec::new();
    let counts = pairs
        .align(
            |page| Ok(texts[page as usize].as_str()),
            |pair| {
                found.push((pair.a, pair.b));
                Ok(())
            },
        )
        .unwrap();
    assert!(!found.iter().any(|pair| [(0, 5), (1, 5), (4, 5), (0, 1)].contains(pair)), "{found:?}");
    assert!(found.contains(&(2, 5)), "{found:?}");
    assert_eq!(counts.pairs_left_out, 4);
}

#[test]
fn a_hundred_thousand_equal_pages_and_template_pages_stay_linear() {
    let (copy, template) = (words(0, 200), words(10_000, 60));
    let options = PassageOptions::default();
    let copies = options.hashes(&copy);
    let mut join = PassageJoin::new(options, &Budget::new(8 << 20));
    for page in 0..100_000 {
        join.push(page, &copies).unwrap();
    }
    // Groups of 500 pages that share a template: below the bound of boilerplate.
    let text = |page: u32| {
        words(1_000_000 + page as usize * 40, 30) + &template.replace('w', &format!("x{}y", page / 500))
    };
    for page in 100_000..102_000 {
        join.push(page, &options.hashes(&text(page))).unwrap();
    }
    let mut pairs = 0u64;
    let counts = join
        .finish()
        .unwrap()
        .align(
            |page| Ok(text(page)),
            |_| {
                pairs += 1;
                Ok(())
            },
        )
        .unwrap();
    assert_eq!(counts.boilerplate_hashes, copies.len() as u64);
    let least = 4 * (0..500u64).map(|i| i.min(16)).sum::<u64>();
    assert!((least..least + 2000).contains(&pairs), "{pairs}");
    assert_eq!(counts.pairs_aligned, pairs);
}

#[test]
fn hostile_texts_make_no_passages_of_nothing() {
    let mut texts = vec![
        String::new(),
        " \0\u{FFFE}…".to_owned(),
        "one".to_owned(),
        "a\u{301}".repeat(50_000),
        "word ".repeat(200_000),
        "word ".repeat(199_999),
        "一".repeat(100_000),
        "\u{202E}\u{200B}\u{FEFF}\u{E0001}".repeat(1000),
        "😀 ".repeat(1000),
    ];
    texts.push(texts[4].clone());
    let (found, counts) = join(&texts, PassageOptions::default(), &budget());
    // One word repeated shares one hash, which is fewer than two.
    assert!(found.is_empty(), "{found:?}");
    assert_eq!((counts.pages, counts.pages_too_short, counts.pairs_with_few), (4, 6, 3));
}

#[test]
fn texts_are_cut_and_counted() {
    let texts = [words(0, 4000), words(0, 4000)];
    let options = PassageOptions { max_text_bytes: 1 << 10, ..PassageOptions::default() };
    let (found, counts) = join(&texts, options, &budget());
    assert!(found[0].passages[0].a_end <= 1 << 10);
    assert_eq!(counts.texts_cut, 2);
}

#[test]
fn errors_of_the_texts_end_it() {
    let options = PassageOptions::default();
    let mut join = PassageJoin::new(options, &budget());
    for page in 0..2 {
        join.push(page, &options.hashes(&words(0, 90))).unwrap();
    }
    let lost = |_| -> Result<String> { Err(Error::Internal("lost".to_owned())) };
    assert!(matches!(join.finish().unwrap().align(lost, |_| Ok(())), Err(Error::Internal(_))));
}

/// The pairs and passages by aligning all pairs.
fn brute_force(texts: &[String], options: &PassageOptions) -> Vec<(u32, u32, Vec<Passage>)> {
    let mut found = Vec::new();
    for a in 0..texts.len() {
        for b in a + 1..texts.len() {
            let (x, y) = (options.hashes(&texts[a]), options.hashes(&texts[b]));
            if x.iter().filter(|hash| y.contains(hash)).count() >= options.min_shared as usize {
                found.push((a as u32, b as u32, passages(&texts[a], &texts[b], options)));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_join_is_brute_force_for_any_order_threads_and_memory(
        parts in prop::collection::vec(prop::collection::vec(0usize..12, 1..6), 2..14)
    ) {
        let texts: Vec<String> =
            parts.iter().map(|parts| parts.iter().map(|part| words(part * 1000, 15 + part * 3)).collect()).collect();
        let options = PassageOptions::default();
        let expected = brute_force(&texts, &options);
        for budget in [budget(), Budget::new(1 << 10).with_threads(1), Budget::new(100 << 10).with_threads(2)] {
            let (found, counts) = join(&texts, options, &budget);
            prop_assert_eq!(counts.passages as usize, found.iter().map(|pair| pair.passages.len()).sum::<usize>());
            let found: Vec<_> = found.into_iter().map(|pair| (pair.a, pair.b, pair.passages)).collect();
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn every_planted_passage_is_found(
        before in 0usize..80, len in 21usize..60, after in 0usize..80, at in 0usize..80
    ) {
        // 2w + k − 1 words have two windows that share no k-gram, and so two common selections.
        let passage = words(10_000, len);
        let texts = [
            format!("{}{passage}{}", words(0, before), words(20_000, after)),
            format!("{}{passage}", words(30_000, at)),
        ];
        let (found, _) = join(&texts, PassageOptions::default(), &budget());
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(found[0].passages.len(), 1);
        let row = found[0].passages[0];
        prop_assert_eq!(texts[0].cut(row.a_start as usize..row.a_end as usize), passage.trim());
        prop_assert_eq!(texts[1].cut(row.b_start as usize..row.b_end as usize), passage.trim());
    }
}
