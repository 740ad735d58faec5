//! The part about classes: how good what told them is, beside what always saying the commonest class would be, and how many pages each
//! class has.
//!
//! **Cost.** One pass over a column of table `classes`, and over the small tables of the evaluation.

use std::collections::BTreeMap;

use webmill_capture::Result;
use webmill_report::{Html, Lang, Panel, Part, Top, TopRow, Word, thousands};
use webmill_run::Committed;
use webmill_table::{Reader, columns};

use super::Sources;
use super::corpus::{Counts, add};
use super::draw::bars;
use super::tables::SummaryRow;
use crate::learn::tables::{CalibrationRow, ClassRow, ConfusionRow, EvaluationRow};

/// Classes that are shown, and pairs of classes that are taken for each other.
const SHOWN: usize = 100;
const PAIRS: usize = 20;
/// Sections of table `summary`.
const PAGES_OF: &str = "classes";
const EVALUATION: &str = "class evaluation";

columns! {
    struct Told from ClassRow { label }
}

columns! {
    struct Measured from EvaluationRow { scope, share, class, measure, value, num_pages }
}

columns! {
    struct Confused from ConfusionRow { scope, class, told, num_pages }
}

columns! {
    struct Calibrated from CalibrationRow { scope, from_probability, num_pages, mean_probability, share_right }
}

/// What is said of a class: precision, recall, F1 and pages.
#[derive(Debug, Default, Clone, PartialEq)]
struct OfClass {
    measures: BTreeMap<String, f64>,
    pages: u64,
}

/// A tenth of probability: its least one, pages, mean probability, share of pages that are right.
type Tenth = (f64, u64, f64, f64);

/// How good a classifier is on pages that it was not trained on.
#[derive(Debug, Default, PartialEq)]
struct Evaluated {
    /// Measures of all.
    measures: BTreeMap<String, f64>,
    pages: u64,
    classes: BTreeMap<String, OfClass>,
    /// Accuracy and macro F1 by the share of the pages that was trained on, in hundredths.
    curve: BTreeMap<u32, BTreeMap<String, f64>>,
    /// Class, what it was taken for, pages; the most first.
    confused: Vec<(String, String, u64)>,
    calibration: Vec<Tenth>,
}

/// What was found of classes.
#[derive(Debug, Default)]
pub struct Classes {
    told: Counts,
    evaluated: Option<Evaluated>,
}

/// What always saying the commonest class would give.
#[derive(Debug, PartialEq)]
struct Commonest<'a> {
    class: &'a str,
    accuracy: f64,
    macro_f1: f64,
}

impl Classes {
    /// Of the sources; nothing where no classes were learnt or told.
    ///
    /// # Errors
    /// Where a table cannot be read.
    pub fn read(sources: &Sources) -> Result<Self> {
        let mut classes = Classes::default();
        if let Some(committed) = &sources.classes {
            let mut reader = Reader::<Told>::open(&committed.path("classes"))?;
            while let Some(batch) = reader.next()? {
                batch.rows().for_each(|row| add(&mut classes.told, row.label));
            }
        }
        classes.evaluated = sources.classifier.as_ref().map(Evaluated::read).transpose()?;
        Ok(classes)
    }

    /// The rows of table `summary`; none where there is nothing.
    pub fn summary(&self) -> Vec<SummaryRow> {
        let row = |section: &str, name: &str, value, unit: &str| SummaryRow {
            section: section.into(),
            name: name.into(),
            value,
            unit: unit.into(),
        };
        let mut rows: Vec<SummaryRow> =
            self.told.iter().map(|(class, pages)| row(PAGES_OF, class, *pages as f64, "pages")).collect();
        if let Some(evaluated) = &self.evaluated {
            rows.push(row(EVALUATION, "pages", evaluated.pages as f64, "pages"));
            rows.extend(evaluated.measures.iter().map(|(name, value)| row(EVALUATION, name, *value, "")));
            if let Some(commonest) = evaluated.commonest() {
                rows.push(row(EVALUATION, "accuracy of the commonest class", commonest.accuracy, ""));
                rows.push(row(EVALUATION, "macro-f1 of the commonest class", commonest.macro_f1, ""));
            }
        }
        rows
    }
}

