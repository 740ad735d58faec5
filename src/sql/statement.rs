//! One statement that reads tables, and files of named ones.

use anyhow::{Result, bail};
use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

/// Words that a statement which only reads begins with.
const BEGINNINGS: [&str; 7] = ["SELECT", "WITH", "FROM", "VALUES", "SHOW", "DESCRIBE", "DESC"];

/// Functions of polars' SQL that read files.
const FILE_FUNCTIONS: [&str; 4] = ["read_csv", "read_ipc", "read_json", "read_parquet"];

/// A statement that reads tables of the catalogue and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement(String);

impl Statement {
    /// The one statement of `text`; a semicolon may end it.
    ///
    /// # Errors
    /// Where there is none, more than one, or one that changes tables or names files.
    pub fn new(text: &str) -> Result<Self> {
        let mut statements = split(text)?;
        match (statements.pop(), statements.len()) {
            (None, _) => bail!("no query"),
            (Some((_, statement)), 0) => checked(statement),
            (Some(_), more) => bail!("{} queries; one at a time is answered", more + 1),
        }
    }

    /// The words.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The statement of a file that is called `name`, or its only one.
///
/// # Errors
/// Where none or several are; the names are said.
pub fn named(text: &str, name: Option<&str>) -> Result<Statement> {
    let statements = split(text)?;
    let names = || statements.iter().filter_map(|(name, _)| name.as_deref()).collect::<Vec<_>>().join(", ");
    match name {
        Some(name) => match statements.iter().find(|(known, _)| known.as_deref() == Some(name)) {
            Some((_, statement)) => checked(statement.clone()),
            None => bail!("no query is called {name}; names: {}", names()),
        },
        None => match statements.as_slice() {
            [] => bail!("no query"),
            [(_, one)] => checked(one.clone()),
            many => bail!("{} queries; say --name with one of: {}", many.len(), names()),
        },
    }
}

/// A line for each statement with a name: the name, and the first line of comment below it.
///
/// # Errors
/// Where the text has no tokens of SQL.
pub fn names_in_words(text: &str) -> Result<String> {
    let named: Vec<String> = split(text)?.into_iter().filter_map(|(name, _)| name).collect();
    let width = named.iter().map(String::len).max().unwrap_or(0);
    let mut lines = text.lines();
    let mut words = String::new();
    for name in named {
        let mut from = lines.by_ref().skip_while(|line| *line != format!("-- name: {name}")).skip(1);
        let about = from.next().and_then(|line| line.strip_prefix("-- ")).unwrap_or_default();
        words += format!("{name:<width$}  {about}").trim_end();
        words.push('\n');
    }
    Ok(words)
}

/// The statements of a text and what a comment `-- name: NAME` before each calls it.
fn split(text: &str) -> Result<Vec<(Option<String>, String)>> {
    let tokens = Tokenizer::new(&GenericDialect, text).with_unescape(false).tokenize()?;
    let (mut statements, mut name, mut statement) = (Vec::new(), None, String::new());
    for token in tokens {
        match token {
            Token::SemiColon => {
                let whole = std::mem::take(&mut statement);
                if !whole.trim().is_empty() {
                    statements.push((name.take(), whole.trim().to_owned()));
                }
            }
            Token::Whitespace(space) => {
                let comment = space.to_string();
                if let Some(called) = comment.trim().strip_prefix("-- name:") {
                    name = Some(called.trim().to_owned());
                }
                statement.push(' ');
            }
            token => statement += &token.to_string(),
        }
    }
    if !statement.trim().is_empty() {
        statements.push((name, statement.trim().to_owned()));
    }
    Ok(statements)
}

fn checked(statement: String) -> Result<Statement> {
    let tokens = Tokenizer::new(&GenericDialect, &statement).with_unescape(false).tokenize()?;
    let tokens: Vec<&Token> = tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    let first = tokens.iter().find(|token| !matches!(token, Token::LParen));
    let reads = matches!(first, Some(Token::Word(word)) if word.quote_style.is_none()
        && BEGINNINGS.iter().any(|begin| word.value.eq_ignore_ascii_case(begin)));
    if !reads {
        bail!("a query begins with {}; nothing else is answered", BEGINNINGS.join(", "));
    }
    for pair in tokens.windows(2) {
        if let [Token::Word(word), Token::LParen] = pair
            && FILE_FUNCTIONS.iter().any(|name| word.value.eq_ignore_ascii_case(name))
        {
            bail!("{} reads files; a query reads the tables of the results alone", word.value);
        }
    }
    Ok(Statement(statement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_statement_that_reads() {
        for text in [
            "SELECT 1",
            " select 1; ",
            "-- a\nWITH x AS (SELECT 1 AS a) SELECT a FROM x",
            "(SELECT ';' AS a)",
        ] {
            assert!(Statement::new(text).is_ok(), "{text}");
        }
        for (text, why) in [
            ("", "no query"),
            ("-- nothing\n;", "no query"),
            ("SELECT 1; SELECT 2", "one at a time"),
            ("DROP TABLE pages", "begins with"),
            ("\"SELECT\" 1", "begins with"),
            ("SELECT * FROM read_parquet('x')", "reads files"),
            ("SELECT * FROM READ_CSV ('x')", "reads files"),
        ] {
            let error = Statement::new(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        let quoted = "SELECT 'it''s; read_csv(x)' AS \"a \"\"b\"\"\" FROM pages";
        assert_eq!(Statement::new(quoted).unwrap().text(), quoted);
    }

    #[test]
    fn statements_by_name() {
        let file = "-- name: a\n-- about\nSELECT 1;\n\n-- name: b\nSELECT 2";
        assert_eq!(named(file, Some("b")).unwrap().text(), "SELECT 2");
        assert_eq!(named(file, Some("a")).unwrap().text(), "SELECT 1");
        assert!(named(file, None).unwrap_err().to_string().contains("a, b"));
        assert!(named(file, Some("c")).unwrap_err().to_string().contains("a, b"));
        assert_eq!(names_in_words(file).unwrap(), "a  about\nb\n");
    }
}
