//! Which texts of a row group stay, and as what.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webmill_capture::error::{Error, Result};
use webmill_jobs::signals::SignalRow;
use webmill_learn::quality::{Filter, Operand, c4_lines, mask};
use webmill_mill::TextRow;
use webmill_run::Cancel;
use webmill_sort::{Budget, Mapped, Sorter};
use webmill_table::{ColumnSchema, ColumnType, DynamicReader, TableSchema, Value, schema};

use super::items::Items;
use super::summary::{Reason, Summary};
use crate::dedup::apply::texts::{self, Selection, TextOutput, with_text};
use crate::dedup::apply::verdicts::Verdicts;

/// The columns that conditions can ask for: those of `texts` that are no lists, and those of `signals`.
pub struct Columns {
    texts: TableSchema,
    signals: TableSchema,
}

impl Columns {
    /// Those of this program.
    pub fn known() -> Columns {
        let is_plain = |column: &ColumnSchema| !column.kind.is_list() && column.kind != ColumnType::Binary;
        let (mut texts, mut signals) = (schema::<TextRow>(), schema::<SignalRow>());
        texts.columns.retain(is_plain);
        let is_new = |column: &ColumnSchema| texts.columns.iter().all(|known| known.name != column.name);
        signals.columns.retain(is_new);
        Columns { texts, signals }
    }

    /// Their names, each with a value of its type.
    pub fn examples(&self) -> Vec<(&str, Operand<'static>)> {
        let example = |kind| match kind {
            ColumnType::Bool => Operand::Bool(false),
            ColumnType::String => Operand::Text(""),
            _ => Operand::Number(0.0),
        };
        let all = self.texts.columns.iter().chain(&self.signals.columns);
        all.map(|column| (column.name.as_str(), example(column.kind))).collect()
    }

    /// Whether a column is of table `signals`.
    pub fn is_signal(&self, name: &str) -> bool {
        self.signals.columns.iter().any(|column| column.name == name)
    }

    /// The tables with the columns alone that rules ask for; in that of signals the key of the page is first.
    fn asked(mut self, filters: &[Filter]) -> Columns {
        let rules = || filters.iter().flat_map(|filter| &filter.rules);
        let is_asked =
            |column: &ColumnSchema| rules().any(|rule| rule.columns().any(|name| *name == column.name));
        self.texts.columns.retain(is_asked);
        self.signals.columns.retain(is_asked);
        let key = schema::<SignalRow>().columns.into_iter().find(|column| column.name == "url_key");
        self.signals.columns.splice(0..0, key);
        self
    }
}

/// A part of both tables, of which row groups are read.
pub struct Open {
    part: PathBuf,
    columns: Columns,
    texts: Option<DynamicReader>,
    signals: Option<DynamicReader>,
    /// Rows of `signals` that belong to texts of later row groups.
    ahead: VecDeque<Vec<Value>>,
}

/// The rules by which texts stay or go.
pub struct Judge<'a> {
    /// Table `signals`, where a rule asks for it.
    pub signals: Option<PathBuf>,
    /// In their order.
    pub filters: &'a [Filter],
    /// Duplicates that go.
    pub verdicts: Option<Verdicts>,
    /// Items that no text is to hold.
    pub items: Option<&'a Items>,
    /// Whether only lines go that hold them.
    pub cut: bool,
    /// Whether personal data is hidden.
    pub mask: bool,
    /// What went.
    pub summary: Summary,
    /// Asked between row groups.
    pub cancel: &'a Cancel,
    /// The part at hand.
    pub open: Option<Open>,
}

/// What becomes of a text.
struct Fate {
    row: TextRow,
    goes: Option<Reason>,
    masked: u64,
    cut_lines: u64,
}

