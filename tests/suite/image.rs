//! The image of a container: its file is as it should be, and gives a small image where an engine is at hand.

use std::process::Command;

use crate::support::repository;

/// Bytes of the image at most.
const MAX_IMAGE: u64 = 120_000_000;

/// The instructions of a Dockerfile: the word that each begins with, and the rest.
fn instructions(source: &str) -> Vec<(String, String)> {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with('#'));
    let whole = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let parted = whole.lines().filter_map(|line| line.trim().split_once(' '));
    parted.map(|(word, rest)| (word.to_owned(), rest.trim().to_owned())).collect()
}

/// The faults of a Dockerfile, with what its folder ignores and the version of Rust that the program needs.
fn faults(source: &str, ignored: &str, rust: &str) -> Vec<String> {
    let all = instructions(source);
    let of =
        |word: &str| all.iter().filter(move |it| it.0 == word).map(|it| it.1.as_str()).collect::<Vec<_>>();
    let mut faults = Vec::new();
    let mut want = |holds: bool, what: &str| {
        if !holds {
            faults.push(what.to_owned());
        }
    };
    let bases = of("FROM");
    let stages: Vec<&str> = bases.iter().filter_map(|base| Some(base.split_once(" AS ")?.1)).collect();
    want(bases.len() == 2 && stages.len() == 1, "two stages, of which the first has a name");
    for base in &bases {
        let tag = base.split(' ').next().and_then(|image| image.rsplit('/').next()?.split_once(':'));
        want(tag.is_some_and(|(_, tag)| tag != "latest"), "FROM names a tag, and not `latest`");
    }
    want(bases[0].contains(&format!("rust:{rust}-")), "the compiler is the one that Cargo.toml asks for");
    want(
        bases[0].contains("bookworm") && bases.last().unwrap().contains("debian12"),
        "both stages are of one Debian",
    );
    for copied in of("COPY") {
        let words: Vec<&str> = copied.split_whitespace().collect();
        let (flags, paths): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with("--"));
        let sources = &paths[..paths.len() - 1];
        match flags.first().and_then(|flag| flag.strip_prefix("--from=")) {
            Some(stage) => want(stages.contains(&stage), "COPY --from names a stage"),
            None => want(sources.iter().all(|path| repository(path).exists()), "what COPY copies is there"),
        }
    }
    let program = "/usr/local/bin/webmill";
    want(of("ENTRYPOINT") == [format!("[\"{program}\"]")], "the entry point is the program");
    want(of("COPY").last().is_some_and(|copied| copied.ends_with(program)), "the program is copied there");
    want(of("USER").last().is_some_and(|user| !matches!(*user, "root" | "0")), "the user is not root");
    want(of("RUN").iter().any(|run| run.contains("cargo build --release --locked")), "the build is locked");
    want(
        ["target", ".git"].iter().all(|name| ignored.lines().any(|line| line == *name)),
        "builds are ignored",
    );
    faults
}

#[test]
fn the_image_is_described_well() {
    let read = |name: &str| std::fs::read_to_string(repository(name)).unwrap();
    let (file, ignored) = (read("Dockerfile"), read(".dockerignore"));
    let cargo = read("Cargo.toml");
    let rust = cargo.split_once("rust-version = \"").unwrap().1.split('"').next().unwrap();
    assert_eq!(faults(&file, &ignored, rust), [""; 0]);
    // These are built into the program, or Cargo asks for them.
    for needed in ["Cargo.lock", "datasets", "docs", "jobs", "python", "src", "tests", "benches", "examples"]
    {
        assert!(!ignored.lines().any(|line| line == needed), "{needed}");
    }
    for (from, to) in [
        (":nonroot", ""),
        (":nonroot", ":latest"),
        ("1.95", "1.80"),
        ("USER nonroot", "USER root"),
        ("--from=build", "--from=other"),
        ("COPY . .", "COPY nowhere ."),
        (" --locked", ""),
        ("ENTRYPOINT [\"/usr/local/bin/webmill\"]", "ENTRYPOINT webmill"),
        ("debian12", "debian13"),
    ] {
        assert!(!faults(&file.replace(from, to), &ignored, rust).is_empty(), "{from} to {to}");
    }
}

#[test]
fn the_image_is_small() {
    let runs = |engine: &&str| Command::new(engine).arg("info").output().is_ok_and(|it| it.status.success());
    let Some(engine) = ["docker", "podman"].into_iter().find(runs) else {
        webmill_evaluation::skip("neither docker nor podman runs here: the image is not built");
        return;
    };
    let said = |arguments: &[&str]| {
        let output = Command::new(engine).args(arguments).current_dir(repository(".")).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    said(&["build", "-q", "-t", "webmill-test", "."]);
    assert!(said(&["run", "--rm", "webmill-test", "--version"]).starts_with("webmill "));
    let size = said(&["image", "inspect", "-f", "{{.Size}}", "webmill-test"]);
    said(&["image", "rm", "webmill-test"]);
    assert!(size.trim().parse::<u64>().unwrap() <= MAX_IMAGE, "{size}");
}
