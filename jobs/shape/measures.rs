//! The measures of the shape of a graph, all or some.

use rayon::prelude::*;
use webmill_capture::Result;
use webmill_graph::{
    Assortativity, BowTie, Components, Csr, Degrees, DistanceSample, Distances, PowerLaw, Reciprocity,
    bow_tie_with, strong_components, weak_components, weak_components_with,
};

webmill_capture::words! {
    /// A part of a graph's shape.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Part {
        /// Strongly connected components.
        Scc = "scc",
        /// Weakly connected components.
        Wcc = "wcc",
        /// Core, in, out, tendrils, tubes and what is disconnected.
        Bowtie = "bowtie",
        /// Power laws of the degrees.
        Degrees = "degrees",
        /// Distances from sampled nodes.
        Distances = "distances",
        /// Share of the arcs that are answered.
        Reciprocity = "reciprocity",
        /// Correlations of degrees over the arcs.
        Assortativity = "assortativity",
    }
}

impl Part {
    /// Does measuring it take the transpose?
    pub fn takes_transpose(self) -> bool {
        !matches!(self, Part::Scc | Part::Wcc)
    }
}

/// The parts that were asked for; components also where the bow-tie was.
pub struct Measures {
    /// Strongly connected components.
    pub strong: Option<Components>,
    /// Weakly connected components.
    pub weak: Option<Components>,
    /// The bow-tie.
    pub tie: Option<BowTie>,
    /// Degrees, and the laws that fit the tails of in, out and total.
    pub degrees: Option<(Degrees, [Option<PowerLaw>; 3])>,
    /// Sampled distances, if they were asked for.
    pub distances: Option<DistanceSample>,
    /// Reciprocity of links, if it was asked for.
    pub reciprocity: Option<Reciprocity>,
    /// Assortativity of degrees, if it was asked for.
    pub assortativity: Option<Assortativity>,
}

impl Measures {
    /// Measures these parts of `graph`; `memory` bytes are for distances. The transpose is needed where a part
    /// [takes it](Part::takes_transpose). Strong components, which one core finds, are found beside all that the other
    /// cores do; the results are the same on any number of them.
    ///
    /// # Errors
    /// Where distances do not fit the memory.
    ///
    /// # Panics
    /// Without a transpose that is needed.
    pub fn of(graph: &Csr, transpose: Option<&Csr>, parts: &[Part], memory: u64) -> Result<Self> {
        let asked = |part| parts.contains(&part);
        let transposed = || transpose.expect("parts that take the transpose are measured with it");
        let (strong, rest) = rayon::join(
            || (asked(Part::Scc) || asked(Part::Bowtie)).then(|| strong_components(graph)),
            || -> Result<Measures> {
                let weak = (asked(Part::Wcc) || asked(Part::Bowtie)).then(|| match transpose {
                    Some(transpose) => weak_components_with(graph, transpose),
                    None => weak_components(graph),
                });
                let sample = Distances { memory_bytes: Some(memory), ..Distances::default() };
                Ok(Measures {
                    strong: None,
                    weak,
                    tie: None,
                    degrees: asked(Part::Degrees).then(|| laws(Degrees::of(graph, transposed()))),
                    reciprocity: asked(Part::Reciprocity).then(|| Reciprocity::of(graph, transposed())),
                    assortativity: asked(Part::Assortativity).then(|| Assortativity::of(graph, transposed())),
                    distances: asked(Part::Distances).then(|| sample.run(graph, transposed())).transpose()?,
                })
            },
        );
        let rest = rest?;
        let tie = match (&strong, &rest.weak) {
            (Some(strong), Some(weak)) if asked(Part::Bowtie) => {
                Some(bow_tie_with(graph, transposed(), strong, weak))
            }
            _ => None,
        };
        Ok(Measures { strong, tie, ..rest })
    }
}

fn laws(degrees: Degrees) -> (Degrees, [Option<PowerLaw>; 3]) {
    let histograms = [&degrees.r#in, &degrees.out, &degrees.total];
    let mut laws: Vec<Option<PowerLaw>> = histograms.par_iter().map(|h| h.power_law()).collect();
    let laws = std::array::from_fn(|i| laws[i].take());
    (degrees, laws)
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_graph::bow_tie;

    #[test]
    fn parts_alone_are_what_they_are_among_all_on_any_number_of_threads() {
        let mut draws = webmill_capture::splitmix::SplitMix(1);
        // Low numbers are popular, as on the Web.
        let arc = |_| (draws.below(1024) as u32, draws.below(1024).min(draws.below(1024)) as u32);
        let graph = Csr::from_arcs(1024, (0..3000).map(arc)).unwrap();
        let transpose = graph.transpose();
        let on = |threads: usize, parts: &[Part], transpose: Option<&Csr>| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Measures::of(&graph, transpose, parts, u64::MAX).unwrap())
        };
        let all = on(1, Part::ALL, Some(&transpose));
        let many = on(3, Part::ALL, Some(&transpose));
        assert!(all.strong == many.strong && all.weak == many.weak && all.distances == many.distances);
        let tie = bow_tie(&graph, &transpose, all.strong.as_ref().unwrap());
        for found in [&all, &many] {
            assert_eq!(found.tie.as_ref().unwrap().parts, tie.parts);
        }
        let strong = on(2, &[Part::Scc], None);
        assert!(strong.strong == all.strong && strong.weak.is_none() && strong.distances.is_none());
        let weak = on(2, &[Part::Wcc], None);
        assert!(weak.weak == all.weak && weak.strong.is_none() && weak.tie.is_none());
    }
}
