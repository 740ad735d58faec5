//! What the report says of classes: how good what told them is, beside what always saying the commonest class would be, and how many pages each
//! class has.
//!
//! **Cost.** One pass over a column of table `classes`, and over the small tables of the evaluation.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use webmill_capture::Result;
use webmill_run::Committed;
use webmill_serve::surface::thousands;
use webmill_table::{Reader, columns};

use super::Sources;
use super::corpus::{Counts, add};
use super::tables::SummaryRow;
use crate::learn::tables::{CalibrationRow, ClassRow, ConfusionRow, EvaluationRow};

/// Classes that are shown, and pairs of classes that are taken for each other.
const SHOWN: usize = 100;
const PAIRS: usize = 20;
/// Sections of table `summary`.
const PAGES_OF: &str = "classes";
const EVALUATION: &str = "class evaluation";

columns! {
    struct PredictedClass from ClassRow { label }
}

columns! {
    struct MeasureColumns from EvaluationRow { scope, share, class, measure, value, num_pages }
}

columns! {
    struct ConfusionColumns from ConfusionRow { scope, class, told, num_pages }
}

columns! {
    struct CalibrationColumns from CalibrationRow { scope, from_probability, num_pages, mean_probability, share_right }
}

/// Figures of a class: precision, recall, F1 and pages.
#[derive(Debug, Default, Clone, PartialEq)]
struct OfClass {
    measures: BTreeMap<String, f64>,
    pages: u64,
}

/// A tenth of probability: its least one, pages, mean probability, share of pages that are right.
type Tenth = (f64, u64, f64, f64);

/// How good a classifier is on pages that it was not trained on.
#[derive(Debug, Default, PartialEq)]
struct EvaluatedClasses {
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
    evaluated: Option<EvaluatedClasses>,
}

/// What always saying the commonest class would give.
#[derive(Debug, PartialEq)]
struct CommonestClass<'a> {
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
            let mut reader = Reader::<PredictedClass>::open(&committed.path("classes"))?;
            while let Some(batch) = reader.next()? {
                batch.rows().for_each(|row| add(&mut classes.told, row.label));
            }
        }
        classes.evaluated = sources.classifier.as_ref().map(EvaluatedClasses::read).transpose()?;
        Ok(classes)
    }

    /// Whether nothing is known of classes.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty() && self.evaluated.is_none()
    }

    /// What template `classes.html` reads; `None` where nothing was evaluated.
    pub fn evaluated(&self) -> Option<Value> {
        self.evaluated.as_ref().map(EvaluatedClasses::data)
    }

    /// The rows of table `summary`; empty without classes.
    pub fn summary(&self) -> Vec<SummaryRow> {
        let row = SummaryRow::new;
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

impl EvaluatedClasses {
    fn read(trained: &Committed) -> Result<Self> {
        let (mut of_scopes, mut curve) = (BTreeMap::<String, EvaluatedClasses>::new(), BTreeMap::new());
        let mut reader = Reader::<MeasureColumns>::open(&trained.path("evaluation"))?;
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
        let mut reader = Reader::<ConfusionColumns>::open(&trained.path("confusion"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.scope == scope && row.class != row.told) {
                found.confused.push((row.class.to_owned(), row.told.to_owned(), row.num_pages));
            }
        }
        found.confused.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.cmp(b)));
        let mut reader = Reader::<CalibrationColumns>::open(&trained.path("calibration"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.scope == scope && row.num_pages > 0) {
                let tenth = (row.from_probability, row.num_pages, row.mean_probability, row.share_right);
                found.calibration.push(tenth);
            }
        }
        Ok(found)
    }

    /// The commonest class; `None` if pages have several classes.
    fn commonest(&self) -> Option<CommonestClass<'_>> {
        let all: u64 = self.classes.values().map(|of| of.pages).sum();
        let (class, of) = self.classes.iter().rev().max_by_key(|(_, of)| of.pages)?;
        if all != self.pages || all == 0 {
            return None;
        }
        let share = of.pages as f64 / all as f64;
        // Of the class: precision is its share, recall 1; of all others both are 0.
        let f1 = (2 * of.pages) as f64 / (all + of.pages) as f64;
        let macro_f1 = f1 / self.classes.len() as f64;
        Some(CommonestClass { class, accuracy: share, macro_f1 })
    }

    /// What template `classes.html` reads: rows of its tables, as written.
    fn data(&self) -> Value {
        let number = |value: Option<&f64>| value.map_or_else(String::new, |value| written(*value));
        let mut classes: Vec<_> = self.classes.iter().collect();
        classes.sort_by(|a, b| b.1.pages.cmp(&a.1.pages).then_with(|| a.0.cmp(b.0)));
        let note = match classes.len() {
            all if all > SHOWN => format!("{SHOWN} / {}", thousands(all as u64)),
            _ => String::new(),
        };
        let of_class = classes.iter().take(SHOWN).map(|(class, of)| {
            let [precision, recall, f1] =
                ["precision", "recall", "f1"].map(|name| number(of.measures.get(name)));
            [(*class).clone(), precision, recall, f1, thousands(of.pages)]
        });
        let confused = self.confused.iter().take(PAIRS).map(|(class, told, pages)| {
            let all = self.classes.get(class).map_or(0, |of| of.pages);
            let share = *pages as f64 / all.max(1) as f64;
            [format!("{class} → {told}"), thousands(*pages), written(share)]
        });
        let tenths = self.calibration.iter().map(|(from, pages, mean, right)| {
            [format!("{from:.1} – {:.1}", from + 0.1), thousands(*pages), written(*mean), written(*right)]
        });
        let curve = self.curve.iter().map(|(share, measures)| {
            [format!("{share} %"), number(measures.get("accuracy")), number(measures.get("macro-f1"))]
        });
        json!({
            "commonest": self.commonest().map(|commonest| commonest.class),
            "note": note,
            "error": written(self.measures.get("calibration-error").copied().unwrap_or_default()),
            "classes": of_class.collect::<Vec<_>>(),
            "confused": confused.collect::<Vec<_>>(),
            "calibration": tenths.collect::<Vec<_>>(),
            "curve": curve.collect::<Vec<_>>(),
        })
    }
}

fn written(value: f64) -> String {
    format!("{value:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(pages: &[(&str, u64)], all: u64) -> EvaluatedClasses {
        let of = |pages: u64| OfClass { pages, ..OfClass::default() };
        let classes = pages.iter().map(|(class, pages)| ((*class).to_owned(), of(*pages))).collect();
        EvaluatedClasses { pages: all, classes, ..EvaluatedClasses::default() }
    }

    #[test]
    fn the_commonest_class_is_what_to_beat() {
        // Of 10 pages 6 are a: precision .6, recall 1, so F1 is .75, and 0 for the two others.
        let three = evaluated(&[("a", 6), ("b", 3), ("c", 1)], 10);
        assert_eq!(three.commonest(), Some(CommonestClass { class: "a", accuracy: 0.6, macro_f1: 0.25 }));
        assert_eq!(evaluated(&[("a", 2), ("b", 2)], 4).commonest().unwrap().class, "a");
        assert_eq!(evaluated(&[("a", 6), ("b", 6)], 10).commonest(), None, "several classes a page");
        assert_eq!(evaluated(&[], 0).commonest(), None);
    }
}
