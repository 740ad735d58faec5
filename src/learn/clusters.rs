//! Clusters: rows brought into groups without labels, and how good groups are.
//!
//! | module | what |
//! |---|---|
//! | [`KMeans`], [`MiniBatch`] | spherical k-means, in memory and over batches |
//! | [`choose_k`] | the number of clusters by the elbow of the silhouette |
//! | [`dbscan`] | dense regions of a graph of neighbours; [`cosine_neighbours`] makes one |
//! | [`average_linkage`] | a tree of merges from distances; [`cut`] makes clusters of it |
//! | [`ClusterFeatures`] | a stream summed up in leaves of bounded radius |
//! | [`Agreement`], [`silhouettes`] | how good clusters are, with labels and without |
//! | [`topic_words`] | the words that tell a cluster from the rest |

mod choice;
mod dbscan;
mod features_tree;
mod kmeans;
mod lanes;
mod linkage;
mod means;
mod measures;
mod mini_batch;
mod neighbours;
mod seeds;
mod silhouette;
mod topic_words;
mod transposed;

pub use choice::{KChoice, choose_k};
pub use dbscan::{NOISE, dbscan};
pub use features_tree::{ClusterFeatures, Leaves};
pub use kmeans::{Centroids, Clustering, KMeans};
pub use linkage::{Distances, Merge, average_linkage, cosine_distances, cut, cut_at};
pub use means::{ClusterMeans, means};
pub use measures::Agreement;
pub use mini_batch::MiniBatch;
pub use neighbours::{NearRows, TooManyPairs, cosine_neighbours};
pub use silhouette::{ClusterSums, mean_silhouette, silhouettes};
pub use topic_words::{TopicWord, WordCounts, topic_words};
