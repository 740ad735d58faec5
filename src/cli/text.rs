//! `webmill text`: the main text of single pages, files, folders, archives or stdin; of feeds, sitemaps, documents and plain texts too.

mod archive;
mod id;
mod out;
mod pages;
mod tally;
mod urls;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use webmill_capture::CanonicalUrl;
use webmill_jobs::page_text::{
    FileKind, FileTexts, LanguageCodes, PageBytes, PageFile, PageKind, PageReader, Refusal, TextForm,
    TextOptions, language_code,
};
use webmill_text::Focus;

use super::args::{Address, OutOption, Threads};
use super::print::FORMAT_HELP;
use archive::Archive;
use id::Id;
use out::Sink;
use pages::{FoundFile, Pages};
use tally::Tally;
use urls::Urls;

/// Pages, and bytes of pages past which no further one is added, that are worked on at once: the bound of memory.
const WINDOW_PAGES: usize = 128;
const WINDOW_BYTES: u64 = 32 << 20;

/// Write the main text of pages, with the metadata that they state.
///
/// Folders are walked in order of names. HTML, feeds (RSS, Atom, JSON Feed, XSPF: each item is a text), sitemaps (their URLs) and
/// documents (PDF, DOCX, DOC, ODT, RTF, PPTX, PPT, ODP, XLSX, XLS, XLSB, ODS, EPUB) in them show by content, HTML, plain text,
/// Markdown and tables of values by the names .html, .txt, .md and .csv too; all may be gzipped. Of archives (WARC, ARC, RAW DB, WACZ,
/// WET) each page of status 2xx is a text, and other records are counted by reason. Documents are read in child
/// processes: if one crashes, hangs or uses too much memory, only that file is lost. Skipped files are
/// counted by reason on stderr. With --out each page is a file in this folder, called by its id and .txt, .md, .json, .xml, .html or .csv. Exit code: 0 if every page was read and written, 1 if some page in a folder or some item was
/// not, or if --language left none; 2 if that happened to a page named here, or to all.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  curl -s http://example.com/a | webmill text --url http://example.com/a --format md\n  \
                        webmill text --format json datasets/demo-site/hosts > pages.jsonl\n  \
                        webmill text --format md --front-matter --out texts datasets/demo-site/hosts"
)]
pub struct TextArgs {
    /// Files and folders of pages, archives; `-` or nothing: a page from stdin.
    #[arg(value_name = "PAGE")]
    pages: Vec<PathBuf>,
    #[command(flatten)]
    url: Address,
    /// File of the addresses of the pages.
    ///
    /// Lines `FILE<TAB>URL`, or CSV, TSV or JSON lines with a column file, path, name or id and a column
    /// url. FILE is a path as given or in the folder, a name, or a name without its ending.
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    urls: Option<PathBuf>,
    /// Format of the files.
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto", hide_possible_values = true)]
    input: Input,
    #[arg(long, value_enum, value_name = "FORMAT", help = FORMAT_HELP)]
    format: Option<Form>,
    /// With --format json: a field `markdown` with the text as Markdown [default: none].
    #[arg(long)]
    with_markdown: bool,
    /// The title before the text, a line of its own [default: not in text; Markdown of pages has it always, as its first heading].
    #[arg(long, hide_short_help = true)]
    with_title: bool,
    /// With --format md: write the metadata of the page before its text, as YAML between lines of dashes [default: none].
    #[arg(long)]
    front_matter: bool,
    /// Precision counts more than recall: doubtful paragraphs are left out [default: both count alike].
    #[arg(long, conflicts_with = "recall")]
    precision: bool,
    /// Recall counts more than precision: doubtful paragraphs are kept [default: both count alike].
    #[arg(long)]
    recall: bool,
    /// Readers' comments and reviews after the main text in text and Markdown too [default: in JSON, XML, TEI and CSV only].
    #[arg(long, conflicts_with = "no_comments")]
    with_comments: bool,
    /// No readers' comments or reviews in any form; posts of a thread that is the text stay.
    #[arg(long)]
    no_comments: bool,
    /// No data tables [default: they are part of the text].
    #[arg(long)]
    no_tables: bool,
    /// No targets of links in Markdown, XML and TEI; their words stay [default: targets are written].
    #[arg(long)]
    no_links: bool,
    /// No images in Markdown, XML and TEI [default: those in the text are shown].
    #[arg(long)]
    no_images: bool,
    /// Only texts in these languages, as en,zh [default: all].
    ///
    /// ISO 639-1 or 639-3, with commas between; `und`: those of no known language. Texts left out
    /// are counted; URLs of sitemaps are not checked.
    #[arg(long, visible_alias = "target-language", value_name = "CODE,...", value_delimiter = ',', value_parser = language_code)]
    language: Vec<String>,
    /// ISO standard of the codes of languages that are written.
    #[arg(long, value_enum, value_name = "ISO", default_value = "639-3", hide_short_help = true)]
    lang_codes: Codes,
    /// What `id` is, in JSON, XML, front matter and names of files.
    #[arg(long, value_enum, value_name = "ID", default_value = "path", hide_short_help = true)]
    id: Id,
    #[command(flatten)]
    out: OutOption,
    /// Replace files that are in the folder --out already [default: they stay, and their pages count as not written].
    #[arg(long, requires = "out", hide_short_help = true)]
    overwrite: bool,
    #[command(flatten)]
    threads: Threads,
}

