//! Does a power law fit, and with which exponent?
//!
//! **Definition.** A discrete power law above x_min: p(x) = x^−γ / ζ(γ, x_min), x = x_min, x_min + 1, …, with
//! the Hurwitz zeta function.
//!
//! **Algorithm.** For each candidate x_min the exponent by maximum likelihood (golden section, the likelihood
//! being concave in γ); the x_min whose Kolmogorov–Smirnov distance between data and law is least. The
//! standard error of γ is 1 / √(n (ln ζ)''). The rival is a log-normal, discrete and cut at the same x_min,
//! fitted by maximum likelihood (simplex search); Vuong's normalised likelihood ratio says which is nearer.
//!
//! **Cost.** Candidates × distinct values; at most [`MAX_CANDIDATES`] candidates, spread over the distinct
//! values.
//!
//! **Reference.** A. Clauset, C. R. Shalizi, M. E. J. Newman, Power-law distributions in empirical data,
//! *SIAM Review* 51 (2009), doi:10.1137/070710111.

/// Most candidates for x_min.
pub const MAX_CANDIDATES: usize = 300;
/// Least number of values above x_min.
const LEAST_TAIL: u64 = 50;
/// Exponents that are looked at.
const GAMMA: (f64, f64) = (1.01, 12.0);

/// A fitted power law.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PowerLaw {
    /// Exponent γ.
    pub gamma: f64,
    /// Standard error of γ, for the given x_min.
    pub gamma_error: f64,
    /// Least value that the law covers.
    pub x_min: u64,
    /// Number of values that the law covers.
    pub tail: u64,
    /// Kolmogorov–Smirnov distance between data and law.
    pub ks: f64,
    /// Vuong's normalised log-likelihood ratio against a log-normal: positive if the power law is nearer.
    pub ratio: f64,
    /// Probability of a ratio at least that far from 0 if both are equally near: the sign means little unless
    /// this is small.
    pub p_value: f64,
}

/// Fits a power law to (value, count) pairs in ascending order. `None` if no x_min leaves 50 values and two
/// different ones.
pub(super) fn fit(counts: &[(u64, u64)]) -> Option<PowerLaw> {
    let counts = &counts[counts.partition_point(|c| c.0 == 0)..];
    // Of the values from each index on: how many, and the sum of their logarithms.
    let mut tails = vec![(0u64, 0.0f64); counts.len() + 1];
    for (i, &(value, count)) in counts.iter().enumerate().rev() {
        tails[i] = (tails[i + 1].0 + count, tails[i + 1].1 + count as f64 * (value as f64).ln());
    }
    let usable = counts.len().saturating_sub(1).min(tails.partition_point(|t| t.0 >= LEAST_TAIL));
    let mut candidates: Vec<usize> = (0..usable.min(MAX_CANDIDATES / 2)).collect();
    if usable > candidates.len() {
        // The further ones in even steps of the logarithm.
        let (first, rest) = (candidates.len() as f64, MAX_CANDIDATES - candidates.len());
        let step = (usable as f64 / first).powf(1.0 / rest as f64);
        candidates.extend((0..rest).map(|i| (first * step.powi(i as i32)) as usize));
        candidates.retain(|&i| i < usable);
        candidates.dedup();
    }
    let mut best: Option<(f64, f64, usize)> = None;
    for i in candidates {
        let (tail, logs) = tails[i];
        let x_min = counts[i].0 as f64;
        let gamma = maximise(GAMMA, |gamma| -(tail as f64) * zeta(gamma, x_min).ln() - gamma * logs);
        let ks = distance(&counts[i..], tail, gamma);
        if best.is_none_or(|best| ks < best.0) {
            best = Some((ks, gamma, i));
        }
    }
    let (ks, gamma, i) = best?;
    let (tail, x_min) = (tails[i].0, counts[i].0);
    let h = 1e-3;
    let curvature = (zeta(gamma + h, x_min as f64).ln() - 2.0 * zeta(gamma, x_min as f64).ln()
        + zeta(gamma - h, x_min as f64).ln())
        / (h * h);
    let gamma_error = 1.0 / (tail as f64 * curvature).sqrt();
    let (ratio, p_value) = against_log_normal(&counts[i..], tail, gamma);
    Some(PowerLaw { gamma, gamma_error, x_min, tail, ks, ratio, p_value })
}

