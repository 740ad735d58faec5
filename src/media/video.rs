//! Containers of video: what their headers say of tracks, and their tags.

pub(crate) mod avi;
pub(crate) mod codec;
pub(crate) mod ebml;
pub(crate) mod esds;
pub(crate) mod fragments;
pub(crate) mod mkv;
pub(crate) mod mp4;
pub(crate) mod mp4_tags;
