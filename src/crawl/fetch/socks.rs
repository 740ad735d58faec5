//! A connection to a host through a SOCKS5 proxy.
//!
//! Messages are short and of known length; nothing is read beyond them, so that what follows is the host's. Names go to the
//! proxy as they are (`socks5h`), or addresses that were looked up and checked here (`socks5`).
//!
//! Reference: RFC 1928, RFC 1929 (user name and password).
//!
//! **Why.** Own SOCKS5 client (`crawl::fetch::socks`, RFC 1928 and 1929): two messages on a stream that is there already. The names
//! that go to the proxy and the addresses that the guard has seen must be ours, and a proxy's failure must be told from a host's; a
//! crate would take the connecting with it.

use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::Failure;

const VERSION: u8 = 5;
const NO_AUTHENTICATION: u8 = 0;
const PASSWORD: u8 = 2;
const CONNECT: u8 = 1;
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;

/// What a connection leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target<'a> {
    /// A name, which the proxy looks up.
    Name(&'a str, u16),
    Address(SocketAddr),
}

/// Asks the proxy at the other end of `stream` for a connection. That there is none is the host's failure, but for what the
/// proxy says of itself.
pub(super) async fn connect(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    account: Option<&(Vec<u8>, Vec<u8>)>,
    target: Target<'_>,
) -> Result<(), Failure> {
    let lost = |error: std::io::Error| Failure::Proxy(format!("SOCKS: {error}"));
    greet(stream, account).await?;
    stream.write_all(&request(target)?).await.map_err(lost)?;
    let mut head = [0; 4];
    // Who answers is there: what goes wrong from here on is mostly about the host.
    let broken = |error: std::io::Error| Failure::Connect(format!("SOCKS: {error}"));
    stream.read_exact(&mut head).await.map_err(broken)?;
    let [version, reply, _, kind] = head;
    if version != VERSION {
        return Err(Failure::Proxy("no SOCKS5".into()));
    }
    if reply != 0 {
        return Err(refused(reply));
    }
    let length = match kind {
        IPV4 => 4,
        IPV6 => 16,
        NAME => usize::from(stream.read_u8().await.map_err(broken)?),
        _ => return Err(Failure::Proxy("SOCKS: an address of no known kind".into())),
    };
    let mut bound = [0; 257];
    stream.read_exact(&mut bound[..length + 2]).await.map_err(broken)?;
    Ok(())
}

/// Agrees with the proxy on how we say who we are, and says it.
async fn greet(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    account: Option<&(Vec<u8>, Vec<u8>)>,
) -> Result<(), Failure> {
    let lost = |error: std::io::Error| Failure::Proxy(format!("SOCKS: {error}"));
    let hello: &[u8] = match account {
        Some(_) => &[VERSION, 2, NO_AUTHENTICATION, PASSWORD],
        None => &[VERSION, 1, NO_AUTHENTICATION],
    };
    stream.write_all(hello).await.map_err(lost)?;
    let mut answer = [0; 2];
    stream.read_exact(&mut answer).await.map_err(lost)?;
    match (answer, account) {
        ([VERSION, NO_AUTHENTICATION], _) => return Ok(()),
        ([VERSION, PASSWORD], Some((user, password))) => {
            let mut message = vec![1];
            for part in [user, password] {
                let length = u8::try_from(part.len())
                    .map_err(|_| Failure::Proxy("SOCKS: user name or password above 255 bytes".into()))?;
                message.push(length);
                message.extend_from_slice(part);
            }
            stream.write_all(&message).await.map_err(lost)?;
            stream.read_exact(&mut answer).await.map_err(lost)?;
            if answer[1] == 0 {
                return Ok(());
            }
            return Err(Failure::Proxy("SOCKS: user name or password refused".into()));
        }
        ([VERSION, _], _) => {}
        _ => return Err(Failure::Proxy("no SOCKS5".into())),
    }
    Err(Failure::Proxy("SOCKS: it wants another authentication".into()))
}

