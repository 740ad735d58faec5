//! Collapsing: of neighbours that agree, the first.

use super::{BadRequest, Dialect, Field, Row};
use webmill_capture::cut::Cut;

/// A field, or its first characters, by which neighbours are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collapse {
    /// The field whose values are compared.
    pub field: Field,
    /// How many characters of it; `None`: all.
    pub chars: Option<usize>,
}

impl Collapse {
    /// Reads `field[:n]`.
    ///
    /// # Errors
    /// A field without a name, an n that is no number.
    pub fn parse(text: &str, dialect: Dialect) -> Result<Collapse, BadRequest> {
        let (name, chars) = match text.split_once(':') {
            None => (text, None),
            Some((name, chars)) => match chars.parse() {
                Ok(chars) => (name, Some(chars)),
                Err(_) => return Err(BadRequest(format!("collapse={text}: {chars:?} is no number"))),
            },
        };
        Ok(Collapse { field: Field::parse(name, dialect)?, chars })
    }
}

/// The fields of the row before.
#[derive(Debug, Default)]
pub(super) struct Collapsing {
    last: Option<Vec<String>>,
}

impl Collapsing {
    /// Whether a row is another than the one before.
    pub fn passes(&mut self, by: &[Collapse], row: &Row<'_, '_>) -> bool {
        if by.is_empty() {
            return true;
        }
        let of = |collapse: &Collapse| {
            let value = collapse.field.value(row).unwrap_or_default();
            match collapse.chars.and_then(|n| value.char_indices().nth(n)) {
                Some((end, _)) => value.cut(..end).to_owned(),
                None => value.into_owned(),
            }
        };
        let values: Vec<String> = by.iter().map(of).collect();
        let differs = self.last.as_ref() != Some(&values);
        self.last = Some(values);
        differs
    }
}
