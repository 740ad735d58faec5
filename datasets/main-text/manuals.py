#!/usr/bin/env python3
"""Make a set of pages of manuals, whose main text a rule for each generator of manuals finds.

    manuals.py --pages DIR --out DIR [--each N]

--pages holds a folder a Debian package, with what `dpkg -x PACKAGE.deb` unpacks (or its HTML files alone); packages that are
not there are passed over and named. --each is how many pages are drawn of a rule (default: 26).

Main text is what the part of the page that the generator fills from the source of the manual shows, code included, without
the heading that begins it (as in the other sets, which have that as title), without tables of contents, links to neighbours,
anchors, line numbers, "source" links and breadcrumbs. Pages of fewer than 40 tokens of text are not taken, nor lists of all
classes, indexes and search pages.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sets import Writer, decode, order, text_of, tree_of

TOKEN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]|[^\W\u3041-\u30ff\u3400-\u9fff]+")
FEWEST = 40
MOST = 20_000  # tokens; whole books on a page would outweigh all others
LARGEST = 1_500_000  # bytes
# Pages that are no prose of their own, in any generator.
NOT_TAKEN = re.compile(
    r"(^|/)(genindex|index-all|allclasses|allpackages|search|annotated|classes|files|hierarchy|functions|globals|namespaces|"
    r"overview-tree|package-tree|deprecated-list|help-doc|py-modindex|toc|all|doc-index)[\w.-]*\.x?html?$|class-use/|_sources/|-members\.html|"
    r"/(print|not_found|redirect)[\w.-]*\.html",
    re.IGNORECASE,
)


@dataclass
class Rule:
    """How a generator lays out the pages of a package."""

    name: str
    generator: str
    package: str
    root: str  # folder below the package's, `*` allowed
    only: str  # of paths below the root, a regular expression
    part: str  # XPath of the parts that are main text, in the page's order
    drop: str  # XPath of what is left out within
    url: str  # where the root stands on the Web
    lang: str = "en"  # or a regular expression with a group, of paths
    more: float = 1.0  # share of the usual number of pages
    skip: str = r"^$"
    title: str = ""  # XPath of the headline where it stands outside of the part
    licence: str = "free documentation, see the package's copyright file"


def has(*names):
    """XPath: any of these classes."""
    return " or ".join(f"contains(concat(' ',normalize-space(@class),' '),' {n} ')" for n in names)


DOCBOOK = (
    "//body//div[" + has("chapter", "section", "sect1", "sect2", "sect3", "appendix", "preface", "refentry", "article", "part", "glossary", "bibliography")
    + "][not(ancestor::div[" + has("chapter", "section", "sect1", "sect2", "sect3", "appendix", "preface", "refentry", "article", "part", "glossary") + "])]"
)
DOCBOOK_DROP = ".//div[" + has("toc", "navheader", "navfooter", "titletoc") + "] | .//table[" + has("navigation") + "] | .//ul[" + has("docnav") + "]"
SPHINX_DROP = ".//a[" + has("headerlink") + "] | .//div[" + has("contents", "toctree-wrapper-hidden") + "] | .//*[" + has("linenos", "viewcode-link", "viewcode-back") + "]"
SPHINX = "(//div[@itemprop='articleBody'] | //div[@role='main'] | //div[" + has("body") + "])[last()]"
TEXINFO = "//body"
TEXINFO_DROP = ".//*[" + has("header", "nav_table", "nav-panel", "contents", "shortcontents", "menu", "detailmenu", "section-toc", "menu-comment", "copiable-link", "mini-toc") + "] | .//hr | .//*[@id='SEC_Contents'] | .//a[" + has("summary-letter") + "]"
JAVADOC_DROP = ".//div[" + has("header", "sub-nav") + "] | .//ul[" + has("breadcrumbs") + "] | .//*[" + has("copy") + "]"
DOXYGEN_DROP = (
    ".//*[" + has("dyncontent", "dynheader", "ttc", "lineno", "memSeparator", "permalink", "toc", "center") + "] | .//p[starts-with(normalize-space(.),'Definition at line')]"
    " | .//ul/li[contains(., '.h') and count(../li)=1 and string-length(normalize-space(.))<40]"
)

LANG_CODE = r"(?:^|/|\.)(zh-cn|zh-tw|zh_CN|zh_TW|pt-br|pt_BR|pt-BR|zh-CN|zh-TW|[a-z]{2}-[A-Z]{2}|[a-z]{2})(?=/|\.html|\.utf8|\.euc|\.iso|$)"

RULES = [
    Rule("rustdoc", "rustdoc 1.63", "rust-doc", "usr/share/doc/rust-doc/html", r"^(std|core|alloc|proc_macro|test)/.*(struct|enum|trait|fn|macro|index|primitive|type|union|keyword)", "//*[@id='main-content']",
         ".//*[" + has("main-heading", "srclink", "anchor", "notable-traits", "since", "rightside", "out-of-band", "hideme", "tooltip") + "] | .//summary[" + has("hideme") + "]",
         "https://doc.rust-lang.org/", more=1.6, skip=r"/arch/|core_arch"),
    Rule("rustsrc", "rustdoc 1.63, source", "rust-doc", "usr/share/doc/rust-doc/html/src", r".", "//*[@id='main-content' or @id='source-content' or self::main]//pre[" + has("rust") + "]",
         ".//*[" + has("line-numbers", "src-line-numbers") + "]", "https://doc.rust-lang.org/src/", more=0.5),
    Rule("mdbook", "mdBook", "rust-doc", "usr/share/doc/rust-doc/html", r"^(book|edition-guide|embedded-book|nomicon|reference|rust-by-example|rustc|rustdoc|unstable-book)/", "//main",
         ".//*[" + has("buttons", "nav-chapters", "boring") + "]", "https://doc.rust-lang.org/", more=1.6, skip=r"second-edition|first-edition|2018-edition"),
    Rule("javadoc", "javadoc 17", "openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless/api", r"^java\.(base|desktop|logging|sql|net\.http|xml)/.*\.html$", "//main", JAVADOC_DROP, "https://docs.oracle.com/en/java/javase/17/docs/api/", more=1.5),
    Rule("javadoc-ant", "javadoc 17, default", "ant-doc", "usr/share/doc/ant/api", r"^org/.*\.html$", "//main", JAVADOC_DROP, "https://ant.apache.org/manual/api/", more=0.5),
    Rule("ant", "by hand", "ant-doc", "usr/share/doc/ant/manual", r"\.html$", "//body", ".//div[" + has("header", "footer") + "]", "https://ant.apache.org/manual/", skip="toc|List"),
    Rule("cppreference", "MediaWiki 1.21", "cppreference-doc-en-html", "usr/share/cppreference/doc/html", r"^en/.*\.html$", "//*[@id='mw-content-text']",
         ".//*[@id='toc'] | .//*[" + has("t-navbar", "editsection", "mw-editsection", "t-template-editlink", "coliru-btn", "noprint") + "]", "http://en.cppreference.com/w/", more=1.5),
    Rule("linux", "Sphinx, Read the Docs theme", "linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", r"^(?!translations).*\.html$", SPHINX, SPHINX_DROP, "https://www.kernel.org/doc/html/v6.1/"),
    Rule("linux-zh", "Sphinx, Read the Docs theme", "linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", r"^translations/zh_(CN|TW)/.*\.html$", SPHINX, SPHINX_DROP, "https://www.kernel.org/doc/html/v6.1/", lang="zh", more=1.2),
    Rule("linux-other", "Sphinx, Read the Docs theme", "linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", r"^translations/(ja_JP|ko_KR|it_IT|sp_SP)/.*\.html$", SPHINX, SPHINX_DROP, "https://www.kernel.org/doc/html/v6.1/", lang=r"translations/(..)_", more=0.6),
    Rule("python", "Sphinx, python-docs-theme", "python3.11-doc", "usr/share/doc/python3.11/html", r"\.html$", SPHINX, SPHINX_DROP, "https://docs.python.org/3.11/"),
    Rule("django", "Sphinx, own theme", "python-django-doc", "usr/share/doc/python-django-doc/html", r"\.html$", "//div[" + has("yui-g") + "]//div[" + has("section") + "][1] | //div[" + has("yui-g") + "]/section", SPHINX_DROP, "https://docs.djangoproject.com/en/3.2/", skip="_modules"),
    Rule("varnish", "Sphinx, classic", "varnish-doc", "usr/share/doc/varnish/html", r"\.html$", SPHINX, SPHINX_DROP, "https://varnish-cache.org/docs/7.1/", more=0.5),
    Rule("cmake", "Sphinx, own theme", "cmake-doc", "usr/share/doc/cmake-data/html", r"\.html$", SPHINX, SPHINX_DROP, "https://cmake.org/cmake/help/v3.25/", more=0.7),
    Rule("boost", "BoostBook", "libboost1.74-doc", "usr/share/doc/libboost1.74-doc/doc/html", r"\.html$", DOCBOOK, DOCBOOK_DROP, "https://www.boost.org/doc/libs/1_74_0/doc/html/", more=1.2),
    Rule("apache", "by XSLT", "apache2-doc", "usr/share/doc/apache2-doc/manual", r"\.html", "//*[@id='page-content']", ".//*[@id='quickview' or @id='comments_section' or @id='comments_thread'] | .//*[" + has("toplang", "top", "permalink", "outofdate", "up") + "] | .//div[" + has("section") + "][.//*[@id='comments_section']]", "https://httpd.apache.org/docs/2.4/", lang=r"^(zh-cn|pt-br|[a-z]{2})/", more=2.2, skip="quickreference|sitemap|directives"),
    Rule("handbook", "publican (DocBook)", "debian-handbook", "usr/share/doc/debian-handbook/html", r"\.html$", DOCBOOK, DOCBOOK_DROP, "https://debian-handbook.info/browse/", lang=r"^([a-z]{2})-", more=2.2, skip="^ix|^en-US"),
    Rule("handbook-en", "publican (DocBook)", "debian-handbook", "usr/share/doc/debian-handbook/html/en-US", r"\.html$", DOCBOOK, DOCBOOK_DROP, "https://debian-handbook.info/browse/stable/", more=0.5, skip="^ix"),
    Rule("harden", "publican (DocBook)", "harden-doc", "usr/share/doc/harden-doc/html", r"^(de|es|fr|it|ja|pt|ru|zh|da|nl)", DOCBOOK, DOCBOOK_DROP, "https://www.debian.org/doc/manuals/securing-debian-manual/", lang=r"^([a-z]{2})-", more=0.6),
    Rule("help-zh", "LibreOffice help", "libreoffice-help-zh-cn", "usr/share/libreoffice/help/zh-CN/text", r"\.html$", "//*[@id='DisplayArea']", ".//*[" + has("xapian-omit") + "]", "https://help.libreoffice.org/7.4/zh-CN/text/", lang="zh", more=1.5),
    Rule("help-ru", "LibreOffice help", "libreoffice-help-ru", "usr/share/libreoffice/help/ru/text", r"\.html$", "//*[@id='DisplayArea']", ".//*[" + has("xapian-omit") + "]", "https://help.libreoffice.org/7.4/ru/text/", lang="ru", more=0.6),
    Rule("reference-zh", "DocBook XSL", "debian-reference-zh-cn", "usr/share/debian-reference", r"^ch.*\.html$", DOCBOOK, DOCBOOK_DROP, "https://www.debian.org/doc/manuals/debian-reference/", lang="zh", more=0.4),
    Rule("reference-ja", "DocBook XSL", "debian-reference-ja", "usr/share/debian-reference", r"^ch.*\.html$", DOCBOOK, DOCBOOK_DROP, "https://www.debian.org/doc/manuals/debian-reference/", lang="ja", more=0.3),
    Rule("install", "DocBook XSL", "installation-guide-amd64", "usr/share/doc/installation-guide-amd64", r"^(?!en/|zh_).*\.html$", DOCBOOK, DOCBOOK_DROP, "https://www.debian.org/releases/stable/amd64/", lang=r"^([a-z]{2})[_/]", more=2.2),
    Rule("install-zh", "DocBook XSL", "installation-guide-amd64", "usr/share/doc/installation-guide-amd64", r"^zh_(CN|TW)/.*\.html$", DOCBOOK, DOCBOOK_DROP, "https://www.debian.org/releases/stable/amd64/", lang="zh", more=0.6),
    Rule("aptitude", "DocBook XSL", "aptitude-doc-en", "usr/share/doc/aptitude/html/en", r"\.html$", DOCBOOK, DOCBOOK_DROP, "https://www.debian.org/doc/manuals/aptitude/", more=0.5),
    Rule("aptitude-fr", "DocBook XSL", "aptitude-doc-fr", "usr/share/doc/aptitude/html/fr", r"\.html$", DOCBOOK, DOCBOOK_DROP, "https://www.debian.org/doc/manuals/aptitude/fr/", lang="fr", more=0.4),
    Rule("apt-guide", "DocBook XSL", "apt-doc", "usr/share/doc/apt-doc", r"guide\..*ch.*\.html$", DOCBOOK, DOCBOOK_DROP, "https://www.debian.org/doc/manuals/apt-guide/", lang=r"guide\.([a-z]{2})", more=0.6),
    Rule("postgresql", "DocBook XSL, own style", "postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html", r"\.html$", DOCBOOK, DOCBOOK_DROP, "https://www.postgresql.org/docs/15/", more=1.3),
    Rule("gio", "gtk-doc", "libglib2.0-doc", "usr/share/gtk-doc/html", r"\.html$", "//div[" + has("refentry", "chapter", "index") + "]", DOCBOOK_DROP + " | .//div[" + has("refsect1") + "][.//div[" + has("gallery_float_nothing") + "]]", "https://developer-old.gnome.org/", skip="index|annotation"),
    Rule("gtk3", "gtk-doc", "libgtk-3-doc", "usr/share/gtk-doc/html", r"\.html$", "//div[" + has("refentry", "chapter") + "]", DOCBOOK_DROP, "https://developer-old.gnome.org/", more=0.5, skip="index|annotation"),
    Rule("gtk4", "gi-docgen", "libgtk-4-doc", "usr/share/doc/libgtk-4-doc", r"\.html$", "//section[@id='main']", ".//header | .//*[" + has("srclink", "anchor", "toc", "sidebar") + "] | .//a[normalize-space(.)='[src]']", "https://docs.gtk.org/", title="//section[@id='main']//header//h1"),
    Rule("eigen", "Doxygen, side tree", "libeigen3-doc", "usr/share/doc/libeigen3-dev/html", r"\.html$", "//div[" + has("contents") + "]", DOXYGEN_DROP, "https://eigen.tuxfamily.org/dox/", skip="_source|dir_", title="//div[" + has("headertitle") + "]/div[" + has("title") + "]"),
    Rule("sfml", "Doxygen, own frame", "libsfml-doc", "usr/share/doc/libsfml-dev/html", r"\.html$", "//div[" + has("contents") + "]", DOXYGEN_DROP, "https://www.sfml-dev.org/documentation/2.5.1/", skip="_source|dir_", more=0.6, title="//div[" + has("headertitle") + "]/div[" + has("title") + "]"),
    Rule("wx", "Doxygen, own frame", "wx3.2-doc", "usr/share/doc/wx3.2-doc/html", r"\.html$", "//div[" + has("contents") + "]", DOXYGEN_DROP, "https://docs.wxwidgets.org/3.2/", skip="_source|dir_", more=0.8, title="//div[" + has("headertitle") + "]/div[" + has("title") + "]"),
    Rule("ffmpeg", "Doxygen", "ffmpeg-doc", "usr/share/doc/ffmpeg/api", r"\.html$", "//div[" + has("contents") + "]", DOXYGEN_DROP, "https://ffmpeg.org/doxygen/5.1/", skip="dir_", more=0.6, title="//div[" + has("headertitle") + "]/div[" + has("title") + "]"),
    Rule("git", "AsciiDoc", "git-doc", "usr/share/doc/git-doc", r"\.html$", "//body", ".//h1 | .//*[@id='footer' or @id='toc' or @id='footnotes-none']", "https://www.kernel.org/pub/software/scm/git/docs/", title="//h1"),
    Rule("ntpsec", "Asciidoctor", "ntpsec-doc", "usr/share/doc/ntpsec-doc/html", r"\.html$", "//*[@id='content']", ".//*[@id='toc'] | .//*[self::div or self::table][contains(@class,'paragraph') or contains(@class,'imageblock')][contains(.,'Site Map')]", "https://docs.ntpsec.org/latest/", more=0.7),
    Rule("nim", "Nim's rst2html, docgen", "nim-doc", "usr/share/doc/nim/html", r"\.html$", "//*[@id='content']", ".//*[" + has("link-seesrc", "link-edit") + "] | .//h1[@class='title']", "https://nim-lang.org/docs/", more=0.8, skip="theindex|contributing$", title="//h1"),
    Rule("nodejs", "Node's own", "nodejs-doc", "usr/share/doc/nodejs/api", r"\.html$", "//*[@id='apicontent']", ".//a[" + has("mark") + "] | .//details[" + has("changelog") + "] | .//*[@id='toc'] | .//*[" + has("srclink") + "]", "https://nodejs.org/docs/latest-v18.x/api/", more=0.8),
    Rule("octave", "Texinfo, a page a node", "octave-doc", "usr/share/doc/octave/octave.html", r"\.html$", TEXINFO, TEXINFO_DROP, "https://docs.octave.org/v7.3.0/", more=0.8, skip="Index"),
    Rule("sbcl", "Texinfo, a page a node", "sbcl-doc", "usr/share/doc/sbcl", r"\.html$", TEXINFO, TEXINFO_DROP, "http://www.sbcl.org/manual/", more=0.4, skip="Index"),
    Rule("asymptote", "Texinfo, a page a node", "asymptote-doc", "usr/share/doc/asymptote/html", r"\.html$", TEXINFO, TEXINFO_DROP, "https://asymptote.sourceforge.io/doc/", more=0.5, skip="Index"),
    Rule("lilypond", "Texinfo, own frame", "lilypond-doc-html", "usr/share/doc/lilypond/html/Documentation", r"(notation|learning|usage|extending|internals|web|contributor|essay|changes)/.*\.html$", "//*[@id='main']", TEXINFO_DROP + " | .//*[@id='footer' or @id='languages']", "https://lilypond.org/doc/v2.24/Documentation/", lang=r"\.([a-z]{2})\.html$", more=1.4, skip="index"),
    Rule("r", "Texinfo, one page", "r-doc-html", "usr/share/R/doc/manual", r"\.html$", TEXINFO, TEXINFO_DROP, "https://cran.r-project.org/doc/manuals/", more=0.3),
    Rule("sqlite", "SQLite's own", "sqlite3-doc", "usr/share/doc/sqlite3", r"\.html$", "//body", ".//div[" + has("nosearch") + "] | .//*[" + has("fancy_toc", "toc") + "] | .//h1[@align='center'] | .//p[starts-with(normalize-space(.),'This page last modified')]", "https://www.sqlite.org/", skip="syntax/|releaselog|c3ref/(intro|objlist|constlist|funclist)", title="//div[contains(@class,'fancy_title')] | //h1"),
    Rule("crystal", "Crystal docs", "crystal-doc", "usr/share/doc/crystal/api-docs", r"\.html$", "//div[" + has("main-content") + "]", ".//*[" + has("method-permalink", "anchor", "view-source", "type-name", "superclass-hierarchy-none") + "] | .//a[normalize-space(.)='View source' or normalize-space(.)='#']", "https://crystal-lang.org/api/1.6.0/", title="//h1[contains(@class,'type-name')]"),
    Rule("erlang", "Erlang's docgen", "erlang-doc", "usr/share/doc/erlang-doc", r"\.html$", "//*[@id='content']//div[" + has("innertube") + "]", ".//div[" + has("footer", "erlang-sidebar") + "] | .//span[" + has("anchor", "since") + "] | .//center", "https://www.erlang.org/docs/25/", skip="java/|users_guide|index.html|release_notes.html$"),
    Rule("haddock", "Haddock", "libghc-attoparsec-doc", "usr/share/doc/libghc-attoparsec-doc/html", r"\.html$", "//*[@id='description' or @id='interface' or @id='synopsis']", ".//a[" + has("link", "selflink") + "] | .//*[@id='table-of-contents']", "https://hackage.haskell.org/package/attoparsec-0.14.4/docs/", more=0.4, skip="src/"),
    Rule("haddock-aeson", "Haddock", "libghc-aeson-doc", "usr/share/doc/libghc-aeson-doc/html", r"\.html$", "//*[@id='description' or @id='interface' or @id='synopsis']", ".//a[" + has("link", "selflink") + "] | .//*[@id='table-of-contents']", "https://hackage.haskell.org/package/aeson/docs/", more=0.4, skip="src/"),
    Rule("mkdocs", "MkDocs", "mkdocs-doc", "usr/share/doc/mkdocs/html", r"\.html$", "//*[@role='main']", ".//a[" + has("headerlink") + "]", "https://www.mkdocs.org/", more=0.8),
    Rule("vim", "vim2html", "vim-doc", "usr/share/doc/vim/html", r"\.html$", "//body", ".//h1 | .//body/a | .//body/p[last()] | ./a | .//a[normalize-space(.)='main help file' or normalize-space(.)='top']", "https://vimhelp.org/", more=0.8, skip="index|tags|/vimindex"),
    Rule("qt", "QDoc", "qtbase5-doc-html", "usr/share/qt5/doc", r"\.html$", "//div[" + has("content") + "]//div[" + has("line") + "]", ".//div[" + has("sidebar", "toc", "navigationbar") + "] | .//div[@id='sidebar-content']", "https://doc.qt.io/qt-5/", more=1.2, skip="-members|-obsolete|example"),
    Rule("postfix", "by hand", "postfix-doc", "usr/share/doc/postfix/html", r"\.html$", "//body", ".//img", "https://www.postfix.org/", more=0.8, skip="index"),
    Rule("exim", "xfpt and XSLT", "exim4-doc-html", "usr/share/doc/exim4-doc-html/spec_html", r"ch.*\.html$", "//*[@id='chapter'] | //*[@id='content'][not(.//*[@id='chapter'])]", ".//a[" + has("previous_page", "next_page", "anchor") + "] | .//*[@id='toc'] | .//*[" + has("nav") + "] | .//a[contains(.,'previous') and contains(@href,'ch')] | .//a[starts-with(normalize-space(.),'next')]", "https://www.exim.org/exim-html-current/doc/html/spec_html/"),
    Rule("privoxy", "DSSSL stylesheets", "privoxy", "usr/share/doc/privoxy", r"\.html$", "//div[" + has("SECT1", "ARTICLE-NONE") + "]", ".//*[" + has("NAVHEADER", "NAVFOOTER", "TOC") + "]", "https://www.privoxy.org/", more=0.6),
    Rule("yard", "YARD", "yard-doc", "usr/share/doc/yard/doc", r"\.html$", "//*[@id='content']", ".//*[" + has("summary_toggle", "inheritanceTree", "lines", "source_code", "toggleSource", "fullTree") + "] | .//*[@id='toc']", "https://rubydoc.info/gems/yard/", more=0.8, skip="_list|_index|frames"),
    Rule("gap", "GAPDoc", "gap-doc", "usr/share/gap/doc", r"chap\d+\.html$", "//body", ".//*[" + has("chlinktop", "chlinkprevnexttop", "chlinkbot", "chlinkprevnextbot", "ChapSects", "pcenter", "foot") + "]", "https://docs.gap-system.org/doc/", more=0.8),
    Rule("freepascal", "fpdoc", "fp-docs-3.2.2", "usr/share/doc/fp-docs", r"\.html$", "//body", ".//table[" + has("bar") + "] | .//h1", "https://www.freepascal.org/docs-html/", more=0.8, skip="-\\d\\.html|(?<!\\w)index-"),
    Rule("racket", "Scribble", "racket-doc", "usr/share/doc/racket", r"^(guide|reference|scribble|drracket|net|web-server|draw|gui|racket-cheat|syntax|quick|more)[\w-]*/.*\.html$", "//div[" + has("main") + "]", ".//div[" + has("navsettop", "navsetbottom", "versionbox", "SubFlow-none") + "] | .//table[" + has("TocBox", "RktBlk-none") + "]", "https://docs.racket-lang.org/", skip="index|doc-index"),
    Rule("markdown", "Sphinx-like, own", "python-markdown-doc", "usr/share/doc/python-markdown-doc/docs", r"\.html$", SPHINX, SPHINX_DROP, "https://python-markdown.github.io/", more=0.5),
    Rule("ikiwiki", "ikiwiki", "ikiwiki", "usr/share/doc/ikiwiki/html", r"\.html$", "//*[@id='content']", ".//*[" + has("toc", "inlineheader-none", "createlink-none") + "]", "https://ikiwiki.info/", more=0.8, skip="news|recentchanges"),
    Rule("gnuplot", "LaTeX2HTML", "gnuplot-doc", "usr/share/doc/gnuplot/htmldocs", r"\.html$", "//body", ".//*[" + has("navigation", "ChildLinks") + "] | .//address", "http://gnuplot.info/docs_5.4/", more=0.8),
    Rule("zsh", "yodl", "zsh-doc", "usr/share/doc/zsh-common/html", r"(FAQ\d+|FAQ)\.html$", "//body", "./ul[.//a[contains(@href,'FAQ')]][not(.//p)]", "https://zsh.sourceforge.io/FAQ/", more=0.2),
    Rule("zsh-manual", "Texinfo (texi2html)", "zsh-doc", "usr/share/doc/zsh-common/html", r"\.html$", TEXINFO, TEXINFO_DROP + " | .//table[@cellpadding='1'] | .//p[@align='right'] | ./table[1] | ./table[last()]", "https://zsh.sourceforge.io/Doc/Release/", more=0.0, skip="FAQ|Index|_toc"),
]


def candidates(rule, pages):
    """Paths below the rule's root that it may take, in a drawn order."""
    root = pages / rule.package / rule.root
    names = (p.relative_to(root).as_posix() for p in root.rglob("*") if re.search(r"\.x?html?(\.[\w.-]+)?$", p.name) and p.is_file())
    taken = re.compile(rule.only), re.compile(rule.skip)
    names = [n for n in names if taken[0].search(n) and not taken[1].search(n) and not NOT_TAKEN.search(n)]
    return root, sorted(names, key=lambda n: order(f"{rule.name}/{n}"))