/// Kolmogorov–Smirnov distance between the law and the values, which start at x_min.
fn distance(counts: &[(u64, u64)], tail: u64, gamma: f64) -> f64 {
    let whole = zeta(gamma, counts[0].0 as f64);
    let (mut seen, mut greatest) = (0, 0.0f64);
    for &(value, count) in counts {
        // Before the jump at the value, and after it.
        let before = 1.0 - zeta(gamma, value as f64) / whole;
        greatest = greatest.max((before - seen as f64 / tail as f64).abs());
        seen += count;
        let after = before + (value as f64).powf(-gamma) / whole;
        greatest = greatest.max((after - seen as f64 / tail as f64).abs());
    }
    greatest
}

/// Where a function with one maximum has it.
fn maximise((mut low, mut high): (f64, f64), f: impl Fn(f64) -> f64) -> f64 {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    while high - low > 1e-7 {
        if at_a > at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - ratio * (high - low);
            at_a = f(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + ratio * (high - low);
            at_b = f(b);
        }
    }
    low.midpoint(high)
}

/// Hurwitz zeta Σ (x + i)^−s for s > 1, x ≥ 1, by Euler and Maclaurin's formula.
fn zeta(s: f64, x: f64) -> f64 {
    let terms = if x < 12.0 { 12 } else { 0 };
    let head: f64 = (0..terms).map(|i| (x + f64::from(i)).powf(-s)).sum();
    let a = x + f64::from(terms);
    let power = a.powf(-s);
    let mut tail = power * a / (s - 1.0) + power / 2.0;
    // B₂ⱼ/(2j)! s(s+1)…(s+2j−2) a^(−s−2j+1)
    let mut term = power * s / a;
    for (j, coefficient) in
        [1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, -1.0 / 1209600.0].into_iter().enumerate()
    {
        tail += coefficient * term;
        let next = s + 2.0 * j as f64 + 1.0;
        term *= next * (next + 1.0) / (a * a);
    }
    head + tail
}

/// Vuong's normalised ratio of likelihoods, power law over log-normal, and its p-value.
fn against_log_normal(counts: &[(u64, u64)], tail: u64, gamma: f64) -> (f64, f64) {
    let x_min = counts[0].0 as f64;
    let n = tail as f64;
    let likelihood = |[mu, ln_sigma]: [f64; 2]| -> f64 {
        let law = LogNormal::new(mu, ln_sigma, x_min);
        counts.iter().map(|&(x, count)| count as f64 * law.ln_p(x as f64)).sum::<f64>() / n
    };
    let mean = counts.iter().map(|&(x, c)| c as f64 * (x as f64).ln()).sum::<f64>() / n;
    let variance = counts.iter().map(|&(x, c)| c as f64 * ((x as f64).ln() - mean).powi(2)).sum::<f64>() / n;
    let [mu, ln_sigma] = climb([mean, variance.sqrt().max(0.1).ln()], likelihood);
    let rival = LogNormal::new(mu, ln_sigma, x_min);
    let ln_zeta = zeta(gamma, x_min).ln();
    let difference = |x: u64| -gamma * (x as f64).ln() - ln_zeta - rival.ln_p(x as f64);
    let mean = counts.iter().map(|&(x, c)| c as f64 * difference(x)).sum::<f64>() / n;
    let variance = counts.iter().map(|&(x, c)| c as f64 * (difference(x) - mean).powi(2)).sum::<f64>() / n;
    if variance <= 1e-24 {
        return (0.0, 1.0);
    }
    let ratio = n.sqrt() * mean / variance.sqrt();
    (ratio, erfc(ratio.abs() / std::f64::consts::SQRT_2))
}

