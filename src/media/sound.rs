//! Sound: streams of frames, containers, and the tags before and behind them.

pub(crate) mod ac3;
pub(crate) mod adts;
pub(crate) mod aiff;
pub(crate) mod amr;
pub(crate) mod ape;
pub(crate) mod flac;
pub(crate) mod genre;
pub(crate) mod id3v1;
pub(crate) mod id3v2;
pub(crate) mod lossless;
pub(crate) mod lrc;
pub(crate) mod midi;
pub(crate) mod mpeg;
pub(crate) mod mpeg_frame;
pub(crate) mod ogg;
pub(crate) mod vorbis;
pub(crate) mod wav;
