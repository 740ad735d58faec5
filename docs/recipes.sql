-- Questions that people ask of crawled corpora, in SQL over the tables of webmill's results.
--
-- Each runs in `webmill query --name NAME` and in DuckDB over the views of RESULTS/webmill.sql alike (see sql.md). `webmill schema` describes tables and columns.
-- An answer may be empty where a corpus has nothing of the kind. ORDER BY is total wherever LIMIT stands.

-- name: top-domains
-- Which registrable domains have most captures? `captures` counts records, `urls` different URLs.
SELECT url_host_registered_domain AS domain, COUNT(*) AS captures, COUNT(DISTINCT url) AS urls
FROM pages GROUP BY url_host_registered_domain ORDER BY captures DESC, domain LIMIT 50;

-- name: languages
-- In which languages are the main texts? `language` is null where it could not be told.
SELECT language, COUNT(*) AS texts, SUM(num_words) AS words FROM texts GROUP BY language ORDER BY texts DESC, language;

-- name: captures-by-year
-- When was the corpus fetched? `year` is that of the capture.
SELECT EXTRACT(YEAR FROM fetch_time) AS year, COUNT(*) AS captures FROM pages
WHERE fetch_time IS NOT NULL GROUP BY EXTRACT(YEAR FROM fetch_time) ORDER BY year;

-- name: types-by-status
-- Which media types come with which HTTP status? `type` is detected from the bytes.
SELECT fetch_status AS status, content_mime_detected AS type, COUNT(*) AS captures, SUM(content_length) AS bytes
FROM pages GROUP BY fetch_status, content_mime_detected ORDER BY captures DESC, status, type;

-- name: redirects
-- Which URLs redirect, and where to?
SELECT url, fetch_status AS status, fetch_redirect AS target FROM pages
WHERE fetch_redirect IS NOT NULL ORDER BY url, status, target;

-- name: redirect-chains
-- Which redirects lead to a further redirect? The URL, the first target and what that redirects to.
SELECT DISTINCT a.url AS url, b.url AS through, b.fetch_redirect AS target
FROM pages AS a JOIN pages AS b ON a.fetch_redirect = b.url WHERE b.fetch_redirect IS NOT NULL ORDER BY url, through, target;

-- name: broken-links
-- Which links lead to a URL that answered with an error? A row for each source, anchor, target and status that differ.
SELECT DISTINCT s.url AS source, l.anchor AS anchor, l.target_url AS target, t.fetch_status AS status
FROM links AS l JOIN pages AS s ON l.source_key = s.url_key JOIN pages AS t ON l.target_key = t.url_key
WHERE t.fetch_status >= 400 ORDER BY source, target, anchor, status;

-- name: most-linked-pdfs
-- Which PDF files are linked from most links, fetched or not?
SELECT target_url AS url, COUNT(*) AS links, COUNT(DISTINCT source_key) AS pages FROM links
WHERE target_url LIKE '%.pdf' GROUP BY target_url ORDER BY links DESC, url LIMIT 50;

-- name: languages-by-tld
-- Which languages are written under which top-level domain? Current captures only.
SELECT url_host_tld AS tld, content_languages AS languages, COUNT(*) AS pages FROM pages
WHERE is_current GROUP BY url_host_tld, content_languages ORDER BY tld, pages DESC, languages;

-- name: page-life
-- Which URLs were captured more than once, and from when to when?
SELECT url, COUNT(*) AS captures, MIN(fetch_time) AS first, MAX(fetch_time) AS last FROM pages
GROUP BY url HAVING COUNT(*) > 1 ORDER BY captures DESC, url LIMIT 50;

-- name: biggest-pages
-- Which captures have the longest bodies? In bytes.
SELECT url, content_length AS bytes, warc_filename, warc_record_offset FROM pages
ORDER BY bytes DESC, url, warc_filename, warc_record_offset LIMIT 50;

-- name: charsets-by-year
-- Which character sets were in use in which year? `charset` is what the page was read with.
SELECT EXTRACT(YEAR FROM fetch_time) AS year, content_charset AS charset, COUNT(*) AS pages FROM pages
WHERE is_html GROUP BY EXTRACT(YEAR FROM fetch_time), content_charset ORDER BY year, pages DESC, charset;

