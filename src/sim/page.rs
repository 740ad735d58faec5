//! Pages as a server sends them, and the truth about them.

use webmill_capture::cut::Cut;
use webmill_capture::date::format_rfc822;

use super::draw::{below, purpose, unit};
use super::layout::{Content, Site, Target, push_number};
use super::phrases::Phrases;
use super::prose::{Recorder, Shape, phrases_of};
use super::vocabulary::to_gbk;
use super::{Kind, Language, Region, SynthPage, TrueLink, Truth, Web};

/// Ways in which markup is broken.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Markup {
    Sound,
    /// End tags of paragraphs, items, body and html are missing.
    Unclosed,
    /// Misnested and stray tags.
    Misnested,
    /// Attributes without quotes, bare ampersands, no doctype.
    Unquoted,
}

impl Web {
    /// Page `page`, as fetched.
    ///
    /// # Panics
    /// If `page` is not below [`Web::len`].
    pub fn page(&self, page: u64) -> SynthPage {
        let mut out = SynthPage::default();
        self.render(page, &mut out);
        out
    }

    /// As [`Web::page`], into buffers that are used again.
    ///
    /// # Panics
    /// If `page` is not below [`Web::len`].
    pub fn render(&self, page: u64, out: &mut SynthPage) {
        self.write(page, out, None);
    }

    /// The truth about page `page`.
    ///
    /// # Panics
    /// If `page` is not below [`Web::len`].
    pub fn truth(&self, page: u64) -> Truth {
        let content = self.content(page);
        let site = self.site(self.host_of(page));
        let mut truth = Truth {
            kind: content.kind,
            mirror_of: content.mirror_of,
            title: String::new(),
            main_text: String::new(),
            language: site.language,
            encoding: if site.gbk { "GBK" } else { "UTF-8" },
            broken: false,
            links: Vec::new(),
            topic: None,
        };
        if !matches!(content.kind, Kind::Redirect { .. } | Kind::Missing) {
            truth.topic = self.own_topic(content.text);
        }
        self.write(page, &mut SynthPage::default(), Some(&mut truth));
        truth
    }

    /// Only where the links of page `page` lead, in document order, without making the page: (target, region).
    ///
    /// # Panics
    /// If `page` is not below [`Web::len`].
    pub fn links(&self, page: u64) -> Vec<(Option<u64>, Region)> {
        assert!(page < self.len(), "page {page} of {}", self.len());
        let content = self.content(page);
        let mut targets = Vec::new();
        if !matches!(content.kind, Kind::Redirect { .. } | Kind::Missing) {
            self.targets(content.body, self.host_of(page), &mut targets);
        }
        targets.iter().map(|target| (self.resolve(target), target.region)).collect()
    }

    fn write(&self, page: u64, out: &mut SynthPage, truth: Option<&mut Truth>) {
        assert!(page < self.len(), "page {page} of {}", self.len());
        let host = self.host_of(page);
        let content = self.content(page);
        let site = self.site(host);
        out.url.clear();
        self.push_url(host, page - self.host_start(host), &mut out.url);
        out.date_ms = self.config.start_ms
            + below(self.hash(page, purpose::DATE), u64::from(self.config.days) * 86_400) as i64 * 1000;
        out.ip = format!("198.{}.{}.{}", 18 + (host >> 16 & 1), host >> 8 & 255, host & 255);
        let mut html = String::with_capacity(4096);
        let mut head = String::with_capacity(256);
        let reason = match content.kind {
            Kind::Redirect { to } => {
                out.status = if self.hash(content.body, purpose::BROKEN) & 1 == 0 { 301 } else { 302 };
                head.push_str("Location: ");
                self.push_url(host, to - self.host_start(host), &mut head);
                head.push_str("\r\n");
                if out.status == 301 { "Moved Permanently" } else { "Found" }
            }
            Kind::Missing => {
                out.status = 404;
                self.push_missing(&site, &mut html);
                "Not Found"
            }
            _ => {
                out.status = 200;
                self.push_page(&site, &content, &mut html, truth);
                "OK"
            }
        };
        if !html.is_empty() {
            head.push_str("Content-Type: text/html");
            if matches!(site.declares, 0 | 2) {
                head.push_str(if site.gbk { "; charset=gb2312" } else { "; charset=utf-8" });
            }
            head.push_str("\r\n");
        }
        let response = &mut out.response;
        response.clear();
        let mut line = String::with_capacity(512);
        line.push_str("HTTP/1.1 ");
        push_number(u64::from(out.status), &mut line);
        line.push(' ');
        line.push_str(reason);
        line.push_str("\r\nDate: ");
        line.push_str(&format_rfc822(out.date_ms));
        line.push_str("\r\nServer: synth\r\n");
        line.push_str(&head);
        line.push_str("Content-Length: ");
        let mut encoded = Vec::new();
        let body = if site.gbk {
            encoded.reserve(html.len());
            to_gbk(&html, &mut encoded);
            encoded.as_slice()
        } else {
            html.as_bytes()
        };
        push_number(body.len() as u64, &mut line);
        line.push_str("\r\n\r\n");
        response.extend_from_slice(line.as_bytes());
        out.body_at = response.len();
        response.extend_from_slice(body);
    }

