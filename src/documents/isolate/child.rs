//! The child's side: documents in, what they say out.

use std::io::{self, Write};

use super::confine::{allow_time, confine};
use super::frame::{self, GREETING, Question};
use super::{InProcess, ReadDocument};
use crate::Limits;

/// Bytes of the stack that readers have.
const STACK: usize = 64 << 20;

/// Reads documents from standard input and writes what they say to standard output, until the input ends: what the command
/// of a [`Pool`](super::Pool) does, and nothing else. Gives up files, connections, programs and most of the memory first.
///
/// # Errors
/// Where the process cannot be confined, or a pipe breaks.
pub fn serve() -> io::Result<()> {
    serve_with(InProcess)
}

/// The same with a reader of the caller's, whose panics end the process.
///
/// # Errors
/// Like [`serve`].
pub fn serve_with(documents: impl ReadDocument + 'static) -> io::Result<()> {
    // What a panic says is in the answer.
    std::panic::set_hook(Box::new(|_| ()));
    let reader = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        confine()?;
        answer_all(&documents)
    })?;
    reader.join().unwrap_or_else(|_| Err(io::Error::other("the reader of documents panicked")))
}

fn answer_all(documents: &impl ReadDocument) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    output.write_all(&GREETING)?;
    output.flush()?;
    let most = Limits::default().max_input_bytes.max(1 << 20) as u64;
    while let Some(question) = frame::read(&mut input, most)? {
        let question: Question = postcard::from_bytes(&question).map_err(io::Error::other)?;
        let bytes = frame::read(&mut input, question.length)?.unwrap_or_default();
        allow_time()?;
        let document = documents.read(&bytes, question.kind, &question.limits);
        drop(bytes);
        let answer = postcard::to_allocvec(&document).map_err(io::Error::other)?;
        frame::write(&mut output, &answer)?;
        output.flush()?;
    }
    Ok(())
}
