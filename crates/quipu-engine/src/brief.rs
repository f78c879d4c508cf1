//! The briefing: what a session starts with, gathered from the journal and the shared layer.
//!
//! Which parts get in is decided in `quipu_core::brief`. Nothing is read that cannot get in: records
//! come from the index, newest first, and of the files only those that a briefing shows.

mod files;
mod part;
mod records;

use jiff::Timestamp;
use quipu_core::brief::{self, Cap, Composed};
use quipu_core::{hook, text};
use serde::Serialize;

use self::files::gather_facts;
use self::files::gather_logs;
use self::files::gather_long;
use self::files::gather_user;
use self::part::Gathered;
use self::records::gather_empty_clone;
use self::records::gather_experiences;
use self::records::gather_own;
use self::records::gather_records;
use self::records::gather_topics;
use self::records::relevant;
use crate::cache::{Cache, CacheStats};
use crate::caller::Channel;
use crate::error::Error;
use crate::index::{self, Indexed};
use crate::recall;
use crate::workspace::Workspace;

/// Facts and sections of logs are told whole where there is room for all; else longer ones by their
/// beginning, and how to see the rest.
const LONGEST: [usize; 2] = [6000, 600];

/// What a briefing is for.
#[derive(Clone, Debug)]
pub struct BriefRequest {
    /// The time.
    pub now: Timestamp,
    /// The most characters; the configuration's where not said.
    pub cap: Option<usize>,
    /// The most tokens, instead.
    pub tokens: Option<usize>,
    /// What the session is about, such as the first message.
    pub hint: Option<String>,
    /// Who asks.
    pub channel: Channel,
}

/// A briefing.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Briefing {
    /// What to put before the first message; empty where there is nothing.
    pub text: String,
    /// Its length, without the marks.
    pub chars: usize,
    /// About how many tokens that is.
    pub tokens: usize,
    /// How long it may be.
    pub cap: usize,
    /// What is in it, by section.
    pub sections: Vec<brief::SectionReport>,
    /// How many records there are in all.
    pub records: usize,
    /// Ids of what alone is too long.
    pub too_long: Vec<String>,
    /// Why there is less than there could be.
    pub degraded: Vec<String>,
    /// What was too much for a hook to read, in a line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Briefing {
    /// Returns the text between marks that say what it is, for every reader: nothing inside can close
    /// them. What was left out is named at the end. An empty briefing has no marks.
    pub fn marked(&self) -> String {
        let left_out = self.left_out.join("; ");
        let text = match (self.text.is_empty(), left_out.is_empty()) {
            (true, true) => return String::new(),
            (false, true) => self.text.clone(),
            (true, false) => format!("[left out: {left_out}]"),
            (false, false) => format!("{}\n\n[left out: {left_out}]", self.text),
        };
        let has_ids = self.sections.iter().any(|section| !section.ids.is_empty());
        let fenced = if has_ids { hook::fenced_with_ids } else { hook::fenced };
        fenced("quipu brief", &text)
    }
}

/// Puts together what a session starts with.
///
/// # Errors
/// When the index or the files cannot be used.
pub fn brief(workspace: &Workspace, request: &BriefRequest) -> Result<Briefing, Error> {
    index::mending(workspace, || brief_kept(workspace, request))
}

fn brief_kept(workspace: &Workspace, request: &BriefRequest) -> Result<Briefing, Error> {
    let others = workspace.user_scope().ok().flatten().into_iter().chain(workspace.main_checkout());
    let others: Vec<_> = others.map(|other| index::world(other).ok().flatten()).collect();
    // What cannot be compared with another time is made anew.
    let is_known = others.iter().all(Option::is_some);
    let key = format!(
        "{} {:?}",
        workspace.day(request.now),
        (request.cap, request.tokens, &request.hint, request.channel, others)
    );
    if is_known
        && let Some(world) = index::world(workspace)?
        && let Some(made) =
            workspace.kept(|kept: &mut Cache<Briefing>| kept.get(&key, world, request.now))
    {
        return Ok(made);
    }
    let before = index::files(workspace)?;
    let indexed = index::freshen(workspace)?;
    let generation = index::store(workspace)?.generation()?;
    let made = brief_anew(workspace, request, &indexed)?;
    if made.degraded.is_empty()
        && is_known
        && let Some(world) = index::unchanged_world(workspace, before, generation)?
    {
        let until = recall::holds_until(workspace, request.now)?;
        workspace.kept(|kept: &mut Cache<Briefing>| {
            kept.put(key, world, (request.now, until), made.clone());
        });
    }
    Ok(made)
}

