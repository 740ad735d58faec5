//! Containers of video: what their headers say of tracks, and their tags.

pub(crate) mod asf;
pub(crate) mod avi;
pub(crate) mod codec;
pub(crate) mod ebml;
pub(crate) mod esds;
pub(crate) mod flv;
pub(crate) mod fragments;
pub(crate) mod h264;
pub(crate) mod mkv;
pub(crate) mod mp4;
pub(crate) mod mp4_tags;
pub(crate) mod mpeg_stream;
pub(crate) mod real;
