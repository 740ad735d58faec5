//! What `<meta>` elements declare, by their names.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::dom::NodeId;
use super::licence::licence;
use super::metadata::{Metadata, Reader};
use super::values::{is_name, language_tag, push_list, squeezed};
use super::written_date::read_date;

/// What an element declares.
#[derive(Clone, Copy)]
enum Field {
    Description,
    Keywords,
    Tags,
    Categories,
    Author,
    SiteName,
    Published,
    Modified,
    Licence,
    Title,
    Address,
    Image,
    Locale,
    Language,
    /// What the first fact on a card is, and the fact.
    Label,
    Labelled,
    /// A text of which the first counts.
    First(fn(&mut Metadata) -> &mut Option<String>),
}

/// Names of `meta` elements in lower case, the fact that each declares, and its rank among the names for that fact.
const NAMES: &[(Field, u8, &str)] = &[
    (Field::Description, 1, "description"),
    (Field::Description, 2, "og:description"),
    (
        Field::Description,
        4,
        "dc.description dcterms.description twitter:description sailthru.description abstract \
         dcterms.abstract citation_abstract excerpt",
    ),
    (Field::Keywords, 0, "keywords news_keywords dc.subject"),
    (Field::Tags, 0, "article:tag parsely-tags"),
    (Field::Categories, 0, "article:section category parsely-section og:category"),
    (
        Field::Author,
        2,
        "author article:author og:author dc.creator dcterms.creator parsely-author \
         sailthru.author citation_author byl article:author_name dcterms.creator.personalname \
         dc.creator.personalname article:author:name authors article.author cxenseparse:author \
         mediaid",
    ),
    (Field::SiteName, 0, "og:site_name"),
    (
        Field::SiteName,
        3,
        "application-name publisher dc.publisher al:android:app_name citation_journal_title",
    ),
    (
        Field::Published,
        1,
        "article:published_time og:published_time og:article:published_time \
         weibo:article:create_at bt:pubdate",
    ),
    (
        Field::Published,
        2,
        "date pubdate publishdate publish_date publish-date publication_date \
         originalpublicationdate article_date_original dc.date dc.date.issued dc.date.created \
         dcterms.created dcterms.issued dcterms.date dc.created parsely-pub-date sailthru.date \
         citation_publication_date citation_date cxenseparse:recs:publishtime datepublished \
         apub:time article.published published-date published_date publisheddate published \
         published_at article:published article:published-time article:published_date \
         article:publish_date article.created article-publication-date publication-date \
         citation_online_date prism.publicationdate dc.date.published dcterms.available \
         dcterms.datesubmitted rnews:datepublished cxenseparse:article:publishdate originaldate \
         releasedate release_date displaydate timestamp created",
    ),
    (Field::Modified, 1, "article:modified_time og:modified_time"),
    (
        Field::Modified,
        2,
        "og:updated_time last-modified lastmod dcterms.modified dc.date.modified datemodified \
         revised utime",
    ),
    (Field::First(|meta| &mut meta.og_type), 0, "og:type"),
    (
        Field::Licence,
        4,
        "dc.rights dcterms.rights dcterms.license dc.rights.license license cc:license og:license \
         licence dcterms.accessrights",
    ),
    (Field::Title, 0, "og:title"),
    (Field::Title, 1, "parsely-title twitter:title dc.title dcterms.title sailthru.title"),
    (Field::Address, 0, "og:url"),
    (Field::Image, 0, "og:image og:image:url og:image:secure_url"),
    (Field::Image, 2, "twitter:image twitter:image:src thumbnail"),
    (Field::Locale, 4, "og:locale"),
    (Field::Language, 5, "language dc.language"),
    (Field::Label, 0, "twitter:label1"),
    (Field::Labelled, 3, "twitter:data1"),
    (Field::First(|meta| &mut meta.generator), 0, "generator"),
];

static FIELDS: LazyLock<HashMap<&str, (Field, u8)>> = LazyLock::new(|| {
    let names = |&(field, rank, names): &(Field, u8, &'static str)| {
        names.split(' ').map(move |name| (name, (field, rank)))
    };
    NAMES.iter().flat_map(names).collect()
});

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
            let Some(&(field, rank)) = FIELDS.get(name.as_str()) else {
                // A field of the same name. Those that are chosen among candidates are overwritten in the end, but the title.
                if let Some(field) = self.out.about.text_mut(&name).filter(|_| name != "title") {
                    *field = field.take().or_else(text);
                }
                continue;
            };
            match field {
                Field::Description => best.description.offer(rank, text),
                Field::Keywords => push_list(&mut self.out.keywords, content),
                Field::Tags => push_list(&mut self.out.about.tags, content),
                Field::Categories => push_list(&mut self.out.about.categories, content),
                // Papers name each of their authors in an element of its own.
                Field::Author if best.author_name == name => best.author.append(rank, person),
                Field::Author => {
                    let before = best.author.0.as_ref().map(|(rank, _)| *rank);
                    best.author.offer(rank, person);
                    if best.author.0.as_ref().map(|(rank, _)| *rank) != before {
                        best.author_name = name;
                    }
                }
                Field::SiteName => best.site_name.offer(rank, text),
                Field::Published => best.published.offer(rank, date),
                Field::Modified => best.modified.offer(rank, date),
                Field::Licence => best.licence.offer(rank, || licence(content)),
                Field::Title => best.og_title.offer(rank, text),
                Field::Address => best.og_url.offer(rank, text),
                Field::Image => best.image.offer(rank, text),
                Field::Locale => best.lang.offer(rank, || language_tag(&content.replace('_', "-"))),
                Field::Language => best.lang.offer(rank, || language_tag(content)),
                Field::Label => self.label = is_byline_label(content),
                Field::Labelled if self.label => best.author.offer(rank, person),
                Field::Labelled => {}
                Field::First(of) => {
                    let first = of(&mut self.out);
                    *first = first.take().or_else(text);
                }
            }
        }
    }
}

/// Whether the label of a fact on a card says that it is the author.
fn is_byline_label(label: &str) -> bool {
    let label = label.trim().to_lowercase();
    const BY: &str =
        "by,written by,verfasst von,geschrieben von,escrito por,écrit par,scritto da,door,author,autor";
    BY.split(',').any(|by| by == label)
}
