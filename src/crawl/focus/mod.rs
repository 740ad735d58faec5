//! Focused crawling: pages of a topic, few of anything else.
//!
//! **Definition.** A [`Topic`] gives each page a *relevance* R in [0, 1]; a page is *relevant* from the topic's threshold on. A link l
//! on page p to q has the score
//!
//! > S(l) = w₁·anchor + w₂·context + w₃·url + w₄·inherited + w₅·hub(p) + w₆·site(q) + w₇·guide + w₈·prior + w₉·learned,
//!
//! each part in [0, 1]:
//!
//! | part | is |
//! |---|---|
//! | anchor | [likeness](Scorer::words) of the link's text to the topic |
//! | context | the same of the text around it, where the anchor is below the threshold |
//! | url | the same of the words of host and path |
//! | inherited | R(p) where p is relevant, else ½ · inherited of the link that led to p: interest fades through irrelevant pages |
//! | hub | (relevant + 1) / (all + 4) of p's targets that were fetched |
//! | site | (relevant + 1) / (all + 10) of the pages of q's host that were fetched |
//! | guide | min(1, Σ weights / 10) of the guide words in anchor or URL |
//! | prior | share of links so far whose best-first priority is lower |
//! | learned | what links like it led to in an earlier run ([`worth`], [`LinkModel`]): on the scale of logits the mean of l's own value and of that of all links to q (1 − Π(1 − value)), and ln((relevant + 2)/(expected + 2)) of p's targets that were fetched |
//!
//! A link's *tunnel* is the number of irrelevant pages in a row on the way to it. Links of longer tunnels than allowed (any length, where links
//! were learnt: what one is worth tells what lies behind such pages) are kept in a
//! *reserve* by score; its best hundredth comes in when nothing else is left, or when harvest over the last 1,000 pages falls below half of its mean.
//!
//! **Algorithm.** [`Focus`] is pure: pages in, [`Action`]s out. What it remembers of links, pages and hosts lies in a [`Store`]: memory
//! ([`MemoryStore`]) where stored pages are replayed, the frontier's own files in a crawl, so that scores survive a crash with it. When a
//! hub's value (or, where links were learnt, that logarithm) moved by 0.1 its waiting links are scored again: 100 of them at most, and ten times.
//!
//! **Cost.** One read and one write of the store a link; constant memory but for the background corpus.
//!
//! **Determinism.** A function of the pages in their order. Equal scores: first found first, links of a page in the order of their URLs.
//!
//! **Reference.** S. Chakrabarti, M. van den Berg, B. Dom, *Focused crawling*, Computer Networks 31 (1999),
//! doi:10.1016/S1389-1286(99)00052-3; M. Hersovici et al., *The Shark-Search algorithm*, Computer Networks 30 (1998),
//! doi:10.1016/S0169-7552(98)00038-5.

mod actions;
mod bag;
mod corpus;
mod kernel;
mod learned;
mod links;
mod options;
mod prior;
mod reserve;
mod scorer;
#[cfg(test)]
mod simulated_tests;
mod state;
mod store;
#[cfg(test)]
mod tests;
mod topic;

pub use actions::{Action, FocusCounts, FoundLink, SeenPage};
pub use bag::{Bag, url_words};
pub use corpus::Corpus;
pub use kernel::Focus;
pub use learned::{LinkLearner, LinkModel, LinkSource, LinkText, LinkWorth, worth};
pub use options::{FocusOptions, TopicKind, TopicOptions, Weights};
pub use scorer::{LinkWords, PageWords, Scorer};
pub use state::{Harvested, PARTS, Parts};
pub use store::{MemoryStore, Store};
pub use topic::{LinkTexts, Probability, Topic};
