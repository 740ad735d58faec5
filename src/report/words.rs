//! All words of the report, in each of its languages.

/// Language of the report's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese, simplified.
    Zh,
}

impl Lang {
    /// The language of this code: `en` or `zh`.
    pub fn of_code(code: &str) -> Option<Self> {
        match code {
            "en" => Some(Lang::En),
            "zh" => Some(Lang::Zh),
            _ => None,
        }
    }

    /// Its code as `lang` in HTML wants it.
    pub fn code(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Zh => "zh-Hans",
        }
    }

    /// A word in this language.
    pub fn word(self, word: Word) -> &'static str {
        let (en, zh) = word.both();
        match self {
            Lang::En => en,
            Lang::Zh => zh,
        }
    }
}

macro_rules! words {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        /// A word or sentence of the report. `{0}`, `{1}` … stand for numbers and names.
        #[allow(missing_docs)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Word { $($name),* }

        impl Word {
            /// All of them.
            pub const ALL: &'static [Word] = &[$(Word::$name),*];

            /// English and Chinese.
            fn both(self) -> (&'static str, &'static str) {
                match self { $(Word::$name => ($en, $zh)),* }
            }
        }
    };
}

words! {
    SkipToContent: "Skip to the content", "跳到正文";
    Contents: "Contents", "目录";
    Overview: "Overview", "概览";
    AsTable: "As a table", "以表格显示";
    Others: "others", "其他";
    RowsLeftOff: "{0} further rows are left off here; the tables have them.", "另有 {0} 行未在此列出，见数据表。";
    Ranking: "Ranking", "排名";
    Columns: "Columns:", "显示的列：";
    Share: "share", "占比";
    Seconds: "seconds", "秒";

    // Subtitle and findings.
    OneHostMore: "{0} and {1} more", "{0} 等 {1} 个主机";
    Empty: "an empty corpus", "空语料";
    Fetched: "fetched {0}", "抓取于 {0}";
    FetchedBetween: "fetched {0} to {1}", "抓取于 {0} 至 {1}";
    Shards: "files: {0} ({1} MB)", "文件：{0} 个（{1} MB）";
    RecordsRead: "{0} records read, {1} damaged", "读取 {0} 条记录，损坏 {1} 条";
    RecordsReadLost: "{0} records read, {1} damaged ({2} bytes lost)", "读取 {0} 条记录，损坏 {1} 条（丢失 {2} 字节）";
    FindingCoverage: "{0} captures of {1} hosts hold {2} pages of HTML. Of the {3} pages that they are or link to, {4} were crawled ({5}).",
        "{1} 个主机的 {0} 次抓取中有 {2} 个 HTML 网页。网页及其链接指向的共 {3} 个页面中，已抓取 {4} 个（{5}）。";
    FindingOneHost: "{0} captures of one host hold {1} pages of HTML. Of the {2} pages that they are or link to, {3} were crawled ({4}).",
        "一个主机的 {0} 次抓取中有 {1} 个 HTML 网页。网页及其链接指向的共 {2} 个页面中，已抓取 {3} 个（{4}）。";
    FindingCoverageDocuments: "{0} captures of {1} hosts hold {2} pages of HTML and {6} other documents. Of the {3} pages that they are or link to, {4} were crawled ({5}).",
        "{1} 个主机的 {0} 次抓取中有 {2} 个 HTML 网页和 {6} 个其他文档。它们及其链接指向的共 {3} 个页面中，已抓取 {4} 个（{5}）。";
    FindingOneHostDocuments: "{0} captures of one host hold {1} pages of HTML and {5} other documents. Of the {2} pages that they are or link to, {3} were crawled ({4}).",
        "一个主机的 {0} 次抓取中有 {1} 个 HTML 网页和 {5} 个其他文档。它们及其链接指向的共 {2} 个页面中，已抓取 {3} 个（{4}）。";
    FindingText: "The most used language is {0}, on {1} of {2} pages ({3}); {4} pages ({5}) repeat another page.",
        "使用最多的语言是{0}，{2} 个网页中有 {1} 个（{3}）；{4} 个网页（{5}）与其他网页重复。";
    FindingNoText: "No page has text, so there are no languages; {0} pages repeat another page.",
        "没有含文本的网页，因此没有语言统计；{0} 个网页与其他网页重复。";
    FindingShape: "{0} of {1} pages ({2}) form the core, where every page leads to every other; first by PageRank is {3}.",
        "{1} 个页面中有 {0} 个（{2}）构成核心，核心中任意页面可互相到达；PageRank 最高的是 {3}。";
    FindingNoShape: "The graph has {0} pages and {1} arcs.", "图中有 {0} 个页面、{1} 条弧。";
    FindingFlat: "No two pages of the graph lead to each other; first by PageRank is {0}.",
        "图中没有互相可达的页面；PageRank 最高的是 {0}。";

    // Cards.
    Captures: "captures", "次抓取";
    HtmlPages: "HTML pages", "HTML 网页";
    Documents: "documents, no HTML", "非 HTML 文档";
    Hosts: "hosts", "主机";
    WordsOfText: "words of main text", "正文词数";
    Links: "links", "链接";
    DuplicatePages: "duplicate pages", "重复网页";
    PagesCrawled: "of known pages crawled", "已知页面的抓取率";
    Pages: "pages", "网页";
    Domains: "domains", "域名";

    // Shape.
    Shape: "The shape of this Web", "网络的形状";
    ShapeNote: "Pages and link targets as a bow-tie; areas are in proportion to the number of pages.",
        "以蝴蝶结结构表示网页与链接目标，面积与页面数成正比。";
    Core: "core", "核心";
    In: "leads to the core", "通向核心";
    Out: "led to by the core", "核心通向";
    Tendrils: "tendrils", "触须";
    Tubes: "tubes past the core", "绕过核心的通道";
    Disconnected: "disconnected", "不连通";
    Part: "part", "部分";
    Graph: "Graph", "图结构";
    GraphNote: "Pages are nodes, and so are link targets that were not crawled; all links from one page to another are one arc.",
        "网页为节点，未抓取的链接目标也是节点；一页到另一页的所有链接合为一条弧。";
    DegreesOfPages: "Degrees of pages", "网页的度分布";
    DegreesOfHosts: "Degrees of hosts", "主机的度分布";
    DegreesNote: "Dashed: power law fitted by maximum likelihood. Published for the Web: in 2.1, out 2.45 (Notre Dame crawl).",
        "虚线为最大似然拟合的幂律。文献中万维网的指数：入度 2.1，出度 2.45（圣母大学抓取）。";
    Degree: "degree", "度";
    InDegree: "in-degree", "入度";
    OutDegree: "out-degree", "出度";
    GraphNumbers: "Numbers of the graph", "图的数字";
    Nodes: "nodes", "节点";
    Arcs: "arcs", "弧";
    LargestComponent: "largest strongly connected component", "最大强连通分量";
    Reciprocity: "links that are answered", "互相链接的比例";
    WithinHosts: "links within hosts", "主机内链接比例";
    MeanDistance: "mean distance", "平均距离";
    EffectiveDiameter: "effective diameter", "有效直径";
    AgreementOfPages: "How the measures of pages agree", "网页各指标的一致性";
    AgreementOfHosts: "How the measures of hosts agree", "主机各指标的一致性";
    AgreementOfDomains: "How the measures of domains agree", "域名各指标的一致性";
    AgreementNote: "Kendall's τ-b of each two rankings: 1 for the same order, 0 for none, −1 for the reverse.",
        "两种排名的肯德尔 τ-b：1 为次序相同，0 为无关，−1 为相反。";
    Measures: "measures", "指标";

    // Ranking.
    RankingNote: "Every page that is among the best by one of the measures; shaded: the best ten of the column.",
        "列出任一指标下名列前茅的页面；底色标出该列的前十名。";
    Wanted: "not crawled yet", "尚未抓取";
    WantedNote: "Link targets that were not crawled, by PageRank: what a further crawl would fetch first.",
        "未抓取的链接目标，按 PageRank 排序：继续抓取时应最先抓取。";
    HostsNote: "Hosts with crawled pages, by PageRank of the graph of hosts{0}.", "有已抓取网页的主机，按主机图的 PageRank 排序{0}。";
    DomainsNote: "Registrable domains, by PageRank of the graph of domains.", "可注册域名，按域名图的 PageRank 排序。";
    Weighted: ", arcs weighted by links", "，弧按链接数加权";
    PageRankMeaning: "probability of a random surfer to be here", "随机浏览者处于此处的概率";
    Authority: "authority", "权威值";
    AuthorityMeaning: "HITS: pointed to by good hubs", "HITS：被好的枢纽指向";
    Hub: "hub", "枢纽值";
    HubMeaning: "HITS: points to good authorities", "HITS：指向好的权威";
    SalsaMeaning: "SALSA: authorities of a random walk between hubs and authorities", "SALSA：枢纽与权威间随机游走的权威值";
    Harmonic: "harmonic", "调和中心度";
    HarmonicMeaning: "near to many that lead here", "与众多通向此处者距离近";
    LinksIn: "in", "入链";
    LinksInMeaning: "pages (hosts) that link here", "链接到此处的网页（主机）数";
    LinksOut: "out", "出链";
    LinksOutMeaning: "pages (hosts) linked from here", "由此处链接出的网页（主机）数";
    PagesMeaning: "pages of the host: HTML, and documents that were read", "主机的网页数：HTML 及已读文档";
    Duplicates: "duplicates", "重复";
    DuplicatesMeaning: "pages of the host that repeat another page", "主机中与其他网页重复的网页数";
    DampingLost: "dangling mass lost", "悬挂质量丢弃";
    DampingTeleport: "dangling mass spread over the teleport set", "悬挂质量分配给传送集合";
    DampingUniform: "dangling mass spread uniformly", "悬挂质量均匀分配";
    GivenTeleport: "teleporting to a given set of nodes", "传送到给定的节点集合";
    SumBelow: "the sum over all pages and link targets is below 1", "所有页面之和小于 1";
    SumOne: "the sum over all pages and link targets is 1", "所有页面之和为 1";
    NoindexLeftOut: "Pages that ask for noindex are left out.", "要求 noindex 的网页不列出。";

    // Texts.
    Texts: "Languages and texts", "语言与文本";
    Languages: "Languages of main texts", "正文语言";
    LanguagesOverTime: "Languages over time", "语言随时间的变化";
    ByFetch: "pages by the time they were fetched", "网页，按抓取时间";
    ByPublication: "pages by the year that they say they were published", "网页，按网页标明的发布年份";
    Encodings: "Encodings", "字符编码";
    Kinds: "Kinds of pages", "网页类型";
    Keywords: "Keywords of most pages", "最常见的关键词";
    MediaTypes: "Media types", "媒体类型";
    Status: "Status codes", "状态码";
    CapturesTitle: "Captures", "抓取记录";
    AllTheSame: "The same throughout", "全部相同";
    NoLanguage: "no text", "无正文";
    Unknown: "unknown", "未知";
    Article: "article", "文章";
    Collection: "collection", "合集";
    Documentation: "documentation", "文档";
    Forum: "forum", "论坛";
    Listing: "listing", "列表";
    Product: "product", "商品";
    Service: "service", "服务";
    DocumentPage: "document", "文档";
    Other: "other", "其他";

    // Duplicates.
    DuplicatesTitle: "Duplicates", "重复内容";
    DuplicatesNote: "Exact copies and near-duplicates, put together in clusters.", "完全相同与近似的网页，归为若干簇。";
    Clusters: "clusters", "簇";
    ClusterSizes: "Sizes of clusters", "簇的大小";
    PagesInCluster: "{0} pages", "{0} 个网页";
    LargestClusters: "Largest clusters", "最大的簇";
    ClustersNote: "The page that stands for each cluster: by default the earliest fetched, then the shortest URL.",
        "代表各簇的网页：默认为最早抓取者，其次为 URL 最短者。";
    Page: "page", "网页";
    RepeatedLines: "lines and paragraphs of many pages", "在多个网页中重复的行与段落";
    Mirrors: "pairs of mirrors", "对镜像站点";
    SuspectedMirrors: "pairs of sites that agree in part", "对部分相同的站点";
    Variants: "pairs that differ by www. or scheme only", "对仅 www. 或协议不同的站点";

    // Documents and media.
    DocumentsAndMedia: "Documents and media", "文档与媒体";
    DocumentsAndMediaNote: "Documents that are no HTML, and pictures, sound and video. Columns document, document_failure, document_warnings and title_source of table pages, and table media, have each of them.",
        "非 HTML 的文档，以及图片、声音与视频。逐条见 pages 表的 document、document_failure、document_warnings、title_source 列与 media 表。";
    DocumentsFound: "documents", "文档";
    DocumentsRead: "documents read", "已读文档";
    DocumentsNotRead: "documents that could not be read", "无法读取的文档";
    PagesOfDocuments: "pages, slides, sheets", "页、幻灯片、工作表";
    MediaFiles: "pictures, sounds, videos", "图片、声音、视频";
    PicturesNotFetched: "pictures shown by pages and not fetched", "网页所示而未抓取的图片";
    DocumentsByFormat: "Documents by format", "各格式的文档";
    DocumentsByFormatNote: "Formats by the bytes, whatever the server called them.", "格式由字节判断，不论服务器如何标明。";
    Format: "format", "格式";
    ReadDocuments: "read", "已读";
    UnreadDocuments: "not read", "未读";
    Words: "words", "词数";
    DocumentsNotReadWhy: "Documents that could not be read, and why", "无法读取的文档及原因";
    DocumentWarnings: "Documents with warnings", "有警告的文档";
    TitlesFrom: "Where the titles of documents were found", "文档标题的来源";
    TitleMetadata: "metadata", "元数据";
    TitleStyle: "style of a title", "标题样式";
    TitleType: "largest type", "最大字号";
    TitleHeading: "first heading", "第一个小标题";
    TitleLine: "first line", "首行";
    NoTitle: "no title", "无标题";
    MediaByKind: "Media by kind", "各类媒体";
    MediaByFormat: "Media by format", "各格式的媒体";
    MediaNote: "Files that were fetched; seconds as far as they say how long they are.", "已抓取的文件；时长以文件自身所述为准。";
    KindOfMedia: "kind", "类别";
    Pictures: "pictures", "图片";
    Sound: "sound", "声音";
    Video: "video", "视频";
    Files: "files", "文件数";

    // Rules.
    RulesTitle: "Found by rules", "规则所得";
    RulesNote: "Rows of the tables that rules made of pages; tables rules_report and rules_problems say what each tag found and what is not there.",
        "规则从网页中提取的各表的行数；各标签所得及缺失原因见 rules_report 与 rules_problems 表。";
    RulesProblems: "Not there, or not whole", "缺失或不完整";
    Cases: "cases", "例";

    // Topics.
    TopicsTitle: "Topics", "主题";
    TopicsNote: "Pages brought together by their words, without labels; the words are those that tell a topic from the rest. Tables topics, topic_words and topic_tree have all of it.",
        "依用词归并网页，不用标签；所列为最能区别该主题的词。详见 topics、topic_words 与 topic_tree 表。";
    Topic: "topic", "主题";
    TopicWords: "words", "词";
    TopicNearest: "pages in its middle", "最典型的网页";

    // Classes.
    ClassesTitle: "Classes", "类别";
    ClassesNote: "What a classifier that was trained on labelled pages tells of all pages, and how good it is on pages that it was not trained on. Tables classes, evaluation, confusion and calibration have all of it.",
        "用带标签网页训练的分类器对全部网页的判断，及其在未参与训练的网页上的表现。详见 classes、evaluation、confusion 与 calibration 表。";
    ClassPages: "Pages by class", "各类网页数";
    Class: "class", "类别";
    ClassAccuracy: "accuracy", "准确率";
    ClassMacroF1: "macro F1", "宏平均 F1";
    ClassTested: "pages evaluated on", "评估网页";
    ClassCommonest: "always saying {0}: accuracy / macro F1", "一律判为 {0}：准确率 / 宏平均 F1";
    ClassMeasures: "How well each class is told", "各类的表现";
    ClassPrecision: "precision", "精确率";
    ClassRecall: "recall", "召回率";
    ClassF1: "F1", "F1 值";
    ClassConfused: "Taken for another class", "最常混淆的类别";
    ClassPair: "class → told", "实际 → 判为";
    ClassShare: "share of the class", "占该类比例";
    ClassCalibration: "Whether probabilities are right", "概率是否可信";
    ClassCalibrationNote: "mean difference of probability and share that is right: {0}", "概率与实际正确比例的平均差：{0}";
    ClassProbability: "told with probability", "所给概率";
    ClassMeanProbability: "mean probability", "平均概率";
    ClassRight: "share that is right", "正确比例";
    ClassCurve: "What more labelled pages give", "学习曲线";
    ClassTrainedOn: "share of the pages trained on", "训练所用比例";

    // Crawl.
    TheCrawl: "The crawl", "抓取过程";
    CrawlNote: "What the crawl asked for, what it did not bring home, and how fresh its copies were when its last run ended. Tables crawl_hosts, missing, crawl_counts, crawl_rounds, freshness and change_rates in its folder say more.",
        "抓取请求了什么、未取得什么，以及最后一次运行结束时副本的新鲜度。详见其文件夹中的 crawl_hosts、missing、crawl_counts、crawl_rounds、freshness 与 change_rates 表。";
    PagesStored: "pages stored", "已存网页";
    Requests: "requests", "请求";
    HostsAsked: "hosts asked", "已请求主机";
    HostsInTrouble: "hosts in trouble", "故障主机";
    UrlsMissing: "URLs missing", "缺失的 URL";
    UrlsNotReached: "URLs not reached yet", "尚未抓取到的 URL";
    ExpectedFresh: "expected to be fresh", "预计仍新鲜";
    MeanAge: "days, mean age of copies", "天，副本平均年龄";
    VisitsUnchanged: "visits without change", "无变化的访问";
    MissingWhy: "Missing, and why", "缺失及原因";
    UrlsToBeHad: "URLs that may be had", "仍可能取得的 URL";
    LeftOutByRules: "Left out by rules, limits and answers", "因规则、限额与应答而略去";
    Urls: "URLs", "URL";
    LeftOutByType: "Left out by media type", "按媒体类型略去";
    LeftOutAsCopies: "Left out as copies", "作为副本略去";
    UrlsByPattern: "URLs by host and pattern", "URL，按主机与模式";
    NotFollowed: "Links not followed", "未跟踪的链接";
    WhatVisitsFound: "What visits found", "访问的结果";
    VisitsOfPages: "visits of pages", "网页访问";
    Met: "What the crawl met", "抓取中的事件";
    Events: "events", "事件";
    MeanLife: "Mean life of pages", "网页的平均寿命";
    MeanLifeUnit: "pages, by the estimated time between two changes", "网页，按两次变化间的估计时间";
    Life0: "up to 2.4 hours", "不足 2.4 小时";
    Life1: "up to a day", "不足一天";
    Life2: "1 to 10 days", "1 至 10 天";
    Life3: "10 to 100 days", "10 至 100 天";
    Life4: "100 to 1,000 days", "100 至 1,000 天";
    Life5: "longer", "更长";
    TroubledHosts: "Hosts in trouble, by URLs waiting", "故障主机，按等待的 URL 数";
    TroubledNote: "Those with most URLs waiting. The next run of the crawl asks them again.", "等待 URL 最多的主机；下次运行会再次请求。";
    Host: "host", "主机";
    LastFailure: "last failure", "最近的失败";
    Standing: "standing", "状态";
    FailuresInARow: "failures in a row", "连续失败次数";
    UrlsWaiting: "URLs waiting", "等待的 URL";
    GivenUp: "Given up", "已放弃";
    GivenUpNote: "Hosts with most URLs whose every attempt failed; --retry asks for them again.", "每次尝试都失败的 URL 最多的主机；--retry 会再次请求。";
    Outcome: "outcome", "结果";
    Rounds: "Rounds", "轮次";
    RoundsNote: "Runs of the crawl and what their visits of pages found; freshness as expected at the end of each.",
        "各次运行及其访问网页的结果；新鲜度为每轮结束时的预期值。";
    Round: "round {0}", "第 {0} 轮";
    Began: "began", "开始";
    New: "new", "新增";
    Changed: "changed", "已变";
    Near: "near", "近似";
    Unchanged: "unchanged", "未变";
    Gone: "gone", "消失";
    Error: "error", "错误";
    Fresh: "fresh", "新鲜";
    EndedBy: "ended by", "结束原因";
    LifeByDomain: "Mean life of pages by top-level domain", "各顶级域网页的平均寿命";
    LifeByDomainNote: "Share of the pages of each domain by the estimated time between two changes.", "各域网页按两次变化间估计时间的占比。";
    TopLevelDomain: "top-level domain", "顶级域";
    All: "all", "全部";

    // Changes.
    Changes: "What changed", "变化";
    ChangesNote: "Against the earlier results that --compare named, page by page: of each URL the capture that counts.",
        "与 --compare 指定的早先结果逐页比较；每个 URL 取有效的那次抓取。";
    NewPages: "new pages", "新增网页";
    GonePages: "pages gone", "消失的网页";
    ChangedPages: "pages changed", "有变化的网页";
    UnchangedPages: "pages unchanged", "未变化的网页";
    NewHosts: "new hosts", "新增主机";
    GoneHosts: "hosts gone", "消失的主机";
    DuplicatesBefore: "duplicate pages (before: {0})", "重复网页（此前：{0}）";
    Before: "before", "此前";
    Now: "now", "现在";
    Difference: "difference", "差异";
    LanguagesThen: "Languages before and now", "语言：此前与现在";
    Language: "language", "语言";
    RanksMoved: "Ranks that moved", "排名的变动";
    RanksMovedNote: "Places by PageRank among crawled pages that both runs have, of those that are among the first {0} of either.",
        "两次结果共有的已抓取网页按 PageRank 的名次，限于任一结果的前 {0} 名。";
    TopNew: "New pages, best first", "新增网页，按排名";
    TopGone: "Pages gone, best first", "消失的网页，按排名";
    Place: "place", "名次";
    HostsChanged: "Hosts that came and went", "出现与消失的主机";
    State: "state", "状态";

    // How it was made.
    Made: "How it was made", "制作过程";
    MadeNote: "Inputs, settings, what was left out and why, and what the numbers rest on.", "输入、设置、略去的内容及原因，以及数字的依据。";
    LeftOut: "Left out, and why", "略去的内容及原因";
    Records: "records", "记录";
    Inputs: "Inputs", "输入";
    File: "file", "文件";
    Bytes: "bytes", "字节";
    Jobs: "Jobs", "任务";
    JobsNote: "Each result is stored under its key, from which all its bytes follow. Times are no part of results: OUT/report.html has them, this page's copy for people, and each run.json.",
        "每个结果存于其键之下，键决定全部字节。时间不属于结果：见供人阅读的副本 OUT/report.html 以及各 run.json。";
    Job: "job", "任务";
    Version: "version", "版本";
    Rows: "rows written", "写出的行";
    Key: "key", "键";
    SettingsNote: "Settings of every job, defaults included", "各任务的设置，含默认值";
    Certainty: "How sure the numbers are", "数字的可靠性";
    PageRankFact: "{0} iterations, L1 error at most {1}", "迭代 {0} 次，L1 误差不超过 {1}";
    NotConverged: "NOT converged", "未收敛";
    HitsFact: "over the whole graph", "作用于全图";
    Distances: "distances of pages", "网页间的距离";
    DistancesFact: "mean {0} ± {1} links, effective diameter {2} (0.35 + 2.06 log10 N gives {3}), sampled from {4} pages",
        "平均 {0} ± {1} 个链接，有效直径 {2}（按 0.35 + 2.06 log10 N 为 {3}），抽样 {4} 个网页";
    LinksBetween: "links between pages", "网页间的链接";
    LinksFact: "reciprocity {0}, assortativity out–in {1}, in–in {2}, share within hosts {3}",
        "互惠度 {0}，同配系数 出–入 {1}、入–入 {2}，主机内占比 {3}";
    Footer: "Every number stands in table summary; rows of ranks in tables ranks and hosts.", "所有数字见 summary 表；排名各行见 ranks 与 hosts 表。";
}

