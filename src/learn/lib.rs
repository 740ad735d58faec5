//! Learning over pages: what a page is turned into, classifiers, clusters, and how good they are; and which texts are good to learn from ([`quality`]).
//!
//! **What.** A page becomes a sparse row of weighted features; rows of a corpus are [`SparseRows`]. Kernels see rows and numbers of classes;
//! they know no files, arguments or Parquet.
//!
//! **Determinism.** Equal rows in equal order give equal bytes for any number of threads: sums are made in the order of rows, ties go to
//! the smaller number, random draws follow from a seed.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod auto;
mod bayes;
pub mod boost;
mod calibrate;
mod clusters;
mod dual;
mod evaluation;
mod facts;
mod features;
mod fit;
mod folds;
mod interner;
mod knn;
mod labels;
mod linear;
mod model;
pub mod quality;
mod random;
mod rows;
mod select;
mod settings;
mod shares;
mod url_words;
mod vocabulary;
mod weights;

pub use auto::{Choice, MARGIN, SAMPLE, Training, Trial, choose, evaluation_of, out_of_fold};
pub use bayes::BayesCounts;
pub use calibrate::Calibration;
pub use clusters::{
    Agreement, Centroids, ClusterFeatures, ClusterMeans, ClusterSums, Clustering, Distances, KChoice, KMeans,
    Leaves, Merge, MiniBatch, NOISE, NearRows, TooManyPairs, TopicWord, WordCounts, average_linkage,
    choose_k, cosine_distances, cosine_neighbours, cut, cut_at, dbscan, mean_silhouette, means, silhouettes,
    topic_words,
};
pub use dual::{DualSolver, Loss};
pub use evaluation::{BINS, Evaluation};
pub use facts::{FeatureOptions, FeatureOrigin, PageFacts};
pub use features::Extractor;
pub use fit::{FittedClassifier, Scorer, fit, fit_held, scores};
pub use folds::folds;
pub use knn::{MAX_PAGES, NearestPages, NeighbourBuffers};
pub use labels::Labels;
pub use linear::Linear;
pub use model::{Model, ModelError, Prediction, Predictor, VERSION};
pub use random::Draws;
pub use rows::SparseRows;
pub use select::{Contingency, Counting, Measure, OverClasses, best};
pub use settings::{FitSettings, Method, Weighting};
pub use shares::Shares;
pub use url_words::UrlStemmer;
pub use vocabulary::{Counter, PART, StoredVocabulary, Vocabulary};
pub use weights::TfIdf;
