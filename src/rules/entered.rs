//! Which layers pages are entered by for their address.

use regex::{RegexSet, RegexSetBuilder};

use crate::rule::{LayerNumber, Rule};

/// Number of a rule among those that are applied together.
pub type RuleNumber = usize;

/// The expressions for addresses of several rules, looked for in one pass over an address.
#[derive(Debug, Clone)]
pub struct EntryPatterns {
    set: RegexSet,
    /// Rule and layer of each expression.
    layers: Vec<(RuleNumber, LayerNumber)>,
}

impl EntryPatterns {
    /// Of these rules.
    ///
    /// # Errors
    /// Where all expressions together are too large.
    pub fn new(rules: &[Rule]) -> Result<EntryPatterns, regex::Error> {
        let (mut expressions, mut layers) = (Vec::new(), Vec::new());
        for (number, rule) in rules.iter().enumerate() {
            for (layer, of) in rule.layers.iter().enumerate() {
                expressions.extend(of.pages.iter().map(|pages| pages.as_str()));
                layers.extend(of.pages.iter().map(|_| (number, layer)));
            }
        }
        // Each was checked alone; together they may take as much as all of them.
        let limit = (10 << 20) * (1 + expressions.len());
        let set = RegexSetBuilder::new(expressions).size_limit(limit).build()?;
        Ok(EntryPatterns { set, layers })
    }

    /// Rules and layers that a page of this address is entered by, each once, in their order.
    pub fn of(&self, url: &str) -> Vec<(RuleNumber, LayerNumber)> {
        let mut layers: Vec<_> = self.set.matches(url).into_iter().map(|at| self.layers[at]).collect();
        layers.dedup();
        layers
    }
}
