//! Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's method.
//!
//! **Algorithm.** Sweeps of plane rotations over all entries beside the diagonal, each of which makes one of them zero;
//! their squares fall quadratically. O(n³) a sweep, mostly six to ten of them.
//!
//! **Reference.** G. Golub, C. Van Loan, *Matrix Computations*, 4th edition (2013), section 8.5.

/// Sweeps that no matrix of finite numbers needs.
const SWEEPS: usize = 60;

/// Eigenvalues, falling, and for each its eigenvector.
pub(super) struct Eigenpairs {
    pub values: Vec<f64>,
    pub vectors: Vec<Vec<f64>>,
}

/// Of the first `n` rows and columns of a symmetric matrix.
pub(super) fn eigen(matrix: &[Vec<f64>], n: usize) -> Eigenpairs {
    let mut a: Vec<Vec<f64>> = matrix[..n].iter().map(|row| row[..n].to_vec()).collect();
    // Row i is the i-th eigenvector in the end.
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                turned |= rotate(&mut a, &mut vectors, p, q);
            }
        }
        if !turned {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    Eigenpairs {
        values: order.iter().map(|&i| a[i][i]).collect(),
        vectors: order.iter().map(|&i| std::mem::take(&mut vectors[i])).collect(),
    }
}

/// Makes one entry zero; false if it is as good as that.
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) -> bool {
    let entry = a[p][q];
    if entry.abs() <= 1e-17 * (a[p][p].abs() * a[q][q].abs()).sqrt() || entry.abs() < f64::MIN_POSITIVE {
        return false;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * entry);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let (first, second) = (a[p][p] - t * entry, a[q][q] + t * entry);
    for row in a.iter_mut() {
        let (x, y) = (row[p], row[q]);
        (row[p], row[q]) = (c * x - s * y, s * x + c * y);
    }
    let columns: Vec<(f64, f64)> = a.iter().map(|row| (row[p], row[q])).collect();
    for (k, (x, y)) in columns.into_iter().enumerate() {
        (a[p][k], a[q][k]) = (x, y);
    }
    (a[p][p], a[q][q], a[p][q], a[q][p]) = (first, second, 0.0, 0.0);
    let (head, tail) = vectors.split_at_mut(q);
    for (x, y) in head[p].iter_mut().zip(&mut tail[0]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_spectra() {
        // The path of n nodes: 2 cos(kπ / (n + 1)).
        let n = 12;
        let path: Vec<Vec<f64>> = (0..n)
            .map(|i: usize| (0..n).map(|j| if i.abs_diff(j) == 1 { 1.0 } else { 0.0 }).collect())
            .collect();
        let found = eigen(&path, n);
        for (k, value) in (1..).zip(&found.values) {
            let expected = 2.0 * (f64::from(k) * std::f64::consts::PI / (n as f64 + 1.0)).cos();
            assert!((value - expected).abs() < 1e-13, "{value} {expected}");
        }
        for (value, x) in found.values.iter().zip(&found.vectors) {
            for (i, row) in path.iter().enumerate() {
                let product: f64 = row.iter().zip(x).map(|(a, b)| a * b).sum();
                assert!((product - value * x[i]).abs() < 1e-13);
            }
        }
        let zero = vec![vec![0.0; 3]; 3];
        assert_eq!(eigen(&zero, 3).values, [0.0; 3]);
        assert_eq!(eigen(&path, 1).values, [0.0]);
    }
}
