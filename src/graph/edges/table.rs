//! Lines of a list of arcs: cells with one separator between, or an arrow.

use std::borrow::Cow;
use webmill_capture::cut::Cut;
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

/// What a line says.
pub(super) enum Row<'a> {
    /// A name alone: an isolated node.
    Node(Cow<'a, str>),
    /// Source, target and weight.
    Arc(Cow<'a, str>, Cow<'a, str>, Option<Cow<'a, str>>),
}

/// How the lines of a list are read.
pub(super) struct Table {
    /// What stands between cells; a blank is any number of them. None: an arrow.
    separator: Option<char>,
    /// Source, target and perhaps weight, from 0, and the cells of each line; none: two or three cells in this order.
    columns: Option<(Vec<usize>, usize)>,
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
                (numbers.iter().map(|number| number - 1).collect(), weight || named_columns(&names).is_some())
            }
        };
        Ok(Table { separator: Some(separator), columns: Some((found, names.len())), header })
    }

    /// By the first line alone; `None` where it is a name, which says nothing of the others.
    ///
    /// # Errors
    /// As of [`cells`].
    pub fn of_first(line: &str) -> Result<Option<Table>, String> {
        if is_arrow(line) {
            return Ok(Some(Table { separator: None, columns: None, header: false }));
        }
        let separator = separator(line);
        let names = cells(line, separator)?;
        // A URL may hold commas.
        let is_name =
            is_url(line) && line.matches("://").count() == 1 && separator != '\t' && separator != ' ';
        if names.len() == 1 || is_name {
            return Ok(None);
        }
        let columns = named_columns(&names).map(|columns| (columns, names.len()));
        let header = columns.is_some();
        Ok(Some(Table { separator: Some(separator), columns, header }))
    }

    /// Whether an arrow stands between source and target.
    pub fn is_of_arrows(&self) -> bool {
        self.separator.is_none()
    }

    /// Whether lines are source and target, and perhaps weight, with a separator between, and nothing named columns.
    pub fn is_plain(&self) -> bool {
        self.separator.is_some() && self.columns.is_none()
    }

    /// What a line says.
    ///
    /// # Errors
    /// Defects of it: another number of cells, or an empty one.
    pub fn row<'a>(&self, line: &'a str) -> Result<Row<'a>, String> {
        let Some(separator) = self.separator else { return by_arrow(line) };
        let mut cells = cells(line, separator)?;
        let in_order;
        let columns = match &self.columns {
            Some((columns, width)) => {
                if cells.len() != *width {
                    return Err(format!("{line:?} has {} cells, the first line {width}", cells.len()));
                }
                columns
            }
            None if cells.len() > 3 => {
                return Err(format!(
                    "{line:?} has {} cells, an arc has source, target and a weight; which of them they are --columns says",
                    cells.len()
                ));
            }
            None => {
                in_order = (0..cells.len()).collect();
                &in_order
            }
        };
        if let Some(column) = columns.iter().find(|column| cells[**column].is_empty()) {
            return Err(format!("{line:?}: column {} is empty", column + 1));
        }
        let mut cell = |at: usize| columns.get(at).map(|column| std::mem::take(&mut cells[*column]));
        let source = cell(0).unwrap_or_default();
        Ok(match cell(1) {
            Some(target) => Row::Arc(source, target, cell(2)),
            None => Row::Node(source),
        })
    }

    /// In words.
    pub fn about(&self) -> String {
        let between = match self.separator {
            None => "an arrow",
            Some('\t') => "tabs",
            Some(',') => "commas",
            Some(';') => "semicolons",
            Some('|') => "bars",
            Some(_) => "blanks",
        };
        let Some((columns, width)) = &self.columns else { return format!(" with {between} between") };
        let left = width - columns.len();
        let columns: Vec<String> = columns.iter().map(|column| (column + 1).to_string()).collect();
        let others = if left > 0 { format!(", {left} others left out") } else { String::new() };
        let header = if self.header { ", names of columns in the first line" } else { "" };
        format!(" in columns {} with {between} between{others}{header}", columns.join(", "))
    }
}

/// Words for sources in names of columns.
const SOURCES: [&str; 6] = ["source", "from", "src", "origin", "fromnodeid", "sourceid"];
/// Words for targets.
const TARGETS: [&str; 7] = ["target", "to", "dst", "dest", "destination", "tonodeid", "targetid"];
/// Words that may stand beside these.
const KINDS: [&str; 9] = ["id", "node", "url", "uri", "page", "host", "domain", "name", "link"];

