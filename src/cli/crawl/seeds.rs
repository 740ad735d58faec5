//! Seeds: a URL a line; and the file in the folder of a crawl that keeps them.

use std::collections::HashSet;
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use webmill_capture::CanonicalUrl;
use webmill_crawl::CrawlOptions;
use webmill_crawl::fetch::address;
use webmill_crawl::page::{account, plain};

use super::seed_text;

/// Most messages of one kind that are written.
const NAMED: usize = 10;
/// File of the seeds that a crawl was last given, in its folder.
pub const FILE: &str = "seeds.txt";

/// First line where seeds had accounts.
const LEFT_OUT: &str = "# accounts are left out";

/// Messages, of which the first are written and the rest is counted.
#[derive(Default)]
struct Messages {
    first: Vec<String>,
    more: usize,
}

impl Messages {
    fn add(&mut self, message: impl FnOnce() -> String) {
        if self.first.len() < NAMED { self.first.push(message()) } else { self.more += 1 }
    }

    fn say(&self, more: &str) {
        self.first.iter().for_each(|message| webmill_jobs::say!("{message}"));
        if self.more > 0 {
            webmill_jobs::say!("{} {more}", self.more);
        }
    }
}

/// Reads all seeds, each once; what cannot be one is named and left out of files, and is an error as an argument. Without any,
/// those that the folder keeps; that there are none at all is an error where they are `needed`.
pub fn read(files: &[PathBuf], urls: &[String], out: &Path, needed: bool) -> Result<Vec<CanonicalUrl>> {
    let mut all = Seeds::default();
    for typed in urls {
        match seed_text::read(typed) {
            Ok(url) => all.add(url),
            Err(why) => bail!("{typed}: {why}"),
        }
    }
    for file in files {
        all.read_file(file)?;
    }
    all.wrong.say("more lines are no seeds");
    if all.again > 0 {
        webmill_jobs::say!("{} seeds are named again and count once", all.again);
    }
    let kept = out.join(FILE);
    if files.is_empty() && urls.is_empty() && kept.is_file() {
        let seeds = kept_in(out)?;
        match seeds.len() {
            0 => {}
            1 => webmill_jobs::say!("the seed of {} holds", kept.display()),
            n => webmill_jobs::say!("the {n} seeds of {} hold", kept.display()),
        }
        if std::fs::read(&kept).is_ok_and(|bytes| bytes.starts_with(LEFT_OUT.as_bytes())) {
            webmill_jobs::say!(
                "accounts of seeds are not kept: where they are needed, name these seeds again"
            );
        }
        return Ok(seeds);
    }
    if all.urls.is_empty() && needed {
        bail!("no seeds: name URLs or a file of them (--seeds FILE)");
    }
    Ok(all.urls)
}

#[derive(Default)]
struct Seeds {
    urls: Vec<CanonicalUrl>,
    known: HashSet<webmill_capture::UrlKey>,
    wrong: Messages,
    again: usize,
}

impl Seeds {
    fn add(&mut self, url: CanonicalUrl) {
        match self.known.insert(url.key()) {
            true => self.urls.push(url),
            false => self.again += 1,
        }
    }

    fn read_file(&mut self, file: &Path) -> Result<()> {
        let bytes = if file == Path::new("-") {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).context("seeds from stdin")?;
            bytes
        } else {
            std::fs::read(file).with_context(|| format!("seeds {}", file.display()))?
        };
        let mut offset = 0;
        for (number, line) in bytes.split(|b| *b == b'\n').enumerate() {
            let at = offset;
            offset += line.len() + 1;
            let text = String::from_utf8_lossy(line);
            let text = text.trim().trim_start_matches('\u{feff}');
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let place =
                || format!("{} line {}, byte {at}: {:?}", file.display(), number + 1, shortened(text));
            match seed_text::read(text) {
                Ok(url) => self.add(url),
                Err(why) => self.wrong.add(|| format!("{}: {why}", place())),
            }
        }
        Ok(())
    }
}

/// The seeds that the folder of a crawl keeps; empty if the folder has no file of them.
pub fn kept_in(out: &Path) -> Result<Vec<CanonicalUrl>> {
    let path = out.join(FILE);
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.with_context(|| path.display().to_string())?,
    };
    Ok(text.lines().filter(|line| !line.starts_with('#')).filter_map(CanonicalUrl::parse_stored).collect())
}