def language(rule, name):
    if "(" not in rule.lang:
        return rule.lang
    found = re.search(rule.lang, name)
    return found[1][:2] if found else "en"


def page_of(rule, data, name):
    """(headline, text) of a page, or None if the rule finds no main text of a suitable size."""
    label = {"euc-kr": "euc_kr", "euc-jp": "euc_jp"}.get((re.search(r"euc-(kr|jp)", name) or [""])[0])
    source = decode(data, label)
    if re.search(r"(?<!<noscript>)<meta[^>]*http-equiv=.?refresh", source[:3000], re.IGNORECASE):
        return None
    tree = tree_of(source)
    parts = [] if tree is None else tree.xpath(rule.part)
    if not parts or not all(isinstance(p.tag, str) for p in parts):
        return None
    title, texts = None, []
    for n, part in enumerate(parts):
        head, text = text_of(part, part.xpath(rule.drop), headline=n > 0 or bool(rule.title))
        title = title or head
        texts.append(text)
    text = "\n".join(t for t in texts if t)
    tokens = len(TOKEN.findall(text))
    if not FEWEST <= tokens <= MOST:
        return None
    if rule.title:
        title = next((" ".join(e.text_content().split()) for e in tree.xpath(rule.title)), None)
    if not title:
        title = " ".join((tree.findtext(".//title") or "").split()) or None
    return title and title.strip("¶# \uf0c1"), text


