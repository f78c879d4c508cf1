//! Real HTTP servers that make vectors and judge, as Ollama and others do.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

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

/// A server that judges: it answers every chat with what the test says.
#[derive(Debug)]
pub struct JudgeServer {
    url: String,
    prompts: Arc<Mutex<Vec<String>>>,
}

impl JudgeServer {
    /// Starts a server that answers a prompt by `judge`; it ends with the test.
    pub fn start(judge: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/chat/completions", listener.local_addr().unwrap());
        let prompts = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&prompts);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Ok(asked) = request(&stream) else { continue };
                let prompt = asked["messages"][1]["content"].as_str().unwrap_or_default();
                heard.lock().unwrap().push(prompt.to_owned());
                let message = serde_json::json!({ "role": "assistant", "content": judge(prompt) });
                let reply = serde_json::json!({ "choices": [{ "index": 0, "message": message }] });
                let _ = respond(&stream, "200 OK", &reply);
            }
        });
        Self { url, prompts }
    }

    /// Returns its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns what it was asked.
    pub fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }
}

/// Reads the JSON body of a request.
fn request(stream: &TcpStream) -> std::io::Result<serde_json::Value> {
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
    Ok(serde_json::from_slice(&body).unwrap_or_default())
}

fn respond(mut stream: &TcpStream, status: &str, reply: &serde_json::Value) -> std::io::Result<()> {
    let reply = reply.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{reply}",
        reply.len()
    )
}

fn answer(stream: &TcpStream, broken: bool) -> std::io::Result<()> {
    let asked = request(stream)?;
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
    respond(stream, status, &reply)
}
