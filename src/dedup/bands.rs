//! Bands: which sketches agree in enough places for their pages to be compared.
//!
//! **Definition.** The `b·r` values of a [`Sketch`] are cut into `b` bands of `r` rows. Two pages are candidates where they
//! agree in all rows of a band. Sketches of resemblance `s` do with probability `1 − (1 − s^r)^b`, an S-curve whose
//! steepest part is near `(1/b)^(1/r)`. A band is stored as one 64-bit number, its hash: XXH3, seeded with the band's
//! number, of its rows as 8 little-endian bytes each. So equal hashes of different bands, or of different rows, are as
//! rare as collisions of 64 bits, and cost a comparison only.
//!
//! **Shapes.** By name, as published; all over word shingles here:
//!
//! | name | bands × rows | words a shingle | steepest at | source |
//! |---|---|---|---|---|
//! | `webmill` (the default) | 21 × 6 | 3 | .60 | misses .2 % of the pairs at .8 where 16 × 8 misses 5.3 %, for 1.6 to 2.1 times the candidates |
//! | `datatrove` | 14 × 8 | 5 | .72 | its `MinhashConfig`; FineWeb, arXiv:2406.17557 |
//!
//! **Cost.** `b` hashes of `8·r` bytes a page, `8·b` bytes stored: 168 for the default.
//!
//! **Reference.** Leskovec, Rajaraman, Ullman, *Mining of Massive Datasets*, §3.4.

pub(crate) mod join;
mod known;
mod rounds;
mod stream;

use std::fmt;
use std::str::FromStr;

use webmill_capture::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::minhash::{MAX_MINHASH_VALUES, Sketch};

/// Version of what stored band hashes mean: of the sketch, of the words and of the hash of a band.
pub const BANDS_VERSION: u32 = 1;

/// Share of the pairs at the bound that a shape [made for it](BandShape::for_resemblance) finds, at least.
const RECALL: f64 = 0.99;

/// Most bands of such a shape, if it has more than one row: each is a number to be sorted a page.
const MOST_BANDS: u32 = 64;

/// Most words of a shingle.
const MAX_WORDS: u32 = 100;

/// How a sketch is cut, and what it is a sketch of.
///
/// Written and read as `16x8` (3-word shingles), `14x8w5` (5-word shingles), or as one of the names above.
///
/// # Examples
/// ```
/// use webmill_dedup::BandShape;
/// assert_eq!("datatrove".parse::<BandShape>()?, "14x8w5".parse()?);
/// assert_eq!(BandShape::default().to_string(), "21x6");
/// assert!("16x800".parse::<BandShape>().is_err());
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BandShape {
    /// Bands, at least 1.
    pub bands: u32,
    /// Rows of a band, at least 1; bands × rows is 1,024 at most.
    pub rows: u32,
    /// Words of a shingle, 1 to 100.
    pub words: u32,
}