/// [`PageKind`] as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Input {
    /// By content, then by name: .html, .txt.
    Auto,
    /// HTML pages.
    Html,
    /// Plain text.
    Text,
    /// RSS, Atom, JSON Feed or XSPF: each item is a text.
    Feed,
    /// PDF, Office files, OpenDocument, RTF, EPUB, Markdown, tables of values.
    Document,
    /// Sitemaps, their indexes, lists of addresses: URLs with the days of their last changes.
    Sitemap,
}

/// [`TextForm`] as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Plain text, a paragraph a line.
    Text,
    /// Markdown.
    #[value(alias = "markdown")]
    Md,
    /// An object a line.
    Json,
    /// An element `doc` a page, with `main` and `comments`.
    Xml,
    /// A document of TEI P5.
    #[value(alias = "xmltei")]
    Tei,
    /// A document of HTML.
    Html,
    /// A row a page, below a row of names.
    Csv,
}

/// [`LanguageCodes`] as they are typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Codes {
    /// Three letters.
    #[value(name = "639-3")]
    Three,
    /// Two letters, three of languages that have no two.
    #[value(name = "639-1")]
    Two,
}

impl TextArgs {
    /// What pages are read by.
    fn options(&self) -> TextOptions {
        TextOptions {
            input: match self.input {
                Input::Auto => PageKind::Auto,
                Input::Html => PageKind::Html,
                Input::Text => PageKind::Text,
                Input::Feed => PageKind::Feed,
                Input::Document => PageKind::Document,
                Input::Sitemap => PageKind::Sitemap,
            },
            format: match self.format {
                None | Some(Form::Text) => TextForm::Text,
                Some(Form::Md) => TextForm::Md,
                Some(Form::Json) => TextForm::Json,
                Some(Form::Xml) => TextForm::Xml,
                Some(Form::Tei) => TextForm::Tei,
                Some(Form::Html) => TextForm::Html,
                Some(Form::Csv) => TextForm::Csv,
            },
            focus: match (self.precision, self.recall) {
                (true, _) => Focus::Precision,
                (_, true) => Focus::Recall,
                _ => Focus::Balanced,
            },
            with_markdown: self.with_markdown,
            with_title: self.with_title,
            front_matter: self.front_matter,
            comments: (self.with_comments || self.no_comments).then_some(self.with_comments),
            tables: !self.no_tables,
            links: !self.no_links,
            images: !self.no_images,
            languages: self.language.clone(),
            lang_codes: match self.lang_codes {
                Codes::Three => LanguageCodes::Three,
                Codes::Two => LanguageCodes::Two,
            },
        }
    }