/// A log-normal rounded to whole numbers, above x_min.
struct LogNormal {
    mu: f64,
    sigma: f64,
    /// Probability of x_min and more, before the cut.
    whole: f64,
}

impl LogNormal {
    fn new(mu: f64, ln_sigma: f64, x_min: f64) -> Self {
        let sigma = ln_sigma.exp();
        LogNormal { mu, sigma, whole: upper(((x_min - 0.5).ln() - mu) / sigma) }
    }

    fn ln_p(&self, x: f64) -> f64 {
        let at = |y: f64| (y.ln() - self.mu) / self.sigma;
        let (a, b) = (at(x - 0.5), at(x + 0.5));
        // On the side where both are small, so that their difference keeps its digits.
        let p = if a > 0.0 { upper(a) - upper(b) } else { upper(-b) - upper(-a) };
        let floor = f64::MIN_POSITIVE;
        p.max(floor).ln() - self.whole.max(floor).ln()
    }
}

/// Upper tail of the standard normal distribution.
fn upper(z: f64) -> f64 {
    erfc(z / std::f64::consts::SQRT_2) / 2.0
}

/// Complementary error function, to some 14 digits: the series near 0, the continued fraction further out.
fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    let scale = (-x * x).exp() / std::f64::consts::PI.sqrt();
    if x < 2.5 {
        // erf = 2/√π e^(−x²) Σ 2ⁿ x^(2n+1) / (2n+1)!!
        let (mut term, mut sum, mut n) = (x, x, 1.0);
        while term > 1e-17 * sum {
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
            n += 1.0;
        }
        return 1.0 - 2.0 * scale * sum;
    }
    let fraction = (1..=60).rev().fold(x, |below, k| x + f64::from(k) / 2.0 / below);
    scale / fraction
}

/// Maximises a function of two variables by Nelder and Mead's simplex.
fn climb(start: [f64; 2], f: impl Fn([f64; 2]) -> f64) -> [f64; 2] {
    let mut simplex =
        [start, [start[0] + 0.5, start[1]], [start[0], start[1] + 0.5]].map(|point| (f(point), point));
    let mix = |a: [f64; 2], b: [f64; 2], t: f64| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
    for _ in 0..200 {
        simplex.sort_by(|a, b| b.0.total_cmp(&a.0));
        let [best, middle, worst] = simplex;
        if best.0 - worst.0 < 1e-12 {
            break;
        }
        let centre = mix(best.1, middle.1, 0.5);
        let at = |t: f64| {
            let point = mix(centre, worst.1, t);
            (f(point), point)
        };
        let reflected = at(-1.0);
        simplex[2] = if reflected.0 > best.0 {
            let further = at(-2.0);
            if further.0 > reflected.0 { further } else { reflected }
        } else if reflected.0 > middle.0 {
            reflected
        } else {
            let nearer = if reflected.0 > worst.0 { at(-0.5) } else { at(0.5) };
            if nearer.0 > worst.0.max(reflected.0) {
                nearer
            } else {
                for vertex in [1, 2] {
                    let point = mix(best.1, simplex[vertex].1, 0.5);
                    simplex[vertex] = (f(point), point);
                }
                continue;
            }
        };
    }
    simplex.sort_by(|a, b| b.0.total_cmp(&a.0));
    simplex[0].1
}

#[cfg(test)]
mod tests {
    use super::super::degrees::Histogram;
    use super::*;