impl BandShape {
    /// The shapes with names.
    pub const NAMED: [(&'static str, BandShape); 2] = [
        ("webmill", BandShape { bands: 21, rows: 6, words: 3 }),
        ("datatrove", BandShape { bands: 14, rows: 8, words: 5 }),
    ];

    /// The shape for pairs of resemblance `least`, above 0 to 1, and more: that of the stored bands, 21 x 6, where it
    /// finds .99 of the pairs at `least` (from .766 on); else the most rows, six at most, with which 64 bands or fewer do,
    /// and as many bands as that takes.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::BandShape;
    /// assert_eq!(BandShape::for_resemblance(0.8), BandShape::default());
    /// assert_eq!(BandShape::for_resemblance(0.5).to_string(), "35x3");
    /// assert!(BandShape::for_resemblance(0.5).probability(0.5) >= 0.99);
    /// ```
    pub fn for_resemblance(least: f64) -> BandShape {
        let stored = BandShape::default();
        let least = least.clamp(0.01, 1.0);
        if stored.is_enough_for(least) {
            return stored;
        }
        // 1 − (1 − s^r)^b ≥ recall, solved for b.
        let bands = |rows: u32| {
            let missed = (-least.powf(f64::from(rows))).ln_1p();
            ((1.0 - RECALL).ln() / missed).ceil() as u32
        };
        let rows = (2..=stored.rows).rev().find(|&rows| bands(rows) <= MOST_BANDS).unwrap_or(1);
        BandShape { bands: bands(rows), rows, words: stored.words }
    }

    /// Values that a sketch must have.
    pub fn values(&self) -> usize {
        self.bands as usize * self.rows as usize
    }

    /// Refuses shapes out of range.
    ///
    /// # Errors
    /// `Config`, with the range.
    pub fn check(&self) -> Result<()> {
        let values = u64::from(self.bands) * u64::from(self.rows);
        if !(1..=MAX_MINHASH_VALUES as u64).contains(&values) {
            return Err(Error::Config(format!(
                "{self}: bands times rows must be 1 to {MAX_MINHASH_VALUES}, not {values}"
            )));
        }
        if !(1..=MAX_WORDS).contains(&self.words) {
            return Err(Error::Config(format!("{self}: a shingle has 1 to {MAX_WORDS} words")));
        }
        Ok(())
    }

    /// The probability that two pages of resemblance `s` become candidates: `1 − (1 − s^r)^b`.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::BandShape;
    /// assert_eq!(("16x8".parse::<BandShape>()?.probability(0.8) * 1000.0).round(), 947.0);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn probability(&self, s: f64) -> f64 {
        1.0 - (1.0 - s.clamp(0.0, 1.0).powf(f64::from(self.rows))).powf(f64::from(self.bands))
    }

    /// Whether .99 of the pairs of resemblance `least` and more are expected to become candidates.
    pub fn is_enough_for(&self, least: f64) -> bool {
        self.probability(least) >= RECALL
    }

    /// The resemblance about which the probability rises most steeply: `(1/b)^(1/r)`.
    pub fn threshold(&self) -> f64 {
        f64::from(self.bands).recip().powf(f64::from(self.rows).recip())
    }

    /// What stored band hashes depend on; those of another key are incomparable.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(webmill_dedup::BandShape::default().key(), "minhash-1-21x6");
    /// ```
    pub fn key(&self) -> String {
        format!("minhash-{BANDS_VERSION}-{self}")
    }

    /// Hashes of the bands of `sketch`, appended to `out`; none if the sketch is of another size.
    pub fn hash(&self, sketch: &Sketch, out: &mut Vec<u64>) {
        let rows = self.rows as usize;
        if rows == 0 || sketch.values().len() != self.values() {
            return;
        }
        let mut bytes = [0; 8 * 64];
        let mut long = Vec::new();
        for (band, values) in sketch.values().chunks_exact(rows).enumerate() {
            let bytes = match bytes.get_mut(..8 * rows) {
                Some(bytes) => bytes,
                None => {
                    long.resize(8 * rows, 0);
                    long.as_mut_slice()
                }
            };
            for (to, value) in bytes.chunks_exact_mut(8).zip(values) {
                to.copy_from_slice(&value.to_le_bytes());
            }
            out.push(xxh3_64_with_seed(bytes, band as u64));
        }
    }
}

/// Which bands candidates are found by: of a given shape, or of the one that the bound on the resemblance asks for.
///
/// Written and read as `auto` or as a [`BandShape`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum BandChoice {
    /// [`BandShape::for_resemblance`].
    #[default]
    Auto,
    /// This one.
    Shape(BandShape),
}

impl BandChoice {
    /// The shape, for pairs of resemblance `least` and more.
    pub fn shape(&self, least: f64) -> BandShape {
        match self {
            BandChoice::Auto => BandShape::for_resemblance(least),
            BandChoice::Shape(shape) => *shape,
        }
    }
}

