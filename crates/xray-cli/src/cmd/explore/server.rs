//! The server: one thread that takes requests apart, and has them answered by another.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use anyhow::Context;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Deserialize;
use tokio::sync::{Semaphore, oneshot};
use xray_nmf::StopRequest;

use super::door::{Ask, Door, Job, Reply};
use crate::interrupt;

/// The largest request, the most connections, and how long headers may take.
const MOST_BYTES: usize = 64 << 10;
const MOST_CONNECTIONS: usize = 64;
const PATIENCE: Duration = Duration::from_secs(10);

type Answer = Response<Full<Bytes>>;

/// Serves until the program ends.
pub(super) fn start(
    listener: TcpListener,
    door: Arc<Door>,
    jobs: Sender<Job>,
) -> anyhow::Result<()> {
    listener.set_nonblocking(true).context("cannot listen")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start the server")?;
    let served = std::thread::Builder::new().name("server".into()).spawn(move || {
        runtime.block_on(async move {
            // A listener that worked a moment ago.
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
            tokio::spawn(pass_signals(Arc::clone(&door)));
            accept(&listener, door, jobs).await;
        });
    });
    served.context("cannot start the server")?;
    Ok(())
}

/// What is being answered is given up when the program is to end.
async fn pass_signals(door: Arc<Door>) {
    while !interrupt::requested() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    door.close();
}

async fn accept(listener: &tokio::net::TcpListener, door: Arc<Door>, jobs: Sender<Job>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, or a connection that is gone already.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (door, jobs) = (Arc::clone(&door), jobs.clone());
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let (door, jobs) = (Arc::clone(&door), jobs.clone());
                async move { Ok::<_, Infallible>(respond(&door, &jobs, request).await) }
            });
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
            // Whoever breaks off has gone.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}

async fn respond(door: &Door, jobs: &Sender<Job>, request: Request<Incoming>) -> Answer {
    let changes = request.method() != Method::GET;
    let Some(what) = door.within(request.uri().path()).map(str::to_owned) else {
        return empty(StatusCode::NOT_FOUND);
    };
    if !door.lets_in(request.headers(), changes) {
        return empty(StatusCode::FORBIDDEN);
    }
    door.see();
    let method = request.method().clone();
    let body = Limited::new(request.into_body(), MOST_BYTES).collect();
    let body = match tokio::time::timeout(PATIENCE, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        _ => return empty(StatusCode::PAYLOAD_TOO_LARGE),
    };
    let ask = match (method, what.as_str()) {
        (Method::GET, "") => Ok(Ask::Page),
        (Method::POST, "alive") => return empty(StatusCode::NO_CONTENT),
        (Method::POST, "change") => serde_json::from_slice(&body).map(Ask::Change),
        (Method::POST, "undo") => {
            serde_json::from_slice(&body).map(|Times { times }| Ask::Undo(times))
        }
        (Method::POST, "redo") => Ok(Ask::Redo),
        (Method::POST, "save") => Ok(Ask::Save),
        _ => return empty(StatusCode::NOT_FOUND),
    };
    match ask {
        Ok(ask) => answered(door, jobs, ask).await,
        Err(error) => told(StatusCode::BAD_REQUEST, &error.to_string()),
    }
}

/// How many changes are to be undone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Times {
    times: usize,
}

async fn answered(door: &Door, jobs: &Sender<Job>, ask: Ask) -> Answer {
    // Only changes give up each other: a page that is opened does not.
    let stop = match ask {
        Ask::Page | Ask::Save => StopRequest::new(),
        _ => door.newest(),
    };
    let (reply, answer) = oneshot::channel();
    if jobs.send(Job { ask, stop, reply }).is_err() {
        return empty(StatusCode::SERVICE_UNAVAILABLE);
    }
    match answer.await {
        Ok(Reply::Html(page)) => whole("text/html; charset=utf-8", page),
        Ok(Reply::Json(data)) => whole("application/json", data),
        Ok(Reply::Refused(reason)) => told(StatusCode::UNPROCESSABLE_ENTITY, &reason),
        Ok(Reply::Superseded) => told(StatusCode::CONFLICT, "a newer change came"),
        Err(_) => empty(StatusCode::SERVICE_UNAVAILABLE),
    }
}

fn whole(kind: &'static str, body: String) -> Answer {
    let mut answer = Response::new(Full::from(body));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    // Nobody keeps it, frames it, takes it for something else, or hears where it came from.
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

fn told(status: StatusCode, error: &str) -> Answer {
    let mut answer = whole("application/json", serde_json::json!({ "error": error }).to_string());
    *answer.status_mut() = status;
    answer
}

fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}
