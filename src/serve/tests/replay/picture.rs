//! Screenshots: PNG files of eight bits a channel, as Chromium writes them.

use std::io::Read;
use std::path::Path;

pub struct Picture {
    pub width: usize,
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// # Panics
    /// For files that are not of this kind.
    pub fn read(path: &Path) -> Picture {
        let file = std::fs::read(path).unwrap();
        assert!(file.starts_with(b"\x89PNG\r\n\x1a\n"));
        let word = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let (width, height) = (word(16), word(20));
        assert_eq!(file[24], 8, "bits a channel");
        let channels = match file[25] {
            2 => 3,
            6 => 4,
            kind => panic!("pictures of kind {kind}"),
        };
        assert_eq!(file[28], 0, "not interlaced");
        let mut packed = Vec::new();
        let mut at = 8;
        while at + 8 < file.len() {
            let length = word(at);
            if &file[at + 4..at + 8] == b"IDAT" {
                packed.extend_from_slice(&file[at + 8..at + 8 + length]);
            }
            at += 12 + length;
        }
        let mut lines = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut lines).unwrap();
        let stride = width * channels;
        let mut above = vec![0u8; stride];
        let mut pixels = Vec::with_capacity(width * height);
        for line in lines.chunks_exact_mut(stride + 1) {
            let (filter, line) = line.split_first_mut().unwrap();
            unfilter(*filter, line, &above, channels);
            pixels.extend(line.chunks_exact(channels).map(|pixel| [pixel[0], pixel[1], pixel[2]]));
            above.copy_from_slice(line);
        }
        Picture { width, height, pixels }
    }

    /// Number of pixels in which two pictures differ by more than `tolerance` in a channel.
    pub fn differing(&self, other: &Picture, tolerance: u8) -> usize {
        assert_eq!((self.width, self.height), (other.width, other.height), "sizes of the pictures");
        let differ = |a: &[u8; 3], b: &[u8; 3]| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > tolerance);
        self.pixels.iter().zip(&other.pixels).filter(|(a, b)| differ(a, b)).count()
    }

    /// How many colours there are: of an empty page one.
    pub fn colours(&self) -> usize {
        self.pixels.iter().collect::<std::collections::HashSet<_>>().len()
    }
}

/// Undoes the filter of a line: PNG specification, section 9.
fn unfilter(filter: u8, line: &mut [u8], above: &[u8], channels: usize) {
    for at in 0..line.len() {
        let left = if at >= channels { line[at - channels] } else { 0 };
        let corner = if at >= channels { above[at - channels] } else { 0 };
        let guess = match filter {
            0 => 0,
            1 => left,
            2 => above[at],
            3 => ((u16::from(left) + u16::from(above[at])) / 2) as u8,
            4 => paeth(left, above[at], corner),
            other => panic!("filter {other}"),
        };
        line[at] = line[at].wrapping_add(guess);
    }
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(above), i16::from(corner));
    let guess = a + b - c;
    let (da, db, dc) = ((guess - a).abs(), (guess - b).abs(), (guess - c).abs());
    if da <= db && da <= dc {
        left
    } else if db <= dc {
        above
    } else {
        corner
    }
}
