//! Serves shards by a CDX or CDXJ file, through a store of captures as the command has it: `serve_index ADDRESS INDEX [SHARD]…`.
//! For measurements and for trying other tools on it; the command `webmill serve` finds shards and indexes by itself.

use std::sync::Arc;

use webmill_serve::index::store::Store;
use webmill_serve::{Archive, Collection, Options, Server, ShardFiles};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(index)) = (arguments.next(), arguments.next()) else {
        return Err("usage: serve_index ADDRESS INDEX [SHARD]…".into());
    };
    let key = |url: &str| webmill_capture::urlkey::url_key(url);
    let posted = webmill_serve::cdx::parse_posted(&std::fs::read_to_string(index)?, key);
    eprintln!("{} captures, {} bad lines", posted.entries.len(), posted.bad_lines);
    let folder = tempfile::tempdir()?;
    let store = Store::open(&folder.path().join("store"))?;
    store.add(&posted.entries)?;
    let shards = ShardFiles::new(arguments.map(Into::into), 64 << 20);
    let mut archive = Archive::new(key);
    archive.add(Collection::new("t", Arc::new(store), Arc::new(shards)))?;
    let server = Server::bind(address.parse()?, archive, Options::default())?;
    eprintln!("http://{}/", server.address());
    server.run_blocking(2, std::future::pending())?;
    Ok(())
}
