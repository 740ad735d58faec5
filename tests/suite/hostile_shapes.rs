//! Shapes of pages that were made to be slow, to be deep or to be many, by size.

use crate::hostile_pages::PROSE;

fn many(part: &str, times: usize) -> String {
    part.repeat(times)
}

fn numbered(times: usize, part: impl Fn(usize) -> String) -> String {
    (0..times).map(part).collect()
}

/// A page made to be slow, by size.
pub(crate) type Shape = (&'static str, fn(usize) -> String);

pub(crate) const SHAPES: &[Shape] = &[
    ("nested divs", |n| many("<div>", n) + "text"),
    ("misnested formatting", |n| many("<a><b>x</a><i></b>", n)),
    ("nested tables", |n| many("<table><tr><td>x", n)),
    ("open paragraphs", |n| many("<p>a few words", n)),
    ("long value", |n| format!("<p title='{}' class='{}'>x", many("words in a value ", n), many("a b ", n))),
    ("tiny texts", |n| many("<i>x</i>", n)),
    ("one word", |n| format!("<article><p>{}</p></article>", many("abcdefgh", n))),
    ("line breaks", |n| many("x<br>", n)),
    ("bare line breaks", |n| many("<br>", n)),
    ("selects", |n| many("<select><option>x</select>", n)),
    ("options", |n| format!("<select>{}", many("<option>a choice</option>", n))),
    ("foreign nests", |n| many("<svg><g><math><mi>x", n)),
    ("deep JSON-LD", |n| {
        format!("<script type=application/ld+json>{}{}</script>{PROSE}", many("[", n), many("]", n))
    }),
    ("deep JSON-LD graph", |n| {
        format!(
            "<script type=application/ld+json>{}1{}</script>{PROSE}",
            many("{\"@graph\":", n),
            many("}", n)
        )
    }),
    ("wide JSON-LD", |n| {
        let node = "{\"@type\":\"Article\",\"author\":{\"name\":\"Ann Lee\"},\"keywords\":\"a,b,c\",\"articleBody\":\"words of an article\"},";
        format!("<script type=application/ld+json>[{}1]</script>{PROSE}", many(node, n))
    }),
    ("many JSON-LD scripts", |n| {
        many(
            "<script type=application/ld+json>{\"@type\":\"Article\",\"articleBody\":\"some text\"}</script>",
            n,
        ) + PROSE
    }),
    ("broken JSON-LD scripts", |n| many("<script type=application/ld+json>{\"@type\":</script>", n) + PROSE),
    ("comments", |n| many("<!-- a remark -->", n) + PROSE),
    ("long comment", |n| format!("<!--{}-->{PROSE}", many("words -- ", n))),
    ("long title", |n| format!("<title>{}</title>{PROSE}", many("Title - of | it ", n))),
    ("long title, many headings", |n| {
        format!("<title>{}</title>{}", many("Tea ", n / 4), many("<h1>Tea Tea</h1><p>x", n / 4))
    }),
    ("equal items", |n| format!("<ul>{}</ul>", many("<li><a href=/x>an item</a></li>", n))),
    ("counted items", |n| {
        format!("<ul>{}</ul>", numbered(n, |i| format!("<li><a href=/{i}>item {i}</a> of note</li>")))
    }),
    ("equal paragraphs", |n| many(PROSE, n)),
    ("counted paragraphs", |n| {
        numbered(n, |i| {
            format!("<p>Paragraph {i} of a long article, with {i} words, all of them different, it says.</p>")
        })
    }),
    ("long byline", |n| {
        format!(
            "<article><h1>Tea</h1><p class=author>By {}</p>{}</article>",
            many("Ann Lee, ", n),
            many(PROSE, 5)
        )
    }),
    ("many bylines", |n| {
        format!("<article><h1>Tea</h1>{}</article>", many("<p class=byline>By Ann Lee, 3 May 2020</p>", n))
    }),
    ("many dates", |n| many("<p>3 May 2020, 2020-05-03 10:00, 2020年5月3日</p>", n)),
    ("times", |n| many("<time datetime=2020-05-03T10:00:00Z>May 3</time>", n)),
    ("Chinese without spaces", |n| {
        format!("<article><p>{}</p></article>", many("我们把网页的文字和链接分开统计每个词的次数", n))
    }),
    ("Chinese clauses", |n| {
        format!("<article><p>{}</p></article>", many("这是一个很长的句子，没有任何空格。", n))
    }),
    ("one character", |n| format!("<article><p>{}</p></article>", many("的", n))),
    ("Thai without spaces", |n| format!("<article><p>{}</p></article>", many("ภาษาไทยเป็นภาษาที่ไม่มีช่องว่าง", n))),
    ("digits", |n| format!("<article><p>{}</p></article>", many("1234567890", n))),
    ("points and commas", |n| format!("<article><p>{}</p></article>", many(".,;", n))),
    ("marks", |n| format!("<article><p>e{}</p></article>", many("\u{301}", n))),
    ("spaces", |n| format!("<article><p>a{}b</p></article>", many(" &nbsp;\n", n))),
    ("preformatted", |n| format!("<article><pre>{}</pre></article>", many("let x = 1;\n", n))),
    ("many preformatted", |n| many("<pre>let x = 1;</pre>", n)),
    ("backquotes", |n| format!("<article><p>Some <code>{}</code></p>{PROSE}</article>", many("`", n))),
    ("Markdown signs", |n| format!("<article><p>{}</p></article>", many("*_[](#)`<>| ", n))),
    ("wide table", |n| {
        format!("<table>{}</table>", many(&format!("<tr>{}</tr>", many("<td>1</td>", 1000)), n / 1000 + 1))
    }),
    ("tall table", |n| {
        format!("<table><tr><th>A<th>B</tr>{}</table>", numbered(n, |i| format!("<tr><td>{i}<td>x</tr>")))
    }),
    ("spanning cells", |n| {
        format!("<table>{}</table>", many("<tr><td colspan=1000 rowspan=65534>x<td>y", n))
    }),
    ("many tables", |n| many("<table><tr><th>a<th>b<tr><td>1<td>2</table>", n)),
    ("captions", |n| format!("<table>{}", many("<caption>x", n))),
    ("comments of readers", |n| {
        numbered(n, |i| {
            format!(
                "<div class=comment id=c{i}><b>Ann</b> 2020-05-03<p>I do not think so at all, {i}.</p></div>"
            )
        })
    }),
    ("images", |n| many("<img src=a.png alt='a picture'>", n)),
    ("links", |n| numbered(n, |i| format!("<a href=/{i}>x</a> "))),
    ("metas", |n| {
        numbered(n, |i| {
            format!("<meta name=keywords content='a{i},b{i}'><meta property=article:tag content=t{i}>")
        }) + PROSE
    }),
    ("microdata", |n| {
        many("<div itemscope itemtype=http://schema.org/Article><span itemprop=name>x</span>", n)
    }),
    ("microdata closed", |n| {
        many("<div itemscope itemtype=http://schema.org/Person><b itemprop=name>x</b></div>", n)
    }),
    ("definitions", |n| format!("<dl>{}", many("<dt>a<dd>b", n))),
    ("nested lists", |n| many("<ul><li>x", n)),
    ("nested quotes", |n| many("<blockquote><p>x", n)),
    ("headings", |n| numbered(n, |i| format!("<h2>Part {i}</h2><p>x"))),
    ("references", |n| many("&amp;&#20013;&hellip", n)),
    ("templates", |n| many("<template>x</template>", n)),
    ("labels", |n| many("<p>Author: Ann<p>责任编辑：李四<p>Tags: a, b", n)),
    ("address", |n| {
        format!("<base href='http://e.example/{}'>{}", many("a/", n.min(2000)), many("<a href=../x>y</a>", n))
    }),
];
