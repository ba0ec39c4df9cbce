//! Who may ask, and what.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use hyper::header::{HOST, HeaderMap, ORIGIN};
use tokio::sync::oneshot;
use xray_nmf::StopRequest;
use xray_pipeline::Change;

/// What is asked for.
#[derive(Debug)]
pub(super) enum Ask {
    Page,
    Change(Change),
    Undo(usize),
    Redo,
    Save,
}

/// Something to answer.
pub(super) struct Job {
    pub(super) ask: Ask,
    /// Made when a newer change comes.
    pub(super) stop: StopRequest,
    pub(super) reply: oneshot::Sender<Reply>,
}

/// An answer.
#[derive(Debug)]
pub(super) enum Reply {
    Html(String),
    Json(String),
    /// Why it cannot be done.
    Refused(String),
    /// A newer change came.
    Superseded,
}

/// A secret that the address has, and what else is looked at.
pub(super) struct Door {
    token: String,
    place: SocketAddr,
    /// What browsers of this machine call it.
    hosts: Vec<String>,
    /// Of the newest change.
    newest: Mutex<StopRequest>,
    /// When somebody with the secret was here last.
    seen: Mutex<Instant>,
}

impl Door {
    /// With a new secret.
    pub(super) fn new(listener: &TcpListener, shared: Option<IpAddr>) -> anyhow::Result<Self> {
        let place = listener.local_addr().context("cannot listen")?;
        let mut secret = [0_u8; 16];
        getrandom::fill(&mut secret).map_err(|error| anyhow::anyhow!("no randomness: {error}"))?;
        let port = place.port();
        let mut hosts = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        if let Some(address) = shared {
            hosts.push(SocketAddr::new(address, port).to_string());
        }
        Ok(Self {
            token: secret.iter().map(|byte| format!("{byte:02x}")).collect(),
            place,
            hosts,
            newest: Mutex::default(),
            seen: Mutex::new(Instant::now()),
        })
    }

    /// Where the page is.
    pub(super) fn address(&self) -> String {
        let Self { place, token, .. } = self;
        let place = if place.ip().is_unspecified() {
            format!("127.0.0.1:{}", place.port())
        } else {
            place.to_string()
        };
        format!("http://{place}/{token}/")
    }

    /// The rest of a path that begins with the secret.
    pub(super) fn within<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, rest) = path.strip_prefix('/')?.split_once('/')?;
        // Every letter is looked at, whatever those before it were.
        let same = token.len() == self.token.len()
            && token.bytes().zip(self.token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0;
        same.then_some(rest)
    }

    /// Whether the page itself asks: under the name that it is known by, and no other page. A page of somebody else
    /// whose name leads to this machine says another host, and a request from another page another origin.
    pub(super) fn lets_in(&self, headers: &HeaderMap, changes: bool) -> bool {
        let is_host = |text: &str| self.hosts.iter().any(|host| host == text);
        let mut hosts = headers.get_all(HOST).iter().map(|value| value.to_str().ok());
        let host =
            matches!((hosts.next(), hosts.next()), (Some(Some(host)), None) if is_host(host));
        let origins = headers.get_all(ORIGIN).iter();
        let mut origins = origins.map(|value| value.to_str().ok()?.strip_prefix("http://"));
        let origin = match (origins.next(), origins.next()) {
            (None, _) => !changes,
            (Some(origin), None) => origin.is_some_and(is_host),
            _ => false,
        };
        let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
        host && origin && matches!(site, None | Some("same-origin" | "none"))
    }

    /// A change has come: the one before it is given up.
    pub(super) fn newest(&self) -> StopRequest {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.make();
        *newest = StopRequest::new();
        newest.clone()
    }

    /// The program is to end.
    pub(super) fn close(&self) {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).make();
    }

    /// Somebody with the secret is here.
    pub(super) fn see(&self) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// How long nobody was here.
    pub(super) fn unseen_for(&self) -> Duration {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn door() -> Door {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        Door::new(&listener, None).expect("a secret")
    }

    #[test]
    fn only_the_page_itself_is_let_in() {
        let door = door();
        let own = format!("127.0.0.1:{}", door.place.port());
        let asks = |pairs: &[(&'static str, &str)], changes: bool| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, HeaderValue::from_str(value).expect("a value"));
            }
            door.lets_in(&headers, changes)
        };
        let origin = format!("http://{own}");
        assert!(asks(&[("host", &own)], false));
        assert!(asks(&[("host", &own), ("origin", &origin)], true));
        assert!(!asks(&[("host", &own)], true), "changes say where they come from");
        assert!(!asks(&[], false));
        assert!(!asks(&[("host", "evil.example")], false));
        assert!(!asks(&[("host", &own), ("host", &own)], false));
        assert!(!asks(&[("host", &own), ("origin", "http://evil.example")], false));
        assert!(!asks(&[("host", &own), ("origin", "null")], true));
        assert!(!asks(&[("host", &own), ("origin", &format!("https://{own}"))], true));
        assert!(!asks(&[("host", &own), ("sec-fetch-site", "cross-site")], false));
    }

    #[test]
    fn the_secret_is_in_the_address_and_new_every_time() {
        let door = door();
        let path =
            door.address().split_once(&door.place.to_string()).map(|(_, path)| path.to_owned());
        let path = path.expect("a path");
        assert_eq!(door.within(&format!("{path}change")), Some("change"));
        for other in
            ["/", "", "//", &path[1..], &format!("/{}/", "0".repeat(32)), &path[..path.len() - 1]]
        {
            assert_eq!(door.within(other), None, "{other}");
        }
        assert_ne!(door.token, self::door().token);
    }

    #[test]
    fn a_newer_change_gives_up_the_one_before() {
        let door = door();
        let (first, second) = (door.newest(), door.newest());
        assert!(first.is_made() && !second.is_made());
        door.close();
        assert!(second.is_made());
    }
}
