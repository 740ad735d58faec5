//! What a table is called and which columns it has, known at compile time or at run time.

use crate::{ColumnType, Table};

/// One column of a table, as `webmill schema` prints it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ColumnSchema {
    /// Name in the Parquet file.
    pub name: String,
    /// Physical and logical type.
    pub kind: ColumnType,
    /// Whether null is a value; never so for lists.
    pub nullable: bool,
    /// What it says, with unit and range.
    pub description: String,
    /// A value as it might stand there.
    pub example: String,
    /// The values it may hold, where they are a closed set; else empty.
    pub values: Vec<String>,
}

impl ColumnSchema {
    /// A column without nulls, of any values.
    pub fn new(name: &str, kind: ColumnType, description: &str, example: &str) -> Self {
        ColumnSchema {
            name: name.to_owned(),
            kind,
            nullable: false,
            description: description.to_owned(),
            example: example.to_owned(),
            values: Vec::new(),
        }
    }

    /// The same, where null is a value.
    pub fn nullable(self) -> Self {
        ColumnSchema { nullable: true, ..self }
    }
}

/// Name, meaning and columns of a table.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TableSchema {
    /// Folder name, and the name users say.
    pub name: String,
    /// One sentence: what a row is.
    pub about: String,
    /// The columns by whose values, ascending and nulls first, the rows of each file are sorted.
    pub sorted_by: Vec<String>,
    /// The columns in file order.
    pub columns: Vec<ColumnSchema>,
}

impl TableSchema {
    /// The columns as `name: type`, with `?` where null is a value.
    pub fn columns_in_words(&self) -> Vec<String> {
        let words = |c: &ColumnSchema| format!("{}: {}{}", c.name, c.kind, if c.nullable { "?" } else { "" });
        self.columns.iter().map(words).collect()
    }
}

/// The schema of a table whose rows are a Rust type.
pub fn schema<T: Table>() -> TableSchema {
    let column = |info: crate::ColumnInfo| ColumnSchema {
        nullable: info.nullable,
        values: info.values.iter().map(|value| (*value).to_owned()).collect(),
        ..ColumnSchema::new(info.name, info.kind, info.description, info.example)
    };
    TableSchema {
        name: T::NAME.to_owned(),
        about: T::ABOUT.trim().to_owned(),
        sorted_by: T::SORTED_BY.iter().map(|column| (*column).to_owned()).collect(),
        columns: T::info().into_iter().map(column).collect(),
    }
}
