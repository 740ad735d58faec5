//! `topics`, `topic_words`, `topic_tree`, `topic_measures`: pages by topic, without labels.

use webmill_table::{Bytes16, table};

table! {
    /// One row per page that was clustered: its topic. Pages in the order of their addresses.
    TopicRow = "topics" {
        url: String = "canonical URL; of a folder of files the path inside it", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "key of the page in table pages; of a file the digest of its path", "9f…";
        host: String = "host name of the page, as pages.url_host_name; empty for a file", "news.pku.edu.cn";
        domain: String = "registrable domain of the host by both sections of the Public Suffix List; the host itself where it is an IP address or has none; empty for a file", "pku.edu.cn";
        language: Option<String> = "language of the text, ISO 639-3", "zho";
        topic: Option<u32> = "number of the topic, the largest is 0; null for noise, which DBSCAN leaves", "3";
        topic_name: Option<String> = "name of the topic: its first three words", "library · reading · books";
        distance: Option<f32> = "1 − cosine with the topic's centroid: 0 is in its middle", "0.61";
        silhouette: Option<f32> = "how much nearer the page is to its own topic than to the next, −1 to 1, by mean distances to all of their pages; null for noise and where there are no two topics", "0.08";
        label: Option<String> = "label of the page, where labels were given", "news";
    }
}

table! {
    /// One row per topic: its words, its size, the pages nearest its centroid.
    TopicWordsRow = "topic_words" {
        topic: u32 = "number of the topic, the largest is 0", "3";
        name: String = "its first three words", "library · reading · books";
        size: u64 = "pages of the topic", "812";
        share: f64 = "share of the pages that were clustered", "0.12";
        words: Vec<String> = "words that are frequent in the topic and rarer elsewhere, at most ten, the best first", "['library', 'reading', 'books']";
        scores: Vec<f32> = "P(w|topic)·ln(P(w|topic)/P(w)) of each, P the share of pages with the word", "[1.21, 0.94, 0.71]";
        language: Option<String> = "language of most of its pages, ISO 639-3", "zho";
        language_share: f64 = "share of its pages in that language", "0.98";
        nearest: Vec<String> = "at most three pages nearest to its centroid", "['http://pku.edu.cn/news/1.html']";
        distance: f64 = "mean distance of its pages to the centroid", "0.72";
        silhouette: Option<f64> = "mean silhouette of its pages", "0.06";
        label: Option<String> = "commonest label of its pages, where labels were given", "news";
        label_share: Option<f64> = "share of its pages with that label", "0.93";
    }
}

table! {
    /// One row per merge of average linkage, nearest first: the tree of topics, or of pages where the method is hierarchical.
    TopicTreeRow = "topic_tree" {
        of: String = "what the leaves are: topics, pages, or the parts that k-means made of more pages than fit a tree", "topics";
        language: Option<String> = "language whose topics they are, where topics are made within languages", "zho";
        merge: u32 = "number of what the merge makes: leaves are 0 to n − 1, the first merge is n", "12";
        left: u32 = "number of the one that is merged, a leaf or an earlier merge", "3";
        right: u32 = "number of the other", "7";
        left_name: Option<String> = "what it is called, where it is a leaf: the topic's name, the page's URL", "library · reading · books";
        right_name: Option<String> = "the same of the other", "school · pupils · lessons";
        distance: f32 = "mean distance, 1 − cosine, between the pages of the one and the pages of the other", "0.93";
        pages: u64 = "pages of both", "1403";
    }
}

table! {
    /// One row per measure of the topics as a whole.
    TopicMeasureRow = "topic_measures" {
        measure: String = "name of the measure: pages, topics, noise, silhouette, inertia, steps, words, words_dropped, leaves; silhouette_of_k, by which the number of topics was chosen; with labels nmi, ari, purity, homogeneity, completeness, v_measure", "nmi";
        language: Option<String> = "language whose topics are measured, where topics are made within languages and the measure is of one", "zho";
        k: Option<u32> = "number of topics that silhouette_of_k is of", "8";
        value: f64 = "value of the measure", "0.53";
    }
}
