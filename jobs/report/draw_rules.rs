//! The part about what rules found: rows of each table, and what is not there.

use webmill_report::{Lang, Panel, Part, Word};

use super::draw::{Found, bars};
use super::summary::of_rules;

/// The part; `None` where rules found nothing, or none were applied.
pub fn part(found: &Found<'_>, lang: Lang) -> Option<Part> {
    let word = |word| lang.word(word).to_owned();
    let [(section, rows, _), (of_problems, problems, _)] = of_rules(found.sources);
    if rows.is_empty() {
        return None;
    }
    let mut panels = vec![Panel::Bars(bars(word(Word::RulesTitle), word(Word::Rows), section, &rows))];
    if !problems.is_empty() {
        panels.push(Panel::Bars(bars(word(Word::RulesProblems), word(Word::Cases), of_problems, &problems)));
    }
    let (title, note) = (word(Word::RulesTitle), word(Word::RulesNote));
    Some(Part { id: "rules".into(), title, note, cards: Vec::new(), panels })
}
