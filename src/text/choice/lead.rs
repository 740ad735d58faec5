//! Where a text begins, and how its prose runs from there.
//!
//! Articles begin with prose under their title, whatever else a page holds: threads, teasers and other articles come behind it,
//! in elements of their own. The *lead* is the first block of prose after the block that shows the title, else the first of
//! the run with most prose. Of a short post, which has no prose, it is the first words that are no link, label or heading and
//! share an element with the title that no prose shares. A *run* is prose that neither many links nor many short blocks interrupt. How far up from the
//! lead an element holds a block too, and whether both are of one run, says more than names of elements, which pages of
//! the early Web do not have. Cost: O(blocks + containers).

use super::page_features::hops;
use crate::blocks::class_names::Kind;
use crate::blocks::elements::heading;
use crate::blocks::page::{NONE, Page};

/// Words in links that end a run.
const MAX_LINKED_GAP: f32 = 25.0;
/// Blocks without prose that end a run.
const MAX_GAP: u32 = 8;
/// Words of a short post at least, and blocks between it and its title at most.
const MIN_UNITS: f32 = 3.0;
const MAX_BEFORE: usize = 12;
/// Kinds that no post is of, and steps up to them.
const BESIDE: [Kind; 8] =
    [Kind::Byline, Kind::User, Kind::Tags, Kind::Nav, Kind::Share, Kind::Form, Kind::Tool, Kind::Comment];
const NEAR: u8 = 2;
/// Steps up from the lead that are followed.
const MAX_STEPS: usize = 31;

/// A run of prose: its blocks and their words of prose.
#[derive(Copy, Clone, Default, PartialEq, Debug)]
pub(super) struct Run {
    pub first: u32,
    pub end: u32,
    pub prose: f32,
}

/// The lead of a page and its runs of prose.
#[derive(Default, Debug)]
pub(super) struct LeadBlocks {
    /// Block of the lead; none on pages without prose or words below a title.
    pub at: Option<usize>,
    /// Containers: steps up from the lead to one that contains them; empty without a lead.
    pub hops: Vec<u8>,
    /// The smallest element that holds the title and the lead.
    pub headline: Option<usize>,
    /// The containers of the lead by steps up.
    pub chain: Vec<u32>,
    pub runs: Vec<Run>,
    /// The last run that begins at or before each block; [`NONE`] before the first.
    pub run_of: Vec<u32>,
    /// The run of the lead (no run at all if it is no prose), and the one with most prose.
    pub own: usize,
    pub longest: usize,
    /// Headings before each block.
    pub headings: Vec<u16>,
}

impl LeadBlocks {
    /// `phrases` tells which blocks are labels, `is_said` which are of readers' comments.
    pub(super) fn new(
        page: &Page,
        title_at: Option<usize>,
        phrases: &[u32],
        is_said: impl Fn(usize) -> bool,
    ) -> LeadBlocks {
        let mut lead = LeadBlocks::default();
        lead.find_runs(page);
        let mut headings = 0u16;
        for block in &page.blocks {
            lead.headings.push(headings);
            let tag = page.containers[block.container as usize].tag;
            headings = headings.saturating_add(u16::from(heading(tag).is_some()));
        }
        lead.headings.push(headings);
        let longest = lead.runs.get(lead.longest).map(|run| run.first as usize);
        let Some(at) = title_at.and_then(|title| first_words(page, title, phrases, is_said)).or(longest)
        else {
            return lead;
        };
        lead.at = Some(at);
        let is_prose = page.blocks[at].counts.prose_units > 0.0;
        lead.own = if is_prose { lead.run_of[at] as usize } else { lead.runs.len() };
        lead.headline = title_at.filter(|&title| title < at).map(|title| {
            let mut around = page.blocks[title].container as usize;
            while page.containers[around].end as usize <= at && around != 0 {
                around = page.containers[around].parent as usize;
            }
            around
        });
        let own = page.blocks[at].container as usize;
        let first =
            if page.containers[own].counts.blocks > 1 { own } else { page.containers[own].wider as usize };
        lead.hops = hops(page, first);
        let mut up = first;
        while lead.chain.len() < MAX_STEPS {
            lead.chain.push(up as u32);
            let wider = page.containers[up].wider as usize;
            if wider == up {
                break;
            }
            up = wider;
        }
        lead
    }

