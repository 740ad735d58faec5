"""Runs queries as they are written for the columnar index of the largest public crawl over table `pages` with DuckDB.

The questions are those that the index is published for (captures, hosts and domains by suffix; media types by the length of
records; languages; where the records of a domain lie; redirects; robots.txt), with its column names, types and partitions.
Prints a line a query; exits with 1 where one fails or gives nothing.
"""

import sys

import duckdb

COLUMNS = """url_surtkey url url_host_name url_host_tld url_host_2nd_last_part url_host_3rd_last_part url_host_4th_last_part
url_host_5th_last_part url_host_registry_suffix url_host_registered_domain url_host_private_suffix url_host_private_domain
url_host_name_reversed url_protocol url_port url_path url_query fetch_time fetch_status fetch_redirect content_digest
content_mime_type content_mime_detected content_charset content_languages content_truncated warc_filename warc_record_offset
warc_record_length warc_segment crawl subset""".split()

QUERIES = {
    "every column": f"select {', '.join(COLUMNS)} from ccindex",
    "pages, hosts and domains by suffix": """
        select count(*) as captures, count(distinct url) as urls, count(distinct url_host_name) as hosts,
               count(distinct url_host_registered_domain) as domains, url_host_tld
        from ccindex where crawl = 'crawl' and subset = 'warc' group by url_host_tld order by captures desc""",
    "length of records by media type": """
        select avg(warc_record_length) as mean, sum(warc_record_length) / 1073741824.0 as gib, content_mime_detected
        from ccindex where subset = 'warc' group by content_mime_detected having count(*) >= 1""",
    "where the records of a domain lie": """
        select url, warc_filename, warc_record_offset, warc_record_offset + warc_record_length - 1 as last_byte
        from ccindex where url_host_registered_domain = 'tea.example' and fetch_status = 200
        order by url_surtkey""",
    "below a path": """
        select url_path, url_query, url_protocol from ccindex
        where url_host_registered_domain = 'tea.example' and url_path like '/leaf%' and url_query is not null""",
    "redirects": """
        select url_host_registered_domain, fetch_redirect, fetch_time from ccindex
        where subset = 'crawldiagnostics' and fetch_status between 300 and 399 and fetch_redirect is not null""",
    "hosts below a reversed name": """
        select distinct url_host_name from ccindex
        where url_host_name_reversed like 'example.%' and url_host_2nd_last_part is not null""",
    "captures by month and scheme": """
        select date_trunc('month', fetch_time) as month, url_protocol, count(*) as captures,
               sum(case when content_truncated is not null then 1 else 0 end) as cut
        from ccindex group by month, url_protocol order by month""",
}

duckdb.sql(f"create view ccindex as select * from read_parquet('{sys.argv[1]}/*.parquet')")
failed = False
for name, query in QUERIES.items():
    rows = duckdb.sql(query).fetchall()
    failed |= not rows
    print(f"{name}: {len(rows)} rows", "ok" if rows else "gives nothing")
sys.exit(failed)
