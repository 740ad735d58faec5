//! What `<meta>` elements declare, by their names.

use super::dom::NodeId;
use super::licence::licence;
use super::meta::Reader;
use super::values::{is_name, language_tag, push_list, squeezed};
use super::written_date::read_date;

impl Reader<'_, '_> {
    pub(super) fn meta(&mut self, n: NodeId) {
        let dom = self.dom;
        let Some(content) = dom.attr(n, "content") else { return };
        if dom.attr(n, "http-equiv").is_some_and(|of| of.trim().eq_ignore_ascii_case("content-language")) {
            self.best.lang.offer(3, || language_tag(content));
        }
        let best = &mut self.best;
        let names = [dom.attr(n, "property"), dom.attr(n, "name")].into_iter().flatten();
        for name in names.flat_map(str::split_ascii_whitespace).take(8) {
            self.out.robots.add_meta(name, content);
            let text = || squeezed(content);
            let person = || squeezed(content).filter(|name| is_name(name));
            let order = self.out.date_order;
            let date = || read_date(content, order)?.certain();
            let mut name = name.to_ascii_lowercase();
            for (prefix, plain) in [("dcterms:", "dcterms."), ("dcterm:", "dcterms."), ("dc:", "dc.")] {
                if let Some(rest) = name.strip_prefix(prefix) {
                    name = format!("{plain}{rest}");
                }
            }
            match name.as_str() {
                "description" => best.description.offer(1, text),
                "og:description" => best.description.offer(2, text),
                "dc.description"
                | "dcterms.description"
                | "twitter:description"
                | "sailthru.description"
                | "abstract"
                | "dcterms.abstract"
                | "citation_abstract"
                | "excerpt" => best.description.offer(4, text),
                "keywords" | "news_keywords" | "dc.subject" => push_list(&mut self.out.keywords, content),
                "article:tag" | "parsely-tags" => push_list(&mut self.out.tags, content),
                "article:section" | "category" | "parsely-section" | "og:category" => {
                    push_list(&mut self.out.categories, content);
                }
                "author"
                | "article:author"
                | "og:author"
                | "dc.creator"
                | "dcterms.creator"
                | "parsely-author"
                | "sailthru.author"
                | "citation_author"
                | "byl"
                | "article:author_name"
                | "dcterms.creator.personalname"
                | "dc.creator.personalname"
                | "article:author:name"
                | "authors"
                | "article.author"
                | "cxenseparse:author"
                | "mediaid" => {
                    // Papers name each of their authors in an element of its own.
                    if best.author_name == name {
                        best.author.append(2, person);
                    } else {
                        let before = best.author.0.as_ref().map(|(rank, _)| *rank);
                        best.author.offer(2, person);
                        if best.author.0.as_ref().map(|(rank, _)| *rank) != before {
                            best.author_name = name;
                        }
                    }
                }
                "og:site_name" => best.site_name.offer(0, text),
                "application-name"
                | "publisher"
                | "dc.publisher"
                | "al:android:app_name"
                | "citation_journal_title" => {
                    best.site_name.offer(3, text);
                }
                "article:published_time"
                | "og:published_time"
                | "og:article:published_time"
                | "weibo:article:create_at"
                | "bt:pubdate" => best.published.offer(1, date),
                "date"
                | "pubdate"
                | "publishdate"
                | "publish_date"
                | "publish-date"
                | "publication_date"
                | "originalpublicationdate"
                | "article_date_original"
                | "dc.date"
                | "dc.date.issued"
                | "dc.date.created"
                | "dcterms.created"
                | "dcterms.issued"
                | "dcterms.date"
                | "dc.created"
                | "parsely-pub-date"
                | "sailthru.date"
                | "citation_publication_date"
                | "citation_date"
                | "cxenseparse:recs:publishtime"
                | "datepublished"
                | "apub:time"
                | "article.published"
                | "published-date"
                | "published_date"
                | "publisheddate"
                | "published"
                | "published_at"
                | "article:published"
                | "article:published-time"
                | "article:published_date"
                | "article:publish_date"
                | "article.created"
                | "article-publication-date"
                | "publication-date"
                | "citation_online_date"
                | "prism.publicationdate"
                | "dc.date.published"
                | "dcterms.available"
                | "dcterms.datesubmitted"
                | "rnews:datepublished"
                | "cxenseparse:article:publishdate"
                | "originaldate"
                | "releasedate"
                | "release_date"
                | "displaydate"
                | "timestamp"
                | "created" => {
                    best.published.offer(2, date);
                }
                "article:modified_time" | "og:modified_time" => best.modified.offer(1, date),
                "og:updated_time" | "last-modified" | "lastmod" | "dcterms.modified" | "dc.date.modified"
                | "datemodified" | "revised" | "utime" => best.modified.offer(2, date),
                "og:type" => self.out.og_type = self.out.og_type.take().or_else(text),
                "dc.rights"
                | "dcterms.rights"
                | "dcterms.license"
                | "dc.rights.license"
                | "license"
                | "cc:license"
                | "og:license"
                | "licence"
                | "dcterms.accessrights" => {
                    best.licence.offer(4, || licence(content));
                }
                "og:title" => best.og_title.offer(0, text),
                "parsely-title" | "twitter:title" | "dc.title" | "dcterms.title" | "sailthru.title" => {
                    best.og_title.offer(1, text)
                }
                "og:url" => best.og_url.offer(0, text),
                "og:image" | "og:image:url" | "og:image:secure_url" => best.image.offer(0, text),
                "twitter:image" | "twitter:image:src" | "thumbnail" => best.image.offer(2, text),
                "og:locale" => best.lang.offer(4, || language_tag(&content.replace('_', "-"))),
                "language" | "dc.language" => best.lang.offer(5, || language_tag(content)),
                "twitter:label1" => self.label = is_byline_label(content),
                "twitter:data1" if self.label => best.author.offer(3, person),
                "generator" => self.out.generator = self.out.generator.take().or_else(text),
                _ => {}
            }
        }
    }
}

/// Whether the label of a fact on a card says that it is the author.
fn is_byline_label(label: &str) -> bool {
    let label = label.trim().to_lowercase();
    let by = [
        "by",
        "written by",
        "verfasst von",
        "geschrieben von",
        "escrito por",
        "écrit par",
        "scritto da",
        "door",
        "author",
        "autor",
    ];
    by.contains(&label.as_str())
}
