//! Names of genres by number.
//!
//! 0 to 79 are those of ID3v1; 80 to 191 were added by Winamp and are written by others too.

use crate::text;

const GENRES: [&str; 192] = [
    "Blues",
    "Classic Rock",
    "Country",
    "Dance",
    "Disco",
    "Funk",
    "Grunge",
    "Hip-Hop",
    "Jazz",
    "Metal",
    "New Age",
    "Oldies",
    "Other",
    "Pop",
    "R&B",
    "Rap",
    "Reggae",
    "Rock",
    "Techno",
    "Industrial",
    "Alternative",
    "Ska",
    "Death Metal",
    "Pranks",
    "Soundtrack",
    "Euro-Techno",
    "Ambient",
    "Trip-Hop",
    "Vocal",
    "Jazz+Funk",
    "Fusion",
    "Trance",
    "Classical",
    "Instrumental",
    "Acid",
    "House",
    "Game",
    "Sound Clip",
    "Gospel",
    "Noise",
    "Alternative Rock",
    "Bass",
    "Soul",
    "Punk",
    "Space",
    "Meditative",
    "Instrumental Pop",
    "Instrumental Rock",
    "Ethnic",
    "Gothic",
    "Darkwave",
    "Techno-Industrial",
    "Electronic",
    "Pop-Folk",
    "Eurodance",
    "Dream",
    "Southern Rock",
    "Comedy",
    "Cult",
    "Gangsta",
    "Top 40",
    "Christian Rap",
    "Pop/Funk",
    "Jungle",
    "Native American",
    "Cabaret",
    "New Wave",
    "Psychedelic",
    "Rave",
    "Showtunes",
    "Trailer",
    "Lo-Fi",
    "Tribal",
    "Acid Punk",
    "Acid Jazz",
    "Polka",
    "Retro",
    "Musical",
    "Rock & Roll",
    "Hard Rock",
    "Folk",
    "Folk-Rock",
    "National Folk",
    "Swing",
    "Fast Fusion",
    "Bebop",
    "Latin",
    "Revival",
    "Celtic",
    "Bluegrass",
    "Avantgarde",
    "Gothic Rock",
    "Progressive Rock",
    "Psychedelic Rock",
    "Symphonic Rock",
    "Slow Rock",
    "Big Band",
    "Chorus",
    "Easy Listening",
    "Acoustic",
    "Humour",
    "Speech",
    "Chanson",
    "Opera",
    "Chamber Music",
    "Sonata",
    "Symphony",
    "Booty Bass",
    "Primus",
    "Porn Groove",
    "Satire",
    "Slow Jam",
    "Club",
    "Tango",
    "Samba",
    "Folklore",
    "Ballad",
    "Power Ballad",
    "Rhythmic Soul",
    "Freestyle",
    "Duet",
    "Punk Rock",
    "Drum Solo",
    "A Cappella",
    "Euro-House",
    "Dance Hall",
    "Goa",
    "Drum & Bass",
    "Club-House",
    "Hardcore",
    "Terror",
    "Indie",
    "BritPop",
    "Afro-Punk",
    "Polsk Punk",
    "Beat",
    "Christian Gangsta Rap",
    "Heavy Metal",
    "Black Metal",
    "Crossover",
    "Contemporary Christian",
    "Christian Rock",
    "Merengue",
    "Salsa",
    "Thrash Metal",
    "Anime",
    "JPop",
    "Synthpop",
    "Abstract",
    "Art Rock",
    "Baroque",
    "Bhangra",
    "Big Beat",
    "Breakbeat",
    "Chillout",
    "Downtempo",
    "Dub",
    "EBM",
    "Eclectic",
    "Electro",
    "Electroclash",
    "Emo",
    "Experimental",
    "Garage",
    "Global",
    "IDM",
    "Illbient",
    "Industro-Goth",
    "Jam Band",
    "Krautrock",
    "Leftfield",
    "Lounge",
    "Math Rock",
    "New Romantic",
    "Nu-Breakz",
    "Post-Punk",
    "Post-Rock",
    "Psytrance",
    "Shoegaze",
    "Space Rock",
    "Trop Rock",
    "World Music",
    "Neoclassical",
    "Audiobook",
    "Audio Theatre",
    "Neue Deutsche Welle",
    "Podcast",
    "Indie Rock",
    "G-Funk",
    "Dubstep",
    "Garage Rock",
    "Psybient",
];

/// The genre of a number.
pub(crate) fn name(number: u8) -> Option<&'static str> {
    GENRES.get(usize::from(number)).copied()
}

/// The genre of an ID3v2 frame: `(17)` or `17` is Rock; words behind numbers say it better; `((` begins words.
pub(crate) fn named(written: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for mut part in written.split('\0').map(str::trim) {
        let mut numbered = Vec::new();
        while let Some((inner, rest)) =
            part.strip_prefix('(').filter(|rest| !rest.starts_with('(')).and_then(|rest| rest.split_once(')'))
        {
            let Some(name) = code(inner) else { break };
            numbered.push(name);
            part = rest.trim_start();
        }
        let words =
            code(part).unwrap_or(part.strip_prefix('(').filter(|rest| rest.starts_with('(')).unwrap_or(part));
        match words {
            "" => names.extend(numbered),
            words => names.push(words),
        }
    }
    names.dedup();
    text::one_line(&names.join("; "))
}

fn code(written: &str) -> Option<&'static str> {
    match written {
        "RX" => Some("Remix"),
        "CR" => Some("Cover"),
        number => number.parse().ok().and_then(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_names() {
        for (number, expected) in [
            (0, "Blues"),
            (17, "Rock"),
            (79, "Hard Rock"),
            (80, "Folk"),
            (125, "Dance Hall"),
            (147, "Synthpop"),
            (191, "Psybient"),
        ] {
            assert_eq!(name(number), Some(expected));
        }
        assert_eq!((name(192), name(255)), (None, None));
    }

    #[test]
    fn frames_name_genres_in_many_ways() {
        for (written, expected) in [
            ("(17)", Some("Rock")),
            ("17", Some("Rock")),
            ("Rock", Some("Rock")),
            ("(4)Eurodisco", Some("Eurodisco")),
            ("(51)(39)", Some("Techno-Industrial; Noise")),
            ("31\0(39)", Some("Trance; Noise")),
            ("((Foobar)", Some("(Foobar)")),
            ("(255)", Some("(255)")),
            ("(RX)", Some("Remix")),
            ("", None),
        ] {
            assert_eq!(named(written).as_deref(), expected, "{written}");
        }
    }
}
