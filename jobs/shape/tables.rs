//! `degrees`, `components`: the shape of the graph.

use webmill_table::table;

table! {
    /// One row a degree that occurs.
    DegreeRow = "degrees" {
        level: &'static str = "page, host or domain", "page";
        direction: &'static str = "in, out or total; pages for pages in a host", "in";
        degree: u64 = "number of arcs in that direction", "17";
        count: u64 = "nodes that have it", "4021";
    }
}

table! {
    /// One row a node with the component it belongs to.
    ComponentRow = "components" {
        level: &'static str = "page, host or domain", "page";
        node: u32 = "node of table nodes", "1042";
        scc: u32 = "strongly connected component, numbered by size, 0 the largest; ties by smallest node", "0";
        wcc: u32 = "weakly connected component, numbered likewise", "0";
        bowtie: &'static str = "part of the bow-tie: core, in, out, tendril, tube, disconnected", "core";
    }
}
