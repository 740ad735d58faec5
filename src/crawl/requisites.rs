//! What pages need to be shown: whether it is fetched, and how much of it.
//!
//! **Definition.** The requisites of a page are what [`webmill_html::requisites`] finds in it, in its style sheets and
//! frames, across hosts, whatever the scope says of hosts and prefixes, and whatever their media types. Rules that exclude
//! URLs hold, and so do robots.txt, traps and the guard of private addresses. They are stored as pages are, and counted
//! apart from them. If pages are visited again, requisites are requested again with them, once per round, and an unchanged one takes a revisit
//! record; by themselves they are never due.

/// Longest way from a page to a requisite: page → style sheet → imported style sheet → font is 3.
pub(crate) const MAX_HOPS: u8 = 5;

/// Most requisites that one page, style sheet or frame may name.
pub(crate) const MAX_PER_PAGE: u32 = 5_000;

/// Longest body of a requisite, in bytes as transferred.
pub(crate) const MAX_BODY_BYTES: u64 = 32 << 20;
