//! What in a list of arcs may have been meant otherwise than it was read.
//!
//! A list that is likely not a list of arcs is refused: one whose lines hold more names of several words than arcs, or where a
//! number may be a weight or of a name. The rest is said, with counts and the first line of its kind.

use super::super::csr::Parallel;
use super::line::{Arc, SEPARATORS, suspect};
use super::table::empty;

/// Weights from which on all of a list look like times: seconds since 1970.
const TIMES: f32 = 1e8;

/// How many lines are of a kind, and the first of them.
#[derive(Default)]
pub(super) struct LineTally {
    count: u64,
    first: u64,
    text: String,
}

impl LineTally {
    pub fn see(&mut self, number: u64, line: &str) {
        if self.count == 0 {
            (self.first, self.text) = (number, line.chars().take(200).collect());
        }
        self.count += 1;
    }
}

impl std::fmt::Display for LineTally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, {:?}", self.first, self.text)
    }
}

/// Lines of doubtful meaning.
#[derive(Default)]
pub(super) struct DoubtfulLines {
    /// A first line that was taken for names of columns because numbers follow.
    pub header: LineTally,
    /// Comments that say that links have no direction.
    pub undirected: LineTally,
    /// Lines that begin with `#` and a name, and were read as comments.
    pub hash: LineTally,
    /// Names alone.
    alone: u64,
    /// Names alone in lines that may have been meant as more.
    suspect: LineTally,
    /// Weights with only a blank or comma before them.
    loose: LineTally,
    /// Arcs to or from names with blanks that no tab ends.
    blanks: LineTally,
    /// URLs with only a comma between.
    cut: LineTally,
    /// Those with more behind a comma in the target, and none in the source.
    more: LineTally,
    /// Names alone that begin with a comma or the like, or end in one.
    open: LineTally,
}

impl DoubtfulLines {
    /// A name alone was read.
    pub fn alone(&mut self, number: u64, name: &str) {
        self.alone += 1;
        if name.starts_with(SEPARATORS) || name.ends_with(SEPARATORS) {
            self.open.see(number, name);
        }
        if suspect(name) {
            self.suspect.see(number, name);
        }
    }

    /// An arc between names was read.
    pub fn arc(&mut self, number: u64, line: &str, arc: &Arc<'_>) {
        if arc.loose && arc.weight.is_some() {
            self.loose.see(number, line);
        }
        if arc.loose && [&arc.source, &arc.target].iter().any(|name| name.contains(char::is_whitespace)) {
            self.blanks.see(number, line);
        }
        if arc.cut {
            self.cut.see(number, line);
            if arc.target.contains(SEPARATORS) && !arc.source.contains(SEPARATORS) {
                self.more.see(number, line);
            }
        }
    }

    /// Names alone were pairs.
    pub fn none_alone(&mut self) {
        (self.alone, self.suspect) = (0, LineTally::default());
    }

    /// Notes doubtful properties of a list with `arcs` arcs.
    ///
    /// # Errors
    /// The defect, if lines can hardly be meant as they were read, or contradict one another.
    pub fn judge(&self, arcs: u64, notes: &mut Vec<String>) -> Result<(), String> {
        self.of_cells()?;
        self.of_nodes(arcs, notes)?;
        self.of_numbers(arcs, notes)?;
        if self.header.count > 0 {
            notes.push(format!("{} was read as the names of columns", self.header));
        }
        if self.hash.count > 0 {
            notes.push(format!(
                "{} lines that begin with # were read as comments (the first is {})",
                self.hash.count, self.hash
            ));
        }
        if self.cut.count > 0 {
            notes.push(format!(
                "{} of {arcs} arcs are two URLs with no more than a comma or the like between (the first is {})",
                self.cut.count, self.cut
            ));
        }
        if self.undirected.count > 0 {
            notes.push(format!(
                "{} says that links have no direction; each line is one arc here, from the first to the second: add the \
                 reverse ones if they are meant",
                self.undirected
            ));
        }
        Ok(())
    }

    /// Of cells that are empty, or too many, where URLs have only a comma or the like between.
    fn of_cells(&self) -> Result<(), String> {
        if self.cut.count > 0 && self.open.count > 0 {
            let column = usize::from(!self.open.text.starts_with(SEPARATORS));
            return Err(format!("{}: {}", self.open, empty(column)));
        }
        if self.more.count > 0 && 10 * self.more.count >= 9 * self.cut.count {
            return Err(format!(
                "{} of {} lines hold more than two URLs and a weight (the first is {}): which columns these are --columns says; \
                 where commas and the like are of the URLs, a tab between source and target does",
                self.more.count, self.cut.count, self.more
            ));
        }
        Ok(())
    }

    fn of_nodes(&self, arcs: u64, notes: &mut Vec<String>) -> Result<(), String> {
        let (alone, count, first) = (self.alone, self.suspect.count, &self.suspect);
        let ways = "An arc is `source -> target`, two names with a tab between, or two URLs; --columns says which columns of a \
                    table they are";
        if arcs == 0 && count > 0 {
            return Err(format!(
                "no line holds an arc: {alone} lines would be nodes without links, {count} of them of several words (the first \
                 is {first}). {ways}"
            ));
        }
        if count > arcs {
            return Err(format!(
                "only {arcs} lines hold an arc: {alone} would be nodes without links, {count} of them of several words (the \
                 first is {first}). {ways}"
            ));
        }
        if arcs == 0 && alone > 0 {
            notes.push(format!("no line holds an arc: {alone} lines are nodes without links"));
        } else if count > 0 {
            notes.push(format!(
                "{count} lines of several words hold no arc and were read as nodes without links (the first is {first})"
            ));
        }
        Ok(())
    }

    /// Of numbers at the ends of lines.
    fn of_numbers(&self, arcs: u64, notes: &mut Vec<String>) -> Result<(), String> {
        let (loose, blanks) = (&self.loose, &self.blanks);
        if loose.count == 0 {
            return Ok(());
        }
        let some = loose.count < arcs;
        if some && blanks.count > 0 {
            return Err(format!(
                "{loose}, ends in a number: is it a weight or of the name? {} of {arcs} arcs end in one, and names hold \
                 blanks ({blanks}). Put tabs between source, target and weight",
                loose.count
            ));
        }
        if some {
            notes.push(format!(
                "{} of {arcs} arcs end in a number, which was read as their weight (the first is {loose}); the others \
                 weigh 1 or what stands after a tab",
                loose.count
            ));
        } else if blanks.count > 0 {
            notes.push(format!(
                "names hold blanks ({blanks}), and the number that ends each line was read as its weight; if it is of the \
                 name, put a tab between source and target"
            ));
        }
        Ok(())
    }

    /// Notes doubtful properties of weights: `again` of them are for an arc that has one already, `least` is the least.
    pub fn weights(&self, again: u64, parallel: Parallel, least: f32, notes: &mut Vec<String>) {
        if again > 0 {
            let tabs = if self.loose.count > 0 {
                ". If the numbers are of the names, put tabs between source and target"
            } else {
                ""
            };
            notes.push(format!(
                "{again} arcs come again with another weight: {}{tabs}",
                match parallel {
                    Parallel::Add => "their weights were added up",
                    Parallel::Max => "the greatest counts",
                    Parallel::First => "the first counts",
                }
            ));
        }
        if least >= TIMES && least.is_finite() {
            notes.push(format!(
                "all weights are {least} or more, as times in seconds are; they count as weights: leave them out if they are none"
            ));
        }
    }
}
