//! Where pages are written: one after the other to standard output, or a file each.
//!
//! A file is called by the id of its page and an ending. Parts of an id become folders; what could lead elsewhere (`..`, an
//! empty part, the root) or is no part of a name on every system is written as `%` and two digits an octet, `%` too, so that
//! two ids never share a file. A part of more than [`MAX_NAME`] bytes is cut and ends with a digest of all of it. A file that
//! is there stays unless the user says otherwise; a new one takes its place at once, not while it is written.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use webmill_jobs::page_text::{
    CORPUS, DECLARATION, TextForm, TextOptions, WrittenText, csv_head, tei_corpus,
};
use xxhash_rust::xxh3::xxh3_128;

use super::TextArgs;

/// Bytes of a name of a file, with room for an ending and the digest.
const MAX_NAME: usize = 180;

/// Where pages go.
pub enum Sink<'a> {
    /// To one stream; `several`: with headings or a root around them.
    Stream { out: &'a mut dyn Write, form: TextForm, several: bool, bare: bool, written: u64 },
    /// One file per page in a folder.
    Folder { folder: PathBuf, form: TextForm, overwrite: bool },
}

impl<'a> Sink<'a> {
    /// The sink that the arguments ask for.
    pub fn new(args: &TextArgs, options: &TextOptions, several: bool, out: &'a mut dyn Write) -> Sink<'a> {
        let form = options.format;
        match &args.out.out {
            Some(folder) => Sink::Folder { folder: folder.clone(), form, overwrite: args.overwrite },
            None => Sink::Stream { out, form, several, bare: args.front_matter, written: 0 },
        }
    }

    /// Writes a text of a file; `name` is what a heading calls the file. The inner error is that text's alone.
    pub fn write(&mut self, name: &str, page: &WrittenText) -> io::Result<Result<(), String>> {
        match self {
            Sink::Stream { out, form, several, bare, written } => {
                let first = *written == 0;
                *written += 1;
                match form {
                    TextForm::Csv if first => out.write_all(csv_head().as_bytes())?,
                    TextForm::Text | TextForm::Md | TextForm::Html if *several && !*bare => {
                        heading(out, *form, name, page.item, first)?
                    }
                    TextForm::Md if *several && !first => out.write_all(b"\n")?,
                    TextForm::Xml | TextForm::Tei if first => {
                        out.write_all(DECLARATION.as_bytes())?;
                        match (*several, *form) {
                            (true, TextForm::Xml) => out.write_all(CORPUS.0.as_bytes())?,
                            (true, _) => out.write_all(tei_corpus().0.as_bytes())?,
                            (false, _) => {}
                        }
                    }
                    _ => {}
                }
                out.write_all(page.body.as_bytes())?;
                Ok(Ok(()))
            }
            Sink::Folder { folder, form, overwrite } => Ok(file(folder, *form, *overwrite, page)),
        }
    }

    /// Ends the output.
    pub fn finish(&mut self) -> io::Result<()> {
        if let Sink::Stream { out, form, several, written, .. } = self {
            match form {
                TextForm::Xml if *several && *written > 0 => out.write_all(CORPUS.1.as_bytes())?,
                TextForm::Tei if *several && *written > 0 => out.write_all(tei_corpus().1.as_bytes())?,
                _ => {}
            }
            out.flush()?;
        }
        Ok(())
    }

    /// Flushes the output so far, before a message about what follows.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stream { out, .. } => out.flush(),
            Sink::Folder { .. } => Ok(()),
        }
    }
}

/// Says which page follows.
fn heading(
    out: &mut dyn Write,
    form: TextForm,
    name: &str,
    item: Option<usize>,
    first: bool,
) -> io::Result<()> {
    let item = item.map_or(String::new(), |number| format!("/{number}"));
    let name = format!("{name}{item}").replace(['\n', '\r'], " ");
    let gap = if first { "" } else { "\n" };
    if form == TextForm::Text {
        return write!(out, "{gap}==> {name} <==\n\n");
    }
    let rule = match (first, form) {
        (true, _) => "",
        (false, TextForm::Md) => "\n---\n\n",
        (false, _) => "\n",
    };
    write!(out, "{rule}<!-- {} -->\n\n", name.replace("--", "- -"))
}

fn file(folder: &Path, form: TextForm, overwrite: bool, page: &WrittenText) -> Result<(), String> {
    let path = folder.join(file_name(&page.id, form));
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            format!("{} is there already; --overwrite replaces it", path.display())
        }
        _ => format!("{}: {error}", path.display()),
    };
    let parent = path.parent().unwrap_or(folder);
    // A link among the folders would lead out of them.
    let inside = parent.ancestors().take_while(|at| *at != folder);
    if let Some(link) = inside.into_iter().find(|at| at.is_symlink()) {
        return Err(format!("{} is a link: nothing is written behind it", link.display()));
    }
    fs::create_dir_all(parent).map_err(failed)?;
    let head = csv_head();
    let start: &[u8] = match form {
        TextForm::Xml | TextForm::Tei => DECLARATION.as_bytes(),
        TextForm::Csv => head.as_bytes(),
        _ => b"",
    };
    if !overwrite {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(failed)?;
        return file.write_all(start).and_then(|()| file.write_all(page.body.as_bytes())).map_err(failed);
    }
    let mut file = tempfile::Builder::new().prefix(".webmill-").tempfile_in(parent).map_err(failed)?;
    file.write_all(start).and_then(|()| file.write_all(page.body.as_bytes())).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644)).map_err(failed)?;
    }
    file.persist(&path).map(drop).map_err(|error| failed(error.error))
}

/// The name of the file of an id, with folders.
pub fn file_name(id: &str, form: TextForm) -> PathBuf {
    let parts: Vec<String> = id.split('/').map(part).collect();
    let ending = match form {
        TextForm::Text => "txt",
        TextForm::Md => "md",
        TextForm::Json => "json",
        TextForm::Xml | TextForm::Tei => "xml",
        TextForm::Html => "html",
        TextForm::Csv => "csv",
    };
    PathBuf::from(format!("{}.{ending}", parts.join("/")))
}

fn part(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let dots = part.bytes().all(|b| b == b'.');
    for c in part.chars() {
        let odd = c.is_control() || matches!(c, '%' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') || dots;
        if odd {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        } else {
            out.push(c);
        }
    }
    if out.is_empty() {
        out.push('%');
    }
    if out.len() > MAX_NAME {
        out.truncate(out.floor_char_boundary(MAX_NAME));
        out.push_str(&format!("%{:032x}", xxh3_128(part.as_bytes())));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else_and_differ() {
        for (id, want) in [
            ("a.html", "a.html.txt"),
            ("site/a", "site/a.txt"),
            ("../../etc/passwd", "%2E%2E/%2E%2E/etc/passwd.txt"),
            ("/etc/passwd", "%/etc/passwd.txt"),
            ("a//b", "a/%/b.txt"),
            ("./a", "%2E/a.txt"),
            ("...", "%2E%2E%2E.txt"),
            ("a\\..\\b", "a%5C..%5Cb.txt"),
            ("a%5Cb", "a%255Cb.txt"),
            ("c:x\n?", "c%3Ax%0A%3F.txt"),
            ("-", "-.txt"),
        ] {
            assert_eq!(file_name(id, TextForm::Text), Path::new(want), "{id}");
        }
        let (a, b) = ("x".repeat(300), format!("{}y", "x".repeat(299)));
        assert!(file_name(&a, TextForm::Md) != file_name(&b, TextForm::Md));
        assert!(file_name(&"é".repeat(300), TextForm::Md).as_os_str().len() < 255);
    }
}
