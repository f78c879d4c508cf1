//! A model behind an OpenAI-shaped HTTP endpoint: Ollama, TEI, llama.cpp, a company's own.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::call::Server;
use crate::{EmbedError, Embedder, Role};

/// An endpoint that does not answer within this time has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// A model behind an address such as `http://localhost:11434/v1/embeddings`.
#[derive(Debug)]
pub struct Endpoint {
    id: String,
    model: String,
    server: Server,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

#[derive(Deserialize)]
struct Response {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// Prepares to ask `model` at `url`, with a key where one is needed. What is on this machine is
    /// asked directly, whatever proxies are set.
    pub fn new(url: &str, model: &str, key: Option<String>, is_local: bool) -> Self {
        Self {
            id: format!("{model} at {url}"),
            model: model.to_owned(),
            server: Server::new(url, key, is_local, PATIENCE),
        }
    }

    fn failed(&self, reason: impl Into<String>) -> EmbedError {
        EmbedError::Endpoint { url: self.server.url().to_owned(), reason: reason.into() }
    }
}

impl Embedder for Endpoint {
    fn id(&self) -> &str {
        &self.id
    }

    fn batch(&self) -> Option<usize> {
        Some(64)
    }

    fn embed(&self, texts: &[&str], _role: Role) -> Result<Vec<Vec<f32>>, EmbedError> {
        let body = Request { model: &self.model, input: texts };
        let response: Response = self.server.ask(&body).map_err(|reason| self.failed(reason))?;
        let mut entries = response.data;
        entries.sort_by_key(|entry| entry.index);
        let dims = entries.first().map_or(0, |entry| entry.embedding.len());
        let is_right = entries.len() == texts.len()
            && dims > 0
            && entries.iter().all(|entry| entry.embedding.len() == dims);
        if !is_right {
            return Err(self.failed("it did not answer with one vector for each text"));
        }
        Ok(entries.into_iter().map(|entry| entry.embedding).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// A real server for one request; returns its address and what it was asked.
    fn serve(
        status: &'static str,
        body: &'static str,
    ) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = String::new();
            let mut buffer = [0; 4096];
            while !asked.contains("\"input\"") || !asked.trim_end().ends_with('}') {
                let read = stream.read(&mut buffer).unwrap();
                asked.push_str(&String::from_utf8_lossy(&buffer[..read]));
            }
            let length = body.len();
            write!(stream, "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").unwrap();
            asked
        });
        (url, thread)
    }

    #[test]
    fn vectors_come_in_the_order_of_the_texts() {
        let (url, server) = serve(
            "200 OK",
            r#"{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}"#,
        );
        let endpoint = Endpoint::new(&url, "m", Some("k".to_owned()), true);
        let vectors = endpoint.embed(&["a", "b"], Role::Memory).unwrap();
        assert_eq!(vectors, [[1.0, 0.0], [0.0, 1.0]]);
        let asked = server.join().unwrap();
        let bare: String = asked.split_whitespace().collect();
        assert!(bare.contains(r#""model":"m","input":["a","b"]"#), "{asked}");
        assert!(asked.to_lowercase().contains("authorization: bearer k"), "{asked}");
    }

    #[test]
    fn failures_say_what_the_server_said() {
        let (url, _server) = serve("404 Not Found", r#"{"error":"model m not found"}"#);
        let error = Endpoint::new(&url, "m", None, true).embed(&["a"], Role::Memory).unwrap_err();
        assert!(error.to_string().contains("404") && error.to_string().contains("not found"));
        let (url, _server) = serve("200 OK", r#"{"data":[]}"#);
        let error = Endpoint::new(&url, "m", None, true).embed(&["a"], Role::Memory).unwrap_err();
        assert!(error.to_string().contains("one vector for each text"), "{error}");
    }
}
