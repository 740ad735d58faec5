//! Both sides with the shuffle between them, against a map in memory.

use std::collections::BTreeMap;
use webmill_capture::cut::Cut;

use proptest::prelude::*;
use rayon::prelude::*;
use webmill_sort::Budget;

use crate::mapreduce::{Count, MapReduce, Mapper, Shuffle, reduce};

/// Words with how often they occur, and the pages (by number) that hold them: sums or lists.
struct Words<const COMBINES: bool>;

impl<const COMBINES: bool> MapReduce for Words<COMBINES> {
    type Page<'p> = &'p str;
    type Key<'k> = &'k str;
    type Value = Count;
    type Out = (String, Vec<u64>);
    const COMBINES: bool = COMBINES;

    fn map(&self, page: &&str, emit: &mut dyn FnMut(&str, Count)) {
        page.split(' ').for_each(|word| emit(word, Count(word.len() as u64 % 3 + 1)));
    }

    fn combine(&self, into: &mut Count, next: Count) {
        into.0 += next.0;
    }

    fn reduce(&self, key: &str, values: &mut dyn Iterator<Item = Count>, emit: &mut dyn FnMut(Self::Out)) {
        let values: Vec<u64> = values.map(|count| count.0).collect();
        emit((key.to_owned(), if COMBINES { vec![values.iter().sum()] } else { values }));
    }
}

type MadeOutput = Vec<Vec<(String, Vec<u64>)>>;

fn run_words<const C: bool>(splits: &[Vec<String>], parts: u32, memory: usize, threads: usize) -> MadeOutput {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| run(&Words::<C>, splits, parts, &Budget::new(memory).with_threads(threads)))
}

/// What comes out of the parts; the splits are mapped on all threads, and the pairs go through a file.
fn run<M>(kernel: &M, splits: &[Vec<String>], parts: u32, budget: &Budget) -> Vec<Vec<M::Out>>
where
    M: for<'p> MapReduce<Page<'p> = &'p str>,
{
    let mapper = Mapper::new(kernel, parts, budget);
    let map =
        |split: &Vec<String>| mapper.with(|side| split.iter().try_for_each(|text| side.map(&text.as_str())));
    splits.par_iter().try_for_each(map).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pairs");
    Shuffle::write(&path, parts, &mut mapper.finish().unwrap().0).unwrap();
    let shuffle = Shuffle::open(&path).unwrap();
    let reduced = |part| {
        let mut made = Vec::new();
        let take = |out| {
            made.push(out);
            Ok(())
        };
        reduce(kernel, &mut shuffle.part(part), take).unwrap();
        made
    };
    (0..parts).map(reduced).collect()
}

fn expected<const C: bool>(texts: &[String]) -> BTreeMap<String, Vec<u64>> {
    let mut words: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for word in texts.iter().flat_map(|text| text.split(' ')) {
        words.entry(word.to_owned()).or_default().push(word.len() as u64 % 3 + 1);
    }
    for values in words.values_mut().filter(|_| C) {
        *values = vec![values.iter().sum()];
    }
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn equals_a_map_whatever_the_splits(
        texts in prop::collection::vec("[a-c ]{0,12}", 0..60),
        cut in 1usize..9, parts in 1u32..9, memory in 1usize..40_000, threads in 1usize..4,
    ) {
        // Empty splits among them.
        let mut splits: Vec<Vec<String>> = texts.chunks(cut).map(<[String]>::to_vec).collect();
        splits.insert(splits.len() / 2, Vec::new());
        let combined = run_words::<true>(&splits, parts, memory, threads);
        let listed = run_words::<false>(&splits, parts, memory, threads);
        prop_assert_eq!(combined.len(), parts as usize);
        for (made, want) in [(&combined, expected::<true>(&texts)), (&listed, expected::<false>(&texts))] {
            prop_assert!(made.iter().all(|part| part.is_sorted_by(|a, b| a.0 < b.0)));
            let all: BTreeMap<_, _> = made.iter().flatten().cloned().collect();
            prop_assert_eq!(all.len(), made.iter().map(Vec::len).sum::<usize>(), "a key in two parts");
            prop_assert_eq!(all, want);
        }
        prop_assert_eq!(&combined, &run_words::<true>(std::slice::from_ref(&texts), parts, 1 << 20, 1));
        prop_assert_eq!(&listed, &run_words::<false>(&[texts], parts, 1 << 20, 1));
    }
}

#[test]
fn no_page_one_part_and_many() {
    assert_eq!(run_words::<true>(&[], 1, 1 << 20, 2), [[]]);
    let splits = [vec!["a b c d e f g".to_owned()]];
    let many = run_words::<true>(&splits, 4096, 1 << 20, 2);
    assert_eq!((many.len(), many.iter().flatten().count()), (4096, 7));
}

/// A stop word on every page, and all keys different: memory stays within the budget.
#[test]
fn skewed_keys_and_different_keys() {
    let texts: Vec<String> = (0..20_000).map(|n| format!("the w{n:07}")).collect();
    let splits: Vec<Vec<String>> = texts.chunks(100).map(<[String]>::to_vec).collect();
    let little = run_words::<true>(&splits, 2, 64 << 10, 2);
    assert_eq!(little, run_words::<true>(&splits, 2, 64 << 20, 1));
    let all: BTreeMap<_, _> = little.into_iter().flatten().collect();
    assert_eq!((all.len(), &all["the"]), (20_001, &vec![20_000]));
    let listed = run_words::<false>(&splits, 2, 64 << 10, 2);
    let the = listed.iter().flatten().find(|(word, _)| word == "the").unwrap();
    assert_eq!(the.1.len(), 20_000);
}

#[test]
fn a_kernel_need_not_look_at_all_values() {
    struct FirstKernel;
    impl MapReduce for FirstKernel {
        type Page<'p> = &'p str;
        type Key<'k> = &'k str;
        type Value = String;
        type Out = String;
        fn map(&self, page: &&str, emit: &mut dyn FnMut(&str, String)) {
            page.split(' ').for_each(|word| emit(word.cut(..1), word.to_owned()));
        }
        fn reduce(&self, _: &str, values: &mut dyn Iterator<Item = String>, emit: &mut dyn FnMut(String)) {
            values.take(1).for_each(emit);
        }
    }
    let splits = ["bz ab aa", "ba c\0a"].map(|text| vec![text.to_owned()]);
    let made = run(&FirstKernel, &splits, 1, &Budget::new(1 << 20));
    assert_eq!(made, [["aa", "ba", "c\0a"]]);
}