-- name: duplicates-across-hosts
-- Which hosts share duplicates? Pairs of pages by kind: body, text, near, contained.
SELECT a_host, b_host, kind, COUNT(*) AS pairs FROM duplicates WHERE a_host <> b_host
GROUP BY a_host, b_host, kind ORDER BY pairs DESC, a_host, b_host, kind;

-- name: hosts-with-duplicates
-- On which hosts are most pages copies of another that is kept?
SELECT host, COUNT(*) AS copies FROM clusters WHERE NOT keep GROUP BY host ORDER BY copies DESC, host LIMIT 50;

-- name: orphans
-- Which crawled pages does no other page link to?
SELECT url FROM ranks WHERE level = 'page' AND crawled AND indegree = 0 ORDER BY url LIMIT 50;

-- name: top-pages
-- Which pages have the highest PageRank?
SELECT url, pagerank, indegree FROM ranks WHERE level = 'page' ORDER BY pagerank DESC, url LIMIT 50;

-- name: core
-- Which pages are in the core, the largest set of pages that reach each other?
SELECT n.url AS url FROM components AS c JOIN nodes AS n ON c.level = n.level AND c.node = n.node
WHERE c.level = 'page' AND c.bowtie = 'core' ORDER BY url;

-- name: without-title
-- Which current HTML pages have no title?
SELECT url FROM pages WHERE is_current AND is_html AND title IS NULL ORDER BY url;

-- name: authors
-- Which authors have most pages?
SELECT author, COUNT(*) AS pages FROM pages WHERE is_current AND author IS NOT NULL
GROUP BY author ORDER BY pages DESC, author LIMIT 50;

-- name: structured-data
-- Which kinds of structured data do pages carry? Items and pages by syntax.
SELECT syntax, COUNT(*) AS items, COUNT(DISTINCT url) AS pages FROM structured GROUP BY syntax ORDER BY items DESC, syntax;

-- name: crawl-dates
-- How many captures were made on which day?
SELECT CAST(fetch_time AS DATE) AS day, COUNT(*) AS captures FROM pages
WHERE fetch_time IS NOT NULL GROUP BY CAST(fetch_time AS DATE) ORDER BY day;

-- name: revisits
-- How many records are revisits, and how many of other types?
SELECT warc_type, COUNT(*) AS records FROM pages GROUP BY warc_type ORDER BY records DESC, warc_type;

-- name: tables-by-page
-- Which pages hold data tables, and with how many rows?
SELECT url, COUNT(DISTINCT "table") AS tables, COUNT(*) AS rows FROM records GROUP BY url ORDER BY rows DESC, url LIMIT 50;

-- name: mention
-- Which pages mention a word, the best by PageRank first? One row a capture with text. Put your own word in the place of 'the'.
SELECT t.url AS url, r.pagerank AS pagerank FROM texts AS t JOIN ranks AS r ON t.url = r.url
WHERE r.level = 'page' AND LOWER(t.text) LIKE '%the%' ORDER BY pagerank DESC, url LIMIT 50;

-- name: anchors-into-a-domain
-- With which words do others link into a domain? `hosts` counts the hosts that do.
SELECT target_domain AS domain, anchor, COUNT(*) AS links, COUNT(DISTINCT source_host) AS hosts FROM links
WHERE target_host <> source_host AND anchor <> '' GROUP BY target_domain, anchor ORDER BY links DESC, domain, anchor LIMIT 100;

-- name: host-pairs
-- Which hosts link to which others, and how often?
SELECT source_host, target_host, COUNT(*) AS links, COUNT(DISTINCT source_url) AS pages FROM links
WHERE source_host <> target_host GROUP BY source_host, target_host ORDER BY links DESC, source_host, target_host LIMIT 100;

-- name: deepest-pages
-- Which pages have most directories in their path?
SELECT url, LENGTH(url_path) - LENGTH(REPLACE(url_path, '/', '')) AS directories FROM pages
WHERE is_current ORDER BY directories DESC, url LIMIT 50;

-- name: best-page-of-each-host
-- Which page of each host has the highest PageRank?
SELECT host, url, pagerank FROM (
  SELECT t.host AS host, t.url AS url, r.pagerank AS pagerank,
         ROW_NUMBER() OVER (PARTITION BY t.host ORDER BY -r.pagerank, t.url) AS place
  FROM texts AS t JOIN ranks AS r ON r.url = t.url WHERE t.is_current AND r.level = 'page') AS placed
WHERE place = 1 ORDER BY pagerank DESC, host;