    fn check(&self, several: bool, inputs: &[PathBuf]) -> Result<()> {
        if self.pages.is_empty() && io::stdin().is_terminal() {
            bail!("no page: name files or folders, or give a page on stdin");
        }
        if inputs.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
            bail!("stdin (-) can be read once");
        }
        if several && self.url.url.is_some() {
            bail!("--url is the address of one page, and here are several: --urls FILE has one for each");
        }
        if let Some(dir) = &self.out.out {
            let whole = |path: &Path| {
                path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
            };
            let around = |input: &&PathBuf| input.is_dir() && whole(dir).starts_with(whole(input));
            if let Some(input) = inputs.iter().find(around) {
                bail!("--out {} lies in {}: what is written would be read", dir.display(), input.display());
            }
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: &TextArgs) -> Result<ExitCode> {
    let url = args.url.url.as_deref().map(address).transpose()?;
    let inputs = if args.pages.is_empty() { vec![PathBuf::from("-")] } else { args.pages.clone() };
    let several = inputs.len() > 1
        || inputs.iter().any(|input| input.is_dir() || input.is_file() && Archive::open(input).is_some());
    args.check(several, &inputs)?;
    let texts = PageReader::new(args.options())?;
    let urls = args.urls.as_deref().map(Urls::read).transpose()?;
    let reader = Reader { texts, id: args.id, url, urls, several_inputs: inputs.len() > 1 };
    let pool = args.threads.pool()?;
    let mut stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut tally = Tally::new(args.id != Id::Path);
    let mut pages = Pages::new(inputs);
    // A feed is several texts too, which shows when it is read.
    let mut first = Some(pages.window(WINDOW_PAGES, WINDOW_BYTES));
    let mut sink: Option<Sink<'_>> = None;
    let mut out: Option<&mut dyn io::Write> = Some(&mut stdout);
    loop {
        let window = first.take().unwrap_or_else(|| pages.window(WINDOW_PAGES, WINDOW_BYTES));
        if window.is_empty() {
            break;
        }
        let done: Vec<Result<FileTexts, Refusal>> =
            pool.install(|| window.par_iter().map(|found| reader.read(found)).collect());
        if let Some(out) = out.take() {
            let texts = |done: &Result<FileTexts, Refusal>| match done {
                Ok(FileTexts::Texts { written, .. }) => written.len(),
                _ => 0,
            };
            sink = Some(Sink::new(
                args,
                reader.texts.options(),
                several || done.iter().any(|done| texts(done) > 1),
                out,
            ));
        }
        let Some(sink) = &mut sink else { break };
        for (found, done) in window.iter().zip(done) {
            tally.take(found, done, sink, &mut pages)?;
        }
    }
    if let Some(sink) = &mut sink {
        sink.finish()?;
    }
    tally.end(args, &pages, reader.urls.as_ref());
    Ok(tally.code())
}

fn address(text: &str) -> Result<CanonicalUrl> {
    let url = CanonicalUrl::parse(text).filter(CanonicalUrl::is_web);
    url.with_context(|| format!("--url {text}: no address of a page; write http://example.com/page"))
}

/// What files are read by.
struct Reader {
    texts: PageReader,
    id: Id,
    url: Option<CanonicalUrl>,
    urls: Option<Urls>,
    several_inputs: bool,
}

impl Reader {
    /// The texts of a file, as they are written.
    fn read(&self, found: &FoundFile) -> Result<FileTexts, Refusal> {
        let id = self.id.of(found, self.several_inputs);
        if let Some(page) = &found.stored {
            return page.texts(&self.texts, id);
        }
        let file = PageFile { path: &found.path, is_named: found.named, has_address: self.url.is_some() };
        let (bytes, kind) = match self.texts.tell(bytes_of(found)?, file)? {
            FileKind::At(bytes, kind) => (bytes, kind),
            FileKind::PassedOver(reason) => return Ok(FileTexts::PassedOver(reason)),
        };
        let listed = self.urls.as_ref().and_then(|urls| urls.url(found, &id));
        self.texts.texts(&bytes, kind, file, id, self.url.as_ref().or(listed))
    }
}

/// The bytes of a file, or of standard input.
fn bytes_of(found: &FoundFile) -> Result<PageBytes, Refusal> {
    if let Some(fault) = &found.fault {
        return Err(Refusal::new(fault));
    }
    let read = match found.path.as_os_str() == "-" {
        true => PageBytes::read(&mut io::stdin().lock()),
        false => File::open(&found.path).and_then(|mut file| PageBytes::read(&mut file)),
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if found.path.to_string_lossy().contains("://") => {
            Refusal::new("no such file; an address is fetched first: curl -s URL | webmill text --url URL")
        }
        _ => Refusal::new(error.to_string()),
    })
}
