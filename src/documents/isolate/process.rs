//! The parent's side of a child.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::frame::{self, GREETING, MAX_ANSWER, Question};
use crate::{Document, Failure, Kind, Limits};

/// How long a child may take by the clock: far beyond its processor time, for one that waits without using any.
const PATIENCE: Duration = Duration::from_secs(300);

/// Bytes of what a child said before it died that are looked at.
const LAST_WORDS: usize = 4096;

/// How a child ended.
#[derive(Debug)]
pub(super) enum Death {
    /// It asked for more memory than it may have.
    Memory,
    /// It took more time than it may.
    Time,
    /// Something else, in words.
    Crash(String),
}

/// A child that reads documents; ends when dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    errors: ChildStderr,
    answered: u64,
}

impl Process {
    /// Starts a child and waits for its greeting.
    pub fn start(command: &[OsString]) -> io::Result<Process> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::other("no program is named"))?;
        let mut child = Command::new(program)
            .args(arguments)
            // Room that allocators set aside would count as memory of the document.
            .env("MIMALLOC_ARENA_RESERVE", "65536")
            .env("MALLOC_ARENA_MAX", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(io::Error::other("a child without pipes"));
        };
        for descriptor in [input.as_raw_fd(), output.as_raw_fd(), errors.as_raw_fd()] {
            never_wait(descriptor)?;
        }
        let mut process = Process { child, input, output, errors, answered: 0 };
        let mut greeting = [0; GREETING.len()];
        let said =
            Patient { process: &mut process, until: Instant::now() + PATIENCE }.read_exact(&mut greeting);
        match said {
            Ok(()) if greeting == GREETING => Ok(process),
            _ => Err(io::Error::other(format!("{} is no reader of documents", program.display()))),
        }
    }

    /// Whether it has read a document before.
    pub fn has_answered(&self) -> bool {
        self.answered > 0
    }

    /// Has it read a document.
    pub fn ask(
        &mut self,
        bytes: &[u8],
        kind: Kind,
        limits: &Limits,
    ) -> Result<Result<Document, Failure>, Death> {
        match self.exchange(bytes, kind, limits) {
            Ok(answer) => {
                self.answered += 1;
                Ok(answer)
            }
            Err(error) => Err(self.death(&error)),
        }
    }

    fn exchange(
        &mut self,
        bytes: &[u8],
        kind: Kind,
        limits: &Limits,
    ) -> io::Result<Result<Document, Failure>> {
        let question = Question { kind, limits: limits.clone(), length: bytes.len() as u64 };
        let question = postcard::to_allocvec(&question).map_err(io::Error::other)?;
        let mut pipes = Patient { process: self, until: Instant::now() + PATIENCE };
        frame::write(&mut pipes, &question)?;
        frame::write(&mut pipes, bytes)?;
        let answer = frame::read(&mut pipes, MAX_ANSWER)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        postcard::from_bytes(&answer).map_err(io::Error::other)
    }

    /// Why it ended, or was ended.
    fn death(&mut self, error: &io::Error) -> Death {
        if error.kind() == io::ErrorKind::TimedOut {
            return Death::Time;
        }
        // One that still lives said what no child says.
        if !matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe) {
            return Death::Crash(error.to_string());
        }
        let mut said = vec![0; LAST_WORDS];
        let _ = self.child.kill();
        let Ok(status) = self.child.wait() else { return Death::Crash(error.to_string()) };
        let length = self.errors.read(&mut said).unwrap_or(0);
        let said = String::from_utf8_lossy(said.get(..length).unwrap_or_default()).into_owned();
        match status.signal() {
            Some(libc::SIGXCPU) => Death::Time,
            Some(libc::SIGABRT) if said.contains("memory allocation") => Death::Memory,
            _ => Death::Crash(format!("{status}; {}", said.lines().next().unwrap_or("it said nothing"))),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pipes of a child until a moment.
struct Patient<'a> {
    process: &'a mut Process,
    until: Instant,
}

impl Patient<'_> {
    /// Waits until a descriptor can be read or written.
    fn wait(&self, descriptor: i32, events: i16) -> io::Result<()> {
        let left = self.until.saturating_duration_since(Instant::now());
        let milliseconds = i32::try_from(left.as_millis()).unwrap_or(i32::MAX);
        let mut asked = libc::pollfd { fd: descriptor, events, revents: 0 };
        // SAFETY: poll reads and writes the one struct that it is given.
        match unsafe { libc::poll(&mut asked, 1, milliseconds) } {
            0 => Err(io::ErrorKind::TimedOut.into()),
            ready if ready < 0 => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
                error => Err(error),
            },
            _ => Ok(()),
        }
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.process.output.read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(self.process.output.as_raw_fd(), libc::POLLIN)?;
                }
                done => return done,
            }
        }
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.process.input.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(self.process.input.as_raw_fd(), libc::POLLOUT)?;
                }
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Has reads and writes of a descriptor return at once.
fn never_wait(descriptor: i32) -> io::Result<()> {
    // SAFETY: fcntl takes numbers; what is no descriptor is an error.
    unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        match flags >= 0 && libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK) >= 0 {
            true => Ok(()),
            false => Err(io::Error::last_os_error()),
        }
    }
}