/// Keeps the seeds in the folder, for the next run and for whoever asks why a URL was fetched; without accounts, which are kept
/// nowhere.
pub fn keep(out: &Path, seeds: &[CanonicalUrl]) -> Result<()> {
    let path = out.join(FILE);
    let named = || path.display().to_string();
    let mut file = std::io::BufWriter::new(tempfile::NamedTempFile::new_in(out).with_context(named)?);
    if seeds.iter().any(|seed| account(seed).is_some()) {
        writeln!(file, "{LEFT_OUT}").with_context(named)?;
    }
    seeds.iter().try_for_each(|seed| writeln!(file, "{}", plain(seed.clone()))).with_context(named)?;
    let file = file.into_inner().map_err(std::io::IntoInnerError::into_error).with_context(named)?;
    file.as_file().sync_all().with_context(named)?;
    file.persist(&path).with_context(named)?;
    Ok(())
}

/// Says which seeds lie at addresses that are not reached without `--allow-private`, as far as that shows without a resolver.
///
/// # Errors
/// Where they all do.
pub fn refuse_private(seeds: &[CanonicalUrl], options: &CrawlOptions) -> Result<()> {
    if options.fetch.allow_private {
        return Ok(());
    }
    let is_private = |seed: &&CanonicalUrl| {
        let set = options.fetch.dns.hosts.get(seed.host()).copied();
        address::is_local_name(seed.host())
            || set.or_else(|| address::literal(seed.host())).is_some_and(|ip| !address::is_public(ip))
    };
    let mut private = Messages::default();
    seeds.iter().filter(is_private).for_each(|seed| {
        private.add(|| {
            format!("{seed}: a private or loopback address, which is not asked without --allow-private")
        })
    });
    let count = private.first.len() + private.more;
    private.say("more seeds have private addresses");
    if count > 0 && count == seeds.len() {
        bail!("no seed can be fetched; private addresses are reached with --allow-private");
    }
    Ok(())
}

fn shortened(text: &str) -> String {
    text.chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    #[test]
    fn files_and_arguments_give_each_seed_once() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list");
        std::fs::write(
            &list,
            "\u{feff}# mine\r\nb.example/\r\n\nhttp://a.example/#top\nhtp://c.example/\nlocalhost:81\n",
        )
        .unwrap();
        let seeds = read(
            std::slice::from_ref(&list),
            &["a.example".to_owned(), "A.example/".to_owned()],
            folder.path(),
            true,
        )
        .unwrap();
        assert_eq!(seeds, ["http://a.example/", "http://b.example/", "http://localhost:81/"].map(url));
        let wrong = read(&[], &["htp://c.example/".to_owned()], folder.path(), true).unwrap_err();
        assert!(wrong.to_string().contains("did you mean http://c.example/"), "{wrong}");
        std::fs::write(&list, "# nothing\n").unwrap();
        assert!(read(&[list], &[], folder.path(), true).unwrap_err().to_string().contains("no seeds"));
    }

    #[test]
    fn a_folder_keeps_its_seeds() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(&[], &[], folder.path(), true).is_err() && kept_in(folder.path()).unwrap().is_empty());
        let seeds = [url("http://u:p@a.example/"), url("https://b.example/x?y")];
        keep(folder.path(), &seeds).unwrap();
        let kept = ["http://a.example/", "https://b.example/x?y"].map(url);
        assert_eq!(read(&[], &[], folder.path(), true).unwrap(), kept);
        assert!(!std::fs::read_to_string(folder.path().join(FILE)).unwrap().contains("u:p"));
    }

    #[test]
    fn private_seeds_are_said_before_anything_is_asked() {
        let mut options = CrawlOptions::default();
        options.fetch.dns.hosts.insert("inside.example".into(), "10.0.0.1".parse().unwrap());
        let private =
            ["http://127.0.0.1/", "http://localhost:81/", "http://[::1]/", "http://inside.example/"].map(url);
        for seed in &private {
            assert!(refuse_private(std::slice::from_ref(seed), &options).is_err(), "{seed}");
        }
        assert!(refuse_private(&[url("http://a.example/"), private[0].clone()], &options).is_ok());
        options.fetch.allow_private = true;
        assert!(refuse_private(&private, &options).is_ok());
    }
}
