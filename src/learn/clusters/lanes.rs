//! Centroids side by side: the values of one column for all clusters lie together, so that one walk along a sparse row gives the products
//! with all of them.
//!
//! **Determinism.** The product with each centroid is summed in the order of the row's columns, however many centroids there are.

/// Values by column, then by cluster; as many clusters as fill whole lanes.
pub(super) struct Lanes {
    stride: usize,
    values: Vec<f32>,
}

impl Lanes {
    /// Of `k` centroids that are written one after the other, `width` values each.
    pub fn of(centroids: &[f32], k: usize, width: usize) -> Self {
        let stride = k.next_multiple_of(4);
        let mut lanes = Lanes { stride, values: vec![0.0; stride * width] };
        lanes.set(centroids, width, &(0..k).collect::<Vec<_>>());
        lanes
    }

    /// Takes the values of these clusters anew.
    pub fn set(&mut self, centroids: &[f32], width: usize, clusters: &[usize]) {
        use rayon::prelude::*;
        const COLUMNS: usize = 1024;
        let stride = self.stride;
        self.values.par_chunks_mut(COLUMNS * stride).enumerate().for_each(|(chunk, lanes)| {
            let from = chunk * COLUMNS;
            for &cluster in clusters {
                let values = &centroids[cluster * width + from..(cluster + 1) * width];
                for (lane, value) in lanes.chunks_exact_mut(stride).zip(values) {
                    lane[cluster] = *value;
                }
            }
        });
    }

    /// Number of products that [`Lanes::dots`] gives.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Products of a row with every centroid. Columns that no centroid has count nothing.
    pub fn dots(&self, columns: &[u32], values: &[f32], dots: &mut [f32]) {
        let mut at = 0;
        while self.stride - at >= 16 {
            self.block::<16>(at, columns, values, dots);
            at += 16;
        }
        if self.stride - at >= 8 {
            self.block::<8>(at, columns, values, dots);
            at += 8;
        }
        if self.stride - at >= 4 {
            self.block::<4>(at, columns, values, dots);
        }
    }

    fn block<const N: usize>(&self, at: usize, columns: &[u32], values: &[f32], dots: &mut [f32]) {
        let mut sums = [0f32; N];
        for (&column, &value) in columns.iter().zip(values) {
            let from = column as usize * self.stride + at;
            let Some(lane) = self.values.get(from..from + N) else { continue };
            for (sum, centroid) in sums.iter_mut().zip(lane) {
                *sum += value * centroid;
            }
        }
        dots[at..at + N].copy_from_slice(&sums);
    }

    /// The product of a row with one centroid: the same bits as [`Lanes::dots`] gives.
    pub fn dot(&self, columns: &[u32], values: &[f32], cluster: usize) -> f32 {
        let mut sum = 0f32;
        for (&column, &value) in columns.iter().zip(values) {
            let Some(centroid) = self.values.get(column as usize * self.stride + cluster) else { continue };
            sum += value * centroid;
        }
        sum
    }
}
