//! Pages in memory, read as the command reads standard input.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Args, Command, FromArgMatches};
use webmill_capture::CanonicalUrl;

use super::known::{Known, Source};
use super::pages::Found;
use super::read::{self, Bytes, Input, Looked, MAX_BYTES};
use super::{TextArgs, feeds, language};

/// Reads pages by the options of `webmill text`. One reader serves all threads.
///
/// # Examples
/// ```
/// use webmill_cli::text::PageReader;
///
/// let reader = PageReader::new(["--format", "md", "--input", "html"])?;
/// let html = "<body><h1>Mills</h1><p>The mill grinds slowly but finely, as mills do.".as_bytes().to_vec();
/// assert_eq!(reader.written(html, None)?, ["# Mills\n\nThe mill grinds slowly but finely, as mills do.\n"]);
/// assert!(PageReader::new(["--precision", "--recall"]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PageReader {
    args: TextArgs,
}

impl PageReader {
    /// A reader with these options, as on the command line.
    ///
    /// # Errors
    /// For an option that does not exist or does not go with the others.
    pub fn new<'a>(options: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let command = TextArgs::augment_args(Command::new("text").no_binary_name(true));
        let matches = command.try_get_matches_from(options)?;
        let args = TextArgs::from_arg_matches(&matches)?;
        args.check_form()?;
        Ok(PageReader { args })
    }

    /// The entry of a page, or one entry per item of a feed; empty if the language is not wanted.
    ///
    /// # Errors
    /// For bytes that are no page, a sitemap (see [`PageReader::written`]), and a `url` that is no address of a page.
    pub fn known(&self, bytes: Vec<u8>, url: Option<&str>) -> Result<Vec<Known>> {
        let url = url.map(address).transpose()?;
        let (bytes, kind) = self.told(bytes, url.is_some())?;
        self.entries(&bytes, kind, url.as_ref())
    }

    /// The same in the form that the options ask for, each ended by a newline; of a sitemap its list.
    ///
    /// # Errors
    /// As [`PageReader::known`], but for sitemaps.
    pub fn written(&self, bytes: Vec<u8>, url: Option<&str>) -> Result<Vec<String>> {
        let url = url.map(address).transpose()?;
        let (bytes, kind) = self.told(bytes, url.is_some())?;
        if kind != Input::Sitemap {
            let known = self.entries(&bytes, kind, url.as_ref())?;
            return Ok(known.into_iter().map(|known| known.written(&self.args)).collect());
        }
        let source = self.source(url.as_ref());
        let urls = read::isolated(|| feeds::urls(&source, &bytes)).and_then(|read| read).map_err(refused)?;
        Ok(vec![urls.entries])
    }

    fn entries(&self, bytes: &Bytes, kind: Input, url: Option<&CanonicalUrl>) -> Result<Vec<Known>> {
        if kind == Input::Sitemap {
            bail!("a sitemap has URLs, no text");
        }
        let source = self.source(url);
        let read = read::isolated(|| source.read(bytes, kind)).and_then(|read| read).map_err(refused)?;
        let mut entries = read.entries;
        entries.retain(|known| language::is_wanted(&self.args.language, known.language));
        Ok(entries)
    }

    fn source<'a>(&'a self, url: Option<&'a CanonicalUrl>) -> Source<'a> {
        Source { args: &self.args, id: "-".to_owned(), file: "-".as_ref(), url }
    }

    fn told(&self, mut bytes: Vec<u8>, user: bool) -> Result<(Bytes, Input)> {
        let cut = bytes.len() as u64 > MAX_BYTES;
        bytes.truncate(MAX_BYTES as usize);
        let stdin = PathBuf::from("-");
        let found = Found { within: stdin.clone(), path: stdin, named: true, fault: None, input: 0 };
        match read::told(Bytes { bytes, cut }, &found, self.args.input, user).map_err(refused)? {
            Looked::At(bytes, kind) => Ok((bytes, kind)),
            Looked::PassedOver(reason) => Err(anyhow!(reason)),
        }
    }
}

fn refused(refusal: read::Refusal) -> anyhow::Error {
    anyhow!("{refusal}")
}

fn address(url: &str) -> Result<CanonicalUrl> {
    let parsed = CanonicalUrl::parse(url).filter(CanonicalUrl::is_web);
    parsed.ok_or_else(|| anyhow!("{url:?}: no address of a page; write http://example.com/page"))
}
