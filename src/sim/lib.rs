//! A simulated Web of any size whose truth is known: what every page says, links to and copies.
//!
//! **What.** [`Web`] answers for page `i` of `0..len` with the HTTP response a crawler would have got ([`Web::page`]) and,
//! apart from it, with the truth ([`Web::truth`]): main text, links, language, encoding, and which page it redirects to,
//! mirrors, copies or nearly copies. It feeds the synthetic corpus, and the tests of every job that claims to find these.
//!
//! [`SimWeb`] adds servers to the pages: hosts that are slow or dead, robots.txt of all kinds, traps, broken answers; and
//! [`Server`] puts it on a socket.
//!
//! ```
//! use webmill_sim::{Config, Kind, SimConfig, SimWeb};
//!
//! let config = SimConfig { web: Config { pages: 100, ..Config::default() }, ..SimConfig::default() };
//! let sim = SimWeb::new(config)?;
//! let page = sim.web().page(1);
//! assert_eq!(sim.web().find(&page.url), Some(1));
//! let truth = sim.web().truth(1);
//! assert!(truth.kind != Kind::Original || !truth.main_text.is_empty());
//! # Ok::<(), webmill_capture::error::Error>(())
//! ```
//!
//! **Definition.** Pages per host, in-degrees by links across hosts and out-degrees follow power laws of density exponents
//! [`HOST_EXPONENT`], [`IN_EXPONENT`] and [`OUT_EXPONENT`]. Hosts are English or Chinese; Chinese ones are encoded in
//! UTF-8 or GBK and say so in the HTTP header, in `meta`, in both or nowhere. A main text is drawn by Zipf's law and is
//! among navigation, advertisements and a list of links. A host may mirror another (same paths, same bytes); a page may
//! be a copy of a page of its own host (same body) or of another host (same main text in another template), or nearly a
//! copy (a known number of words replaced), a redirect, or missing; some markup is broken. Where [`TopicConfig`] says so, hosts and
//! pages are of topics.
//!
//! **Algorithm.** Everything about a page is a hash of the seed and its number; hosts are found by a closed form. There is no
//! state, so pages can be made in any order and by any number of threads.
//!
//! **Cost.** Memory: one page, and some hundred kilobytes of vocabulary. Time: a few microseconds a page.
//!
//! **Determinism.** A function of the configuration, on every platform (floating point is used only where IEEE 754
//! prescribes each bit).

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod draw;
mod layout;
mod page;
mod phrases;
mod prose;
mod serve;
mod serve_log;
mod serve_request;
mod sim;
mod sim_answer;
mod sim_changes;
mod sim_config;
mod sim_extras;
mod sim_hosts;
mod sim_locate;
mod sim_robots;
mod sim_sitemaps;
mod sim_traps;
mod sim_trouble;
mod sim_truth;
mod topic_plan;
mod topics;
mod vocabulary;
mod web;

pub use self::serve::{RequestHead, ServeOptions, Server, Site};
pub use self::serve_log::{Happening, LoggedRequest, Recording};
pub use self::sim::SimWeb;
pub use self::sim_answer::{Answer, Ending, Rest};
pub use self::sim_config::{ChangeConfig, FeatureShares, HostShares, PageShares, RobotsShares, SimConfig};
pub use self::sim_hosts::Health;
pub use self::sim_traps::Trap;
pub use self::sim_truth::{Coverage, Expect, Expected};
pub use self::topic_plan::{PageTopic, TopicConfig};
pub use self::web::{
    Config, HOST_EXPONENT, IN_EXPONENT, Kind, Language, OUT_EXPONENT, Region, SynthPage, TrueLink, Truth, Web,
};

#[cfg(test)]
mod serve_tests;
#[cfg(test)]
mod sim_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod topics_tests;