    #[test]
    fn special_functions_have_their_known_values() {
        let pi = std::f64::consts::PI;
        for (found, known) in [
            (zeta(2.0, 1.0), pi * pi / 6.0),
            (zeta(4.0, 1.0), pi.powi(4) / 90.0),
            (zeta(2.0, 2.0), pi * pi / 6.0 - 1.0),
            (zeta(1.5, 1.0), 2.612375348685488),
            (zeta(3.0, 20.0) + (1..20).map(|i| f64::from(i).powi(-3)).sum::<f64>(), 1.2020569031595942),
            (zeta(2.5, 1.0) - zeta(2.5, 300.0), (1..300).map(|i| f64::from(i).powf(-2.5)).sum::<f64>()),
            (erfc(0.0), 1.0),
            (erfc(1.0), 0.157299207050285),
            (erfc(-1.0), 1.842700792949715),
            (erfc(3.0), 2.209049699858544e-5),
            (erfc(10.0), 2.088487583762545e-45),
        ] {
            assert!((found / known - 1.0).abs() < 1e-10, "{found} is not {known}");
        }
    }

    /// Uniform numbers in (0, 1), the same on every run.
    fn uniform() -> impl FnMut() -> f64 {
        let mut x = 0x9e3779b97f4a7c15u64;
        move || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            ((x >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        }
    }

    /// A value of the law: the inverse of its distribution function, by doubling and halving.
    fn draw(gamma: f64, x_min: u64, u: f64) -> u64 {
        let whole = zeta(gamma, x_min as f64);
        let above = |x: u64| zeta(gamma, x as f64) / whole;
        let (mut low, mut high) = (x_min, 2 * x_min);
        while above(high) >= u {
            (low, high) = (high, 2 * high);
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            if above(middle) >= u { low = middle } else { high = middle }
        }
        low
    }

    #[test]
    fn planted_exponents_are_found() {
        let mut next = uniform();
        for (gamma, x_min) in [(2.1, 1), (2.5, 1), (2.45, 8), (3.2, 3)] {
            // Below x_min something flat.
            let values: Vec<u64> =
                (0..40_000)
                    .map(|i| {
                        if i % 4 == 0 {
                            1 + (next() * x_min as f64) as u64
                        } else {
                            draw(gamma, x_min, next())
                        }
                    })
                    .collect();
            let values = if x_min == 1 { values.into_iter().skip(1).step_by(2).collect() } else { values };
            let law = Histogram::of(values).power_law().unwrap();
            let off = (law.gamma - gamma).abs() / law.gamma_error;
            assert!(off < 3.5 && law.gamma_error < 0.2, "{gamma} above {x_min}: {law:?}");
            assert!(law.x_min >= x_min && law.x_min <= 6 * x_min + 10, "{gamma} above {x_min}: {law:?}");
            assert!(law.ratio > -2.0, "a log-normal does not beat the truth: {law:?}");
        }
    }

    #[test]
    fn a_log_normal_is_told_apart() {
        let mut next = uniform();
        let values: Vec<u64> = (0..20_000)
            .map(|_| {
                let normal = (-2.0 * next().ln()).sqrt() * (2.0 * std::f64::consts::PI * next()).cos();
                (2.0 + normal * 0.6).exp().round().max(1.0) as u64
            })
            .collect();
        let counts = Histogram::of(values).counts;
        let tail: u64 = counts.iter().map(|c| c.1).sum();
        let logs: f64 = counts.iter().map(|&(x, c)| c as f64 * (x as f64).ln()).sum();
        let gamma = maximise(GAMMA, |g| -(tail as f64) * zeta(g, counts[0].0 as f64).ln() - g * logs);
        let (ratio, p_value) = against_log_normal(&counts, tail, gamma);
        assert!(ratio < -10.0 && p_value < 1e-10, "{ratio} {p_value}");
    }

    #[test]
    fn too_few_or_equal_values_have_no_law() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[(0, 1000)]), None);
        assert_eq!(fit(&[(3, 1000)]), None);
        assert_eq!(fit(&[(1, 10), (2, 5)]), None);
        let law = fit(&[(1, 1000), (2, 1)]).unwrap();
        assert!(law.gamma.is_finite() && law.gamma_error.is_finite() && law.ratio.is_finite(), "{law:?}");
    }
}
