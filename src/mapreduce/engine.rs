//! What the tests run kernels by: splits by threads, shuffle on disk, parts by threads. The program has its own over tables
//! (`jobs/count/engine.rs`).

use rayon::prelude::*;
use webmill_capture::Result;
use webmill_capture::error::AtPath;
use webmill_sort::Budget;

use crate::{MapReduce, Mapper, Shuffle, reduce};

/// How a job is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Parts that keys are spread over: R.
    pub parts: u32,
    /// Memory, folder for files that do not last, threads.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Options { parts: 1, budget: Budget::new(256 << 20) }
    }
}

/// Runs a kernel over splits on the surrounding pool of threads; gives what comes out, part by part. `pages` hands the pages of a
/// split to the function that it is given.
///
/// # Errors
/// What `pages` meets; where the disk refuses.
pub fn run<M, S>(
    kernel: &M,
    splits: &[S],
    pages: impl Fn(&S, &mut dyn FnMut(M::Page<'_>)) + Sync,
    options: &Options,
) -> Result<Vec<Vec<M::Out>>>
where
    M: MapReduce,
    M::Out: Send,
    S: Sync,
{
    let parts = options.parts.clamp(1, crate::MAX_PARTS);
    let mapper = Mapper::new(kernel, parts, &options.budget);
    splits.par_iter().try_for_each(|split| {
        mapper.with(|side| {
            let mut failed = Ok(());
            pages(split, &mut |page| {
                if failed.is_ok() {
                    failed = side.map(&page);
                }
            });
            failed
        })
    })?;
    let temp = &options.budget.temp_dir;
    let folder = tempfile_in(temp)?;
    let path = folder.0.join("pairs");
    Shuffle::write(&path, parts, &mut mapper.finish()?.0)?;
    let shuffle = Shuffle::open(&path)?;
    (0..parts)
        .into_par_iter()
        .map(|part| {
            let mut made = Vec::new();
            reduce(kernel, &mut shuffle.part(part), |out| {
                made.push(out);
                Ok(())
            })?;
            Ok(made)
        })
        .collect()
}

/// A folder that goes away.
struct Folder(std::path::PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn tempfile_in(parent: &std::path::Path) -> Result<Folder> {
    static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = parent.join(format!("webmill-mapreduce-{}-{number}", std::process::id()));
    std::fs::create_dir(&path).at(&path)?;
    Ok(Folder(path))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{Count, map_batch, reduce_sorted};

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

        fn reduce(
            &self,
            key: &str,
            values: &mut dyn Iterator<Item = Count>,
            emit: &mut dyn FnMut(Self::Out),
        ) {
            let values: Vec<u64> = values.map(|count| count.0).collect();
            emit((key.to_owned(), if COMBINES { vec![values.iter().sum()] } else { values }));
        }
    }

    type Made = Vec<Vec<(String, Vec<u64>)>>;

    fn run_words<const C: bool>(splits: &[Vec<String>], parts: u32, memory: usize, threads: usize) -> Made {
        let options = Options { parts, budget: Budget::new(memory).with_threads(threads) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let pages =
            |split: &Vec<String>, each: &mut dyn FnMut(&str)| split.iter().for_each(|text| each(text));
        pool.install(|| run(&Words::<C>, splits, pages, &options)).unwrap()
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

        #[test]
        fn both_sides_can_be_called_apart(texts in prop::collection::vec("[a-c ]{0,12}", 0..30)) {
            let mut pairs: Vec<(u32, Vec<u8>, Vec<u8>)> = Vec::new();
            for batch in texts.chunks(7) {
                let pages = batch.iter().map(String::as_str);
                map_batch(&Words::<true>, pages, 3, |part, key, value| pairs.push((part, key.to_vec(), value.to_vec())));
            }
            pairs.sort();
            let made: Made = (0..3).map(|part| {
                let mut made = Vec::new();
                let of_part = pairs.iter().filter(|pair| pair.0 == part).map(|pair| (&pair.1, &pair.2));
                reduce_sorted(&Words::<true>, of_part, |out| { made.push(out); Ok(()) }).unwrap();
                made
            }).collect();
            prop_assert_eq!(made, run_words::<true>(&[texts], 3, 1 << 20, 2));
        }
    }

    #[test]
    fn no_page_one_part_and_many() {
        assert_eq!(run_words::<true>(&[], 1, 1 << 20, 2), [[]]);
        let splits = [vec!["a b c d e f g".to_owned()]];
        let many = run_words::<true>(&splits, 4096, 1 << 20, 2);
        assert_eq!((many.len(), many.iter().flatten().count()), (4096, 7));
    }

    /// A stop word on every page, and all keys different: what is held stays within the budget.
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

    /// What a split costs by itself: `cargo test --release -p webmill-mapreduce -- --ignored --nocapture splits`.
    #[test]
    #[ignore = "a measurement, not a law: it wants a machine of its own"]
    fn many_splits_cost_little() {
        let texts: Vec<String> =
            (0..100_000).map(|n| format!("{} ", n % 977).repeat(100).trim_end().to_owned()).collect();
        let few: Vec<Vec<String>> = texts.chunks(2500).map(<[String]>::to_vec).collect();
        let many: Vec<Vec<String>> = texts.chunks(1).map(<[String]>::to_vec).collect();
        let time = |splits: &[Vec<String>]| {
            let begin = std::time::Instant::now();
            run_words::<true>(splits, 2, 64 << 20, 2);
            begin.elapsed().as_secs_f64()
        };
        let mut ratios: Vec<f64> = (0..9).map(|_| time(&many) / time(&few)).collect();
        ratios.sort_by(f64::total_cmp);
        println!("100,000 splits / 40 splits: median {:.3}, {ratios:.3?}", ratios[4]);
        assert!(ratios[4] < 1.05);
    }

    #[test]
    fn a_kernel_need_not_look_at_all_values() {
        struct First;
        impl MapReduce for First {
            type Page<'p> = &'p str;
            type Key<'k> = &'k str;
            type Value = String;
            type Out = String;
            fn map(&self, page: &&str, emit: &mut dyn FnMut(&str, String)) {
                page.split(' ').for_each(|word| emit(&word[..1], word.to_owned()));
            }
            fn reduce(
                &self,
                _: &str,
                values: &mut dyn Iterator<Item = String>,
                emit: &mut dyn FnMut(String),
            ) {
                values.take(1).for_each(emit);
            }
        }
        let pages = |text: &&str, each: &mut dyn FnMut(&str)| each(text);
        let made = run(&First, &["bz ab aa", "ba c\0a"], pages, &Options::default()).unwrap();
        assert_eq!(made, [["aa", "ba", "c\0a"]]);
    }
}
