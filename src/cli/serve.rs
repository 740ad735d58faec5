//! `webmill serve`: archives in a browser, and for the clients of capture indexes.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use webmill_capture::{CanonicalUrl, Error, urlkey};
use webmill_run::Cancel;
use webmill_serve::access::AccessRules;
use webmill_serve::{Archive, LoggedRequest, Options, Server};

use crate::args::{Budget, Language, Results};
use webmill_jobs::archive::{Holdings, OpenOptions, open};

/// Show archives in a browser and answer queries about their captures.
///
/// Shards that have no index are indexed first. Each folder is a collection. Folders of results of `webmill run`
/// add titles, texts, ranks, duplicates and full-text search to the collections of their shards, which they also
/// serve where nobody else names them. Queries are those of pywb, OutbackCDX and the Wayback CDX server, and Memento (RFC 7089); captures
/// are served as stored (id_), and as pages that cannot leave the archive.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill serve out/demo/crawl/shards\n  webmill serve out/demo/results\n  \
                        webmill serve out/demo/crawl --listen 127.0.0.1:9000\n\nThen open http://127.0.0.1:8080/ in a browser."
)]
pub struct ServeArgs {
    /// Results, shards, folders, globs, WACZ files, URLs of such (fetched first) [default: the current folder, where it holds results].
    #[arg(value_name = "RESULTS|SHARDS")]
    inputs: Vec<String>,
    /// Address and port to listen at; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Listen at an address that other machines reach, too.
    #[arg(long)]
    allow_remote: bool,
    /// Scheme and host by which clients know this server, where a proxy stands before it.
    #[arg(long, value_name = "URL")]
    public: Option<String>,
    /// A proxy on the way names the address that asks, by Forwarded or X-Forwarded-For: it is trusted.
    #[arg(long, hide_short_help = true)]
    behind_proxy: bool,
    /// Requests that read records at a time; others wait, and addresses take turns.
    #[arg(long, value_name = "N", default_value_t = 16, hide_short_help = true)]
    at_once: usize,
    /// Let captures as stored (id_) load what they name from the live Web, where a browser opens them.
    #[arg(long, hide_short_help = true)]
    raw_open: bool,
    /// Title that people see; `serve` takes one for each collection, as NAME=TITLE.
    #[arg(long = "title", value_name = "TITLE", value_parser = title)]
    titles: Vec<(String, String)>,
    /// Folder of the indexes [default: .webmill-index beside the shards].
    #[arg(long, value_name = "FOLDER")]
    index: Option<PathBuf>,
    /// Rules about who may see which captures: .aclj as in pywb, or JSON as in OutbackCDX.
    #[arg(long, value_name = "FILE")]
    access: Option<PathBuf>,
    /// Let clients add and delete captures (POST, as OutbackCDX takes them).
    #[arg(long)]
    writable: bool,
    /// Origin whose scripts may read answers of queries (`*`: all).
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Option<String>,
    #[command(flatten)]
    language: Language,
    /// Print every request on stderr.
    #[arg(long)]
    log: bool,
    #[command(flatten)]
    budget: Budget,
}

/// Runs the command until it is interrupted.
pub fn run(args: &ServeArgs, cancel: &Cancel) -> Result<ExitCode> {
    let here = || Results::default().folder().map(|folder| vec![folder.to_string_lossy().into_owned()]);
    let inputs = if args.inputs.is_empty() { here()? } else { args.inputs.clone() };
    let holdings = Holdings::of(&inputs, cancel)?;
    let options =
        OpenOptions { index: args.index.clone(), memory: args.budget.memory(), writable: args.writable };
    let rules = args.access.as_deref().map(rules).transpose()?;
    let mut archive = Archive::new(|url| urlkey::url_key(url));
    let mut titles: BTreeMap<&str, &str> =
        args.titles.iter().map(|(name, title)| (&**name, &**title)).collect();
    for holding in &holdings.collections {
        let mut collection = open(holding, &options, &|line| webmill_jobs::say!("{line}"))?;
        if let Some(title) = titles.remove(&*holding.name) {
            collection.title = Some(title.to_owned());
        }
        if let Some(rules) = &rules {
            collection.access = rules.clone();
        }
        archive.add(collection)?;
    }
    if let Some((name, _)) = titles.first_key_value() {
        let names: Vec<&str> = holdings.collections.iter().map(|holding| &*holding.name).collect();
        anyhow::bail!("--title {name}=…: no such collection; there are {}", names.join(", "));
    }
    let server = Server::bind(
        args.listen,
        archive,
        Options {
            allow_remote: args.allow_remote,
            public_base: args.public.clone(),
            host_names: args.host_names(),
            behind_proxy: args.behind_proxy,
            max_working: args.at_once,
            memory: args.budget.memory(),
            raw_open: args.raw_open,
            lang: args.language.asked(),
            allow_origin: args.allow_origin.clone(),
            log: args.log.then(|| Arc::new(|request: &LoggedRequest| webmill_jobs::say!("{request}")) as _),
            ..Options::default()
        },
    )?;
    // What scripts wait for: the address, port and all.
    webmill_jobs::print(&format!("http://{}/\n", server.address()))?;
    webmill_jobs::say!(
        "{} collection{} at http://{}/ (Ctrl-C ends it)",
        holdings.collections.len(),
        if holdings.collections.len() == 1 { "" } else { "s" },
        server.address()
    );
    server.run_until(args.budget.threads(), || cancel.stopped())?;
    Ok(ExitCode::SUCCESS)
}

impl ServeArgs {
    /// Names by which clients may call the server: behind a proxy on this machine that of the address that they know.
    fn host_names(&self) -> Vec<String> {
        let public = self.public.as_deref().filter(|_| !self.allow_remote).and_then(CanonicalUrl::parse);
        public.map(|url| url.host().to_owned()).into_iter().collect()
    }
}

/// A name and a title.
fn title(text: &str) -> Result<(String, String), String> {
    let (name, title) = text.split_once('=').ok_or("NAME=TITLE")?;
    Ok((name.to_owned(), title.to_owned()))
}

/// The access rules of a file, by its form.
fn rules(path: &std::path::Path) -> Result<AccessRules> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
    let json = matches!(text.trim_start().chars().next(), Some('[' | '{'));
    let rules = if json {
        AccessRules::parse_json(&text, |url| urlkey::url_key(url))
    } else {
        AccessRules::parse_aclj(&text)
    };
    rules.map_err(|error| anyhow::anyhow!("{error}")).with_context(|| path.display().to_string())
}
