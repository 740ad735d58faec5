//! `webmill text`: the main text of single pages, files, folders or stdin; of feeds, sitemaps, documents and plain texts too.

mod feeds;
mod front_matter;
mod id;
mod known;
mod language;
mod memory;
mod out;
mod pages;
mod read;
mod tally;
mod urls;
mod xml;

use std::io::{self, BufWriter, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use webmill_capture::CanonicalUrl;
use webmill_text::Focus;

use super::args::{Address, OutOption, Threads};
use super::print::FORMAT_HELP;
use feeds::Listed;
use id::Id;
use known::Source;
pub use known::{Known, shown_name};
pub use memory::PageReader;
use out::{Sink, Written};
use pages::{Found, Pages};
use read::{Input, Looked, Refusal};
use tally::Tally;
use urls::Urls;

/// Pages, and bytes of pages past which no further one is added, that are worked on at once: the bound of memory.
const WINDOW_PAGES: usize = 128;
const WINDOW_BYTES: u64 = 32 << 20;

/// Write the main text of pages, with what they say of themselves.
///
/// Folders are walked in order of names. HTML, feeds (RSS, Atom, JSON Feed: each item is a text), sitemaps (their URLs) and
/// documents (PDF, DOCX, DOC, ODT, RTF, PPTX, PPT, ODP, XLSX, XLS, XLSB, ODS, EPUB) in them show by content, HTML, plain text,
/// Markdown and tables of values by the names .html, .txt, .md and .csv too; all may be gzipped. Documents are read in child
/// processes: one that crashes, hangs or eats memory costs itself. What is passed over is
/// counted by reason on stderr. With --out each page is a file in this folder, called by its id and .txt, .md, .json or .xml. Exit code: 0 if every page was read and written, 1 if some page in a folder or some item was
/// not, or if --language left none, 2 if that happened to one named here or to all.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  curl -s http://example.com/a | webmill text --url http://example.com/a --format md\n  \
                        webmill text --format json datasets/demo-site/hosts > pages.jsonl\n  \
                        webmill text --format md --front-matter --out texts datasets/demo-site/hosts"
)]
pub struct TextArgs {
    /// Files and folders of pages; `-` or nothing: a page from stdin.
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
    /// What the files are.
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto", hide_possible_values = true)]
    input: Input,
    #[arg(long, value_enum, value_name = "FORMAT", help = FORMAT_HELP)]
    format: Option<Form>,
    /// With --format json: a field `markdown` with the text as Markdown [default: none].
    #[arg(long)]
    with_markdown: bool,
    /// With --format md: what is known of the page before its text, as YAML between lines of dashes [default: none].
    #[arg(long)]
    front_matter: bool,
    /// Precision counts more than recall: doubtful paragraphs are left out [default: both count alike].
    #[arg(long, conflicts_with = "recall")]
    precision: bool,
    /// Recall counts more than precision: doubtful paragraphs are kept [default: both count alike].
    #[arg(long)]
    recall: bool,
    /// Readers' comments after the main text in text and Markdown too [default: in JSON, XML and TEI only].
    #[arg(long, conflicts_with = "no_comments")]
    with_comments: bool,
    /// No readers' comments in any form.
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
    /// ISO 639-1 or 639-3, with commas between; `und`: those of no known language. What is left out
    /// is counted; URLs of sitemaps are not asked.
    #[arg(long, visible_alias = "target-language", value_name = "CODE,...", value_delimiter = ',', value_parser = language::code)]
    language: Vec<String>,
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

/// How a text is written.
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
}

impl TextArgs {
    /// The form of a text.
    fn form(&self) -> Form {
        self.format.unwrap_or(Form::Text)
    }

    fn focus(&self) -> Focus {
        match (self.precision, self.recall) {
            (true, _) => Focus::Precision,
            (_, true) => Focus::Recall,
            _ => Focus::Balanced,
        }
    }

    fn shows_comments(&self) -> bool {
        !self.no_comments && (self.with_comments || matches!(self.form(), Form::Json | Form::Xml | Form::Tei))
    }

    fn check_form(&self) -> Result<()> {
        if self.with_markdown && self.form() != Form::Json {
            bail!("--with-markdown is a field of --format json");
        }
        if self.front_matter && self.form() != Form::Md {
            bail!("--front-matter comes before Markdown: --format md");
        }
        Ok(())
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
        self.check_form()?;
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

/// What became of a file.
enum Done {
    Pages { written: Vec<Written>, foreign: Vec<&'static str>, faults: Vec<String> },
    PassedOver(String),
}

/// Runs the command.
pub fn run(args: &TextArgs) -> Result<ExitCode> {
    let url = args.url.url.as_deref().map(address).transpose()?;
    let inputs = if args.pages.is_empty() { vec![PathBuf::from("-")] } else { args.pages.clone() };
    let several = inputs.len() > 1 || inputs.iter().any(|input| input.is_dir());
    args.check(several, &inputs)?;
    let urls = args.urls.as_deref().map(Urls::read).transpose()?;
    let reader = Reader { args, url, urls, several_inputs: inputs.len() > 1 };
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
        let done: Vec<Result<Done, Refusal>> =
            pool.install(|| window.par_iter().map(|found| reader.read(found)).collect());
        if let Some(out) = out.take() {
            let texts = |done: &Result<Done, Refusal>| match done {
                Ok(Done::Pages { written, .. }) => written.len(),
                _ => 0,
            };
            sink = Some(Sink::new(args, several || done.iter().any(|done| texts(done) > 1), out));
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
struct Reader<'a> {
    args: &'a TextArgs,
    url: Option<CanonicalUrl>,
    urls: Option<Urls>,
    several_inputs: bool,
}

impl Reader<'_> {
    /// What a file says, as it is written.
    fn read(&self, found: &Found) -> Result<Done, Refusal> {
        let (bytes, kind) = match read::look(found, self.args.input, self.url.is_some())? {
            Looked::At(bytes, kind) => (bytes, kind),
            Looked::PassedOver(reason) => return Ok(Done::PassedOver(reason)),
        };
        let id = self.args.id.of(found, self.several_inputs);
        let listed = self.urls.as_ref().and_then(|urls| urls.url(found, &id));
        let name = found.path.display().to_string();
        let source = Source { args: self.args, id, file: &found.path, url: self.url.as_ref().or(listed) };
        if kind == Input::Sitemap {
            let Listed { entries, faults } = read::isolated(|| feeds::urls(&source, &bytes))??;
            let written = vec![Written { id: source.id, name, body: entries }];
            return Ok(Done::Pages { written, foreign: Vec::new(), faults });
        }
        let listed = read::isolated(|| source.read(&bytes, kind))?;
        let Listed { entries, faults } = match listed {
            Err(refusal) if !found.named && refusal.to_string().starts_with(feeds::NO_ITEMS) => {
                return Ok(Done::PassedOver(feeds::NO_ITEMS.to_owned()));
            }
            listed => listed?,
        };
        let (mut written, mut foreign) = (Vec::with_capacity(entries.len()), Vec::new());
        for (number, known) in (1..).zip(entries) {
            if !language::is_wanted(&self.args.language, known.language) {
                foreign.push(known.language.unwrap_or(language::UNKNOWN));
                continue;
            }
            let name = if kind == Input::Feed { format!("{name}/{number}") } else { name.clone() };
            let id = known.id.clone();
            written.push(Written { id, name, body: Known::written(known, self.args) });
        }
        Ok(Done::Pages { written, foreign, faults })
    }
}
