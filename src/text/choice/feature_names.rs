//! The names of the features of blocks and pages, from the code that makes their values: [`features!`](super::features).

use std::fmt::Debug;
use std::sync::LazyLock;

use super::block_row::block_row;
use super::choice_row::{Chosen, confidence_row};
use super::features::FeatureSink;
use super::page_features::{Hints, PageFeatures};
use super::page_row::page_row;
use super::page_type::{PageType, TYPES};
use crate::blocks::blocks;
use crate::threads::Threads;
use webmill_html::{Limits, parse};

/// The names of the values of a row, such as `link_density` and `near:Footer`.
#[derive(Default)]
struct FeatureNames(Vec<String>);

impl FeatureSink for FeatureNames {
    fn put(&mut self, name: &'static str, _: f32) {
        self.0.push(name.to_owned());
    }

    fn put_of(&mut self, name: &'static str, of: impl Debug, _: f32) {
        self.0.push(format!("{name}:{of:?}").replace(['"', '(', ')', ' '], ""));
    }
}

/// The names of the features that models may ask about.
pub(crate) struct Names {
    /// Of a page, and so of the model of page types.
    pub page: Vec<String>,
    /// Of a block: its own, those of its page, then the probabilities of the page types.
    pub block: Vec<String>,
    /// Of a choice of blocks.
    pub choice: Vec<String>,
}

/// The names, from the code that makes the values.
pub(crate) fn names() -> &'static Names {
    static NAMES: LazyLock<Names> = LazyLock::new(|| {
        let dom = parse("<body><p>words", &Limits::default());
        let page = dom.body().map(|body| blocks(&dom, body)).unwrap_or_default();
        let hints = Hints::default();
        let facts = PageFeatures::new(&page, &hints, Threads::default());
        let [mut of_page, mut of_block, mut of_choice] = std::array::from_fn(|_| FeatureNames::default());
        let none = Chosen { chosen: &[true], scored: &[(0.5, 1.0)], f1: 0.5, types: &[0.0; TYPES] };
        confidence_row(&page, &facts, &none, &mut of_choice);
        page_row(&page, &facts, &hints, &mut of_page);
        block_row(&page, &facts, 0, &mut of_block);
        of_block.0.extend_from_slice(&of_page.0);
        of_block.0.extend(PageType::CLASSES.iter().map(|class| format!("type:{class:?}")));
        Names { page: of_page.0, block: of_block.0, choice: of_choice.0 }
    });
    &NAMES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_has_a_name_of_its_own_on_every_page() {
        let names = names();
        let mut sorted = names.block.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), names.block.len());
        // Whatever a page has or lacks, its rows have a value for each name.
        for html in
            ["<h1>Tea</h1><p>One, two.<p>Three words here.<ul><li>a<li>b</ul><h2>More</h2><p>x", "<p>y"]
        {
            let dom = parse(html, &Limits::default());
            let page = blocks(&dom, dom.body().unwrap());
            let facts = PageFeatures::new(&page, &Hints::default(), Threads::default());
            assert_eq!(facts.page.len(), names.page.len());
            for i in 0..page.blocks.len() {
                let mut row = Vec::new();
                block_row(&page, &facts, i, &mut row);
                assert_eq!(row.len() + facts.page.len() + PageType::CLASSES.len(), names.block.len());
            }
        }
    }
}