impl Judge<'_> {
    /// The keys of the pages of which a rule drops the text, ascending.
    ///
    /// # Errors
    /// As of [`texts::write`].
    pub fn dropped(
        mut self,
        parts: &[PathBuf],
        wish: &TextOutput<'_>,
        budget: &Budget,
    ) -> Result<Mapped<u128>> {
        let mut keys = Sorter::<u128>::new(budget).with_combine(|a, b| a == b);
        texts::write(parts, wish, None, &mut |part: &Path, rows: Vec<TextRow>| {
            let all: Vec<_> = rows.iter().map(|row| (row.url_key.0, row.warc_record_offset)).collect();
            let stay = self.select(part, rows)?;
            let mut next = stay.iter().map(|row| (row.url_key.0, row.warc_record_offset)).peekable();
            for place in all {
                if next.next_if(|stays| *stays == place).is_none() {
                    keys.push(place.0)?;
                }
            }
            Ok(stay)
        })?;
        keys.mapped()
    }
}

impl Selection for Judge<'_> {
    fn select(&mut self, part: &Path, rows: Vec<TextRow>) -> Result<Vec<TextRow>> {
        self.cancel.check()?;
        if self.open.as_ref().is_none_or(|open| open.part != part) {
            self.open = Some(Open::of(part, self.filters, self.signals.as_deref())?);
        }
        let Some(open) = self.open.as_mut() else { return Ok(rows) };
        let values = open.values(&rows)?;
        let names: Vec<&str> = open
            .columns
            .texts
            .columns
            .iter()
            .chain(&open.columns.signals.columns)
            .map(|c| c.name.as_str())
            .collect();
        let judge = Fates {
            filters: self.filters,
            verdicts: self.verdicts.as_ref(),
            items: self.items,
            cut: self.cut,
            mask: self.mask,
            names: &names,
        };
        let fates: Vec<Fate> =
            rows.into_par_iter().zip(values).map(|(row, values)| judge.of(row, &values)).collect();
        let mut stay = Vec::with_capacity(fates.len());
        for fate in fates {
            self.summary.masked += fate.masked;
            self.summary.cut_lines += fate.cut_lines;
            match &fate.goes {
                Some(goes) => self.summary.take(&fate.row, Some(goes))?,
                None => stay.push(fate.row),
            }
        }
        Ok(stay)
    }

    fn told(&mut self, row: &TextRow, is_written: bool) -> Result<()> {
        let repeated = || Reason { filter: "repeated".into(), rule: "no_lines".into(), value: String::new() };
        self.summary.take(row, (!is_written).then(repeated).as_ref())
    }
}

impl Open {
    fn of(part: &Path, filters: &[Filter], signals: Option<&Path>) -> Result<Open> {
        let columns = Columns::known().asked(filters);
        let texts = (!columns.texts.columns.is_empty())
            .then(|| DynamicReader::open(part, &columns.texts))
            .transpose()?;
        let file = signals.map(|folder| folder.join(part.file_name().unwrap_or_default()));
        let signals = file.map(|file| DynamicReader::open(&file, &columns.signals)).transpose()?;
        Ok(Open { part: part.to_path_buf(), columns, texts, signals, ahead: VecDeque::new() })
    }

    /// The values of these rows, of both tables; of a capture that another one superseded there are no signals.
    fn values(&mut self, rows: &[TextRow]) -> Result<Vec<Vec<Value>>> {
        let mut values = match &mut self.texts {
            Some(reader) => reader.next()?.unwrap_or_default(),
            None => vec![Vec::new(); rows.len()],
        };
        let other = || {
            Error::Config(format!(
                "{}: table signals is not of these texts; run the job anew",
                self.part.display()
            ))
        };
        if values.len() != rows.len() {
            return Err(other());
        }
        let Some(reader) = &mut self.signals else { return Ok(values) };
        for (values, row) in values.iter_mut().zip(rows).filter(|(_, row)| row.is_current) {
            while self.ahead.is_empty() {
                self.ahead.extend(reader.next()?.ok_or_else(other)?);
            }
            let signals = self.ahead.pop_front().unwrap_or_default();
            if signals.first() != Some(&Value::Text(format!("{:032x}", row.url_key.0))) {
                return Err(other());
            }
            values.extend(signals);
        }
        Ok(values)
    }
}

/// What a row is judged by.
struct Fates<'a> {
    filters: &'a [Filter],
    verdicts: Option<&'a Verdicts>,
    items: Option<&'a Items>,
    cut: bool,
    mask: bool,
    names: &'a [&'a str],
}

