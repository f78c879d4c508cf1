//! What the server counts, in the text form that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper ends of the buckets, in seconds.
const BUCKETS: [f64; 8] = [0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, f64::INFINITY];

/// Returns the route of a path, by which it is counted: what somebody invents is not counted by name.
pub(super) fn route_name(path: &str) -> &'static str {
    if path.starts_with("/api/v1/") {
        return "/api/v1";
    }
    ["/mcp", "/healthz", "/readyz", "/metrics", "/rpc", "/memory-tool"]
        .into_iter()
        .find(|known| *known == path)
        .unwrap_or("other")
}

/// Counts of requests.
#[derive(Default)]
pub(super) struct Metrics(Mutex<Counted>);

#[derive(Default)]
struct Counted {
    /// By route and status.
    requests: BTreeMap<(&'static str, u16), u64>,
    /// By refusal.
    refused: BTreeMap<String, u64>,
    buckets: [u64; BUCKETS.len()],
    seconds: f64,
    under_way: i64,
}

impl Metrics {
    fn counted(&self) -> std::sync::MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request that begins.
    pub(super) fn begin(&self) {
        self.counted().under_way += 1;
    }

    /// Counts a request that is answered.
    pub(super) fn end(&self, route: &'static str, status: u16, took: Duration) {
        let mut counted = self.counted();
        counted.under_way -= 1;
        *counted.requests.entry((route, status)).or_default() += 1;
        let seconds = took.as_secs_f64();
        counted.seconds += seconds;
        if let Some(bucket) = BUCKETS.iter().position(|end| seconds <= *end) {
            counted.buckets[bucket] += 1;
        }
    }

    /// Counts a refusal.
    pub(super) fn refused(&self, code: &str) {
        *self.counted().refused.entry(code.to_owned()).or_default() += 1;
    }

    /// Returns everything as text.
    pub(super) fn text(
        &self,
        numbers: &[(&'static str, &'static str, bool, f64)],
        by_space: &[(&'static str, &'static str, String, u64)],
    ) -> String {
        let counted = self.counted();
        let mut text = String::new();
        let head = |text: &mut String, name: &str, help: &str, kind: &str| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        head(&mut text, "quipu_http_requests_total", "Requests that were answered.", "counter");
        for ((route, status), count) in &counted.requests {
            let labels = format!("route=\"{route}\",status=\"{status}\"");
            let _ = writeln!(text, "quipu_http_requests_total{{{labels}}} {count}");
        }
        head(&mut text, "quipu_http_refused_total", "Requests that were refused.", "counter");
        for (code, count) in &counted.refused {
            let _ = writeln!(text, "quipu_http_refused_total{{code=\"{code}\"}} {count}");
        }
        head(&mut text, "quipu_http_seconds", "How long answers took.", "histogram");
        let mut total = 0;
        for (end, count) in BUCKETS.iter().zip(counted.buckets) {
            total += count;
            let end = if end.is_finite() { end.to_string() } else { "+Inf".to_owned() };
            let _ = writeln!(text, "quipu_http_seconds_bucket{{le=\"{end}\"}} {total}");
        }
        let _ = writeln!(text, "quipu_http_seconds_sum {}", counted.seconds);
        let _ = writeln!(text, "quipu_http_seconds_count {total}");
        head(&mut text, "quipu_http_under_way", "Requests that are not answered yet.", "gauge");
        let _ = writeln!(text, "quipu_http_under_way {}", counted.under_way);
        for (name, help, grows, value) in numbers {
            head(&mut text, name, help, if *grows { "counter" } else { "gauge" });
            let _ = writeln!(text, "{name} {value}");
        }
        let mut last = "";
        for (name, help, space, value) in by_space {
            if last != *name {
                head(&mut text, name, help, "counter");
                last = name;
            }
            let _ = writeln!(text, "{name}{{space=\"{space}\"}} {value}");
        }
        text
    }
}
