//! The best hubs of a topic among fetched pages: those whose links lead to the most and best of its pages.
//!
//! **Definition.** HITS on the links between fetched pages that lead to relevant ones, without those of a page to itself: hub scores of all
//! pages, authorities of the relevant ones. The best hub has 1.
//!
//! **Cost.** The links of the fetched pages, a few times. **Determinism.** As of HITS: no number of threads changes a score.
//!
//! **Reference.** J. M. Kleinberg, *Authoritative sources in a hyperlinked environment*, JACM 46, 1999, doi:10.1145/324133.324140.

use webmill_capture::Result;
use webmill_graph::{Csr, Hits};

use super::replay::Course;
use super::stored::StoredWeb;
use super::tables::HubRow;

/// The best hubs of a course, the best first; ties in the order of fetching.
///
/// # Errors
/// Where the graph does not fit the memory.
pub fn hubs(web: &StoredWeb, course: &Course, most: usize) -> Result<Vec<HubRow>> {
    const NONE: u32 = u32::MAX;
    let mut fetched = vec![NONE; web.pages.len()];
    course.fetched.iter().zip(0..).for_each(|(&page, order)| fetched[page as usize] = order);
    let relevant = |order: u32| course.relevant[order as usize];
    let targets = |order: usize| {
        let links = web.pages[course.fetched[order] as usize].links.iter();
        links.map(|link| fetched[link.target as usize]).filter(move |to| *to != NONE && *to != order as u32)
    };
    let arcs = (0..course.fetched.len())
        .flat_map(|order| targets(order).filter(|to| relevant(*to)).map(move |to| (order as u32, to)));
    let graph = Csr::from_arcs(course.fetched.len(), arcs)?;
    let scores = Hits::default().run(&graph, &graph.transpose())?.hubs;
    let mut order: Vec<usize> = (0..scores.len()).filter(|&page| scores[page] > 0.0).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order.truncate(most);
    let top = order.first().map_or(1.0, |&page| scores[page]);
    let row = |page: usize| {
        let mut of: Vec<u32> = targets(page).collect();
        of.sort_unstable();
        of.dedup();
        HubRow {
            url: web.pages[course.fetched[page] as usize].url.as_str().to_owned(),
            score: scores[page] / top,
            relevant: relevant(page as u32),
            relevant_targets: of.iter().filter(|to| relevant(**to)).count() as u64,
            targets: of.len() as u64,
        }
    };
    Ok(order.into_iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::focused::stored::{StoredLink, StoredPage};
    use webmill_capture::CanonicalUrl;

    #[test]
    fn hubs_are_what_links_to_many_pages_that_others_link_to() {
        let links = |targets: &[u32]| {
            let link = |&target: &u32| StoredLink {
                target,
                anchor: "".into(),
                before: "".into(),
                after: "".into(),
                heading: "".into(),
            };
            targets.iter().map(link).collect()
        };
        // 0 lists 3, 4, 5; 1 lists 3 twice and 6; 2 itself and 6, which is not relevant; 7 is not fetched.
        let of: [&[u32]; 8] = [&[3, 4, 5, 6], &[3, 3, 6], &[2, 6], &[], &[], &[], &[], &[3, 4, 5]];
        let pages = of.iter().enumerate().map(|(n, targets)| StoredPage {
            url: CanonicalUrl::parse(&format!("http://a.example/{n}")).unwrap(),
            title: String::new(),
            text: String::new(),
            links: links(targets),
        });
        let web = StoredWeb { pages: pages.collect(), ..StoredWeb::default() };
        let fetched: Vec<u32> = vec![6, 2, 1, 0, 3, 4, 5];
        let relevant = fetched.iter().map(|page| (3..6).contains(page)).collect();
        let course = Course { strategy: "focused", fetched, relevant };
        let found = hubs(&web, &course, 10).unwrap();
        let told: Vec<(&str, u64, u64, bool)> = found
            .iter()
            .map(|hub| (&hub.url[17..], hub.relevant_targets, hub.targets, hub.relevant))
            .collect();
        assert_eq!(told, [("0", 3, 4, false), ("1", 1, 2, false)]);
        // Authorities a (of 3) and b (of 4, 5): hubs 2b + a and a.
        assert!(found[0].score == 1.0 && (0.2..0.6).contains(&found[1].score), "{found:?}");
        assert_eq!(hubs(&web, &course, 1).unwrap().len(), 1);
        assert_eq!(hubs(&web, &Course { fetched: vec![], relevant: vec![], ..course }, 9).unwrap(), []);
    }
}
