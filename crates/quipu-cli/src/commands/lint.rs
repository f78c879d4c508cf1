//! `quipu lint`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quipu_core::lint::{Finding, Severity, secret_findings};
use quipu_core::secret::Scope;
use quipu_core::text::counted;
use quipu_engine::glob::Waivers;
use quipu_engine::operation::Output as _;
use quipu_engine::operations::{Lint, LintReport};
use serde_json::{Value, json};

use crate::context::{Context, repository_root};
use crate::error::CommandError;
use crate::output;
use crate::reply::{DIM, GREEN, RED, Reply, YELLOW, styled};
use crate::spoken::Spoken;

/// So many warnings of one sort are shown one by one; more are counted.
const MOST_ALIKE: usize = 5;

impl Spoken for Lint {
    fn outside(&self, context: &Context) -> Result<Option<Reply>, CommandError> {
        if self.scan_files.is_empty() {
            return Ok(None);
        }
        scan(self, context).map(Some)
    }

    fn say(&self, output: &LintReport, _: &Context) -> Reply {
        Reply::words(if self.sarif {
            output::json_text(&sarif(&output.findings))
        } else {
            words(output)
        })
    }
}

/// Looks for credentials in any files, with the waivers of `.agent/secret-scan-ignore`.
fn scan(lint: &Lint, context: &Context) -> Result<Reply, CommandError> {
    let root = repository_root(&context.start());
    let waived = std::fs::read_to_string(root.join(".agent/secret-scan-ignore"));
    let waivers = Waivers::parse(&waived.unwrap_or_default());
    let (mut findings, mut skipped, mut scanned) = (Vec::new(), Vec::new(), 0);
    for path in &lint.scan_files {
        let name = path.to_string_lossy().replace('\\', "/");
        if waivers.has(&name) {
            continue;
        }
        let bytes = match std::fs::read(context.start().join(path)) {
            Ok(bytes) => bytes,
            // A hook may well name a file that was deleted.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                skipped.push(name);
                continue;
            }
            Err(error) => {
                let message = format!("cannot scan `{name}`: {error}");
                return Err(CommandError::input("io", message)
                    .hint("a file that was not read is not clean"));
            }
        };
        scanned += 1;
        findings.extend(secret_findings(
            &name,
            &String::from_utf8_lossy(&bytes),
            Scope::Credentials,
        ));
    }
    let mut header = format!("{} scanned for credentials", counted(scanned, "file"));
    if !skipped.is_empty() {
        let _ = write!(header, "; not there: {}", skipped.join(", "));
    }
    let errors = findings.iter().filter(|f| f.severity == Severity::Error).count();
    let warnings = findings.len() - errors;
    let report = LintReport { errors, warnings, findings, strict: true, header };
    let mut data = serde_json::to_value(&report).map_err(|_| CommandError::bug())?;
    if !skipped.is_empty() {
        data["skipped"] = json!(skipped);
    }
    let exit = u8::from(report.wants_attention());
    Ok(Reply { json: data, ..lint.say(&report, context) }.exit(exit))
}

fn words(report: &LintReport) -> String {
    let LintReport { errors, warnings, findings, header, .. } = report;
    let mut text = format!("{header}\n");
    let mut last_hint = "";
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        let seen = seen.entry(finding.code.as_str()).or_default();
        *seen += 1;
        if finding.severity == Severity::Warn && *seen > MOST_ALIKE {
            continue;
        }
        let (style, word) = match finding.severity {
            Severity::Error => (RED, "error"),
            Severity::Warn => (YELLOW, "warn "),
        };
        let place = match finding.line {
            Some(line) => format!("{}:{line}", finding.path),
            None => finding.path.clone(),
        };
        let code = format!("[{}]", finding.code);
        let _ = writeln!(
            text,
            "{} {code} {}  {}",
            styled(style, word),
            finding.message,
            styled(DIM, place)
        );
        if finding.hint != last_hint {
            let _ = writeln!(text, "      {}", styled(DIM, format!("→ {}", finding.hint)));
        }
        last_hint = &finding.hint;
    }
    for (code, count) in seen.into_iter().filter(|(_, count)| *count > MOST_ALIKE) {
        let of_code = |finding: &&Finding| finding.code.as_str() == code;
        let is_warning = |finding: &Finding| finding.severity == Severity::Warn;
        if findings.iter().find(of_code).is_some_and(is_warning) {
            let more = format!("… and {} more [{code}] (`--json` has all)", count - MOST_ALIKE);
            let _ = writeln!(text, "{}", styled(DIM, more));
        }
    }
    let warned = counted(warnings, "warning");
    let verdict = match (errors, warnings) {
        (0, 0) => styled(GREEN, "clean"),
        (0, _) if report.wants_attention() => styled(RED, format!("failed: {warned}")),
        (0, _) => styled(GREEN, format!("ok: 0 errors, {warned}")),
        _ => styled(RED, format!("failed: {}, {warned}", counted(errors, "error"))),
    };
    let _ = writeln!(text, "{verdict}");
    text
}

fn sarif(findings: &[Finding]) -> Value {
    let mut codes: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let result = |finding: &Finding| {
        let mut location = json!({ "artifactLocation": { "uri": finding.path } });
        if let Some(line) = finding.line {
            location["region"] = json!({ "startLine": line });
        }
        json!({
            "ruleId": finding.code,
            "level": match finding.severity { Severity::Error => "error", Severity::Warn => "warning" },
            "message": { "text": format!("{} ({})", finding.message, finding.hint) },
            "locations": [{ "physicalLocation": location }],
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "quipu lint",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| json!({ "id": code })).collect::<Vec<_>>(),
            } },
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}