    fn push_missing(&self, site: &Site, html: &mut String) {
        let phrases = phrases_of(site.language);
        html.push_str("<html><head>");
        push_charset(site, html);
        html.push_str("<title>404</title></head><body><h1>404</h1><p>");
        html.push_str(phrases.missing);
        html.push_str("</p></body></html>\n");
    }

    fn push_page(&self, site: &Site, content: &Content, html: &mut String, truth: Option<&mut Truth>) {
        let markup = self.markup(content.body);
        let mut targets = Vec::new();
        self.targets(content.body, site.host, &mut targets);
        let mut title = String::new();
        self.push_title(content.text, site.language, &mut title);
        let anchors = truth.is_some().then(Vec::new);
        let mut writer = PageWriter { web: self, phrases: phrases_of(site.language), markup, html, anchors };
        writer.head(site, content, &title);
        writer.menu(&targets);
        let text = writer.main_text(site, content, &targets, &title);
        writer.related(&targets);
        writer.advertisements(content, &targets);
        writer.footer(site, content);
        if let (Some(truth), Some(text), Some(anchors)) = (truth, text, writer.anchors) {
            truth.title = title;
            truth.main_text = text;
            truth.broken = markup != Markup::Sound;
            truth.links =
                targets.iter().zip(anchors).map(|(target, anchor)| self.true_link(target, anchor)).collect();
        }
    }

    /// Appends the start tag of a link.
    fn push_link(&self, target: &Target, markup: Markup, html: &mut String) {
        let quote = if markup == Markup::Unquoted { "" } else { "\"" };
        html.push_str("<a href=");
        html.push_str(quote);
        if target.relative {
            self.push_path(target.ordinal, html);
        } else {
            self.push_url(target.host, target.ordinal, html);
        }
        html.push_str(quote);
        if target.region == Region::Advertisement {
            html.push_str(" rel=\"nofollow\"");
        }
        html.push('>');
    }

    fn true_link(&self, target: &Target, anchor: String) -> TrueLink {
        let mut url = String::new();
        self.push_url(target.host, target.ordinal, &mut url);
        TrueLink { url, target: self.resolve(target), anchor, region: target.region }
    }

    /// Appends what other pages call a page: its title, or the name of the site for a home page.
    fn push_anchor(&self, target: &Target, out: &mut String) {
        let host = self.host_of(target.named);
        let language = self.site(host).language;
        if target.ordinal == 0 {
            self.push_site_name(self.mirrored_host(host).unwrap_or(host), language, out);
        } else {
            self.push_title(self.content(target.named).text, language, out);
        }
    }

    fn markup(&self, body: u64) -> Markup {
        let draw = self.hash(body, purpose::BROKEN);
        if unit(draw) >= self.config.broken {
            return Markup::Sound;
        }
        [Markup::Unclosed, Markup::Misnested, Markup::Unquoted][(draw % 3) as usize]
    }
}

/// A page, part by part.
struct PageWriter<'w> {
    web: &'w Web,
    phrases: &'static Phrases,
    markup: Markup,
    html: &'w mut String,
    /// Texts of its links, where they are asked for.
    anchors: Option<Vec<String>>,
}

