//! How new something is that is about to be remembered: compared with what is nearest to it.

use quipu_core::contradict::{self, Known, Near};
use quipu_core::item::{Decision, Item, Kind, Layer, Sensitivity, Status};
use quipu_core::journal::Record;
use quipu_core::lifecycle;
use quipu_core::question::Question;
use quipu_core::secret::{self, Scope};
use quipu_core::vector::Packed;
use quipu_embed::Role;
use quipu_store::{Filter, Search};
use serde::Serialize;

use crate::caller::{Caller, Channel};
use crate::decide::{self, Deciding};
use crate::embedding::{self, OwnVectors};
use crate::error::Error;
use crate::index;
use crate::operation::Request;
use crate::records::decision_record;
use crate::workspace::Workspace;

/// So many neighbours tell how new it is, of twice as many that seem near.
const NEIGHBOURS: usize = 5;

/// So many that share words with it are looked at.
const ALIKE: usize = 19;

/// How new a memory is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Weighed {
    /// The memory.
    pub id: String,
    /// How unlike its neighbours it is, 0 to 1.
    pub surprise: f32,
    /// Its base importance from now on.
    pub importance: f32,
    /// The memory that says the same, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// Memories that it cannot hold beside; somebody is asked which does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<String>,
    /// What is known that is near to it, for the caller to judge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<Near>,
}

/// What is decided about something new.
pub(crate) struct Weighing {
    pub(crate) weighed: Weighed,
    /// The lines that say so, in the order of the log.
    pub(crate) records: Vec<Record>,
}

/// Measures how new something is that is about to be remembered, against a current index that
/// does not have it yet; nothing where that cannot be measured. Writes nothing.
///
/// # Errors
/// When the index cannot be used.
pub(crate) fn weigh(
    workspace: &Workspace,
    item: &Item,
    own: &OwnVectors,
    session: &str,
    request: &Request<'_>,
) -> Result<Option<Weighing>, Error> {
    // Everyone who sees the item sees its weight, which must not tell of items that some of them may not see.
    let beside = item.sensitivity.seen_beside();
    let Some(near) = neighbours(workspace, item, own, beside)? else { return Ok(None) };
    let mut weight = lifecycle::weight(mean_distance(&near), near.first().cloned());
    // Another value in the same words is news, and no word for the old one.
    if says_otherwise(workspace, item, near.first())? {
        weight.duplicate = false;
        weight.modifier = weight.modifier.max(0.0);
    }
    let surprise = weight.surprise;
    let repeated = weight.nearest.clone().filter(|_| weight.duplicate);
    // The user is asked about all that it cannot hold beside, and the caller hears of what they may see.
    let all = Sensitivity::Private.seen_beside();
    let known = if beside == all {
        near
    } else {
        neighbours(workspace, item, own, all)?.unwrap_or_default()
    };
    let repeats = match known.first() {
        Some(first) if lifecycle::is_repeated(first.1) => {
            !says_otherwise(workspace, item, Some(first))?
        }
        _ => false,
    };
    let alike = alike_in_words(workspace, item)?;
    let (contradicts, mut asked) =
        contradictions(workspace, item, (&known, &alike), session, request)?;
    let (elsewhere, more) = contradictions_with_user(workspace, item, session, request)?;
    asked.extend(more);
    let nearest = near_to(workspace, item, (&known, &alike), &request.caller)?;
    let duplicate_of = known.into_iter().next().map(|(id, _)| id).filter(|_| repeats);
    let policy = workspace.config().guard.on_said();
    let deciding = Deciding { decision: Decision::Weigh(weight), reason: String::new(), policy };
    let (after, record) =
        decide::decide_about(workspace, item.clone(), deciding, session, request)?;
    let mut records = vec![record];
    records.extend(confirmation(workspace, item, repeated, session, request)?);
    records.extend(asked);
    let mut contradicts = seen_by(workspace, &request.caller, contradicts)?;
    contradicts.extend(elsewhere);
    let weighed = Weighed {
        id: after.id,
        surprise,
        importance: after.importance,
        duplicate_of: seen_by(workspace, &request.caller, duplicate_of)?.pop(),
        contradicts,
        nearest,
    };
    Ok(Some(Weighing { weighed, records }))
}