/// Where names of columns say source, target and perhaps weight: `source,target`, `Target URL⇥Source URL⇥Weight`.
fn named_columns(names: &[Cow<'_, str>]) -> Option<Vec<usize>> {
    let find = |words: &[&str]| {
        let says = |name: &Cow<'_, str>| {
            let lower = name.to_ascii_lowercase();
            let mut parts = lower.split([' ', '_', '-']).filter(|part| !KINDS.contains(part)).peekable();
            parts.peek().is_some() && parts.all(|part| words.contains(&part))
        };
        names.iter().position(says)
    };
    let mut columns = vec![find(&SOURCES)?, find(&TARGETS)?];
    columns.extend(find(&["weight", "count"]));
    Some(columns)
}

/// Whether a line is an arc by an arrow. URLs may hold `->` too, where tabs part them.
fn is_arrow(line: &str) -> bool {
    let clear = line.contains(" -> ") || line.contains("\t->\t");
    !line.starts_with('"') && (clear || !line.contains('\t') && line.contains("->"))
}

/// `source -> target`, and behind a tab or a blank a weight; names that hold blanks stand between tabs.
fn by_arrow(line: &str) -> Result<Row<'_>, String> {
    let tabs = line.split_once("\t->\t");
    let Some((source, rest)) = tabs.or_else(|| line.split_once(" -> ")).or_else(|| line.split_once("->"))
    else {
        return match line.contains(char::is_whitespace) {
            true => Err(format!("{line:?} is no arc `source -> target`, and no name: several words")),
            false => Ok(Row::Node(line.into())),
        };
    };
    let (source, rest) = (source.trim(), rest.trim());
    if source.is_empty() || rest.is_empty() {
        return Err(format!("{line:?} lacks an end"));
    }
    let blank = || rest.split_once(char::is_whitespace).map(|(target, weight)| (target, weight.trim_start()));
    let (target, weight) = match rest.rsplit_once('\t') {
        Some((target, weight)) => (target.trim_end(), Some(weight)),
        None => match blank().filter(|(_, weight)| tabs.is_none() && is_number(weight)) {
            Some((target, weight)) => (target, Some(weight)),
            None => (rest, None),
        },
    };
    Ok(Row::Arc(source.into(), target.into(), weight.map(Cow::from)))
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

/// Does it start like a URL?
fn is_url(word: &str) -> bool {
    word.split_once("://").is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// What stands between the cells of a line: the first of tab, comma, semicolon and bar that occurs outside of quotes, else
/// a blank; a blank also between URLs, which may hold the others.
fn separator(line: &str) -> char {
    let bare: String = line.split('"').step_by(2).collect();
    let urls = line.split_whitespace().take_while(|word| is_url(word)).count();
    let others = if urls > 1 { &['\t'][..] } else { &['\t', ',', ';', '|'] };
    others.iter().copied().find(|separator| bare.contains(*separator)).unwrap_or(' ')
}

/// The cells of a line, trimmed, without the quotes around them; two quotes inside are one.
///
/// # Errors
/// A quote that does not end, or ends inside a cell.
fn cells(line: &str, separator: char) -> Result<Vec<Cow<'_, str>>, String> {
    let is_end = |c: char| if separator == ' ' { c.is_whitespace() } else { c == separator };
    let trim =
        |text: &'_ str| text.len() - text.trim_start_matches(|c: char| c.is_whitespace() && c != '\t').len();
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.cut(trim(rest)..);
        let after = match rest.strip_prefix('"') {
            None => {
                let end = rest.find(is_end).unwrap_or(rest.len());
                cells.push(Cow::Borrowed(rest.cut(..end).trim()));
                rest.cut(end..)
            }
            Some(quoted) => {
                let mut cell = String::new();
                let mut from = quoted;
                loop {
                    let end = from.find('"').ok_or_else(|| format!("{line:?}: a quote does not end"))?;
                    cell.push_str(from.cut(..end));
                    from = from.cut(end + 1..);
                    match from.strip_prefix('"') {
                        Some(more) => (cell.push('"'), from = more).1,
                        None => break,
                    }
                }
                cells.push(Cow::Owned(cell.trim().to_owned()));
                if separator == ' ' { from } else { from.cut(trim(from)..) }
            }
        };
        match after.chars().next() {
            None => return Ok(cells),
            Some(c) if is_end(c) => rest = after.cut(c.len_utf8()..),
            Some(_) => return Err(format!("{line:?}: a quote ends inside a cell")),
        }
        if separator == ' ' && rest.trim().is_empty() {
            return Ok(cells);
        }
    }
}
