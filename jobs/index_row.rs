//! Table `captures`: the index of shards as Parquet, which `webmill index` writes.

use webmill_mill::Cut;
use webmill_table::{Millis, table};

table! {
    /// One row per capture of the index: `webmill index --to parquet`. Columns `crawl` and `subset` are folders.
    CaptureRow = "captures" {
        url_surtkey: String = "key of capture indexes: SURT as the Internet Archive's tools make it", "cn,edu,pku)/news/1.html";
        url: String = "URL as captured", "http://pku.edu.cn/news/1.html";
        url_host_name: String = "host name, lower case, IDNA ASCII form", "news.pku.edu.cn";
        url_host_tld: Option<String> = "top-level domain; this and the following host columns are null for IP addresses", "cn";
        url_host_2nd_last_part: Option<String> = "second last label of the host name", "edu";
        url_host_3rd_last_part: Option<String> = "third last label", "pku";
        url_host_4th_last_part: Option<String> = "fourth last label", "news";
        url_host_5th_last_part: Option<String> = "fifth last label", "www";
        url_host_registry_suffix: Option<String> = "suffix under which registries sell names, by the public suffix list", "edu.cn";
        url_host_registered_domain: Option<String> = "registered domain by the registries' section of the list", "pku.edu.cn";
        url_host_private_suffix: Option<String> = "suffix by both sections of the list", "github.io";
        url_host_private_domain: Option<String> = "domain by both sections of the list", "someone.github.io";
        url_host_name_reversed: Option<String> = "host name with its labels reversed", "cn.edu.pku.news";
        url_protocol: String = "scheme of the URL", "http";
        url_port: Option<i32> = "port, where it is not the scheme's own", "8080";
        url_path: String = "path of the URL", "/news/1.html";
        url_query: Option<String> = "query of the URL, without question mark; null for none", "id=1";
        fetch_time: Millis = "when it was fetched", "2003-04-15T08:13:06Z";
        fetch_status: Option<i16> = "HTTP status code", "200";
        fetch_redirect: Option<String> = "URL that a redirect leads to, as the server wrote it", "http://pku.edu.cn/";
        content_digest: Option<String> = "digest of the payload: base32 SHA-1, or another algorithm with its name", "MOH7IEN2JAEJOHYXIEPEEGHOHG5VI";
        content_mime_type: Option<String> = "media type that the server declared", "text/html";
        content_mime_detected: Option<String> = "media type that the record says was identified; table pages has what the bytes look like", "text/html";
        content_charset: Option<String> = "encoding that the server declared; table pages has what the text was decoded by", "gbk";
        content_languages: Option<String> = "null: table pages has the languages of main texts", "zho,eng";
        content_truncated: Option<Cut> = "why the body is cut: length, time, disconnect, unspecified", "length";
        warc_filename: String = "shard the record stands in", "crawl-00001.warc.gz";
        warc_record_offset: i64 = "byte offset of the stored record in the shard", "183214";
        warc_record_length: Option<i64> = "bytes of the stored record", "18410";
        warc_segment: Option<String> = "null: the segment of a crawl that has none", "1425732217.97";
    }
}
