//! `webmill rules new`: a first draft of a rule.

use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use webmill_html::{Limits, charset, parse};
use webmill_rules::is_name;
use webmill_rules::propose::{Sample, propose};
use webmill_run::Cancel;

use super::page::{PageArgs, PageBytes};

/// Draft a rule from a few pages of a kind and values that stand in them, to be edited.
///
/// Two values of one name on one page say that the page is a list: its rows are found too. The draft is printed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill rules new kettle-1.html kettle-2.html --value title=Kettle --value price=\"12.50 EUR\" > kettles.toml\n  webmill rules new list.html --value title=\"First kettle\" --value title=\"Second kettle\" > list.toml"
)]
pub struct NewArgs {
    /// Pages: files, or addresses: of pages of results, else they are fetched.
    #[arg(required = true)]
    pages: Vec<String>,
    /// A value that stands on one of the pages: a text, or an address that is linked; may be repeated.
    #[arg(long = "value", value_name = "NAME=VALUE", required = true)]
    values: Vec<String>,
    /// Id of the rule.
    #[arg(long, value_name = "ID", default_value = "draft")]
    id: String,
    #[command(flatten)]
    from: PageArgs,
}

/// Runs the command.
pub fn run(args: &NewArgs, cancel: &Cancel) -> Result<ExitCode> {
    ensure!(
        is_name(&args.id),
        "{}: an id is lower case letters, digits and _, beginning with a letter",
        args.id
    );
    let mut pages = Vec::new();
    for page in &args.pages {
        let PageBytes { url, body, label } = args.from.read(page, cancel)?;
        pages.push((url, charset::decode(&body, label.as_deref(), None).text.into_owned()));
    }
    let doms: Vec<_> = pages.iter().map(|(_, text)| parse(text, &Limits::default())).collect();
    let samples: Vec<Sample<'_>> =
        pages.iter().zip(&doms).map(|((url, _), dom)| Sample { url, dom }).collect();
    let examples = args.values.iter().map(|value| {
        let (name, value) =
            value.split_once('=').with_context(|| format!("{value}: NAME=VALUE is wanted"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    });
    let examples: Vec<(String, String)> = examples.collect::<Result<_>>()?;
    let draft = propose(&args.id, &samples, &examples).map_err(anyhow::Error::msg)?;
    crate::print(&draft)?;
    Ok(ExitCode::SUCCESS)
}