impl TryFrom<String> for BandChoice {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl FromStr for BandChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "auto" { Ok(BandChoice::Auto) } else { text.parse().map(BandChoice::Shape) }
    }
}

impl From<BandChoice> for String {
    fn from(choice: BandChoice) -> String {
        match choice {
            BandChoice::Auto => "auto".into(),
            BandChoice::Shape(shape) => shape.to_string(),
        }
    }
}

impl Default for BandShape {
    fn default() -> Self {
        Self::NAMED[0].1
    }
}

impl fmt::Display for BandShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.bands, self.rows)?;
        if self.words != 3 { write!(f, "w{}", self.words) } else { Ok(()) }
    }
}

impl FromStr for BandShape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some((_, shape)) = Self::NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(*shape);
        }
        let (bands, rest) = text.split_once('x').unwrap_or((text, ""));
        let (rows, words) = rest.split_once('w').unwrap_or((rest, "3"));
        // Only digits: `parse` would take a sign as well.
        let number = |digits: &str| {
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
        };
        let (Some(bands), Some(rows), Some(words)) = (number(bands), number(rows), number(words)) else {
            let names = Self::NAMED.map(|(name, _)| name).join(", ");
            return Err(Error::Config(format!(
                "{text}: bands are auto, {names}, or bands x rows such as 16x8 (3-word shingles) or 14x8w5 (5-word shingles)"
            )));
        };
        let shape = BandShape { bands, rows, words };
        shape.check()?;
        Ok(shape)
    }
}

