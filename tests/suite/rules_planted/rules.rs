//! Rules for the planted sites.

/// CSS, and a chain of list pages.
pub const KETTLES: &str = r#"
[rule]
id = "kettles"
name = "Kettles: CSS, a chain of list pages"
[[layer]]
id = "list"
entries = ["http://kettles.example/"]
paging = "next"
[[layer]]
id = "kettle"
from = "link"
[[tag]]
id = "row"
layer = "list"
css = "ul.goods > li.item"
[[tag]]
id = "link"
layer = "list"
parent = "row"
css = "a.to"
link = true
[[tag]]
id = "price"
layer = "list"
parent = "row"
css = "span.price"
rematch = '([\d,.]+) EUR'
[[tag]]
id = "next"
layer = "list"
css = "a[rel=next]"
link = true
[[tag]]
id = "name"
layer = "kettle"
css = "main h1"
[[tag]]
id = "day"
layer = "kettle"
css = "main time::attr(datetime)"
[[tag]]
id = "colour"
layer = "kettle"
css = "main p.colour b"
[[group]]
name = "all"
outer = true
columns = [
  { name = "name", tag = "name" },
  { name = "price", tag = "price", type = "number" },
  { name = "day", tag = "day", type = "date" },
  { name = "colour", tag = "colour" },
  { name = "address", tag = "link", type = "url" },
]
"#;

/// XPath and codes.
pub const BOOKS: &str = r#"
[rule]
id = "books"
name = "Books: codes, Chinese pages in GBK"
[[layer]]
id = "list"
entries = ["http://shu.example/list_1.htm"]
paging = "next"
[[layer]]
id = "book"
from = "link"
[[tag]]
id = "link"
layer = "list"
xpath = "//tr[@class='b']/td[1]/a/@href"
link = true
[[tag]]
id = "next"
layer = "list"
xpath = "//a[text()='下一页']/@href"
link = true
[[tag]]
id = "name"
layer = "book"
start = '<h2>《'
end = '》</h2>'
[[tag]]
id = "author"
layer = "book"
start = '作者：<i>'
end = '</i>'
[[tag]]
id = "price"
layer = "book"
start = '定价：\s*￥'
end = '元'
[[tag]]
id = "day"
layer = "book"
start = '出版日期：'
end = '<'
[[group]]
name = "all"
columns = [
  { name = "name", tag = "name" },
  { name = "short", tag = "name", max_length = 4 },
  { name = "author", tag = "author" },
  { name = "price", tag = "price", type = "number" },
  { name = "day", tag = "day", type = "date" },
]
"#;

/// Microdata, and numbered list pages.
pub const GOODS: &str = r#"
[rule]
id = "goods"
name = "Goods: microdata, numbered list pages"
[[layer]]
id = "list"
entries = ["http://goods.example/list?p=<1,40,1,true>"]
[[layer]]
id = "good"
from = "link"
[[tag]]
id = "link"
layer = "list"
xpath = "//div[@id='goods']//a/@href"
exclude = "/help/"
link = true
[[tag]]
id = "name"
layer = "good"
microdata = "Product.name"
[[tag]]
id = "price"
layer = "good"
microdata = "Product.offers.price"
[[tag]]
id = "day"
layer = "good"
start = "(?i)added on "
end = "</"
[[group]]
name = "all"
columns = [
  { name = "name", tag = "name" },
  { name = "price", tag = "price", type = "number" },
  { name = "day", tag = "day", type = "date" },
]
"#;
