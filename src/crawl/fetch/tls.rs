//! TLS: whom we trust and which protocol we ask for.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::Failure;
use super::options::FetchOptions;
use webmill_capture::error::{AtPath, Error, Result};

/// The protocols offered to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    Http1,
    Http2,
}

/// Configurations for each offer, made when the first https URL is fetched: reading the system's certificates takes
/// tens of milliseconds.
pub(super) struct Tls {
    extra: Vec<CertificateDer<'static>>,
    made: OnceLock<Result<[TlsConnector; 2], String>>,
}

impl Tls {
    pub(super) fn new(options: &FetchOptions) -> Result<Tls> {
        let extra = options.extra_roots.as_deref().map(read_roots).transpose()?.unwrap_or_default();
        let check = !extra.is_empty();
        let tls = Tls { extra, made: OnceLock::new() };
        if let (true, Err(reason)) = (check, tls.connectors()) {
            return Err(Error::Config(format!("extra_roots: {reason}")));
        }
        Ok(tls)
    }

    fn connectors(&self) -> &Result<[TlsConnector; 2], String> {
        self.made.get_or_init(|| {
            let provider = Arc::new(ring::default_provider());
            let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(
                self.extra.clone(),
                provider.clone(),
            );
            let verifier = Arc::new(verifier.map_err(|e| e.to_string())?);
            let make = |protocol: &[u8]| {
                let mut config = ClientConfig::builder_with_provider(provider.clone())
                    .with_safe_default_protocol_versions()
                    .map_err(|e| e.to_string())?
                    .dangerous()
                    .with_custom_certificate_verifier(verifier.clone())
                    .with_no_client_auth();
                config.alpn_protocols = vec![protocol.to_vec()];
                Ok::<_, String>(TlsConnector::from(Arc::new(config)))
            };
            Ok([make(b"http/1.1")?, make(b"h2")?])
        })
    }

    /// Shakes hands over a connection.
    pub(super) async fn connect(
        &self,
        stream: TcpStream,
        host: &str,
        offer: Offer,
    ) -> Result<TlsStream<TcpStream>, Refusal> {
        let connectors = self.connectors().as_ref().map_err(|e| Refusal::Other(Failure::Tls(e.clone())))?;
        let bare = host.trim_matches(|c| c == '[' || c == ']');
        let name = ServerName::try_from(bare.to_owned())
            .map_err(|_| Refusal::Other(Failure::Tls(format!("{host} cannot be on a certificate"))))?;
        connectors[offer as usize].connect(name, stream).await.map_err(|error| match tls_error(&error) {
            Some(rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol)) => {
                Refusal::Protocol
            }
            Some(error) => Refusal::Other(Failure::Tls(error.to_string())),
            None => Refusal::Other(Failure::Disconnect),
        })
    }
}

/// Why there is no TLS connection.
pub(super) enum Refusal {
    /// The server speaks none of the protocols that were offered.
    Protocol,
    Other(Failure),
}

/// The TLS error inside of an I/O error.
pub(super) fn tls_error(error: &std::io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

fn read_roots(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let pem = std::fs::read(path).at(path)?;
    let roots: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match roots {
        Ok(roots) if !roots.is_empty() => Ok(roots),
        Ok(_) => Err(Error::Config(format!("extra_roots: {} holds no PEM certificate", path.display()))),
        Err(e) => Err(Error::Config(format!("extra_roots: {}: {e}", path.display()))),
    }
}
