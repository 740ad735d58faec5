//! Certificates made at run time, which one browser trusts.
//!
//! One key, made anew by each proxy and kept in memory alone, and for each host a certificate of that key signed by itself: the
//! browser is started with the key's hash and takes no other certificate that it does not know.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use data_encoding::{BASE64, HEXLOWER};
use rcgen::{CertificateParams, KeyPair, PublicKeyData};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::{Digest, Sha256};
use tokio_rustls::TlsAcceptor;

use webmill_capture::error::{Error, Result};

/// Hosts whose certificates are kept.
const MAX_HOSTS: usize = 1_024;

/// Makes certificates.
pub(super) struct Authority {
    key: KeyPair,
    hash: String,
    made: Mutex<HashMap<String, TlsAcceptor>>,
}

fn internal(what: impl std::fmt::Display) -> Error {
    Error::Internal(format!("certificates: {what}"))
}

impl Authority {
    pub(super) fn new() -> Result<Authority> {
        let key = KeyPair::generate().map_err(internal)?;
        let hash = BASE64.encode(&Sha256::digest(key.subject_public_key_info()));
        Ok(Authority { key, hash, made: Mutex::default() })
    }

    pub(super) fn key_hash(&self) -> &str {
        &self.hash
    }

    /// TLS for a host; `None` where its name cannot stand on a certificate.
    pub(super) fn acceptor(&self, host: &str) -> Option<TlsAcceptor> {
        let host = host.trim_matches(['[', ']']);
        if let Some(made) = self.lock().get(host) {
            return Some(made.clone());
        }
        let made = self.make(host)?;
        let mut all = self.lock();
        if all.len() >= MAX_HOSTS {
            all.clear();
        }
        all.insert(host.to_owned(), made.clone());
        Some(made)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, TlsAcceptor>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make(&self, host: &str) -> Option<TlsAcceptor> {
        let certificate = CertificateParams::new([host.to_owned()]).ok()?.self_signed(&self.key).ok()?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .ok()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .ok()?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Some(TlsAcceptor::from(Arc::new(config)))
    }
}

/// 128 bits that nobody can guess, in hexadecimal digits.
pub(super) fn random_name() -> Result<String> {
    let mut bytes = [0; 16];
    rustls::crypto::ring::default_provider()
        .secure_random
        .fill(&mut bytes)
        .map_err(|_| Error::Internal("the system has no random numbers".into()))?;
    Ok(HEXLOWER.encode(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_addresses_get_certificates_of_one_key() {
        let authority = Authority::new().unwrap();
        for host in ["a.example", "127.0.0.1", "[::1]", "xn--fiqs8s.example", "under_score.example"] {
            assert!(authority.acceptor(host).is_some(), "{host}");
        }
        assert!(authority.acceptor("中国.example").is_none());
        assert_eq!(BASE64.decode(authority.key_hash().as_bytes()).unwrap().len(), 32);
        assert_ne!(Authority::new().unwrap().key_hash(), authority.key_hash());
        assert_ne!(random_name().unwrap(), random_name().unwrap());
    }
}
