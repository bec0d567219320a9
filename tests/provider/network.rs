//! Tests what the environment says about the network: proxies, hosts that need none, custom certificate authorities.
//! The environment belongs to a process, so each test runs the program itself, against a proxy and a TLS server on
//! loopback.

use super::model_server::{Answer, DEADLINE, ModelServer};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

const KEY: &str = "sk-test-0123456789abcdef";

/// Runs one turn of the program with this address and these variables; returns what it printed.
fn turn(base_url: &str, variables: &[(&str, &str)]) -> String {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
    command
        .args(["run", "hello", "--json", "--model", "openai/m", "--base-url", base_url])
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("SAYSO_HOME", home.path().join("sayso"))
        .env("OPENAI_API_KEY", KEY)
        .envs(variables.iter().copied())
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let (told, done) = mpsc::channel();
    std::thread::spawn(move || told.send(child.wait_with_output()));
    let output = done.recv_timeout(DEADLINE * 2).expect("the program ends").expect("it was waited for");
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_proxy_of_the_environment_is_used() {
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        let proxy = ModelServer::start(vec![Answer::text("through the proxy")]);
        let told = turn("http://models.invalid/v1", &[(name, &proxy.url())]);
        assert!(told.contains("through the proxy"), "{name}: {told}");
        let lines: Vec<String> = proxy.requests().into_iter().map(|sent| sent.line).collect();
        let wanted = "POST http://models.invalid/v1/chat/completions";
        assert!(lines.iter().any(|line| line == wanted), "{name}: {lines:?}");
        assert!(lines.iter().all(|line| line.contains(" http://models.invalid/")), "{name}: {lines:?}");
    }
}

#[test]
fn a_key_goes_through_a_proxy_inside_of_tls_only() {
    let proxy = ModelServer::start(vec![Answer::text("no tunnel")]);
    turn("https://models.invalid/v1", &[("HTTPS_PROXY", &proxy.url())]);
    let requests = proxy.requests();
    assert!(!requests.is_empty(), "the proxy was asked for a tunnel");
    for sent in requests {
        assert_eq!(sent.line, "CONNECT models.invalid:443");
        assert!(!format!("{sent:?}").contains(KEY), "{sent:?}");
    }
}

#[test]
fn hosts_that_need_no_proxy_are_asked_directly() {
    let proxy = ModelServer::start(vec![Answer::text("through the proxy")]);
    let url = proxy.url();
    let told =
        turn("http://models.invalid/v1", &[("HTTP_PROXY", url.as_str()), ("NO_PROXY", "models.invalid")]);
    assert!(told.contains("name not found"), "{told}");
    // Requests to this computer never use a proxy.
    let server = ModelServer::start(vec![Answer::text("direct")]);
    assert!(turn(&server.url(), &[("HTTP_PROXY", url.as_str())]).contains("direct"));
    assert_eq!(proxy.requests().len(), 0);
}

/// A server whose certificate comes from a custom authority: its address, the authority's certificate, what it
/// received.
fn tls_server() -> (String, String, Arc<Mutex<String>>) {
    let mut authority = CertificateParams::new(Vec::<String>::new()).expect("names");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority =
        CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key")).expect("it signs");
    let key = KeyPair::generate().expect("a key");
    let leaf = CertificateParams::new(vec!["localhost".to_owned()]).expect("names");
    let certificate = leaf.signed_by(&key, &authority).expect("it is signed");
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .expect("a certificate");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let sent = Arc::new(Mutex::new(String::new()));
    let (config, kept) = (Arc::new(config), Arc::clone(&sent));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let Ok(connection) = ServerConnection::new(Arc::clone(&config)) else { return };
            let mut stream = StreamOwned::new(connection, stream);
            let mut request = Vec::new();
            let mut piece = [0u8; 4096];
            while !request.ends_with(b"}") {
                match stream.read(&mut piece) {
                    Ok(length) if length > 0 => request.extend_from_slice(&piece[..length]),
                    _ => break,
                }
            }
            kept.lock().expect("no panic").push_str(&String::from_utf8_lossy(&request));
            let body = r#"{"choices":[{"message":{"content":"over tls"},"finish_reason":"stop"}]}"#;
            let head =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
            let _ = stream.flush();
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    (format!("https://localhost:{port}/v1"), authority.pem(), sent)
}

#[test]
fn an_authority_of_ones_own_is_trusted_where_the_environment_names_it() {
    let (url, authority, sent) = tls_server();
    let told = turn(&url, &[]);
    assert!(told.contains("its certificate is not trusted"), "{told}");
    assert_eq!(
        sent.lock().expect("no panic").as_str(),
        "",
        "nothing is sent to a server that is not trusted"
    );
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), authority).expect("it is written");
    let told = turn(&url, &[("SSL_CERT_FILE", file.path().to_str().expect("a path"))]);
    assert!(told.contains("over tls"), "{told}");
    assert!(sent.lock().expect("no panic").contains("POST /v1/chat/completions"));
}