impl Evaluated {
    fn read(trained: &Committed) -> Result<Self> {
        let (mut of_scopes, mut curve) = (BTreeMap::<String, Evaluated>::new(), BTreeMap::new());
        let mut reader = Reader::<Measured>::open(&trained.path("evaluation"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                if row.scope == "curve" {
                    let at: &mut BTreeMap<String, f64> =
                        curve.entry((row.share * 100.0).round() as u32).or_default();
                    at.insert(row.measure.to_owned(), row.value);
                    continue;
                }
                let of = of_scopes.entry(row.scope.to_owned()).or_default();
                match row.class {
                    None => {
                        of.pages = row.num_pages;
                        of.measures.insert(row.measure.to_owned(), row.value);
                    }
                    Some(class) => {
                        let of = of.classes.entry(class.to_owned()).or_default();
                        of.pages = row.num_pages;
                        of.measures.insert(row.measure.to_owned(), row.value);
                    }
                }
            }
        }
        // Pages that were given to test on say more than folds.
        let scope = if of_scopes.contains_key("test") { "test" } else { "folds" };
        let mut found = of_scopes.remove(scope).unwrap_or_default();
        found.curve = curve;
        let mut reader = Reader::<Confused>::open(&trained.path("confusion"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.scope == scope && row.class != row.told) {
                found.confused.push((row.class.to_owned(), row.told.to_owned(), row.num_pages));
            }
        }
        found.confused.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.cmp(b)));
        let mut reader = Reader::<Calibrated>::open(&trained.path("calibration"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.scope == scope && row.num_pages > 0) {
                let tenth = (row.from_probability, row.num_pages, row.mean_probability, row.share_right);
                found.calibration.push(tenth);
            }
        }
        Ok(found)
    }

    /// None where pages have several classes: there is no such class then.
    fn commonest(&self) -> Option<Commonest<'_>> {
        let all: u64 = self.classes.values().map(|of| of.pages).sum();
        let (class, of) = self.classes.iter().rev().max_by_key(|(_, of)| of.pages)?;
        if all != self.pages || all == 0 {
            return None;
        }
        let share = of.pages as f64 / all as f64;
        // Of the class: precision is its share, recall 1; of all others both are 0.
        let f1 = (2 * of.pages) as f64 / (all + of.pages) as f64;
        let macro_f1 = f1 / self.classes.len() as f64;
        Some(Commonest { class, accuracy: share, macro_f1 })
    }

    fn cards(&self, lang: Lang) -> Vec<(String, Html)> {
        let word = |word| lang.word(word).to_owned();
        let of = |name: &str| {
            let value = self.measures.get(name).copied().unwrap_or_default();
            Html::number(value, &written(value), &format!("{EVALUATION}: {name}"))
        };
        let mut cards = vec![
            (word(Word::ClassAccuracy), of("accuracy")),
            (word(Word::ClassMacroF1), of("macro-f1")),
            (word(Word::ClassTested), Html::count(self.pages, &format!("{EVALUATION}: pages"))),
        ];
        if let Some(commonest) = self.commonest() {
            let number = |value: f64, name: &str| {
                Html::number(value, &written(value), &format!("{EVALUATION}: {name} of the commonest class"))
            };
            let both = Html::join(
                &[number(commonest.accuracy, "accuracy"), number(commonest.macro_f1, "macro-f1")],
                " / ",
            );
            cards.push((lang.word(Word::ClassCommonest).replace("{0}", commonest.class), both));
        }
        cards
    }

    fn panels(&self, lang: Lang) -> Vec<Panel> {
        let word = |word| lang.word(word).to_owned();
        let number =
            |value: Option<&f64>| value.map_or_else(Html::default, |value| Html::text(&written(*value)));
        let table = |title, note: String, of, columns: &[Word], rows: Vec<TopRow>| {
            let columns = columns.iter().map(|column| word(*column)).collect();
            Panel::Top(Top { title: word(title), note, of: word(of), columns, rows })
        };
        let row = |name: String, cells| TopRow { name, title: None, cells };
        let mut classes: Vec<_> = self.classes.iter().collect();
        classes.sort_by(|a, b| b.1.pages.cmp(&a.1.pages).then_with(|| a.0.cmp(b.0)));
        let note = match classes.len() {
            all if all > SHOWN => format!("{SHOWN} / {}", thousands(all as u64)),
            _ => String::new(),
        };
        let of_class = classes.iter().take(SHOWN).map(|(class, of)| {
            let measures = ["precision", "recall", "f1"].map(|name| number(of.measures.get(name)));
            let cells = measures.into_iter().chain([thousands(of.pages).into()]).collect();
            row((*class).clone(), cells)
        });
        let confused = self.confused.iter().take(PAIRS).map(|(class, told, pages)| {
            let all = self.classes.get(class).map_or(0, |of| of.pages);
            let share = *pages as f64 / all.max(1) as f64;
            row(format!("{class} → {told}"), vec![thousands(*pages).into(), number(Some(&share))])
        });
        let tenths = self.calibration.iter().map(|(from, pages, mean, right)| {
            let cells = vec![thousands(*pages).into(), number(Some(mean)), number(Some(right))];
            row(format!("{from:.1} – {:.1}", from + 0.1), cells)
        });
        let curve = self.curve.iter().map(|(share, measures)| {
            row(format!("{share} %"), ["accuracy", "macro-f1"].map(|name| number(measures.get(name))).into())
        });
        let error = self.measures.get("calibration-error").copied().unwrap_or_default();
        let error = lang.word(Word::ClassCalibrationNote).replace("{0}", &written(error));
        let panels = [
            table(
                Word::ClassMeasures,
                note,
                Word::Class,
                &[Word::ClassPrecision, Word::ClassRecall, Word::ClassF1, Word::Pages],
                of_class.collect(),
            ),
            table(
                Word::ClassConfused,
                String::new(),
                Word::ClassPair,
                &[Word::Pages, Word::ClassShare],
                confused.collect(),
            ),
            table(
                Word::ClassCalibration,
                error,
                Word::ClassProbability,
                &[Word::Pages, Word::ClassMeanProbability, Word::ClassRight],
                tenths.collect(),
            ),
            table(
                Word::ClassCurve,
                String::new(),
                Word::ClassTrainedOn,
                &[Word::ClassAccuracy, Word::ClassMacroF1],
                curve.collect(),
            ),
        ];
        let has_rows = |panel: &Panel| matches!(panel, Panel::Top(top) if !top.rows.is_empty());
        panels.into_iter().filter(has_rows).collect()
    }
}