def take(rule, pages, out, each):
    """Adds the pages of a rule, in equal parts of its languages; returns how many of each language."""
    root, names = candidates(rule, pages)
    wanted = round(each * rule.more)
    languages = sorted({language(rule, n) for n in names})
    share = {lang: -(-wanted // len(languages)) for lang in languages}
    count = {}
    for name in names:
        lang = language(rule, name)
        if sum(count.values()) >= wanted:
            break
        if count.get(lang, 0) >= share[lang]:
            continue
        data = (root / name).read_bytes()
        found = page_of(rule, data, name) if len(data) <= LARGEST else None
        if found is None:
            continue
        count[lang] = count.get(lang, 0) + 1
        title, text = found
        out.add(
            data,
            id=f"{rule.name}-{re.sub(r'.x?html?$', '', name)}"[:120],
            url=rule.url + quote(name),
            lang=lang,
            source=f"{rule.package}:{rule.root}/{name}",
            licence=rule.licence,
            text=text,
            title=title,
            site=rule.name,
            type="documentation",
            generator=rule.generator,
        )
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, required=True, metavar="DIR", help="folder of unpacked packages")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the set; emptied first")
    parser.add_argument("--each", type=int, default=26, metavar="N", help="pages a rule (default: 26)")
    args = parser.parse_args()
    out, total = Writer(args.out), 0
    for rule in RULES:
        if not (args.pages / rule.package).is_dir():
            print(f"{rule.name}: no package {rule.package}", file=sys.stderr)
            continue
        count = take(rule, args.pages, out, args.each)
        total += sum(count.values())
        print(f"{rule.name:14}{sum(count.values()):4}  {rule.generator}  {count}")
    out.close()
    print(f"{total} pages")


if __name__ == "__main__":
    main()