-- name: where-ranks-disagree
-- Which pages have many links to them and a low PageRank? By the difference of their places.
SELECT url, by_pagerank, by_indegree FROM (
  SELECT url, RANK() OVER (ORDER BY pagerank DESC) AS by_pagerank, RANK() OVER (ORDER BY indegree DESC) AS by_indegree
  FROM ranks WHERE level = 'page') AS places
ORDER BY CAST(by_pagerank AS BIGINT) - CAST(by_indegree AS BIGINT) DESC, url LIMIT 50;

-- name: posts-by-host
-- Where do people discuss, comment, answer and review? `pages` counts those with such posts.
SELECT host, kind, COUNT(*) AS posts, COUNT(DISTINCT url) AS pages, COUNT(DISTINCT author) AS authors FROM posts
WHERE is_current GROUP BY host, kind ORDER BY posts DESC, host, kind;

-- name: keywords-of-a-domain
-- What are the pages of each domain about? By how many pages have a word among their keywords.
SELECT domain, word, COUNT(*) AS pages FROM (
  SELECT domain, UNNEST(tfidf_words) AS word FROM keywords WHERE is_current) AS words
GROUP BY domain, word ORDER BY pages DESC, domain, word LIMIT 100;

-- name: status-by-month
-- How much of what was asked for is gone? Captures by month and class of status.
SELECT year, month, class, COUNT(*) AS captures FROM (
  SELECT EXTRACT(YEAR FROM fetch_time) AS year, EXTRACT(MONTH FROM fetch_time) AS month, fetch_status // 100 AS class
  FROM pages WHERE fetch_time IS NOT NULL AND fetch_status IS NOT NULL) AS captured
GROUP BY year, month, class ORDER BY year, month, class;

-- name: documents-by-format
-- Which documents that are no HTML are there? `not_read` are those that could not be read; `pages` are pages, slides and sheets.
SELECT document, COUNT(*) AS captures, COUNT(document_failure) AS not_read,
       SUM(COALESCE(num_pages, 0)) AS pages, SUM(num_words) AS words
FROM pages WHERE document IS NOT NULL GROUP BY document ORDER BY captures DESC, document;

-- name: documents-not-read
-- Why could documents not be read?
SELECT document, document_failure AS reason, COUNT(*) AS captures FROM pages
WHERE document_failure IS NOT NULL GROUP BY document, document_failure ORDER BY captures DESC, document, reason;

-- name: documents-for-ocr
-- Which documents show pictures of pages and have no text? What a program that recognises letters would be given.
SELECT url, num_pages, content_length AS bytes, warc_filename, warc_record_offset FROM pages
WHERE is_current AND ARRAY_CONTAINS(document_warnings, 'needs-ocr') ORDER BY url;

-- name: longest-documents
-- Which documents have most words?
SELECT url, document, title, num_pages, num_words FROM pages
WHERE is_current AND document IS NOT NULL ORDER BY num_words DESC, url LIMIT 50;

-- name: titles-by-source
-- Where were the titles of documents found? `title_source` is null where there is no title.
SELECT document, title_source, COUNT(*) AS documents FROM pages WHERE page_type = 'document'
GROUP BY document, title_source ORDER BY document, documents DESC, title_source;

-- name: most-linked-documents
-- Which fetched documents are linked from most links?
SELECT p.url AS url, p.document AS document, p.title AS title, COUNT(*) AS links, COUNT(DISTINCT l.source_host) AS hosts
FROM links AS l JOIN pages AS p ON l.target_key = p.url_key WHERE p.is_current AND p.document IS NOT NULL
GROUP BY p.url, p.document, p.title ORDER BY links DESC, url LIMIT 50;

-- name: top-documents
-- Which documents have the highest PageRank?
SELECT p.url AS url, p.document AS document, p.title AS title, r.pagerank AS pagerank
FROM ranks AS r JOIN pages AS p ON r.url = p.url WHERE r.level = 'page' AND p.is_current AND p.document IS NOT NULL
ORDER BY pagerank DESC, url LIMIT 50;

-- name: links-of-documents
-- Which domains do documents link to?
SELECT target_domain AS domain, COUNT(*) AS links, COUNT(DISTINCT source_url) AS documents FROM links
WHERE kind = 'document' GROUP BY target_domain ORDER BY links DESC, domain LIMIT 50;

