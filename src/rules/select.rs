//! Selectors over the tree of a page.
