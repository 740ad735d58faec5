//! How good predictions are.
//!
//! **Definition.** Of each class: precision, recall and their harmonic mean F1 (0 where nothing is right). Macro: the mean over classes that
//! any page is of or was told to be of. Micro: of the sums over classes. Accuracy: the share of pages whose classes were all told, and no
//! others. Calibration: pages by the probability of what was told first, in ten bins: mean probability, and share that was right.

/// Bins of calibration.
pub const BINS: usize = 10;

/// Sums over pages; those of folds can be added.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    classes: usize,
    pages: u64,
    right: u64,
    /// Of each class: told rightly, told wrongly, missed.
    by_class: Vec<[u64; 3]>,
    /// Row: true class, column: told class. Pages of several classes count in each pair of theirs.
    confusion: Vec<u64>,
    /// Pages, sum of probabilities, right ones.
    bins: [(u64, f64, u64); BINS],
}

impl Evaluation {
    /// No pages yet.
    pub fn new(classes: usize) -> Self {
        Evaluation {
            classes,
            pages: 0,
            right: 0,
            by_class: vec![[0; 3]; classes],
            confusion: vec![0; classes * classes],
            bins: [(0, 0.0, 0); BINS],
        }
    }

    /// Adds a page: its classes, those that were told (ascending), and the class told first with its probability.
    pub fn add(&mut self, truth: &[u32], told: &[u32], first: u32, probability: f64) {
        self.pages += 1;
        self.right += u64::from(truth == told);
        for &class in told {
            self.by_class[class as usize][usize::from(!truth.contains(&class))] += 1;
            truth.iter().for_each(|&is| self.confusion[is as usize * self.classes + class as usize] += 1);
        }
        truth
            .iter()
            .filter(|class| !told.contains(class))
            .for_each(|&class| self.by_class[class as usize][2] += 1);
        let bin = &mut self.bins[((probability * BINS as f64) as usize).min(BINS - 1)];
        *bin = (bin.0 + 1, bin.1 + probability, bin.2 + u64::from(truth.contains(&first)));
    }

    /// Number of pages.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Share of pages that are right.
    pub fn accuracy(&self) -> f64 {
        ratio(self.right, self.pages)
    }

    /// Pages of a class.
    pub fn support(&self, class: usize) -> u64 {
        self.by_class[class][0] + self.by_class[class][2]
    }

    /// Precision, recall and F1 of a class.
    pub fn of_class(&self, class: usize) -> [f64; 3] {
        measures(self.by_class[class])
    }

    /// The same of the sums over classes.
    pub fn micro(&self) -> [f64; 3] {
        let mut sums = [0; 3];
        self.by_class.iter().for_each(|of| sums.iter_mut().zip(of).for_each(|(sum, more)| *sum += more));
        measures(sums)
    }

    /// The same, as means over classes.
    pub fn macro_mean(&self) -> [f64; 3] {
        let met: Vec<[f64; 3]> =
            self.by_class.iter().filter(|of| of.iter().sum::<u64>() > 0).map(|of| measures(*of)).collect();
        let mean = |at: usize| met.iter().map(|of| of[at]).sum::<f64>() / met.len().max(1) as f64;
        [mean(0), mean(1), mean(2)]
    }

    /// Pages of class `is` that were told to be of class `told`.
    pub fn confused(&self, is: usize, told: usize) -> u64 {
        self.confusion[is * self.classes + told]
    }

    /// Of each bin: pages, mean probability, share that is right.
    pub fn calibration(&self) -> [(u64, f64, f64); BINS] {
        self.bins.map(|(pages, sum, right)| (pages, sum / (pages.max(1)) as f64, ratio(right, pages)))
    }

    /// Mean distance of probability and share that is right, over pages.
    pub fn calibration_error(&self) -> f64 {
        let off = |(pages, mean, right): (u64, f64, f64)| pages as f64 * (mean - right).abs();
        self.calibration().into_iter().map(off).sum::<f64>() / self.pages.max(1) as f64
    }

    /// Mean of accuracy and macro F1, by which methods are compared when one is chosen.
    pub fn merit(&self) -> f64 {
        (self.accuracy() + self.macro_mean()[2]) / 2.0
    }
}

fn ratio(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

fn measures([right, wrong, missed]: [u64; 3]) -> [f64; 3] {
    [ratio(right, right + wrong), ratio(right, right + missed), ratio(2 * right, 2 * right + wrong + missed)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_as_defined() {
        let mut whole = Evaluation::new(3);
        whole.add(&[0], &[0], 0, 0.95);
        whole.add(&[0], &[1], 1, 0.55);
        whole.add(&[1], &[1], 1, 0.52);
        whole.add(&[2], &[1], 1, 1.0);
        assert_eq!(whole.accuracy(), 0.5);
        assert_eq!(whole.of_class(0), [1.0, 0.5, 2.0 / 3.0]);
        assert_eq!(whole.of_class(1), [1.0 / 3.0, 1.0, 0.5]);
        assert_eq!(whole.of_class(2), [0.0; 3]);
        assert_eq!(whole.micro(), [0.5; 3]);
        assert!((whole.macro_mean()[2] - (2.0 / 3.0 + 0.5) / 3.0).abs() < 1e-12);
        assert_eq!((whole.confused(2, 1), whole.confused(1, 2), whole.support(0)), (1, 0, 2));
        let bins = whole.calibration();
        assert_eq!((bins[9].0, bins[9].2, bins[5].0, bins[5].2), (2, 0.5, 2, 0.5));
        // Of several classes.
        let mut multi = Evaluation::new(3);
        multi.add(&[0, 1], &[0], 0, 0.9);
        multi.add(&[], &[], 0, 0.1);
        assert_eq!((multi.accuracy(), multi.micro()), (0.5, [1.0, 0.5, 2.0 / 3.0]));
    }
}
