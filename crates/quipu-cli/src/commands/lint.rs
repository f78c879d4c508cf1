//! `quipu lint`.

use std::fmt::Write as _;

use quipu_core::lint::{Finding, Severity, secret_findings};
use quipu_core::secret::Scope;
use quipu_engine::glob::Waivers;
use serde_json::{Value, json};

use crate::cli::LintArgs;
use crate::context::{Context, repository_root};
use crate::error::CommandError;
use crate::output;
use crate::reply::{DIM, GREEN, RED, Reply, YELLOW, styled};

pub(crate) fn run(arguments: &LintArgs, context: &Context) -> Result<Reply, CommandError> {
    if !arguments.scan_files.is_empty() {
        return scan(arguments, context);
    }
    let workspace = context.workspace()?;
    let linted = workspace.lint(arguments.history)?;
    super::tell_recovered(&workspace);
    let header = format!(
        "{} facts, {} archived, {} sessions; windows working {} active {} archive {}",
        linted.facts,
        linted.archived,
        linted.sessions,
        linted.policy.working_window,
        linted.policy.active_window,
        linted.policy.archive_window,
    );
    Ok(reply(&header, &linted.findings, arguments, &[]))
}

/// Looks for credentials in any files, with the waivers of `.agent/secret-scan-ignore`.
fn scan(arguments: &LintArgs, context: &Context) -> Result<Reply, CommandError> {
    let root = repository_root(&context.start());
    let waived = std::fs::read_to_string(root.join(".agent/secret-scan-ignore"));
    let waivers = Waivers::parse(&waived.unwrap_or_default());
    let (mut findings, mut skipped, mut scanned) = (Vec::new(), Vec::new(), 0);
    for path in &arguments.scan_files {
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
    let strict =
        LintArgs { strict: true, history: false, sarif: arguments.sarif, scan_files: Vec::new() };
    let mut header = format!("{scanned} file(s) scanned for credentials");
    if !skipped.is_empty() {
        let _ = write!(header, "; not there: {}", skipped.join(", "));
    }
    Ok(reply(&header, &findings, &strict, &skipped))
}

fn reply(header: &str, findings: &[Finding], arguments: &LintArgs, skipped: &[String]) -> Reply {
    let errors = findings.iter().filter(|f| f.severity == Severity::Error).count();
    let warnings = findings.len() - errors;
    let failed = errors > 0 || (arguments.strict && warnings > 0);
    let exit = u8::from(failed);
    if arguments.sarif {
        let sarif = sarif(findings);
        let text = output::json_text(&sarif);
        return Reply::new(text, sarif).exit(exit);
    }
    let mut text = format!("{header}\n");
    let mut last_hint = "";
    for finding in findings {
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
    let verdict = match (errors, warnings) {
        (0, 0) => styled(GREEN, "clean"),
        (0, _) if failed => styled(RED, format!("failed: {warnings} warning(s)")),
        (0, _) => styled(GREEN, format!("ok: 0 errors, {warnings} warning(s)")),
        _ => styled(RED, format!("failed: {errors} error(s), {warnings} warning(s)")),
    };
    let _ = writeln!(text, "{verdict}");
    let mut json = json!({ "errors": errors, "warnings": warnings, "findings": findings });
    if !skipped.is_empty() {
        json["skipped"] = json!(skipped);
    }
    Reply::new(text, json).exit(exit)
}

fn sarif(findings: &[Finding]) -> Value {
    let mut codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
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
