//! The socket of a crawl, met by friends and others.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::Value;

use super::*;

/// A crawl that obeys everything.
fn obedient(folder: &Path, commands: usize) -> std::thread::JoinHandle<Vec<Line>> {
    let mut control = Control::open(folder).unwrap();
    let mut obeyed = Obeyed::default();
    while !file::read(folder, &mut obeyed).unwrap().is_empty() {}
    assert_eq!(control.listen(), None);
    std::thread::spawn(move || {
        let mut all = Vec::new();
        // Whoever asked is answered before the crawl ends.
        let mut told = None;
        while all.len() < commands || told.is_some_and(|at: Instant| at.elapsed() < Duration::from_secs(1)) {
            let lines = control.poll(&mut obeyed).unwrap();
            let results = lines.iter().filter_map(|line| match line {
                Line::Command(numbered) => Some((numbered.number, Ok(numbered.order.name().to_owned()))),
                Line::Unreadable(_) => None,
            });
            control.tell(results.collect());
            all.extend(lines);
            if all.len() >= commands {
                told.get_or_insert_with(Instant::now);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        all
    })
}

fn wait_for_socket(folder: &Path) {
    let elsewhere = file::control_folder(folder).join("socket.path");
    let path = || match std::fs::read_to_string(&elsewhere) {
        Ok(path) => path.into(),
        Err(_) => file::control_folder(folder).join("socket"),
    };
    while UnixStream::connect(path()).is_err() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_command_is_written_down_obeyed_and_answered() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = obedient(folder.path(), 1);
    wait_for_socket(folder.path());
    let said = give(folder.path(), &Command::Pause {}).unwrap();
    assert_eq!(said, (1, Some(Ok("pause".to_owned()))));
    assert_eq!(crawl.join().unwrap().len(), 1);
    assert_eq!(ask_status(folder.path()), None, "nobody listens any more");
    assert_eq!(give(folder.path(), &Command::Resume {}).unwrap(), (2, None), "it waits for the next run");
}

#[test]
fn a_path_too_long_for_a_socket_is_no_hindrance_and_what_the_dead_left_is_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a-rather-long-name-of-a-folder/".repeat(5));
    for _ in 0..2 {
        let crawl = obedient(&deep, 1);
        wait_for_socket(&deep);
        let named = std::fs::read_to_string(file::control_folder(&deep).join("socket.path")).unwrap();
        assert!(Path::new(&named).exists());
        assert!(give(&deep, &Command::Resume {}).unwrap().1.is_some());
        crawl.join().unwrap();
        assert!(!Path::new(&named).exists());
    }
    // As a killed process leaves it.
    let socket = file::control_folder(folder.path());
    std::fs::create_dir_all(&socket).unwrap();
    drop(std::os::unix::net::UnixListener::bind(socket.join("socket")).unwrap());
    assert_eq!(ask_status(folder.path()), None);
    let crawl = obedient(folder.path(), 1);
    wait_for_socket(folder.path());
    assert!(give(folder.path(), &Command::Resume {}).unwrap().1.is_some());
    crawl.join().unwrap();
}

#[test]
fn hostile_clients_get_an_error_and_harm_nobody() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let crawl = obedient(folder.path(), 1);
    wait_for_socket(folder.path());
    let path = file::control_folder(folder.path()).join("socket");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let silent: Vec<UnixStream> = (0..5).map(|_| UnixStream::connect(&path).unwrap()).collect();
    let say = |bytes: &[u8]| -> Value {
        let mut stream = UnixStream::connect(&path).unwrap();
        // It may be cut off in the middle.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut said = String::new();
        let _ = stream.read_to_string(&mut said);
        serde_json::from_str(said.lines().next().unwrap_or("null")).unwrap()
    };
    let endless = vec![b'x'; command::MAX_LINE_BYTES + 2];
    for bytes in
        [&b"\n"[..], b"pause\n", b"{\"command\":\"add\",\"urls\":[7]}\n", b"\xff\xff\n", b"{", &endless]
    {
        let said = say(bytes);
        assert_eq!(said["ok"], false, "{said}");
        assert!(said["error"].as_str().unwrap().len() > 10, "{said}");
    }
    assert_eq!(file::length(folder.path()), 0, "nothing of that was written down");
    assert_eq!(say(b"{\"command\":\"pause\"}\n")["number"], 1);
    drop(silent);
    crawl.join().unwrap();
}
