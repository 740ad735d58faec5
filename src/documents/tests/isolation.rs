//! Children that read documents: what a hostile document costs, and what it cannot do.
//!
//! A program of its own, because it is the child as well: called with `child` it reads documents that say what to do.

use std::ffi::OsString;
use std::io::Read;
use std::net::TcpStream;

use webmill_documents::isolate::{Pool, ReadDocument, serve_with};
use webmill_documents::{Document, Failure, Kind, Limits};

/// Does what a document says.
struct ObedientReader;

impl ReadDocument for ObedientReader {
    fn read(&self, bytes: &[u8], kind: Kind, _: &Limits) -> Result<Document, Failure> {
        let mut document = Document::new(kind);
        match bytes {
            b"hang" => loop {
                std::hint::spin_loop();
            },
            b"crash" => std::process::abort(),
            b"panic" => panic!("as told"),
            b"overflow" => document.pages = Some(overflow(1)),
            b"eat" => {
                let mut held: Vec<Vec<u8>> = Vec::new();
                loop {
                    held.push(vec![1; 16 << 20]);
                    std::hint::black_box(&held);
                }
            }
            b"leak" => std::mem::forget(std::hint::black_box(vec![1u8; 600 << 20])),
            b"much" => drop(std::hint::black_box(vec![1u8; 900 << 20])),
            b"too much" => drop(std::hint::black_box(vec![1u8; 1100 << 20])),
            b"file" => document.text = format!("{:?}", std::fs::File::open("/etc/hostname").is_ok()),
            b"write" => {
                document.text = format!("{:?}", std::fs::write("/tmp/webmill-isolation", "x").is_ok())
            }
            b"connect" => {
                document.text = format!("{:?}", TcpStream::connect("127.0.0.1:9").map_err(|e| e.kind()))
            }
            b"program" => {
                document.text = format!("{:?}", std::process::Command::new("true").status().is_ok())
            }
            _ => document.text = String::from_utf8_lossy(bytes).into_owned(),
        }
        Ok(document)
    }
}

/// Fills the stack.
fn overflow(depth: u32) -> u32 {
    let frame = std::hint::black_box([depth; 1024]);
    if depth == u32::MAX {
        return 0;
    }
    overflow(depth + 1) + frame.iter().sum::<u32>()
}

fn main() {
    let mut arguments = std::env::args_os();
    let program = arguments.next().expect("a program has a name");
    if arguments.next().is_some_and(|first| first == "child") {
        serve_with(ObedientReader).expect("the parent listens");
        return;
    }
    type Test = fn(&Pool);
    let tests: [(&str, Test); 5] = [
        ("a_document_that_ends_its_child_is_a_failure", hostile),
        ("a_child_has_no_files_connections_or_programs", confined),
        ("what_came_before_does_not_matter", alike),
        ("many_threads_share_a_pool", shared),
        ("a_child_has_a_gibibyte", bounded),
    ];
    for (name, test) in tests {
        test(&Pool::new(vec![program.clone(), "child".into()]));
        println!("test {name} ... ok");
    }
    limited(&program);
    println!("test limits_that_are_lower_already_stay ... ok");
    no_reader();
    println!("test another_program_is_no_reader ... ok");
}

fn said(pool: &Pool, bytes: &[u8]) -> Result<String, String> {
    let read = pool.read(bytes, Kind::Text, &Limits::default());
    read.map(|document| document.text).map_err(|failure| failure.reason.into_owned())
}

fn hostile(pool: &Pool) {
    let before = resident();
    let table = [
        ("hang", "too-slow"),
        ("crash", "crashed"),
        ("panic", "crashed"),
        ("overflow", "crashed"),
        ("eat", "out-of-memory"),
    ];
    for (document, reason) in table {
        assert_eq!(said(pool, document.as_bytes()), Err(reason.to_owned()), "{document}");
        assert_eq!(said(pool, b"next"), Ok("next".to_owned()), "after {document}");
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 32 << 20, "this process grew by {grown} bytes");
}

fn confined(pool: &Pool) {
    for document in ["file", "write", "program"] {
        assert_eq!(said(pool, document.as_bytes()), Ok("false".to_owned()), "{document}");
    }
    let connected = said(pool, b"connect").expect("an answer");
    // What is not refused by the system would be refused by the port.
    assert!(!connected.contains("ConnectionRefused") && connected.starts_with("Err"), "{connected}");
}

fn alike(pool: &Pool) {
    // Two of these do not go into one child.
    for _ in 0..3 {
        assert_eq!(said(pool, b"leak"), Ok(String::new()));
    }
    let long = vec![b'x'; 3 << 20];
    assert_eq!(said(pool, &long).map(|text| text.len()), Ok(long.len()));
}

fn shared(pool: &Pool) {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for document in 0..50 {
                    let text = format!("{thread} {document}");
                    assert_eq!(said(pool, text.as_bytes()), Ok(text.clone()));
                    if document % 20 == 7 {
                        assert_eq!(said(pool, b"crash"), Err("crashed".to_owned()));
                    }
                }
            });
        }
    });
}

fn bounded(pool: &Pool) {
    assert_eq!(said(pool, b"much"), Ok(String::new()));
    assert_eq!(said(pool, b"too much"), Err("out-of-memory".to_owned()));
}

/// Whoever starts the program may have bounded it before.
fn limited(program: &OsString) {
    let script = "ulimit -t 60 && ulimit -v 700000 && ulimit -n 20 && exec \"$0\" child";
    let pool = Pool::new(vec!["sh".into(), "-c".into(), script.into(), program.clone()]);
    assert_eq!(said(&pool, b"words"), Ok("words".to_owned()));
    assert_eq!(said(&pool, b"much"), Err("out-of-memory".to_owned()));
}

fn no_reader() {
    for command in [vec![], vec!["true"], vec!["echo", "something else"], vec!["/no/such/program"]] {
        let pool = Pool::new(command.into_iter().map(OsString::from).collect());
        assert_eq!(said(&pool, b"x"), Err("no-child".to_owned()));
    }
}

/// Bytes of this process that are in memory.
fn resident() -> u64 {
    let mut text = String::new();
    let read = std::fs::File::open("/proc/self/statm").and_then(|mut file| file.read_to_string(&mut text));
    let pages = read.ok().and_then(|_| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
