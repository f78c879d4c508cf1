//! Experiences: records that are unlike all before them, to be found again when they fit.

use std::time::Duration;

use jiff::Timestamp;
use quipu_core::item::{Item, Kind, Sensitivity, Status};
use quipu_core::secret::{self, Scope};
use quipu_core::vector::{self, Packed};
use quipu_embed::{Embedder as _, Role, StaticModel};
use quipu_store::{EXPERIENCES_PLACE, Experience, NewExperience};
use serde::{Deserialize, Serialize};

use crate::caller::Channel;
use crate::error::Error;
use crate::index;
use crate::operation::Request;
use crate::parallel;
use crate::recall::{self, Question, Recalled};
use crate::remember::{self, NewMemory, Remembered};
use crate::workspace::Workspace;

/// Categories that experiences are found in.
const CATEGORIES: [&str; 5] = ["note", "learned", "turn-summary", "user-preference", "experience"];

/// Shorter texts are no experience.
const SHORTEST: usize = 20;

/// So many records are looked at in one transaction.
const BATCH: usize = 1000;

/// The model whose vectors the experiences have.
const MODEL: &str = "experiences.model";

/// How long somebody who only asks waits for a writer.
const BRIEFLY: Duration = Duration::from_millis(500);

/// What became of an experience that somebody told.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Told {
    /// It is remembered.
    Added(Remembered),
    /// One like it is there already.
    Known {
        /// That one.
        like: String,
        /// How alike they are.
        similarity: f32,
    },
}

/// What became of a store that the original wrote.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Those that are new.
    pub remembered: Remembered,
    /// How many are secrets, look like one, or say nothing.
    pub refused: usize,
}

/// An experience as the original stored it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    text: String,
    #[serde(default)]
    record_id: Option<String>,
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    timestamp: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
struct StoreFile {
    experiences: Vec<Stored>,
}

/// Returns the experiences that still hold, newest first.
///
/// # Errors
/// When the index cannot be used.
pub fn experiences(workspace: &Workspace) -> Result<Vec<Item>, Error> {
    extract_experiences(workspace)?;
    let all = index::store(workspace)?.experiences()?.into_iter().map(|experience| experience.item);
    Ok(all.filter(may_be_told).collect())
}

/// Looks through the records that are new since the last time; returns how many are experiences. Where nothing can be written, or
/// somebody else writes, what is known has to do.
///
/// # Errors
/// When the index cannot be used.
pub fn extract_experiences(workspace: &Workspace) -> Result<usize, Error> {
    let mut added = 0;
    if !workspace.config().continuity.experience_store_enabled {
        return Ok(added);
    }
    index::freshen(workspace)?;
    let place = looked_up_to(workspace)?;
    if index::store(workspace)?.records_after(place, 1)?.is_empty() {
        return Ok(added);
    }
    let model = StaticModel::built_in()?;
    let mut known: Option<Known> = None;
    loop {
        // Others write between two batches.
        let Ok(Some(_lock)) = workspace.try_lock_for_writing(BRIEFLY) else { break };
        if index::store(workspace)?.note(MODEL)?.as_deref() != Some(model.id()) {
            index::store(workspace)?.forget_experiences()?;
            known = None;
        }
        let place = looked_up_to(workspace)?;
        let records = index::store(workspace)?.records_after(place, BATCH)?;
        let Some((last, _)) = records.last() else { break };
        let known = match &mut known {
            // Only this process adds while it has the lock, and it had it a moment ago.
            Some(known) if known.place == place => known,
            other => other.insert(Known::new(&index::store(workspace)?.experiences()?)),
        };
        known.place = *last;
        added += take_in(workspace, &model, known, &records)?;
    }
    Ok(added)
}

fn looked_up_to(workspace: &Workspace) -> Result<i64, Error> {
    let place = index::store(workspace)?.note(EXPERIENCES_PLACE)?;
    Ok(place.and_then(|place| place.parse().ok()).unwrap_or(0))
}

