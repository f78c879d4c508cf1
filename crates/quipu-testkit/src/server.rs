//! A real HTTP server that makes vectors, as Ollama and others do.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A server on this machine. A text's vector says which of a few words it has.
#[derive(Debug)]
pub struct EmbeddingServer {
    url: String,
    requests: Arc<AtomicUsize>,
    is_broken: Arc<AtomicBool>,
}

/// The words that its model knows.
const WORDS: [&str; 4] = ["cat", "dog", "car", "tree"];

impl EmbeddingServer {
    /// Starts a server; it ends with the test.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let is_broken = Arc::new(AtomicBool::new(false));
        let (counter, broken) = (Arc::clone(&requests), Arc::clone(&is_broken));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::SeqCst);
                // A client that went away is no concern of the test.
                let _ = answer(&stream, broken.load(Ordering::SeqCst));
            }
        });
        Self { url, requests, is_broken }
    }

    /// Returns its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns how often it was asked.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Makes it fail, or work again.
    pub fn set_broken(&self, broken: bool) {
        self.is_broken.store(broken, Ordering::SeqCst);
    }
}

fn answer(mut stream: &TcpStream, broken: bool) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let asked: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    let vector = |text: &str| -> Vec<f32> {
        let lower = text.to_lowercase();
        let mut vector: Vec<f32> =
            WORDS.iter().map(|word| if lower.contains(word) { 1.0 } else { 0.0 }).collect();
        vector.push(0.1);
        vector
    };
    let data: Vec<serde_json::Value> = asked["input"]
        .as_array()
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .enumerate()
        .map(|(index, text)| {
            serde_json::json!({ "index": index, "embedding": vector(text.as_str().unwrap_or_default()) })
        })
        .collect();
    let (status, reply) = if broken {
        ("503 Service Unavailable", serde_json::json!({ "error": "loading the model" }))
    } else {
        ("200 OK", serde_json::json!({ "data": data }))
    };
    let reply = reply.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{reply}",
        reply.len()
    )
}