/// The part; `None` where there is nothing of classes.
pub fn part(classes: &Classes, lang: Lang) -> Option<Part> {
    let word = |word| lang.word(word).to_owned();
    let mut panels = Vec::new();
    if !classes.told.is_empty() {
        panels.push(Panel::Bars(bars(word(Word::ClassPages), word(Word::Pages), PAGES_OF, &classes.told)));
    }
    let mut cards = Vec::new();
    if let Some(evaluated) = &classes.evaluated {
        cards = evaluated.cards(lang);
        panels.extend(evaluated.panels(lang));
    }
    let (title, note) = (word(Word::ClassesTitle), word(Word::ClassesNote));
    (!panels.is_empty()).then(|| Part { id: "classes".into(), title, note, cards, panels })
}

fn written(value: f64) -> String {
    format!("{value:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(pages: &[(&str, u64)], all: u64) -> Evaluated {
        let of = |pages: u64| OfClass { pages, ..OfClass::default() };
        let classes = pages.iter().map(|(class, pages)| ((*class).to_owned(), of(*pages))).collect();
        Evaluated { pages: all, classes, ..Evaluated::default() }
    }

    #[test]
    fn the_commonest_class_is_what_to_beat() {
        // Of 10 pages 6 are a: precision .6, recall 1, so F1 is .75, and 0 for the two others.
        let three = evaluated(&[("a", 6), ("b", 3), ("c", 1)], 10);
        assert_eq!(three.commonest(), Some(Commonest { class: "a", accuracy: 0.6, macro_f1: 0.25 }));
        assert_eq!(evaluated(&[("a", 2), ("b", 2)], 4).commonest().unwrap().class, "a");
        assert_eq!(evaluated(&[("a", 6), ("b", 6)], 10).commonest(), None, "several classes a page");
        assert_eq!(evaluated(&[], 0).commonest(), None);
    }
}