/// Returns the record that confirms what something new repeats, where somebody else says it.
fn confirmation(
    workspace: &Workspace,
    item: &Item,
    repeated: Option<String>,
    session: &str,
    request: &Request<'_>,
) -> Result<Option<Record>, Error> {
    // The channel `other` adds nothing to what the user and their agents said.
    let counts = request.caller.channel != Channel::Other;
    let Some(first) = repeated.filter(|_| counts) else { return Ok(None) };
    let first = index::resolve(workspace, &first)?;
    let may_show = first.sensitivity.seen_beside().contains(&item.sensitivity);
    let Some(by) = lifecycle::independent(&first, item).filter(|_| may_show) else {
        return Ok(None);
    };
    let reason = format!("{} says the same", item.id);
    let policy = workspace.config().guard.on_said();
    let deciding = Deciding { decision: Decision::Confirm { by }, reason, policy };
    Ok(Some(decide::decide_about(workspace, first, deciding, session, request)?.1))
}

/// Returns those of some items that a caller may see.
fn seen_by(
    workspace: &Workspace,
    caller: &Caller<'_>,
    ids: impl IntoIterator<Item = String>,
) -> Result<Vec<String>, Error> {
    let mut seen = Vec::new();
    for id in ids {
        if caller.channel.may_see().contains(&index::resolve(workspace, &id)?.sensitivity) {
            seen.push(id);
        }
    }
    Ok(seen)
}

/// Tells whether an item says something else than its neighbour.
fn says_otherwise(
    workspace: &Workspace,
    item: &Item,
    neighbour: Option<&(String, f32)>,
) -> Result<bool, Error> {
    let Some((id, _)) = neighbour else { return Ok(false) };
    Ok(contradict::conflict(&index::resolve(workspace, id)?.text, &item.text).is_some())
}

/// Returns the neighbours that something new cannot hold beside, and the questions about them.
fn contradictions(
    workspace: &Workspace,
    item: &Item,
    (near, alike): (&[(String, f32)], &[String]),
    session: &str,
    request: &Request<'_>,
) -> Result<(Vec<String>, Vec<Record>), Error> {
    let (mut contradicts, mut asked) = (Vec::new(), Vec::new());
    let near = near.iter().filter(|(_, near)| *near >= SAME_TOPIC);
    let mut others: Vec<String> = near.map(|(id, _)| id.clone()).collect();
    for id in alike {
        if !others.contains(id) {
            others.push(id.clone());
        }
    }
    for id in others {
        let other = index::resolve(workspace, &id)?;
        let Some(question) = Question::contradiction(&other, item) else { continue };
        if index::store(workspace)?.filed(&question.filed_under())?.is_empty() {
            let (filed, why) = (question.filed_under(), question.reason.clone());
            let ask = Decision::Ask { question: Box::new(question) };
            asked.push(decision_record(&filed, ask, &why, session, request)?);
        }
        contradicts.push(other.id);
    }
    Ok((contradicts, asked))
}

/// Returns what the user keeps for every project and something new in this one cannot hold beside, and the
/// questions about it. Who asks on another channel learns nothing of it.
fn contradictions_with_user(
    workspace: &Workspace,
    item: &Item,
    session: &str,
    request: &Request<'_>,
) -> Result<(Vec<String>, Vec<Record>), Error> {
    let (mut contradicts, mut asked) = (Vec::new(), Vec::new());
    let is_main = request.caller.channel == Channel::Main;
    // A memory of the user's that cannot be read is no reason not to remember.
    let Some(user) = workspace.user_scope().ok().flatten().filter(|_| is_main) else {
        return Ok((contradicts, asked));
    };
    let alike = index::freshen(user).and_then(|_| alike_in_words(user, item)).unwrap_or_default();
    for id in alike {
        let Some(other) = index::store(user)?.get(&id)? else { continue };
        let Some(question) = Question::contradiction(&other, item) else { continue };
        let (filed, why) = (question.filed_under(), question.reason.clone());
        let ask = Decision::Ask { question: Box::new(question) };
        asked.push(decision_record(&filed, ask, &why, session, request)?);
        contradicts.push(other.id);
    }
    Ok((contradicts, asked))
}

/// Returns what is near to something, of what its caller may see, for the caller to judge.
///
/// # Errors
/// When the index cannot be used.
pub(crate) fn nearest(
    workspace: &Workspace,
    item: &Item,
    caller: &Caller<'_>,
) -> Result<Vec<Near>, Error> {
    let alike = alike_in_words(workspace, item)?;
    near_to(workspace, item, (&[], &alike), caller)
}

