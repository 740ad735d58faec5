//! `degrees`, `components`: the shape of the graph.

use webmill_table::{table, text_enum};

use crate::levels::Level;

text_enum! {
    /// Which arcs of a node a degree counts.
    pub enum Direction {
        /// Arcs that lead to it.
        In = "in",
        /// Arcs that leave it.
        Out = "out",
        /// Both.
        Total = "total",
        /// Pages in a host or domain.
        Pages = "pages",
    }
}

text_enum! {
    /// Part of the bow-tie, as tables say it.
    pub enum BowtiePart from webmill_graph::BowTiePart {
        /// The largest strongly connected component.
        Core = "core",
        /// What leads to it.
        In = "in",
        /// What it leads to.
        Out = "out",
        /// What hangs on the two.
        Tendril = "tendril",
        /// What leads past it.
        Tube = "tube",
        /// Nodes not connected with it.
        Disconnected = "disconnected",
    }
}

table! {
    /// One row per degree that occurs.
    DegreeRow = "degrees" {
        level: Level = "page, host or domain", "page";
        direction: Direction = "in, out or total; pages for pages in a host", "in";
        degree: u64 = "number of arcs in that direction", "17";
        count: u64 = "nodes that have it", "4021";
    }
}

table! {
    /// One row per node with the component it belongs to.
    ComponentRow = "components" sorted by [node] {
        level: Level = "page, host or domain", "page";
        node: u32 = "node of table nodes", "1042";
        scc: u32 = "strongly connected component, numbered by size, 0 the largest; ties by smallest node", "0";
        wcc: u32 = "weakly connected component, numbered likewise", "0";
        bowtie: BowtiePart = "part of the bow-tie: core, in, out, tendril, tube, disconnected", "core";
    }
}

table! {
    /// One row per power law that fits the tail of a distribution of degrees.
    LawRow = "laws" {
        level: Level = "page, host or domain", "page";
        direction: Direction = "in, out or total; pages for pages in a host", "in";
        exponent: f64 = "exponent of the law, by maximum likelihood", "2.1";
        error: f64 = "standard error of the exponent", "0.02";
        x_min: u64 = "least degree that the law holds from", "12";
        tail: u64 = "nodes of that degree and above", "3021";
        ks: f64 = "Kolmogorov-Smirnov distance of the tail to the law, 0 to 1", "0.013";
        ratio_to_log_normal: Option<f64> = "log likelihood ratio to a log-normal: above 0 speaks for the law", "-1.3";
        p_value: Option<f64> = "how likely that ratio is by chance", "0.19";
    }
}

table! {
    /// One row per level of the graph with its shape: components, bow-tie, distances, mixing.
    ShapeRow = "shapes" {
        level: Level = "page, host or domain", "page";
        sccs: u32 = "strongly connected components", "1042";
        largest_scc: u32 = "nodes of the largest one", "8123";
        wccs: u32 = "weakly connected components", "12";
        largest_wcc: u32 = "nodes of the largest one", "30102";
        bowtie_core: u64 = "nodes of the bow-tie's core, its largest strongly connected component", "8123";
        bowtie_in: u64 = "nodes that lead to the core", "4021";
        bowtie_out: u64 = "nodes that the core leads to", "9210";
        bowtie_tendril: u64 = "nodes that hang on in or out", "812";
        bowtie_tube: u64 = "nodes on ways from in to out that pass the core by", "12";
        bowtie_disconnected: u64 = "nodes that are not connected with the core", "102";
        distance_sources: u64 = "nodes that distances were measured from", "1000";
        distance_mean: Option<f64> = "mean number of arcs from a node to those it leads to", "6.2";
        distance_standard_error: Option<f64> = "standard error of the mean", "0.03";
        effective_diameter: Option<f64> = "distance within which 90 % of the connected pairs are", "8.9";
        greatest_distance: u64 = "greatest distance that was seen", "31";
        connected_pairs: f64 = "share of the ordered pairs of nodes where one leads to the other, 0 to 1", "0.31";
        published_distance: f64 = "mean distance that the literature gives for this number of pages: 0.35 + 2.06 log10 N", "9.6";
        reciprocity: Option<f64> = "share of the arcs that are answered by one back, loops aside; null without arcs", "0.11";
        assortativity_in_in: Option<f64> = "correlation of in-degree and in-degree over the arcs, -1 to 1", "0.02";
        assortativity_in_out: Option<f64> = "correlation of in-degree and out-degree, likewise", "0.01";
        assortativity_out_in: Option<f64> = "correlation of out-degree and in-degree, likewise", "-0.04";
        assortativity_out_out: Option<f64> = "correlation of out-degree and out-degree, likewise", "0.12";
        links_within_hosts: Option<f64> = "share of the links between pages that stay within a host; null for hosts and domains", "0.83";
    }
}