/// Adds those records that are unlike all before them; returns how many.
fn take_in(
    workspace: &Workspace,
    model: &StaticModel,
    known: &mut Known,
    records: &[(i64, Item)],
) -> Result<usize, Error> {
    let continuity = &workspace.config().continuity;
    let found: Vec<&(i64, Item)> = records.iter().filter(|(_, item)| is_eligible(item)).collect();
    let vectors = parallel::map(&found, |(_, item)| embedded(model, &item.text));
    let mut new = Vec::new();
    for ((place, item), vector) in found.into_iter().zip(vectors) {
        let vector = vector?;
        let nearest = known.nearest(&item.text, &vector, item.sensitivity);
        if nearest.is_none_or(|(near, _)| near < continuity.experience_uniqueness_threshold) {
            known.push(item, &vector);
            let (id, at) = (item.id.clone(), item.time);
            new.push(NewExperience { id, at, place: *place, vector });
        }
    }
    let most = continuity.experience_max_count;
    let notes = [(EXPERIENCES_PLACE, known.place.to_string()), (MODEL, model.id().to_owned())];
    index::store(workspace)?.add_experiences(&new, most, &notes)?;
    known.keep_newest(most);
    Ok(new.len())
}

/// Returns the experiences that fit the words best.
///
/// # Errors
/// When the index cannot be used.
pub fn query_experiences(
    workspace: &Workspace,
    query: &str,
    count: usize,
    channel: Channel,
    now: Timestamp,
) -> Result<Recalled, Error> {
    extract_experiences(workspace)?;
    let question = Question {
        query: query.to_owned(),
        count: Some(count),
        experiences: true,
        channel,
        ..Question::default()
    };
    recall::recall(workspace, &question, now)
}

/// Remembers an experience that somebody tells, unless there is one like it.
///
/// # Errors
/// When it is refused or cannot be written.
pub fn add_experience(
    workspace: &Workspace,
    new: NewMemory,
    force: bool,
    request: &Request<'_>,
) -> Result<Told, Error> {
    extract_experiences(workspace)?;
    let model = StaticModel::built_in()?;
    let known = Known::new(&index::store(workspace)?.experiences()?);
    let threshold = workspace.config().continuity.experience_uniqueness_threshold;
    let vector = embedded(&model, &new.text)?;
    let sensitivity = new.sensitivity.unwrap_or(Sensitivity::Private);
    if let Some((similarity, like)) = known.nearest(&new.text, &vector, sensitivity)
        && similarity >= threshold
        && !force
    {
        return Ok(Told::Known { like: like.to_owned(), similarity });
    }
    let mut new = new;
    if new.category.is_empty() {
        "experience".clone_into(&mut new.category);
    }
    let done = remember::remember(workspace, &[new], request)?;
    // What somebody calls an experience is one, also where the rules would not.
    if !request.dry_run
        && let Some(id) = done.ids.first()
    {
        extract_experiences(workspace)?;
        let place = looked_up_to(workspace)?;
        let one = NewExperience { id: id.clone(), at: request.now, place, vector };
        let most = workspace.config().continuity.experience_max_count;
        index::store(workspace)?.add_experiences(&[one], most, &[])?;
    }
    Ok(Told::Added(done))
}

/// Takes over the experiences of a file that the original wrote, those that are not known yet.
///
/// # Errors
/// When the file is not one, or nothing can be written.
pub fn import_experiences(
    workspace: &Workspace,
    json: &str,
    request: &Request<'_>,
) -> Result<Imported, Error> {
    let file: StoreFile = serde_json::from_str(json)
        .map_err(|error| crate::refusal::Refusal::NotExperiences { reason: error.to_string() })?;
    extract_experiences(workspace)?;
    let model = StaticModel::built_in()?;
    let mut known = Known::new(&index::store(workspace)?.experiences()?);
    let threshold = workspace.config().continuity.experience_uniqueness_threshold;
    let mut new = Vec::new();
    let mut refused = 0;
    for stored in file.experiences {
        // The original had no filter: what is a secret here stays one.
        let origin = stored
            .record_id
            .as_deref()
            .map(|id| index::store(workspace)?.get(id).map_err(Error::from));
        let is_secret = origin
            .transpose()?
            .flatten()
            .is_some_and(|item| item.sensitivity == Sensitivity::Secret);
        let hits = secret::scan(&stored.text, Scope::Credentials);
        if is_secret || !hits.is_empty() || !stored.text.chars().any(char::is_alphanumeric) {
            refused += 1;
            continue;
        }
        let vector = embedded(&model, &stored.text)?;
        let nearest = known.nearest(&stored.text, &vector, Sensitivity::Private);
        if nearest.is_some_and(|(near, _)| near >= threshold) {
            continue;
        }
        let item = Item::new("", Kind::Record, stored.text.clone(), request.now);
        known.push(&item, &vector);
        new.push(NewMemory {
            text: stored.text,
            category: "experience".to_owned(),
            session: stored.session_id.filter(|session| !session.is_empty()),
            time: stored.timestamp,
            ..NewMemory::default()
        });
    }
    Ok(Imported { remembered: remember::remember(workspace, &new, request)?, refused })
}

