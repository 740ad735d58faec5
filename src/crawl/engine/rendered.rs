//! Pages that are opened in a browser: what the engine hands over, and what it gets back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::Purpose;
use crate::archive::Rendered;
use crate::engine::Crawl;
use crate::fetch::Received;
use crate::page::{PageReader, Reading};
use crate::render::{CONTENT_TYPE, Page, Part, Render, Tree};
use crate::robots::{Robots, origin};
use crate::scope::Standing;
use webmill_capture::CanonicalUrl;
use webmill_capture::date::now_ms;
use webmill_capture::error::Result;

/// A page that is to be rendered once it is fetched.
pub(super) struct ToRender {
    render: Arc<Render>,
    rules: Option<Arc<Robots>>,
    pause: Duration,
}

/// A tree, and when it was taken.
pub(super) struct TreeSnapshot {
    date_ms: i64,
    tree: Tree,
}

impl TreeSnapshot {
    pub(super) fn as_stored(&self) -> Rendered<'_> {
        Rendered { date_ms: self.date_ms, content_type: CONTENT_TYPE, data: &self.tree.html }
    }
}

impl Crawl {
    /// What its operator should know of the browser that renders pages: why it has less protection than it could.
    pub fn browser_note(&self) -> Option<&'static str> {
        self.render.as_ref().and_then(|render| render.unsafe_because())
    }

    /// The job of rendering `url`, if it is to be rendered.
    pub(super) fn rendering(&mut self, url: &CanonicalUrl, purpose: Purpose, pause: u64) -> Option<ToRender> {
        let render = self.render.clone().filter(|render| purpose == Purpose::Page && render.wants(url))?;
        let now = self.now_ms();
        // What could not be read now is asked for again by the page.
        let rules = self.rules_of(&origin(url), now).unwrap_or_default();
        Some(ToRender { render, rules, pause: Duration::from_millis(pause) })
    }

    /// Writes what pages asked for while they were rendered; what pages are made of is not asked for again.
    pub(super) fn keep_parts(&mut self, parts: Vec<Part>) -> Result<()> {
        for part in parts {
            let Part { url, mut event, packed, is_asset } = part;
            self.totals.fetched += 1;
            self.totals.bytes += event.bytes;
            if let Some(packed) = packed {
                self.append(&mut event, &packed)?;
                if is_asset {
                    self.frontier.mark_seen(&url)?;
                }
            }
            self.log(event);
        }
        Ok(())
    }
}

impl ToRender {
    /// Opens a page that was `received`, if it is one of markup and whole; its tree is read in place of it.
    pub(super) async fn open(
        &self,
        url: &CanonicalUrl,
        standing: Standing,
        received: &Received,
        reader: &PageReader,
        reading: &mut Option<Reading>,
    ) -> (Option<TreeSnapshot>, Vec<Part>) {
        let whole = (200..300).contains(&received.status) && received.truncated.is_none();
        let Some(plain) = reading.as_mut().filter(|reading| reading.markup && whole) else {
            return (None, Vec::new());
        };
        let page = Page { url, raw: &received.raw, standing, rules: self.rules.clone(), pause: self.pause };
        let visit = self.render.visit(page).await;
        plain.refused.merge(&visit.refused);
        if let Some(tree) = &visit.tree
            && !plain.nofollow
        {
            let answer = tree.as_answer(&received.raw);
            plain.give_place_back();
            // As with every page: a bug of the reader's must not cost the crawl.
            let read = AssertUnwindSafe(|| reader.read_rendered(url, standing, &answer));
            if let Ok(mut read) = catch_unwind(read) {
                read.refused.merge(&visit.refused);
                read.onward.clone_from(&tree.onward);
                // Rules read what the server sent, here as in the shards.
                (read.led, read.looked) = (std::mem::take(&mut plain.led), plain.looked.take());
                *plain = read;
            }
        }
        if visit.defect.is_some() {
            plain.defect = visit.defect;
        }
        (visit.tree.map(|tree| TreeSnapshot { date_ms: now_ms(), tree }), visit.parts)
    }
}