impl PageWriter<'_> {
    /// What ends an element whose end may be left out.
    fn end(&self, tag: &'static str) -> &'static str {
        if self.markup == Markup::Unclosed { "" } else { tag }
    }

    /// A link, whose text `anchor` appends.
    fn link(&mut self, target: &Target, anchor: impl FnOnce(&Web, &mut String)) {
        self.web.push_link(target, self.markup, self.html);
        let from = self.html.len();
        anchor(self.web, self.html);
        if let Some(anchors) = &mut self.anchors {
            anchors.push(self.html.cut(from..).to_owned());
        }
        self.html.push_str("</a>");
    }

    fn head(&mut self, site: &Site, content: &Content, title: &str) {
        if self.markup != Markup::Unquoted {
            self.html.push_str("<!DOCTYPE html>\n");
        }
        self.html.push_str("<html lang=\"");
        self.html.push_str(self.phrases.lang);
        self.html.push_str("\"><head>");
        push_charset(site, self.html);
        self.html.push_str("<title>");
        self.html.push_str(title);
        self.html.push_str(" - ");
        self.web.push_site_name(self.web.host_of(content.body), site.language, self.html);
        self.html.push_str("</title></head>\n<body>\n");
    }

    fn menu(&mut self, targets: &[Target]) {
        let home = self.phrases.home;
        self.html.push_str("<ul class=\"nav\">");
        for target in targets.iter().filter(|t| t.region == Region::Navigation) {
            self.html.push_str("<li>");
            self.link(target, |web, html| match target.ordinal {
                0 => html.push_str(home),
                _ => web.push_anchor(target, html),
            });
            self.html.push_str(self.end("</li>"));
        }
        self.html.push_str("</ul>\n");
    }

    /// The headline and the main text, with its links; gives the text where anchors are asked for.
    fn main_text(
        &mut self,
        site: &Site,
        content: &Content,
        targets: &[Target],
        title: &str,
    ) -> Option<String> {
        self.html.push_str("<div id=\"content\">\n");
        if self.markup == Markup::Misnested {
            self.html.push_str("</span><b><i></b></i></td>");
        }
        self.html.push_str("<h1>");
        self.html.push_str(title);
        self.html.push_str("</h1>\n");
        let inline: Vec<&Target> = targets.iter().filter(|t| t.region == Region::Text).collect();
        let closed = self.markup != Markup::Unclosed;
        let shape = Shape { language: site.language, links: inline.len() as u32, closed };
        let mut recorder = self.anchors.is_some().then(Recorder::default);
        let open = |i: u32, html: &mut String| self.web.push_link(inline[i as usize], self.markup, html);
        self.web.push_text(content, shape, open, self.html, recorder.as_mut());
        self.html.push_str("</div>\n");
        let Recorder { text, anchors } = recorder?;
        self.anchors.as_mut()?.extend(anchors);
        Some(text)
    }

    fn related(&mut self, targets: &[Target]) {
        if !targets.iter().any(|t| t.region == Region::Related) {
            return;
        }
        self.html.push_str("<div class=\"related\"><h3>");
        self.html.push_str(self.phrases.related);
        self.html.push_str("</h3><ul>\n");
        for target in targets.iter().filter(|t| t.region == Region::Related) {
            self.html.push_str("<li>");
            self.link(target, |web, html| web.push_anchor(target, html));
            self.html.push_str(self.end("</li>"));
            self.html.push('\n');
        }
        self.html.push_str("</ul></div>\n");
    }

    fn advertisements(&mut self, content: &Content, targets: &[Target]) {
        let draw = self.web.hash(content.body, purpose::ADVERTISEMENT);
        for (i, target) in targets.iter().filter(|t| t.region == Region::Advertisement).enumerate() {
            self.html.push_str("<div class=\"ad\"><small>");
            self.html.push_str(self.phrases.sponsored);
            self.html.push_str("</small> ");
            let slogan = self.phrases.slogans[below(draw.rotate_left(i as u32 * 8), 6) as usize];
            self.link(target, |_, html| html.push_str(slogan));
            self.html.push_str(if self.markup == Markup::Unquoted { " & & </div>\n" } else { "</div>\n" });
        }
    }

    fn footer(&mut self, site: &Site, content: &Content) {
        self.html.push_str("<div class=\"footer\">&copy; ");
        self.web.push_site_name(self.web.host_of(content.body), site.language, self.html);
        self.html.push(' ');
        self.html.push_str(self.phrases.footer);
        self.html.push_str("</div>\n");
        self.html.push_str(self.end("</body></html>\n"));
    }
}

fn push_charset(site: &Site, html: &mut String) {
    match (site.declares, site.gbk) {
        (0 | 1, true) => {
            html.push_str("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=gb2312\">")
        }
        (0 | 1, false) if site.language == Language::English => html.push_str("<meta charset=\"utf-8\">"),
        (0 | 1, false) => html.push_str("<meta charset=\"UTF-8\">"),
        _ => {}
    }
}