    fn find_runs(&mut self, page: &Page) {
        let (mut gap, mut linked) = (MAX_GAP, 0.0);
        for (i, block) in (0u32..).zip(&page.blocks) {
            let counts = &block.counts;
            if counts.prose_units > 0.0 {
                match self.runs.last_mut() {
                    Some(run) if gap < MAX_GAP && linked < MAX_LINKED_GAP => {
                        run.end = i + 1;
                        run.prose += counts.prose_units;
                    }
                    _ => self.runs.push(Run { first: i, end: i + 1, prose: counts.prose_units }),
                }
                (gap, linked) = (0, 0.0);
            } else {
                gap += 1;
                linked += counts.link_units;
            }
            self.run_of.push(match self.runs.len() {
                0 => NONE,
                runs => runs as u32 - 1,
            });
        }
        for (number, run) in self.runs.iter().enumerate() {
            if run.prose > self.runs[self.longest].prose {
                self.longest = number;
            }
        }
    }

    /// The smallest container that holds both the lead and the blocks that are `hops` away ([`hops`](LeadBlocks::hops)).
    pub(super) fn common(&self, hops: u8) -> Option<usize> {
        self.chain.get(usize::from(hops)).or(self.chain.last()).map(|&at| at as usize)
    }
}

/// The first prose behind the title, or words in an element around the title that prose is not in.
fn first_words(page: &Page, title: usize, phrases: &[u32], is_said: impl Fn(usize) -> bool) -> Option<usize> {
    let is_prose = |i: &usize| page.blocks[*i].counts.prose_units > 0.0 && !is_said(*i);
    let prose = (title..page.blocks.len()).find(is_prose);
    let end = prose.unwrap_or(page.blocks.len());
    let words = (title + 1..end).take(MAX_BEFORE).find(|&i| {
        let (block, it) = (&page.blocks[i], &page.containers[page.blocks[i].container as usize]);
        let beside = BESIDE.into_iter().any(|kind| it.distance[kind as usize] <= NEAR);
        block.counts.units >= MIN_UNITS
            && block.counts.link_units < 0.5 * block.counts.units
            && (block.ends_sentence || phrases.get(i).is_none_or(|phrases| *phrases == 0))
            && heading(it.tag).is_none()
            && !beside
            && !is_said(i)
    });
    let (Some(words), Some(prose)) = (words, prose) else { return words.or(prose) };
    let mut at = page.blocks[title].container as usize;
    while page.containers[at].end as usize <= words && at != 0 {
        at = page.containers[at].parent as usize;
    }
    Some(if prose < page.containers[at].end as usize { prose } else { words })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    fn page_of(html: &str) -> Page {
        let dom = parse(html, &Limits::default());
        blocks(&dom, dom.body().unwrap())
    }

    #[test]
    fn leads_follow_titles_and_runs_end_at_links() {
        let prose = "<p>Here are some more than twelve words, which is what makes a paragraph of prose on any page.</p>";
        let menu = "<ul><li><a href=x>some linked words that stand here</a></ul>".repeat(6);
        let page = page_of(&format!(
            "<body>{prose}{menu}<div><h1>Title</h1>{prose}{prose}</div>{menu}<div>{prose}</div>"
        ));
        let title = 7;
        assert_eq!(page.text_of(&page.blocks[title]), "Title");
        let lead = LeadBlocks::new(&page, Some(title), &[], |_| false);
        assert_eq!(lead.at, Some(8));
        assert_eq!(
            lead.runs.iter().map(|r| (r.first, r.end)).collect::<Vec<_>>(),
            [(0, 1), (8, 10), (16, 17)]
        );
        assert_eq!((lead.own, lead.longest), (1, 1));
        let hops = |i: usize| lead.hops[page.blocks[i].container as usize];
        assert_eq!((hops(7), hops(9), hops(0), hops(16)), (0, 0, 1, 1));
        assert_eq!(page.containers[lead.common(1).unwrap()].counts.blocks, 17);
        assert_eq!(LeadBlocks::new(&page, None, &[], |_| false).at, Some(8));
        let page = page_of(&format!(
            "<body><div><h2>Title</h2><p class=author>by a man of letters</p><p>Simply the best.</p></div><div>{prose}</div>"
        ));
        assert_eq!(LeadBlocks::new(&page, Some(0), &[], |_| false).at, Some(2));
        assert_eq!(LeadBlocks::new(&page_of("<body><p>none"), None, &[], |_| false).at, None);
    }
}