fn request(target: Target<'_>) -> Result<Vec<u8>, Failure> {
    let mut message = vec![VERSION, CONNECT, 0];
    let port = match target {
        Target::Name(name, port) => {
            let length = u8::try_from(name.len())
                .map_err(|_| Failure::Protocol("the host's name is too long for SOCKS".into()))?;
            message.extend([NAME, length]);
            message.extend_from_slice(name.as_bytes());
            port
        }
        Target::Address(address) => {
            match address {
                SocketAddr::V4(v4) => {
                    message.push(IPV4);
                    message.extend(v4.ip().octets());
                }
                SocketAddr::V6(v6) => {
                    message.push(IPV6);
                    message.extend(v6.ip().octets());
                }
            }
            address.port()
        }
    };
    message.extend(port.to_be_bytes());
    Ok(message)
}

/// What a reply means that is none of success.
fn refused(reply: u8) -> Failure {
    let text = match reply {
        1 => return Failure::Connect("SOCKS: general failure".into()),
        2 => return Failure::Proxy("SOCKS: not allowed by its rules".into()),
        3 => "network unreachable",
        4 => "host unreachable",
        5 => "connection refused",
        6 => "time to live expired",
        7 => return Failure::Proxy("SOCKS: it knows no CONNECT".into()),
        8 => "address type not supported",
        _ => "refused",
    };
    Failure::Connect(format!("SOCKS: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a proxy says, and what it was told until the talk was over.
    async fn talk(
        answers: &[u8],
        account: Option<(Vec<u8>, Vec<u8>)>,
        target: Target<'_>,
    ) -> (Result<(), Failure>, Vec<u8>, Vec<u8>) {
        let (mut ours, mut theirs) = tokio::io::duplex(4096);
        theirs.write_all(answers).await.unwrap();
        theirs.shutdown().await.unwrap();
        let result = connect(&mut ours, account.as_ref(), target).await;
        ours.shutdown().await.unwrap();
        let (mut told, mut left) = (Vec::new(), Vec::new());
        theirs.read_to_end(&mut told).await.unwrap();
        ours.read_to_end(&mut left).await.unwrap();
        (result, told, left)
    }

    #[tokio::test]
    async fn messages_are_those_of_the_standard() {
        let name = Target::Name("a.test", 443);
        let (result, told, left) =
            talk(b"\x05\x00\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50HTTP", None, name).await;
        assert_eq!(result, Ok(()));
        assert_eq!(told, b"\x05\x01\x00\x05\x01\x00\x03\x06a.test\x01\xbb");
        assert_eq!(left, b"HTTP", "what follows is the host's");
        let account = Some((b"me".to_vec(), b"pw".to_vec()));
        let v6 = Target::Address("[2001:db8::1]:80".parse().unwrap());
        let (result, told, _) =
            talk(b"\x05\x02\x01\x00\x05\x00\x00\x03\x01x\x00\x50", account.clone(), v6).await;
        assert_eq!(result, Ok(()));
        assert_eq!(
            told,
            b"\x05\x02\x00\x02\x01\x02me\x02pw\x05\x01\x00\x04\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\0\x50"
        );
        // A proxy that asks for nothing is told nothing.
        let (result, told, _) = talk(b"\x05\x00\x05\x00\x00\x01\0\0\0\0\0\0", account, name).await;
        assert!(result.is_ok() && !told.windows(2).any(|w| w == b"pw"));
    }

    #[tokio::test]
    async fn whose_fault_it_is() {
        let account = Some((b"me".to_vec(), b"pw".to_vec()));
        for (answers, account, outage) in [
            (&b""[..], None, true),
            (b"HTTP/1.1 400", None, true),
            (b"\x05\xff", None, true),
            (b"\x05\x02", None, true),
            (b"\x05\x02\x01\x01", account, true),
            (b"\x05\x00", None, false),
            (b"\x05\x00\x05\x01\x00\x01", None, false),
            (b"\x05\x00\x05\x02\x00\x01", None, true),
            (b"\x05\x00\x05\x05\x00\x01", None, false),
            (b"\x05\x00\x05\x00\x00\x03\xffshort", None, false),
            (b"\x05\x00\x05\x00\x00\x09", None, true),
        ] {
            let (result, _, _) = talk(answers, account, Target::Name("a.test", 80)).await;
            let failure = result.unwrap_err();
            assert_eq!(failure.is_outage(), outage, "{answers:?}: {failure:?}");
        }
        let long = "x".repeat(300);
        let (result, _, _) = talk(b"\x05\x00", None, Target::Name(&long, 80)).await;
        assert!(matches!(result, Err(Failure::Protocol(_))));
    }
}