impl TryFrom<String> for BandShape {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<BandShape> for String {
    fn from(shape: BandShape) -> String {
        shape.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minhash::MinHasher;

    #[test]
    fn the_curve_is_that_of_the_definition() {
        let default: BandShape = "16x8".parse().unwrap();
        for (s, expected) in [(0.8, 0.947), (0.5, 0.061), (0.0, 0.0), (1.0, 1.0)] {
            assert!((default.probability(s) - expected).abs() < 5e-4, "{s}: {}", default.probability(s));
        }
        let shape = |text: &str| text.parse::<BandShape>().unwrap();
        for (text, expected) in [("32x4", 0.42), ("16x8", 0.707), ("1x1", 1.0), ("datatrove", 0.719)] {
            assert!((shape(text).threshold() - expected).abs() < 1e-3, "{text}: {}", shape(text).threshold());
        }
        assert!((shape("datatrove").probability(0.8) - 0.924).abs() < 5e-4);
    }

    #[test]
    fn shapes_for_a_bound_find_what_reaches_it() {
        for percent in 1..=100 {
            let least = f64::from(percent) / 100.0;
            let shape = BandShape::for_resemblance(least);
            shape.check().unwrap();
            assert!(shape.probability(least) >= 0.99, "{least}: {shape} {}", shape.probability(least));
            assert_eq!(shape == BandShape::default(), percent >= 77, "{least}: {shape}");
        }
        let named = |least| BandShape::for_resemblance(least).to_string();
        assert_eq!([0.7, 0.6, 0.4, 0.2].map(named), ["37x6", "57x5", "27x2", "21x1"]);
    }

    #[test]
    fn shapes_are_read_as_they_are_written() {
        for (text, bands, rows, words) in [
            ("webmill", 21, 6, 3),
            ("16x8", 16, 8, 3),
            ("datatrove", 14, 8, 5),
            ("1x1w1", 1, 1, 1),
            ("1024x1w100", 1024, 1, 100),
        ] {
            let shape: BandShape = text.parse().unwrap();
            assert_eq!(shape, BandShape { bands, rows, words }, "{text}");
            assert_eq!(shape.to_string().parse::<BandShape>().unwrap(), shape, "{text}");
        }
        for text in [
            "",
            "x",
            "16",
            "16x",
            "x8",
            "0x8",
            "16x0",
            "16x8w",
            "16x8w0",
            "16x8w101",
            "1025x1",
            "-1x8",
            "+1x8",
            " 1x8",
            "4294967295x4294967295",
            "99999999999x1",
            "Datatrove",
        ] {
            assert!(matches!(text.parse::<BandShape>(), Err(Error::Config(_))), "{text:?}");
        }
    }

    #[test]
    fn settings_hold_a_shape_as_text() {
        let shape: BandShape = serde_json::from_str("\"datatrove\"").unwrap();
        assert_eq!(serde_json::to_string(&shape).unwrap(), "\"14x8w5\"");
        assert!(serde_json::from_str::<BandShape>("\"0x1\"").is_err());
    }

    /// Share of pairs of resemblance `j` that agree in a band, among random pairs of sets of `n` elements together.
    fn candidates(shape: BandShape, n: u64, j: f64, rounds: u64) -> f64 {
        let mut hasher = MinHasher::new(shape.values());
        let mut of = |set: Vec<u64>| {
            let mut bands = Vec::new();
            shape.hash(&hasher.sketch(&set).unwrap(), &mut bands);
            bands
        };
        let common = (n as f64 * j).round() as u64;
        let mut found = 0;
        for round in 0..rounds {
            let element = |i: u64| xxh3_64_with_seed(&i.to_le_bytes(), round);
            let a = of((0..n).filter(|i| *i < common || i % 2 == 0).map(element).collect());
            let b = of((0..n).filter(|i| *i < common || i % 2 == 1).map(element).collect());
            found += u64::from(a.iter().zip(&b).any(|(a, b)| a == b));
        }
        found as f64 / rounds as f64
    }

    #[test]
    fn candidates_are_as_many_as_the_curve_says() {
        for text in ["webmill", "datatrove"] {
            let shape: BandShape = text.parse().unwrap();
            for (n, rounds) in [(10, 2000), (120, 2000), (1000, 1000)] {
                for j in [0.5, 0.7, 0.8, 0.9] {
                    let (found, curve) = (candidates(shape, n, j, rounds), shape.probability(j));
                    let error = (curve * (1.0 - curve) / rounds as f64).sqrt();
                    // Values drawn without replacement make the curve steeper: more above its middle, fewer below.
                    let steeper = 0.03;
                    assert!(
                        (found - curve).abs() < steeper + 4.0 * error,
                        "{text}, {n}, {j}: {found}, {curve}"
                    );
                    if j >= 0.8 {
                        assert!(found > curve - 4.0 * error, "{text}, {n}, {j}: {found}, {curve}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_stored_hashes_stay() {
        let sketch = MinHasher::new(4).sketch(&[1 << 60, 5 << 60, 9 << 60, 13 << 60]).unwrap();
        let mut bands = Vec::new();
        BandShape { bands: 2, rows: 2, words: 3 }.hash(&sketch, &mut bands);
        assert_eq!(bands, [0xc9cbe7f17ad8c9d5, 0xb970ee1486c555d1]);
    }

    #[test]
    fn bands_of_equal_rows_differ_by_their_number() {
        let sketch = MinHasher::new(1).sketch(&[3]).unwrap();
        let twice = Sketch { values: vec![sketch.values()[0]; 2].into() };
        let mut bands = Vec::new();
        BandShape { bands: 2, rows: 1, words: 3 }.hash(&twice, &mut bands);
        assert_ne!(bands[0], bands[1]);
    }

    #[test]
    fn a_sketch_of_another_size_has_no_bands() {
        let mut bands = Vec::new();
        BandShape::default().hash(&MinHasher::new(125).sketch(&[3]).unwrap(), &mut bands);
        BandShape { bands: 0, rows: 0, words: 0 }.hash(&MinHasher::new(1).sketch(&[3]).unwrap(), &mut bands);
        assert!(bands.is_empty());
    }
}
