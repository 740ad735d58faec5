//! Lists of arcs as tables: a column each for source, target and weight, the others left out.

use super::line::{SEPARATORS, SOURCES, TARGETS, column_says, is_header, is_number};
use std::borrow::Cow;
use webmill_capture::error::{Error, Result};
use webmill_capture::names::near_to;

/// Which columns of a table hold source, target and weight: their names, or their numbers from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Vec<String>);

impl std::str::FromStr for Columns {
    type Err = Error;

    /// Two or three names or numbers with commas between.
    fn from_str(text: &str) -> Result<Self> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        if !(2..=3).contains(&names.len()) || names.iter().any(|name| name.is_empty() || name == "0") {
            return Err(Error::Config(format!(
                "columns {text:?}: name source and target, and perhaps weight, as from,to,weight or 1,3"
            )));
        }
        let same = |a: &str, b: &str| {
            let numbers = a.parse::<usize>().ok().zip(b.parse::<usize>().ok());
            numbers.map_or_else(|| a.eq_ignore_ascii_case(b), |(a, b)| a == b)
        };
        let twice =
            names.iter().enumerate().find(|(at, name)| names[..*at].iter().any(|other| same(other, name)));
        if let Some((_, twice)) = twice {
            return Err(Error::Config(format!(
                "columns {text:?}: {twice} is there twice; source, target and weight are columns of their own"
            )));
        }
        Ok(Columns(names))
    }
}

/// How the lines of a table are read.
pub(super) struct Table {
    /// What stands between cells; a blank is any number of them.
    separator: char,
    /// Source, target and perhaps weight, from 0.
    columns: Vec<usize>,
    /// Cells of each line.
    width: usize,
    /// Is the first line names of columns?
    pub header: bool,
}

impl Table {
    /// By the first line, and the columns that were asked for.
    ///
    /// # Errors
    /// A column that the line does not have.
    pub fn of(columns: &Columns, line: &str) -> Result<Table, String> {
        let separator = separator(line);
        let names = cells(line, separator)?;
        let numbers: Option<Vec<usize>> = columns.0.iter().map(|name| name.parse().ok()).collect();
        let find = |name: &String| {
            let at = names.iter().position(|other| other.eq_ignore_ascii_case(name));
            at.ok_or_else(|| {
                let known = names.iter().map(|name| &**name);
                format!("no column is called {name:?}{}; columns: {}", near_to(name, known), names.join(", "))
            })
        };
        let (found, header) = match numbers {
            None => (columns.0.iter().map(find).collect::<Result<Vec<_>, _>>()?, true),
            Some(numbers) => {
                if let Some(wrong) = numbers.iter().find(|number| **number > names.len()) {
                    return Err(format!("there is no column {wrong}: the line has {} cells", names.len()));
                }
                let weight = numbers.get(2).is_some_and(|number| !is_number(&names[number - 1]));
                (numbers.iter().map(|number| number - 1).collect(), weight || is_header(line))
            }
        };
        Ok(Table { separator, columns: found, width: names.len(), header })
    }

    /// By names of columns that are known, where lines are not what they would be without them: with a comma or the like
    /// between, in another order, or with further columns.
    pub fn of_header(line: &str) -> Option<Table> {
        let separator = separator(line);
        let names = cells(line, separator).ok()?;
        let find = |words: &[&str]| names.iter().position(|name| column_says(name, words));
        let mut columns = vec![find(&SOURCES)?, find(&TARGETS)?];
        columns.extend(find(&["weight", "count"]));
        let usual = separator == '\t' || separator == ' ';
        let in_order = columns.iter().copied().eq(0..names.len());
        (columns[0] != columns[1] && !(usual && in_order)).then_some(Table {
            separator,
            columns,
            width: names.len(),
            header: true,
        })
    }

    /// Source, target and weight of a line.
    ///
    /// # Errors
    /// Defects of it: another number of cells, or an empty one.
    pub fn arc<'a>(&self, line: &'a str) -> Result<[Option<Cow<'a, str>>; 3], String> {
        let mut cells = cells(line, self.separator)?;
        if cells.len() != self.width {
            return Err(format!("{line:?} has {} cells, the first line {}", cells.len(), self.width));
        }
        let mut arc = [None, None, None];
        for (field, &column) in arc.iter_mut().zip(&self.columns) {
            let cell = std::mem::take(&mut cells[column]);
            if cell.is_empty() {
                return Err(empty(column));
            }
            *field = Some(cell);
        }
        Ok(arc)
    }

    /// In words.
    pub fn about(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|column| (column + 1).to_string()).collect();
        let left = self.width - self.columns.len();
        let others = if left > 0 { format!(", {left} others left out") } else { String::new() };
        let header = if self.header { ", names of columns in the first line" } else { "" };
        format!(" in columns {} with {} between{others}{header}", columns.join(", "), word(self.separator))
    }
}

/// That a cell is empty.
pub(super) fn empty(column: usize) -> String {
    format!("column {} is empty", column + 1)
}

/// A separator in words.
pub(super) fn word(separator: char) -> &'static str {
    match separator {
        '\t' => "tabs",
        ',' => "commas",
        ';' => "semicolons",
        '|' => "bars",
        _ => "blanks",
    }
}

/// What stands between the cells of a line: the first of tab, comma, semicolon and bar that occurs outside of quotes, else
/// a blank.
pub(super) fn separator(line: &str) -> char {
    let bare: String = line.split('"').step_by(2).collect();
    let found = std::iter::once('\t').chain(SEPARATORS).find(|separator| bare.contains(*separator));
    found.unwrap_or(' ')
}

/// The cells of a line, trimmed, without the quotes around them; two quotes inside are one.
///
/// # Errors
/// A quote that does not end, or ends inside a cell.
pub(super) fn cells(line: &str, separator: char) -> Result<Vec<Cow<'_, str>>, String> {
    let is_end = |c: char| if separator == ' ' { c.is_whitespace() } else { c == separator };
    let trim =
        |text: &'_ str| text.len() - text.trim_start_matches(|c: char| c.is_whitespace() && c != '\t').len();
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        rest = &rest[trim(rest)..];
        let after = match rest.strip_prefix('"') {
            None => {
                let end = rest.find(is_end).unwrap_or(rest.len());
                cells.push(Cow::Borrowed(rest[..end].trim()));
                &rest[end..]
            }
            Some(quoted) => {
                let mut cell = String::new();
                let mut from = quoted;
                loop {
                    let end = from.find('"').ok_or_else(|| format!("{line:?}: a quote does not end"))?;
                    cell.push_str(&from[..end]);
                    from = &from[end + 1..];
                    match from.strip_prefix('"') {
                        Some(more) => (cell.push('"'), from = more).1,
                        None => break,
                    }
                }
                cells.push(Cow::Owned(cell.trim().to_owned()));
                if separator == ' ' { from } else { &from[trim(from)..] }
            }
        };
        match after.chars().next() {
            None => return Ok(cells),
            Some(c) if is_end(c) => rest = &after[c.len_utf8()..],
            Some(_) => return Err(format!("{line:?}: a quote ends inside a cell")),
        }
        if separator == ' ' && rest.trim().is_empty() {
            return Ok(cells);
        }
    }
}
