//! One name a codec, whatever container names it.

use std::borrow::Cow;

/// The common name of a codec by the four letters of MP4, QuickTime and AVI, or by the id of Matroska; a name that is not
/// known in lower case as it is written.
pub(crate) fn name(written: &[u8]) -> Cow<'static, str> {
    let written =
        String::from_utf8_lossy(written.trim_ascii()).trim_matches('\0').trim().to_ascii_lowercase();
    let id = written.strip_prefix("v_").or_else(|| written.strip_prefix("a_")).unwrap_or(&written);
    let known = match id {
        "avc1" | "avc2" | "avc3" | "avc4" | "h264" | "x264" | "mpeg4/iso/avc" | "davc" => "h264",
        "hvc1" | "hev1" | "hevc" | "h265" | "mpegh/iso/hevc" => "hevc",
        "av01" | "av1" => "av1",
        "vp08" | "vp80" | "vp8" => "vp8",
        "vp09" | "vp90" | "vp9" => "vp9",
        "mp4v" | "fmp4" | "xvid" | "divx" | "dx50" | "mp4s" | "mpeg4/iso/sp" | "mpeg4/iso/asp"
        | "mpeg4/iso/ap" => "mpeg4",
        "div3" | "mp43" | "mpeg4/ms/v3" => "msmpeg4v3",
        "mjpg" | "jpeg" | "mjpa" | "mjpb" | "mjpeg" => "mjpeg",
        "s263" | "h263" | "d263" => "h263",
        "mp1v" | "mpeg1" | "mpg1" => "mpeg1",
        "mp2v" | "mpeg2" | "mpg2" | "m2v1" => "mpeg2",
        "theo" | "theora" => "theora",
        "wmv1" | "wmv2" | "wmv3" => return Cow::Owned(id.to_owned()),
        "svq1" | "svq3" => return Cow::Owned(id.to_owned()),
        "apch" | "apcn" | "apcs" | "apco" | "ap4h" | "ap4x" | "prores" => "prores",
        "mp4a" | "aac" | "aac/mpeg4/lc" | "aac/mpeg2/lc" | "aac/mpeg4/lc/sbr" => "aac",
        ".mp3" | "mp3" | "mpeg/l3" => "mp3",
        "mpeg/l2" => "mp2",
        "opus" => "opus",
        "vorbis" => "vorbis",
        "flac" => "flac",
        "alac" => "alac",
        "ac-3" | "ac3" => "ac3",
        "ec-3" | "eac3" => "eac3",
        "dtsc" | "dts" | "dtsh" | "dtsl" => "dts",
        "samr" => "amr-nb",
        "sawb" => "amr-wb",
        "alaw" => "alaw",
        "ulaw" => "mulaw",
        "ima4" | "ms\0\u{11}" => "adpcm",
        "sowt" | "twos" | "lpcm" | "raw" | "in24" | "in32" | "ipcm" | "pcm/int/lit" | "pcm/int/big" => "pcm",
        "fl32" | "fl64" | "pcm/float/ieee" => "pcm-float",
        "encv" | "enca" => "encrypted",
        other => {
            let named = other.chars().filter(|c| c.is_ascii_graphic()).take(32).collect::<String>();
            return Cow::Owned(named);
        }
    };
    Cow::Borrowed(known)
}

#[cfg(test)]
mod tests {
    #[test]
    fn containers_name_one_codec_alike() {
        for (written, expected) in [
            ("avc1", "h264"),
            ("V_MPEG4/ISO/AVC", "h264"),
            ("H264", "h264"),
            ("A_VORBIS", "vorbis"),
            ("fLaC", "flac"),
            ("Opus", "opus"),
            ("XYZ\0", "xyz"),
        ] {
            assert_eq!(super::name(written.as_bytes()), expected);
        }
    }
}
