//! Cases made by others.
