//! Further signatures of a page: keywords ([`Semantic`](crate::Semantic)), chains of words behind stop words
//! ([`SpotSigs`](crate::SpotSigs)), the markup ([`Structure`](crate::Structure)).

pub(crate) mod semantic;
pub(crate) mod spotsigs;
pub(crate) mod structure;
pub(crate) mod synonyms;
