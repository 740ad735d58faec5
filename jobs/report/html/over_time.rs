//! Counts over time, stacked.

use serde::Serialize;

use super::picture::Pixels;

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 46.0;
const BOTTOM: f64 = 26.0;
const TOP: f64 = 10.0;
const RIGHT: f64 = 8.0;

/// The picture, and the counts in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OverTime {
    /// Height and number of each tick.
    ticks: Vec<(Pixels, u64)>,
    layers: Vec<String>,
    periods: Vec<Period>,
    /// Width of a bar.
    width: Pixels,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Period {
    name: String,
    /// Where its label stands; of those for which there is room.
    label: Option<Pixels>,
    x: Pixels,
    /// Of each layer: count, upper end and height of its bar, number of the layer.
    bars: Vec<(u64, Pixels, Pixels, usize)>,
}

impl OverTime {
    /// The picture of the counts of each layer, at most six, in the order of the periods, which have no gaps; `None` where there is
    /// nothing to compare.
    pub fn of(names: &[String], layers: &[(String, Vec<u64>)]) -> Option<Self> {
        let count = |layer: &(String, Vec<u64>), period: usize| layer.1.get(period).copied().unwrap_or(0);
        let total = |period| layers.iter().map(|layer| count(layer, period)).sum();
        let most: u64 = (0..names.len()).map(total).max()?;
        if names.len() < 2 || most == 0 {
            return None;
        }
        let (top, step) = nice(most);
        let y = |n: u64| HEIGHT - BOTTOM - n as f64 / top as f64 * (HEIGHT - TOP - BOTTOM);
        let slot = (WIDTH - LEFT - RIGHT) / names.len() as f64;
        // As many labels as there is room for.
        let every = (names.len() as f64 * 52.0 / (WIDTH - LEFT)).ceil().max(1.0) as usize;
        let period = |(i, name): (usize, &String)| {
            let x = LEFT + slot * i as f64;
            let mut below = 0;
            let bar = |(number, layer)| {
                let count = count(layer, i);
                below += count;
                (count, Pixels(y(below)), Pixels(y(below - count) - y(below)), number)
            };
            Period {
                name: name.clone(),
                label: (i % every == 0).then_some(Pixels(x + slot / 2.0)),
                x: Pixels(x + 0.1 * slot),
                bars: layers.iter().enumerate().map(bar).collect(),
            }
        };
        Some(OverTime {
            ticks: (0..=top / step).map(|i| (Pixels(y(i * step)), i * step)).collect(),
            layers: layers.iter().map(|(name, _)| name.clone()).collect(),
            periods: names.iter().enumerate().map(period).collect(),
            width: Pixels((0.8 * slot).max(0.5)),
        })
    }
}

/// A round number not below `most`, and the round step that divides it.
fn nice(most: u64) -> (u64, u64) {
    let mut step = 1u64;
    loop {
        for factor in [1, 2, 5] {
            let step = step.saturating_mul(factor);
            if most.div_ceil(step) <= 5 {
                return (most.div_ceil(step) * step, step);
            }
        }
        step = step.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (most, want) in [(1, (1, 1)), (5, (5, 1)), (6, (6, 2)), (11, (15, 5)), (99, (100, 20))] {
            assert_eq!(nice(most), want, "{most}");
        }
    }

    #[test]
    fn one_period_is_no_picture() {
        let of = |names: &[&str], counts: &[u64]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            OverTime::of(&names, &[("eng".into(), counts.to_vec())])
        };
        assert_eq!(of(&["2001"], &[9]), None);
        assert_eq!(of(&["2001", "2002"], &[0, 0]), None);
        assert_eq!(of(&["2001", "2002"], &[9, 0]).unwrap().periods.len(), 2);
    }
}
