use super::*;
use crate::blocks::blocks;
use crate::output::render::data_tables;
use webmill_html::{Limits, parse};

/// The whole page as Markdown.
fn all(source: &str, base: Option<&str>) -> String {
    let dom = parse(source, &Limits::default());
    let page = blocks(&dom, dom.body().expect("a body"));
    let base = base.map(|base| CanonicalUrl::parse(base).expect("a URL"));
    let chosen = vec![true; page.blocks.len()];
    markdown(
        &MarkdownPage {
            dom: &dom,
            page: &page,
            base: base.as_ref(),
            links: true,
            images: true,
            headline: None,
            thread: None,
        },
        &chosen,
        &data_tables(&page),
        1 << 20,
    )
}

fn check(cases: &[(&str, &str)]) {
    for (source, want) in cases {
        assert_eq!(all(source, None), *want, "{source}");
    }
}

#[test]
fn headings_and_paragraphs() {
    check(&[
        ("<h1>One</h1><p>a</p><h3>Two</h3>b", "# One\n\na\n\n### Two\n\nb"),
        ("<h2><div>Inner</div></h2><p>a", "## Inner\n\na"),
        ("<h2>C #</h2>", "## C \\#"),
        ("<h2>C#</h2>", "## C#"),
        ("<h2>two<br>lines</h2>", "## two lines"),
        ("<p>a<br>b", "a  \nb"),
        ("<p># a<br>1. b<br>- c", "\\# a  \n1\\. b  \n\\- c"),
    ]);
}

#[test]
fn lists_nest() {
    check(&[
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        (
            "<p>x</p><ul><li>a<ul><li>b<ol><li>c<li>d</ol></ul><li>e</ul><p>y",
            "x\n\n- a\n  - b\n    1. c\n    2. d\n- e\n\ny",
        ),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c"),
        ("<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"),
        ("<ol start=-3><li>a</ol><p>x<ol start=99999999999><li>b</ol>", "1. a\n\nx\n\n99999999. b"),
        ("<ol style='list-style: none'><li>a<li>b</ol>", "- a\n- b"),
        ("<ol><li><p>a</p><p>b</p></li><li>c</ol>", "1. a\n\n   b\n2. c"),
        ("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"),
        ("<ul><li>a<br>b</ul>", "- a  \n  b"),
        ("<ul><li><ul><li>a</ul></ul>", "- - a"),
        ("<ul><li>a<ol start=4><li>b</ol></ul>", "- a\n\n  4. b"),
        ("<dl><dt>t<dd>d<dd>e<dt>u<dd>f</dl>", "- t\n\n  d\n\n  e\n- u\n\n  f"),
        ("<ul><li>a<pre>x\n  y</pre>b</ul>", "- a\n\n  ```\n  x\n    y\n  ```\n\n  b"),
        ("<dl><dd>d<dd>e</dl>", "d\n\ne"),
        ("<li>a<li>b<p>c<dl><dd>d<dd>e<dd>f</dl>", "- a\n\nb\n\nc\n\nd\n\ne\n\nf"),
        ("<li>stray", "- stray"),
    ]);
}

#[test]
fn quotes() {
    check(&[
        ("<blockquote><p>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"),
        ("<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"),
        ("<ul><li>a<blockquote>b<br>c</blockquote></ul>", "- a\n\n  > b  \n  > c"),
    ]);
}

#[test]
fn inline_marks() {
    check(&[
        ("a <b>b</b> <i>c</i> <code>d*</code> <del>e</del>", "a **b** *c* `d*` ~~e~~"),
        ("a<b> b </b>c", "a **b** c"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b></b>a<i> </i>b", "a b"),
        ("<b><b>a</b></b>", "**a**"),
        ("<b><i>a</i></b>", "***a***"),
        ("<i><b>a</b></i><b>.</b>", "***a***."),
        ("<b>1</b><a href=/x><b>. a</b></a>", "**1**[. a](/x)"),
        ("a<i>, </i>b", "a, b"),
        ("~~~ a", "\\~\\~\\~ a"),
        ("<s>9€</s> 8€", "~~9€~~ 8€"),
        ("<code>a`b</code>", "`` a`b ``"),
        ("<code><a href=/x>a</a>_b_</code>", "`a_b_`"),
        ("<a href=/x><code>a</code></a>", "[`a`](/x)"),
        ("<b>注意：</b>后面", "**注意**：后面"),
        ("前面<b>“文字”</b>后面", "前面“**文字**”后面"),
        ("<b>。</b>后面", "。后面"),
        ("<b>a<br>b</b> c", "**a  \nb** c"),
        ("2 * 3 * 4 and snake_case and _x_", "2 \\* 3 \\* 4 and snake_case and \\_x\\_"),
        ("see [1] and a[b](c)", "see \\[1\\] and a[b\\](c)"),
        ("10<sup>6</sup> and <i>x</i><sup>n+1</sup>, V<sub>CC</sub>", "10⁶ and *x*ⁿ⁺¹, V\\_{CC}"),
        ("word<sup><a href=/n>1</a></sup>", "word[¹](/n)"),
        ("he said <q>go <q>on</q></q>.", "he said “go ‘on’”."),
        ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "$x^2$"),
    ]);
}

