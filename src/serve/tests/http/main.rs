//! The server over its sockets, as clients meet it.

mod clients;
mod limits;
mod memento;
mod outback;
mod pywb;
mod replayed;
mod support;
mod wayback;