-- name: sheets
-- Which documents hold tables and sheets, and with how many rows?
SELECT r.url AS url, p.document AS document, COUNT(DISTINCT r."table") AS tables, COUNT(*) AS rows
FROM records AS r JOIN pages AS p ON r.url = p.url WHERE r.is_current AND p.is_current AND p.document IS NOT NULL
GROUP BY r.url, p.document ORDER BY rows DESC, url LIMIT 50;

-- name: media-by-format
-- Which pictures, sounds and videos are there? `format` is null for pictures that pages show and that were not fetched.
SELECT kind, format, COUNT(*) AS media, SUM(COALESCE(content_length, 0)) AS bytes, SUM(COALESCE(duration_ms, 0)) AS duration_ms
FROM media GROUP BY kind, format ORDER BY media DESC, kind, format;

-- name: songs
-- Which songs are there, by artist and album?
SELECT artist, album, track, title, year, duration_ms, url FROM media
WHERE kind = 'audio' AND is_current ORDER BY artist, album, track, url;

-- name: albums
-- Which albums are there, with how many songs, and how long?
SELECT artist, album, COUNT(*) AS songs, SUM(COALESCE(duration_ms, 0)) AS duration_ms FROM media
WHERE kind = 'audio' AND is_current AND album IS NOT NULL GROUP BY artist, album ORDER BY artist, album;

-- name: pictures-without-alt
-- Which pictures, of those that were not fetched, does no page give a text for?
SELECT page_url, url, width, height FROM media WHERE source = 'img' AND alt IS NULL ORDER BY page_url, url;

-- name: largest-pictures
-- Which fetched pictures have most pixels?
SELECT url, format, CAST(width AS BIGINT) * CAST(height AS BIGINT) AS pixels, content_length AS bytes FROM media
WHERE kind = 'image' AND source = 'file' AND is_current AND width IS NOT NULL AND height IS NOT NULL
ORDER BY pixels DESC, url LIMIT 50;

-- name: cameras
-- Which cameras took the pictures and videos?
SELECT camera, COUNT(*) AS media, MIN(created) AS first, MAX(created) AS last FROM media
WHERE camera IS NOT NULL GROUP BY camera ORDER BY media DESC, camera;

-- name: topics
-- What is the corpus about? Topics by size; `webmill learn cluster` makes them.
SELECT topic, name, language, size, share, distance FROM topic_words ORDER BY topic;

-- name: topics-by-domain
-- What is each domain about? By pages of the topic, after `webmill learn cluster`.
SELECT domain, topic_name, COUNT(*) AS pages FROM topics WHERE topic IS NOT NULL
GROUP BY domain, topic_name ORDER BY pages DESC, domain, topic_name LIMIT 50;

-- name: middle-of-topics
-- Which pages are next to the middle of their topic? After `webmill learn cluster`.
SELECT topic, topic_name, url, CAST(distance AS DOUBLE) AS distance FROM topics WHERE topic IS NOT NULL ORDER BY distance, topic, url LIMIT 50;

-- name: accuracy
-- How good is the classifier that `webmill learn train` made, on pages that it was not trained on?
SELECT scope, measure, value, num_pages FROM evaluation
WHERE class IS NULL AND share = 1.0 ORDER BY scope, measure;

-- name: confused-classes
-- Which classes does it take for each other? By pages.
SELECT scope, class, told, num_pages FROM confusion
WHERE class <> told ORDER BY num_pages DESC, scope, class, told LIMIT 50;

-- name: classes
-- How many pages of each class are there, after `webmill learn apply`? `probability` is the mean of the pages' own.
SELECT label, COUNT(*) AS pages, AVG(probability) AS probability FROM classes GROUP BY label ORDER BY pages DESC, label;

-- name: unsure-classes
-- Which pages might as well be of another class? After `webmill learn apply`: what to label next.
SELECT url, label, second, margin FROM classes ORDER BY margin, url LIMIT 50;

-- name: common-words
-- Which words are most frequent? `num_texts` is the document frequency; `webmill count words` makes the table.
SELECT word, "count", num_texts FROM count_words ORDER BY "count" DESC, word LIMIT 100;

-- name: anchors
-- How do others call a page? Texts of links by their number, after `webmill count backlinks`.
SELECT url, anchor, num_links FROM count_anchors WHERE anchor <> '' ORDER BY num_links DESC, url, anchor LIMIT 50;
