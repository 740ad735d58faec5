//! Replay in a browser: pages look and read as live ones do, no request leaves loopback, and a hostile page reaches nothing.

mod archive;
mod browser;
mod hostile;
mod looks;
mod oracle;
mod picture;
mod scripts;