fn near_to(
    workspace: &Workspace,
    item: &Item,
    (near, alike): (&[(String, f32)], &[String]),
    caller: &Caller<'_>,
) -> Result<Vec<Near>, Error> {
    let more = alike.iter().filter(|id| !near.iter().any(|(one, _)| one == *id));
    let ids: Vec<&str> = near.iter().map(|(id, _)| id).chain(more).map(String::as_str).collect();
    let found = index::store(workspace)?.items(&ids)?;
    let is_known = |other: &Item| {
        matches!(other.kind, Kind::Fact | Kind::Record)
            && matches!(other.status, Status::Active | Status::Challenged)
            && other.id != item.id
            && !item.supersedes.contains(&other.id)
            && caller.channel.may_see().contains(&other.sensitivity)
            && secret::scan(&other.text, Scope::Credentials).is_empty()
    };
    let memories = found.into_iter().flatten().filter(is_known).map(|other| {
        let alike = near.iter().find(|(id, _)| *id == other.id).map(|(_, near)| *near);
        Known { id: other.id, text: other.text, alike: alike.map(percent) }
    });
    Ok(contradict::nearest_of(&memories.collect::<Vec<_>>(), &item.text))
}

#[expect(clippy::cast_possible_truncation, reason = "a hundred at most")]
fn percent(likeness: f32) -> i32 {
    (likeness.clamp(0.0, 1.0) * 100.0) as i32
}

/// Returns what lasts and shares the most words with something new: told in another way it may be far
/// away in meaning.
fn alike_in_words(workspace: &Workspace, item: &Item) -> Result<Vec<String>, Error> {
    if !item.lasts() {
        return Ok(Vec::new());
    }
    let filter = Filter {
        kinds: vec![Kind::Fact, Kind::Record],
        layers: vec![Layer::Semantic, Layer::Procedural],
        ..Filter::default()
    };
    let text = item.text.clone();
    let limit = ALIKE + item.supersedes.len();
    let search = Search { text, filter, limit, ..Search::default() };
    let found = index::store(workspace)?.search(&search)?.hits.into_iter().map(|hit| hit.item.id);
    Ok(found.filter(|id| !item.supersedes.contains(id)).take(ALIKE).collect())
}

/// Returns the items of some sensitivities that are nearest to something new, nearest first, with how
/// near they are; nothing where it has no vector. What it replaces is not beside it.
fn neighbours(
    workspace: &Workspace,
    item: &Item,
    own: &OwnVectors,
    among: &[Sensitivity],
) -> Result<Option<Vec<(String, f32)>>, Error> {
    let OwnVectors { indexed: Some(indexed), said: Some(said) } = own else { return Ok(None) };
    let embedder = embedding::embedder(workspace)?;
    let count = 2 * NEIGHBOURS + item.supersedes.len();
    let found = index::store(workspace)?.nearest(embedder.id(), indexed, count, among)?;
    let ids = found.iter().map(|(id, _)| id.as_str());
    let ids = ids.filter(|id| !item.supersedes.iter().any(|replaced| replaced == id));
    let ids: Vec<&str> = ids.take(2 * NEIGHBOURS).collect();
    let others: Vec<Item> = index::store(workspace)?.items(&ids)?.into_iter().flatten().collect();
    if others.is_empty() {
        return Ok(Some(Vec::new()));
    }
    // Who says it makes no difference to what is said.
    let texts: Vec<&str> = others.iter().map(|item| item.text.as_str()).collect();
    let Ok(vectors) = embedder.embed(&texts, Role::Memory) else { return Ok(None) };
    let mut near: Vec<(String, f32)> = others
        .into_iter()
        .map(|item| item.id)
        .zip(vectors.iter().map(|vector| said.cosine(&Packed::new(vector))))
        .collect();
    // Among equals the one that was remembered first stays first.
    near.sort_by(|a, b| b.1.total_cmp(&a.1));
    near.truncate(NEIGHBOURS);
    Ok(Some(near))
}

/// Returns how far away neighbours are on the whole; nothing where there are none.
fn mean_distance(near: &[(String, f32)]) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let count = near.len() as f64;
    (!near.is_empty())
        .then(|| near.iter().map(|(_, near)| 1.0 - f64::from(*near)).sum::<f64>() / count)
}

/// Nearer than this is the same topic.
pub(crate) const SAME_TOPIC: f32 = 0.8;