fn brief_anew(
    workspace: &Workspace,
    request: &BriefRequest,
    indexed: &Indexed,
) -> Result<Briefing, Error> {
    let continuity = &workspace.config().continuity;
    let cap = match (request.tokens, request.cap) {
        (Some(tokens), _) => Cap::Tokens(tokens),
        (None, cap) => Cap::Chars(cap.unwrap_or(continuity.session_memory_cap)),
    };
    let mut made = Briefing { cap: measured(cap), ..Briefing::default() };
    if !continuity.session_memory_enabled {
        made.degraded.push("briefings are off (continuity.sessionMemoryEnabled)".to_owned());
        return Ok(made);
    }
    if request.channel == Channel::Other {
        made.degraded.push(
            "a briefing is for the main channel: others ask with `quipu recall --channel other`"
                .to_owned(),
        );
        return Ok(made);
    }
    let unread = indexed.skipped.iter().map(|(path, why)| format!("{path}: {why}"));
    made.degraded.extend(unread);
    made.left_out.extend(indexed.left_out.map(|left_out| left_out.words()));
    made.degraded.extend(indexed.notices.iter().cloned());
    if indexed.busy {
        made.degraded.push("another process is writing: its changes may be missing".to_owned());
    }
    let mut gathered = Gathered::default();
    gather_experiences(workspace, request, &mut gathered)?;
    if request.channel == Channel::Heartbeat {
        let composed = brief::compose(gathered.parts, cap, &gathered.beyond);
        return Ok(finished(made, composed));
    }
    let relevant = relevant(workspace, request)?;
    gather_user(workspace, &mut gathered);
    gather_long(workspace, &mut gathered);
    made.records = gather_records(workspace, request, cap, &relevant, &mut gathered)?;
    if let Some(main) = workspace.main_checkout() {
        index::freshen(main)?;
        let fitting = records::relevant(main, request)?;
        made.records += gather_records(main, request, cap, &fitting, &mut gathered)?;
    }
    if let Err(error) = gather_own(workspace, request, cap, &mut gathered) {
        made.degraded.push(format!("your own memory could not be asked: {error}"));
    }
    gather_empty_clone(workspace, &mut gathered);
    gather_topics(workspace, request, &mut gathered)?;
    let mut composed = Composed::default();
    for longest in LONGEST {
        let mut all = gathered.clone();
        gather_facts(workspace, &relevant, longest, &mut all);
        gather_logs(workspace, longest, &mut all);
        composed = brief::compose(all.parts, cap, &all.beyond);
        (gathered.unread, gathered.cut) = (all.unread, all.cut);
        if composed.sections.iter().all(|section| section.left_out == 0) {
            break;
        }
    }
    made.degraded.extend(gathered.unread);
    made.left_out.extend(gathered.cut);
    made.degraded.extend(made.left_out.iter().cloned());
    let has_parts = composed.sections.iter().any(|section| section.left_out > 0);
    if composed.text.is_empty() && has_parts {
        made.degraded.push("nothing fits under so small a cap".to_owned());
    }
    Ok(finished(made, composed))
}

/// Returns how often a briefing was there already.
pub fn brief_cache(workspace: &Workspace) -> CacheStats {
    workspace.kept(|kept: &mut Cache<Briefing>| kept.stats())
}

fn measured(cap: Cap) -> usize {
    match cap {
        Cap::Chars(most) | Cap::Tokens(most) => most,
    }
}

fn finished(made: Briefing, composed: Composed) -> Briefing {
    Briefing {
        chars: composed.text.chars().count(),
        tokens: text::tokens(&composed.text),
        text: composed.text,
        sections: composed.sections,
        too_long: composed.too_long,
        ..made
    }
}
