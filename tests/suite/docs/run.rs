//! Every fenced command of README and docs is run, as it stands there.
//!
//! | block | what is done with it |
//! |---|---|
//! | `sh` | run by `sh -eu`; it must succeed |
//! | `console` | lines that begin with `$ ` are run; the lines below each must be in what it prints, in that order; `…` stands for others. A line `[exit N]` says how it ends, else well |
//! | `python` | run by the Python of the tables' readers (loudly skipped where there is none) |
//! | `toml` | checked as a recipe |
//! | `sh network`, `sh build`, `sh elsewhere`, `python elsewhere`, `toml cargo` | not run: it needs the network, builds this program, or is of another program. These are counted |
//! | `text`, `rust`, `sql` | shown; `sql` is run by other tests |
//!
//! A page has a folder of its own with what docs/README.md says: `demo` (what `webmill demo --out demo` leaves), `archive.warc.gz`
//! (the demonstration site's pages), `pages` (its files) and `documents` (a copy of `tests/documents`). Blocks of a page see what those before them left. Ports 8100 and 8080 stand for any free
//! ones.

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use webmill_capture::cut::Cut;

use tempfile::TempDir;

use super::{all_pages, read};
use crate::support::{Work, copy, repository, tool};

/// Info strings of blocks that are not run, and how many of each there may be in all pages together.
const NOT_RUN: &[(&str, usize)] =
    &[("sh network", 8), ("sh build", 8), ("sh elsewhere", 11), ("python elsewhere", 13), ("toml cargo", 1)];

/// Info strings of blocks that are no commands.
const SHOWN: &[&str] = &["text", "rust", "sql", "json", "html", "xml"];

/// Pages that are looked at at the same time.
const WORKERS: usize = 2;

#[derive(Debug)]
struct Block {
    info: String,
    line: usize,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in page.lines().enumerate() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            open = !open;
            if open {
                blocks.push(Block { info: info.trim().to_owned(), line: number + 1, text: String::new() });
            }
        } else if open {
            let block = blocks.last_mut().unwrap();
            block.text += line;
            block.text.push('\n');
        }
    }
    assert!(!open, "a fence that does not end");
    blocks
}

/// What all pages may take as given; made once.
fn given() -> &'static Path {
    static GIVEN: OnceLock<TempDir> = OnceLock::new();
    let folder = GIVEN.get_or_init(|| {
        let work = Work::with_demo();
        work.run(&["shard", "convert", "demo/crawl/shards", "-o", "archive.warc.gz"]);
        let folder = tempfile::tempdir().unwrap();
        for name in ["demo", "archive.warc.gz"] {
            copy(&work.path(name), folder.path());
        }
        let site = repository("datasets/demo-site/hosts");
        copy(&site, folder.path());
        std::fs::rename(folder.path().join("hosts"), folder.path().join("pages")).unwrap();
        copy(&repository("tests/documents"), folder.path());
        // As the clone has them that README speaks of.
        for (name, target) in [("out", "../demo"), ("datasets/demo-site", "../../pages")] {
            let last = if name == "out" { "demo" } else { "hosts" };
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
            std::os::unix::fs::symlink(target, folder.path().join(name).join(last)).unwrap();
        }
        folder
    });
    folder.path()
}

