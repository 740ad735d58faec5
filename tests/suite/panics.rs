//! Whatever people type, recipes hold and lists of seeds say: an answer or an error, never a panic.
//!
//! Lines are made up by chance, the same ones every time, of subcommands and of texts that programs stumble over: empty, of several
//! bytes a character, of every script, with signs that mean something, numbers out of range. Nothing is asked of any network: crawls
//! have a proxy at a closed port of this machine, and no second to run.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::crawl_support::Dice;
use crate::support::Work;

/// Texts that programs stumble over; none is a folder, which would be searched.
const TEXTS: [&str; 37] = [
    "",
    " ",
    "-",
    "--",
    "例え.jp",
    "http://例え.jp/",
    "http://[::1",
    "é",
    "e\u{301}",
    "ß.example",
    "日期",
    "اللغة",
    "שלום",
    "𠀀𠀁",
    "👩‍👩‍👧",
    "\u{feff}",
    "\u{202e}abc",
    "%",
    "%e4%b8",
    "%zz",
    "a=b",
    "=",
    "rank.damping=é",
    "extract.=1",
    "[",
    "{",
    "{{x}}",
    "(?",
    "\"",
    "'",
    "\\",
    "18446744073709551616",
    "-1",
    "1e999",
    "nan",
    "0x10",
    "2026-02-30",
];

/// Lines of arguments, `@` being a text.
const LINES: [&str; 30] = [
    "crawl explain @ --out crawl",
    "crawl @ --out crawl --recipe quiet.toml",
    "crawl @ @ --out crawl --recipe quiet.toml --within @",
    "crawl --seeds @ --out crawl --recipe quiet.toml",
    "crawl ctl crawl @ @",
    "run @ --out out",
    "run @ --out out --memory @",
    "extract @ --out out --set @",
    "extract @ --out out --max-bad @",
    "index @ --to @",
    "shard ls @",
    "shard cat @ --offset @",
    "shard convert @ --out @",
    "text @ --url @",
    "text @ --format @",
    "query @ @",
    "query out @ --format @",
    "show @ @",
    "rank @ --by @",
    "rank @ --level @ --top @",
    "graph path @ @ @",
    "graph info @",
    "dedup diff @ @ @",
    "dedup similar @ @",
    "count words @ --out out --set @",
    "rules test @ @",
    "learn apply @ @",
    "schema @",
    "results ls @",
    "@ @ @",
];

/// Settings of recipes, `@` being a text, `#` any TOML.
const SETTINGS: [&str; 12] = [
    "[extract]\nmax_record_bytes = #",
    "[extract]\ncrawl = \"@\"",
    "[rank]\ndamping = #",
    "[rank]\nteleport = \"@\"",
    "[dedup]\nby = [\"@\"]",
    "[dedup]\nbands = \"@\"",
    "[crawl.scope]\nhosts = [\"@\"]",
    "[crawl.scope]\nurl_include = [\"@\"]",
    "[crawl]\nlimits = #",
    "[report]\ntitle = \"@\"\ntop = #",
    "[@]\n@ = #",
    "[learn]\njobs = [{ model = \"@\" }]",
];

/// Values of settings.
const VALUES: [&str; 8] = ["-1", "1e400", "[]", "{}", "\"é\"", "0", "99999999999999999999", "true"];

fn text(dice: &mut Dice) -> String {
    match dice.below(12) {
        0 => "é".repeat(3000),
        1 => format!("{}{}", pick(dice, &TEXTS), pick(dice, &TEXTS)),
        _ => pick(dice, &TEXTS).to_owned(),
    }
}

fn pick<'a>(dice: &mut Dice, from: &[&'a str]) -> &'a str {
    from[usize::try_from(dice.below(from.len() as u64)).unwrap()]
}

/// A template with texts and values in it.
fn filled(dice: &mut Dice, template: &str) -> String {
    let mut filled = String::new();
    for part in template.chars() {
        match part {
            '@' => filled.push_str(&text(dice)),
            '#' => filled.push_str(pick(dice, &VALUES)),
            other => filled.push(other),
        }
    }
    filled
}

/// A command with its files, and what it is to be called.
fn trial(number: u64, work: &Work) -> (Command, String) {
    let mut dice = Dice(0x9e37_79b9 + number);
    (0..8).for_each(|_| _ = dice.below(2));
    let folder = format!("{number}");
    std::fs::create_dir(work.path(&folder)).unwrap();
    let put = |name: &str, text: &str| std::fs::write(work.path(&folder).join(name), text).unwrap();
    put("quiet.toml", "[crawl.fetch]\nproxy = \"http://127.0.0.1:1\"\n[crawl.limits]\nseconds = 0\n");
    let (arguments, about): (Vec<String>, String) = match number % 4 {
        0 => {
            let settings = pick(&mut dice, &SETTINGS);
            let recipe = filled(&mut dice, settings);
            put("recipe.toml", &recipe);
            let command = pick(&mut dice, &["run none --out out", "extract none --out out", "rank none"]);
            (format!("{command} --recipe recipe.toml").split(' ').map(str::to_owned).collect(), recipe)
        }
        1 => {
            let seeds: Vec<String> = (0..1 + dice.below(5)).map(|_| text(&mut dice)).collect();
            put("seeds.txt", &seeds.join("\n"));
            let line = "crawl --seeds seeds.txt --out crawl --recipe quiet.toml";
            (line.split(' ').map(str::to_owned).collect(), seeds.join(" | "))
        }
        _ => {
            let line = pick(&mut dice, &LINES);
            let arguments =
                line.split(' ').map(|part| if part == "@" { text(&mut dice) } else { part.to_owned() });
            (arguments.collect(), String::new())
        }
    };
    let about = format!("webmill {arguments:?} {about}");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = work.webmill(&arguments);
    command.current_dir(work.path(&folder)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    (command, about)
}

#[test]
fn nothing_that_people_type_is_a_panic() {
    let work = Work::new();
    let wrong: Vec<String> = (0..2000u64)
        .into_par_iter()
        .filter_map(|number| {
            let (mut command, about) = trial(number, &work);
            let mut child = command.spawn().unwrap();
            let begun = Instant::now();
            while child.try_wait().unwrap().is_none() {
                if begun.elapsed() > Duration::from_secs(60) {
                    child.kill().unwrap();
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            let ended = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            let is_fine = ended.status.code().is_some_and(|code| code < 100) && !said.contains("panicked");
            (!is_fine).then(|| format!("{about}: {}\n{said}", ended.status))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of 2000:\n{}", wrong.len(), wrong.join("\n"));
}