impl Fates<'_> {
    fn of(&self, row: TextRow, values: &[Value]) -> Fate {
        if !row.is_current {
            return Fate { row, goes: None, masked: 0, cut_lines: 0 };
        }
        let goes = self.by_rules(values).or_else(|| self.by_duplicates(&row));
        let mut fate = Fate { row, goes, masked: 0, cut_lines: 0 };
        if fate.goes.is_none() {
            self.change(&mut fate);
        }
        fate
    }

    fn by_rules(&self, values: &[Value]) -> Option<Reason> {
        let value = |name: &str| {
            let at = self.names.iter().position(|known| *known == name);
            match at.and_then(|at| values.get(at)) {
                Some(Value::Bool(value)) => Operand::Bool(*value),
                Some(Value::Int(value) | Value::Millis(value)) => Operand::Number(*value as f64),
                Some(Value::Float(value)) => Operand::Number(*value),
                Some(Value::Text(value)) => Operand::Text(value),
                _ => Operand::Null,
            }
        };
        self.filters.iter().find_map(|filter| {
            filter.rules.iter().find_map(|rule| {
                let value = rule.drops(value)?;
                Some(Reason { filter: filter.name.clone(), rule: rule.name.clone(), value })
            })
        })
    }

    fn by_duplicates(&self, row: &TextRow) -> Option<Reason> {
        let verdict = self.verdicts?.of(row.url_key.0)?;
        let rule = verdict.reason.as_str().to_owned();
        Some(Reason { filter: "duplicates".into(), rule, value: format!("{:032x}", verdict.kept) })
    }

    /// Cuts a text that stays to the part that is written.
    fn change(&self, fate: &mut Fate) {
        let mut text = None;
        if let Some(filter) = self.filters.iter().find(|filter| filter.c4_lines) {
            match c4_lines(&fate.row.text) {
                Some(kept) => text = Some(kept),
                None => {
                    fate.goes = Some(Reason {
                        filter: filter.name.clone(),
                        rule: "no_lines".into(),
                        value: String::new(),
                    });
                    return;
                }
            }
        }
        if let Some(items) = self.items {
            let now = text.as_deref().unwrap_or(&fate.row.text);
            let held = items.rows().of(now);
            if let Some(most) =
                held.iter().max_by(|a, b| a.share.total_cmp(&b.share).then(b.item.cmp(&a.item)))
            {
                let (file, item) = items.name(most.item);
                let value = format!("{item}, share {:.2}", most.share);
                let kept = if self.cut {
                    without_lines(now, held.iter().flat_map(|held| &held.places), &mut fate.cut_lines)
                } else {
                    String::new()
                };
                if kept.trim().is_empty() {
                    fate.goes = Some(Reason { filter: "without".into(), rule: file.to_owned(), value });
                    return;
                }
                text = Some(kept);
            }
        }
        if self.mask {
            let (masked, n) = mask(text.as_deref().unwrap_or(&fate.row.text));
            if n > 0 {
                (text, fate.masked) = (Some(masked.into_owned()), n);
            }
        }
        if self.mask
            && let Some(title) = &fate.row.title
        {
            let (masked, n) = mask(title);
            if n > 0 {
                (fate.row.title, fate.masked) = (Some(masked.into_owned()), fate.masked + n);
            }
        }
        if let Some(text) = text.filter(|text| *text != fate.row.text) {
            fate.row = with_text(std::mem::take(&mut fate.row), text);
        }
    }
}

/// A text without the lines that share bytes with places; counts them.
fn without_lines<'a>(
    text: &str,
    places: impl Iterator<Item = &'a std::ops::Range<usize>>,
    cut: &mut u64,
) -> String {
    let mut places: Vec<_> = places.collect();
    places.sort_by_key(|place| (place.start, place.end));
    let mut next = places.into_iter().peekable();
    let (mut kept, mut at, mut until) = (String::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        // The end of the places that began before the end of this line.
        while let Some(place) = next.next_if(|place| place.start < at) {
            until = until.max(place.end);
        }
        if start < until {
            *cut += 1;
        } else {
            kept.push_str(line);
        }
    }
    kept.truncate(kept.trim_end_matches('\n').len());
    kept
}