/// Names of languages by ISO 639-3 code, English and Chinese.
const LANGUAGES: &[(&str, &str, &str)] = &[
    ("ara", "Arabic", "阿拉伯语"),
    ("ben", "Bengali", "孟加拉语"),
    ("bul", "Bulgarian", "保加利亚语"),
    ("cat", "Catalan", "加泰罗尼亚语"),
    ("ces", "Czech", "捷克语"),
    ("cmn", "Mandarin", "汉语"),
    ("dan", "Danish", "丹麦语"),
    ("deu", "German", "德语"),
    ("ell", "Greek", "希腊语"),
    ("eng", "English", "英语"),
    ("est", "Estonian", "爱沙尼亚语"),
    ("fas", "Persian", "波斯语"),
    ("fin", "Finnish", "芬兰语"),
    ("fra", "French", "法语"),
    ("heb", "Hebrew", "希伯来语"),
    ("hin", "Hindi", "印地语"),
    ("hrv", "Croatian", "克罗地亚语"),
    ("hun", "Hungarian", "匈牙利语"),
    ("ind", "Indonesian", "印度尼西亚语"),
    ("ita", "Italian", "意大利语"),
    ("jpn", "Japanese", "日语"),
    ("kor", "Korean", "韩语"),
    ("lat", "Latin", "拉丁语"),
    ("lav", "Latvian", "拉脱维亚语"),
    ("lit", "Lithuanian", "立陶宛语"),
    ("nld", "Dutch", "荷兰语"),
    ("nob", "Norwegian Bokmål", "挪威语"),
    ("pol", "Polish", "波兰语"),
    ("por", "Portuguese", "葡萄牙语"),
    ("ron", "Romanian", "罗马尼亚语"),
    ("rus", "Russian", "俄语"),
    ("slk", "Slovak", "斯洛伐克语"),
    ("slv", "Slovenian", "斯洛文尼亚语"),
    ("spa", "Spanish", "西班牙语"),
    ("srp", "Serbian", "塞尔维亚语"),
    ("swe", "Swedish", "瑞典语"),
    ("tha", "Thai", "泰语"),
    ("tur", "Turkish", "土耳其语"),
    ("ukr", "Ukrainian", "乌克兰语"),
    ("vie", "Vietnamese", "越南语"),
    ("zho", "Chinese", "汉语"),
];