/// Returns where the original kept its experiences.
pub fn original_experiences(workspace: &Workspace) -> String {
    let path = &workspace.config().continuity.experience_store_path;
    let is_json = std::path::Path::new(path).extension().is_some_and(|it| it == "json");
    if is_json { path.clone() } else { "tmp/experience-store.json".to_owned() }
}

fn may_be_told(item: &Item) -> bool {
    item.status == Status::Active && item.sensitivity != Sensitivity::Secret
}

fn is_eligible(item: &Item) -> bool {
    item.kind == Kind::Record
        && may_be_told(item)
        && CATEGORIES.contains(&&*item.category)
        && item.text.chars().count() >= SHORTEST
}

fn embedded(model: &StaticModel, text: &str) -> Result<Packed, Error> {
    let vectors = model.embed(&[text], Role::Memory)?;
    Ok(vectors.first().map_or_else(|| Packed::new(&[]), |vector| Packed::new(vector)))
}

/// The experiences that are known and still hold, oldest first.
struct Known {
    all: Vec<KnownOne>,
    /// How far the log was looked through when they were read.
    place: i64,
}

struct KnownOne {
    id: String,
    /// For texts that the table has no words of.
    text: String,
    vector: Packed,
    sensitivity: Sensitivity,
}

impl Known {
    fn new(newest_first: &[Experience]) -> Self {
        let mut known = Self { all: Vec::new(), place: -1 };
        for experience in newest_first.iter().rev().filter(|one| may_be_told(&one.item)) {
            known.push(&experience.item, &experience.vector);
        }
        known
    }

    fn push(&mut self, item: &Item, vector: &Packed) {
        self.all.push(KnownOne {
            id: item.id.clone(),
            text: item.text.clone(),
            vector: vector.clone(),
            sensitivity: item.sensitivity,
        });
    }

    /// Forgets the oldest, as the store does: the newest stay, and the newest public ones.
    fn keep_newest(&mut self, most: usize) {
        let (mut newer, mut newer_public) = (0, 0);
        let mut kept = Vec::with_capacity(self.all.len());
        for one in self.all.drain(..).rev() {
            let is_public = one.sensitivity == Sensitivity::Public;
            let stays = newer < most || is_public && newer_public < most;
            newer += 1;
            newer_public += usize::from(is_public);
            if stays {
                kept.push(one);
            }
        }
        kept.reverse();
        self.all = kept;
    }

    /// Returns the one that is most alike, among those that everyone who may see the new one may see
    /// too. Else whoever sees it could tell that there is another.
    fn nearest(
        &self,
        text: &str,
        vector: &Packed,
        sensitivity: Sensitivity,
    ) -> Option<(f32, &str)> {
        let beside = sensitivity.seen_beside();
        let seen = || self.all.iter().filter(|one| beside.contains(&one.sensitivity));
        if let Some(same) = seen().find(|one| one.text == text) {
            return Some((1.0, &same.id));
        }
        let wide = vector.widened();
        let likeness = |other: &Packed| {
            if other.values.len() == vector.values.len() {
                other.scale * vector.scale * vector::dot(&other.values, &wide)
            } else {
                0.0
            }
        };
        let near = seen().map(|one| (likeness(&one.vector), &*one.id));
        near.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}
