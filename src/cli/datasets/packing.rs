//! Packing pages into RAW DB shards, as a crawler would have stored them.

use std::path::{Path, PathBuf};

use anyhow::Result;
use webmill_capture::date::format_rfc822;
use webmill_shard::{Compression, NewRecord, RawDbWriter, WriteOptions};

/// Size of one shard.
const SHARD_BYTES: u64 = 256 << 20;

/// A page to pack.
#[derive(Debug, Clone, Default)]
pub struct Page<'a> {
    /// URL that answered.
    pub url: String,
    /// URL first asked for, where a redirect led here.
    pub origin: Option<String>,
    /// When it was fetched.
    pub date_ms: i64,
    /// Status; 0 stands for 200.
    pub status: u16,
    /// `Content-Type`, as the server would say it.
    pub content_type: Option<String>,
    /// Further header lines.
    pub headers: Vec<(String, String)>,
    /// Bytes of the file.
    pub body: &'a [u8],
}

/// Writes pages to shards.
pub struct Packer {
    writer: RawDbWriter,
    response: Vec<u8>,
    pages: u64,
}

impl Packer {
    /// Shards `folder/prefix-NNNNN.rawdb`.
    pub fn create(folder: &Path, prefix: &str) -> Result<Self> {
        // Shards of an earlier, larger corpus would join this one unseen.
        let old = std::fs::read_dir(folder)
            .map(|mut entries| {
                entries.any(|e| e.is_ok_and(|e| e.path().extension().is_some_and(|x| x == "rawdb")))
            })
            .unwrap_or(false);
        if old {
            anyhow::bail!("{}: holds shards already; delete them or choose another folder", folder.display());
        }
        let options = WriteOptions { max_shard_bytes: SHARD_BYTES, compression: Compression::None };
        Ok(Packer { writer: RawDbWriter::new(folder, prefix, options)?, response: Vec::new(), pages: 0 })
    }

    /// Adds a page.
    pub fn page(&mut self, page: &Page<'_>) -> Result<()> {
        let status = if page.status == 0 { 200 } else { page.status };
        self.response.clear();
        self.line(&format!("HTTP/1.1 {status} {}", reason(status)));
        self.line(&format!("Date: {}", format_rfc822(page.date_ms)));
        if let Some(kind) = &page.content_type {
            self.line(&format!("Content-Type: {kind}"));
        }
        for (name, value) in &page.headers {
            self.line(&format!("{name}: {value}"));
        }
        self.line(&format!("Content-Length: {}", page.body.len()));
        self.line("");
        self.response.extend_from_slice(page.body);
        self.pages += 1;
        Ok(self.writer.write(&NewRecord {
            url: &page.url,
            origin: page.origin.as_deref(),
            date_ms: page.date_ms,
            ip: None,
            extra: &[],
            data: &self.response,
        })?)
    }

    /// Adds a whole HTTP response that something else made.
    pub fn response(&mut self, url: &str, date_ms: i64, ip: &str, response: &[u8]) -> Result<()> {
        self.pages += 1;
        Ok(self.writer.write(&NewRecord {
            url,
            origin: None,
            date_ms,
            ip: Some(ip),
            extra: &[],
            data: response,
        })?)
    }

    /// Closes the last shard; returns the shards' paths.
    pub fn finish(self) -> Result<Vec<PathBuf>> {
        webmill_jobs::say!("{:>10}  {} pages", "packed", self.pages);
        Ok(self.writer.finish()?)
    }

    fn line(&mut self, text: &str) {
        self.response.extend_from_slice(text.as_bytes());
        self.response.extend_from_slice(b"\r\n");
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Other",
    }
}

/// Media type by file name, as web servers say it; HTML without a charset, because the pages say theirs.
pub fn media_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, e)| e).to_ascii_lowercase();
    match extension.as_str() {
        "html" | "htm" | "shtml" | "xhtml" => "text/html",
        // The Apache manual's variants carry language and encoding behind the name: index.html.zh-cn.utf8.
        _ if name.contains(".html.") => "text/html",
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        "json" | "map" => "application/json",
        "xml" | "rss" | "atom" => "application/xml",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "ico" => "image/x-icon",
        "txt" | "md" | "rst" | "patch" => "text/plain",
        "pdf" => "application/pdf",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "gz" => "application/gzip",
        _ => "application/octet-stream",
    }
}

/// Percent-encodes what may not stand in the path of a URL; slashes stay.
pub fn percent_encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char)
            }
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@' => {
                out.push(byte as char);
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{media_type, percent_encode};

    #[test]
    fn paths() {
        for (plain, want) in [
            ("x/a b?c#d", "x/a%20b%3Fc%23d"),
            ("fn.max.html", "fn.max.html"),
            ("100%", "100%25"),
            ("表", "%E8%A1%A8"),
        ] {
            assert_eq!(percent_encode(plain), want);
        }
    }

    #[test]
    fn media_types() {
        for (path, want) in [
            ("a/index.html", "text/html"),
            ("zh-cn/bind.html.zh-cn.utf8", "text/html"),
            ("INDEX.HTM", "text/html"),
            ("a.tar.gz", "application/gzip"),
            ("README", "application/octet-stream"),
        ] {
            assert_eq!(media_type(path), want, "{path}");
        }
    }
}