/// Name of the language of an ISO 639-3 code; the code itself of a rarer one.
pub fn language_name(code: &str, lang: Lang) -> String {
    if code == "none" {
        return lang.word(Word::NoLanguage).to_owned();
    }
    let known = LANGUAGES.iter().find(|(known, ..)| *known == code);
    known.map_or(code, |(_, en, zh)| if lang == Lang::Zh { zh } else { en }).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that are names or units in both languages.
    const SAME: &[Word] = &[Word::Urls];

    fn places(text: &str) -> Vec<&str> {
        let mut found: Vec<&str> = text.match_indices('{').map(|(at, _)| &text[at..at + 3]).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn every_word_is_there_in_both_languages_with_the_same_places() {
        assert!(Word::ALL.len() > 150);
        for word in Word::ALL {
            let (en, zh) = word.both();
            assert!(!en.trim().is_empty() && !zh.trim().is_empty(), "{word:?}");
            assert_eq!(places(en), places(zh), "{word:?}");
            let han = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            assert!(!han(en) && (han(zh) || SAME.contains(word)), "{word:?}: {zh}");
        }
    }

    #[test]
    fn languages_are_named_in_the_reader_s_words() {
        assert_eq!(language_name("zho", Lang::En), "Chinese");
        assert_eq!(language_name("zho", Lang::Zh), "汉语");
        assert_eq!(language_name("qaa", Lang::Zh), "qaa");
        assert!(LANGUAGES.is_sorted());
    }
}
