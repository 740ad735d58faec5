//! The form of an inverted index.
