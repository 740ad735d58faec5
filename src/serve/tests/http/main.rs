//! The server over its sockets, as clients meet it.

mod clients;
mod limits;
mod memento;
mod outback;
mod pywb;
mod support;
mod wayback;