#[test]
fn formulas_are_between_dollars() {
    check(&[
        ("a <span data-tex='x_1 < y'>x</span>, b", "a $x_1 < y$, b"),
        ("a <script type='math/tex; mode=display'>x</script> b", "a $$x$$ b"),
        ("<b>a <math><mi>x</mi></math></b>", "**a $x$**"),
        ("<h2>On <math><mi>x</mi></math></h2>", "## On $x$"),
        (
            "<table><tr><td>a<td><img class=latex alt='|x|=1'><tr><td>b<td>c</table>",
            "| a | $\\|x\\|=1$ |\n| --- | --- |\n| b | c |",
        ),
        // Without TeX: as it is read.
        ("<math><mi>x</mi><mo>=</mo><mi>y</mi><annotation encoding=TeX>$</annotation></math>", "x = y"),
    ]);
}

#[test]
fn links_and_images() {
    check(&[
        ("<a href='b c.html'>x</a>", "[x](b%20c.html)"),
        ("<a href='#f'>x</a> <a href='JavaScript:y()'>y</a> <a>z</a>", "x y z"),
        ("<a href=/x>[1]</a>", "[\\[1\\]](/x)"),
        ("<p>a</p><img src=p.png alt='a [b]'><p>b", "a\n\n![a \\[b\\]](p.png)\n\nb"),
        ("<p>a <img src=p.png> b", "a ![](p.png) b"),
        ("<p>a <img src=p.png width=1> b <img src='data:x'>", "a b"),
        ("<p>a <img src=blank.gif data-src=q.png alt=q>", "a ![q](q.png)"),
        ("<p><a href=/y>t <img src=q.png alt=q></a>", "[t ![q](q.png)](/y)"),
    ]);
    let base = Some("http://e.org/d/p?q");
    for (source, want) in [
        ("<a href=x>x</a>", "[x](http://e.org/d/x)"),
        ("<a href='//f.org/a_(b)#c'>x</a>", "[x](http://f.org/a_(b)#c)"),
        ("<a href='?z'>x</a>", "[x](http://e.org/d/p?z)"),
        ("<a href=mailto:a@b.c>x</a>", "[x](mailto:a@b.c)"),
        ("<p>a <img src=/p.png>", "a ![](http://e.org/p.png)"),
    ] {
        assert_eq!(all(source, base), want, "{source}");
    }
}

#[test]
fn tables() {
    check(&[
        (
            "<table><caption>Cap</caption><thead><tr><th>A<th align=right>B</thead><tr><td>a|b<td align=right>1<tr><td><td>2</table>",
            "Cap\n\n| A | B |\n| --- | ---: |\n| a\\|b | 1 |\n| | 2 |",
        ),
        (
            "<table><tr><th>A<th>B<th>C<tr><td rowspan=2>a<td>b<td>c<tr><td>d<td>e</table>",
            "| A | B | C |\n| --- | --- | --- |\n| a | b | c |\n| a | d | e |",
        ),
        (
            "<table><tr><th>A<th>B<tr><td>x<br>y<td><p>p<p>q</table>",
            "| A | B |\n| --- | --- |\n| x<br>y | p<br>q |",
        ),
        (
            "<ul><li>a<table><tr><td>1<td>2<tr><td>3<td>4</table></ul>",
            "- a\n\n  | 1 | 2 |\n  | --- | --- |\n  | 3 | 4 |",
        ),
        ("<table><tr><td><p>only layout</table>", "only layout"),
    ]);
}

#[test]
fn code_blocks() {
    check(&[
        ("<pre><code class=language-c>  int a;\n\tb</code></pre>", "```c\n  int a;\n\tb\n```"),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
        (
            "<table><tr><td class=lineno><pre>1\n2</pre><td><pre>a\nb</pre></table>",
            "```\n1\n2\n```\n\n```\na\nb\n```",
        ),
        ("<pre>\n    a\n  b</pre>", "```\n    a\n  b\n```"),
        ("<pre>x<sup>2</sup></pre>", "```\nx²\n```"),
        (
            "<pre class=rust><code><i class=lineno>1</i>use a;\n<i class=lineno>2</i>use b;</code></pre>",
            "```rust\nuse a;\nuse b;\n```",
        ),
        ("<blockquote><pre>a\n\nb</pre></blockquote>", "> ```\n> a\n>\n> b\n> ```"),
    ]);
}

#[test]
fn hostile_nesting_is_bounded() {
    let quotes = "<blockquote>".repeat(5_000) + "<pre>" + &"\n x".repeat(10_000) + "</pre>";
    let lists = "<ul><li>item".repeat(5_000);
    let bold = "<b>x</b>".repeat(50_000);
    let marks = "<b><i><a href=x><code>".repeat(5_000) + "x";
    let spans = format!(
        "<table><tr><td colspan=99999 rowspan=99999>a<td>b{}</table>",
        "<tr><td>c<td>d".repeat(5_000)
    );
    let item = format!("<ol>{}</ol>", "<li>x".repeat(30_000));
    for page in [quotes, lists, bold, marks, spans, item] {
        let out = all(&page, Some("http://e.org/"));
        assert!(!out.is_empty() && out.len() < 3 << 20, "{}", out.len());
    }
}

#[test]
fn a_long_base_does_not_multiply() {
    let base = format!("http://ex.org/{}/", "x".repeat(3000));
    let links = "<a href=a>b</a> ".repeat(20_000);
    let out = all(&format!("<p>{links}"), Some(&base));
    assert!((4 << 20..6 << 20).contains(&out.len()), "{}", out.len());
    assert!(out.contains(&format!("[b]({base}a)")) && out.ends_with(" b"));
}