/// Where the commands of a page run.
struct Scene {
    folder: TempDir,
    ports: [(&'static str, String); 2],
    /// Groups of processes that blocks may have left.
    groups: Vec<i32>,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(given()).unwrap() {
            copy(&entry.unwrap().path(), folder.path());
        }
        let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
        Scene { folder, ports: [("8100", free()), ("8080", free())], groups: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a program of lines; gives its exit code and what it wrote to both streams together.
    fn run(&mut self, program: &Path, arguments: &[&str], text: &str) -> (Option<i32>, String) {
        let mut text = text.to_owned();
        for (port, free) in &self.ports {
            text = text.replace(&format!(":{port}"), &format!(":{free}"));
            text = text.replace(&format!("--port {port}"), &format!("--port {free}"));
        }
        std::fs::write(self.path(".block"), text).unwrap();
        // A file, not a pipe: what runs on in the background keeps a pipe open.
        let output = std::fs::File::create(self.path(".output")).unwrap();
        let binary = Path::new(env!("CARGO_BIN_EXE_webmill")).parent().unwrap();
        let mut path = std::env::join_paths([binary]).unwrap();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut child = Command::new(program)
            .args(arguments)
            .arg(".block")
            .current_dir(self.folder.path())
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .env("PYTHONPATH", repository("python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("WEBMILL_LOG")
            .env_remove("WEBMILL_CRASH_AT")
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .process_group(0)
            .spawn()
            .unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        self.groups.push(child.id() as i32);
        let status = child.wait().unwrap();
        let output = std::fs::read(self.path(".output")).unwrap();
        (status.code(), String::from_utf8_lossy(&output).into_owned())
    }

    fn shell(&mut self, text: &str) -> (Option<i32>, String) {
        self.run(Path::new("/bin/sh"), &["-eu"], text)
    }

    /// Runs a block, or gives what is wrong with it.
    fn try_block(&mut self, block: &Block) -> Result<(), String> {
        let ended = |(code, output): (Option<i32>, String)| match code {
            Some(0) => Ok(()),
            code => Err(format!("exit code {code:?}\n{output}")),
        };
        match block.info.as_str() {
            "sh" => ended(self.shell(&block.text)),
            "console" => self.console(&block.text),
            "python" => match tool("readers", "python") {
                Some(_) if needs_compiled(&block.text) => {
                    webmill_evaluation::skip(
                        "no compiled part of the Python package: run `make tools extension`",
                    );
                    Ok(())
                }
                Some(python) => ended(self.run(&python, &["-X", "utf8", "-W", "ignore"], &block.text)),
                None => Ok(()),
            },
            "toml" => {
                std::fs::write(self.path(".recipe.toml"), &block.text).unwrap();
                ended(
                    self.shell("webmill crawl http://a.example/ --out .none --dry-run --recipe .recipe.toml"),
                )
            }
            other if NOT_RUN.iter().any(|(info, _)| *info == other) || SHOWN.contains(&other) => Ok(()),
            other => Err(format!("no test knows what a block {other:?} is")),
        }
    }

    fn console(&mut self, text: &str) -> Result<(), String> {
        let mut rounds: Vec<(String, Vec<&str>)> = Vec::new();
        for line in text.lines() {
            match (line.strip_prefix("$ "), rounds.last_mut()) {
                (Some(command), _) => rounds.push((command.to_owned(), Vec::new())),
                // A command of several lines.
                (None, Some((command, shown))) if shown.is_empty() && command.ends_with('\\') => {
                    command.push('\n');
                    *command += line;
                }
                (None, Some((_, shown))) => shown.push(line),
                (None, None) => return Err(format!("{line}: stands before any command")),
            }
        }
        if rounds.is_empty() {
            return Err("no line begins with `$ `".into());
        }
        rounds.iter().try_for_each(|(command, shown)| self.round(command, shown))
    }

    /// A command and what it must print.
    fn round(&mut self, command: &str, shown: &[&str]) -> Result<(), String> {
        let (code, output) = self.shell(command);
        let exit = |line: &&str| line.strip_prefix("[exit ")?.strip_suffix(']')?.parse().ok();
        let wanted: Option<i32> = shown.iter().find_map(exit).or(Some(0));
        if code != wanted {
            return Err(format!("$ {command}\nexit code {code:?} instead of {wanted:?}\n{output}"));
        }
        let mut printed = output.lines();
        for line in shown.iter().filter(|line| exit(line).is_none() && !line.trim().is_empty()) {
            // `…` in a line stands for anything.
            let pieces: Vec<&str> =
                line.split('…').map(str::trim).filter(|piece| !piece.is_empty()).collect();
            if !pieces.is_empty() && !printed.any(|line| in_order(line, &pieces)) {
                return Err(format!(
                    "$ {command}\ndoes not print, after the lines above it: {line}\n{output}"
                ));
            }
        }
        Ok(())
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for group in &self.groups {
            // SAFETY: kill takes two numbers; the group is that of a shell that this test started.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
    }
}

/// Whether a block of Python mills, and the part of the package that does is not built.
fn needs_compiled(text: &str) -> bool {
    text.contains("webmill.run(") && !repository("python/webmill/_webmill.abi3.so").exists()
}

fn in_order(line: &str, pieces: &[&str]) -> bool {
    let mut rest = line;
    pieces.iter().all(|piece| match rest.find(piece) {
        Some(at) => {
            rest = rest.cut(at + piece.len()..);
            true
        }
        None => false,
    })
}

#[test]
fn every_command_of_the_documentation_runs() {
    let pages = all_pages();
    let (next, ran) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut wrong = Vec::new();
        while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let runs = |block: &Block| ["sh", "console", "python", "toml"].contains(&block.info.as_str());
            let blocks = blocks(&read(page));
            let mut scene = blocks.iter().any(runs).then(Scene::new);
            for block in &blocks {
                ran.fetch_add(usize::from(runs(block)), Ordering::Relaxed);
                let done = match &mut scene {
                    Some(scene) => scene.try_block(block),
                    None if SHOWN.contains(&block.info.as_str()) => Ok(()),
                    None if NOT_RUN.iter().any(|(info, _)| *info == block.info) => Ok(()),
                    None => Err(format!("no test knows what a block {:?} is", block.info)),
                };
                if let Err(why) = done {
                    wrong.push(format!("{page}:{}: {why}", block.line));
                    // What follows builds on it.
                    break;
                }
            }
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|threads| {
        let workers: Vec<_> = (0..WORKERS).map(|_| threads.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} blocks are wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(ran.into_inner() > 50, "so few commands?");
}

/// Blocks that are not run are few, and told.
#[test]
fn blocks_that_are_not_run_are_few() {
    let mut found: Vec<(String, String)> = Vec::new();
    for page in all_pages() {
        for block in blocks(&read(&page)) {
            if NOT_RUN.iter().any(|(info, _)| *info == block.info) {
                found.push((block.info, format!("{page}:{}", block.line)));
            }
        }
    }
    for (info, most) in NOT_RUN {
        let of: Vec<&str> = found.iter().filter(|(i, _)| i == info).map(|(_, at)| at.as_str()).collect();
        println!("not run, {info}: {}", of.join(", "));
        assert!(of.len() <= *most, "{} blocks `{info}`, at most {most}: {of:?}", of.len());
    }
}

#[test]
fn a_block_that_fails_is_wrong() {
    let mut scene = Scene::new();
    let mut wrong = |info: &str, text: &str| {
        scene.try_block(&Block { info: info.into(), line: 1, text: text.into() }).is_err()
    };
    assert!(wrong("sh", "webmill no-such-command\n"));
    assert!(wrong("sh", "false\ntrue\n"));
    assert!(wrong("bash", "true\n"));
    assert!(wrong("console", "$ echo one\ntwo\n"));
    assert!(wrong("console", "$ printf 'a\\nb\\n'\nb\na\n"));
    assert!(wrong("console", "$ exit 3\n"));
    assert!(wrong("toml", "[extract]\nno_such_setting = 1\n"));
    assert!(!wrong("console", "$ echo one 7 two; exit 3\none … two\n[exit 3]\n"));
    assert!(!wrong("toml", "[extract]\ntemplate_pages = 0\n"));
}
