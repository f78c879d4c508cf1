//! All channels over one view: which documents may answer, what each channel says of them, and the
//! best of them.

use std::collections::{HashMap, HashSet};

use quipu_core::item::{Kind, Layer, MemoryType, Mode, Sensitivity, Status};
use quipu_core::prose;
use quipu_core::rank::{self, Channels};
use quipu_core::terms::{self, QueryTerm, Term};
use quipu_core::vector::{self, Asked, Packed, Width};

use super::lexical::{self, Postings, holders};
use super::meta::speaker_number;
use super::{Meta, View};
use crate::search::{Filter, Moment, Search, label};

/// A document that matches.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub(crate) doc: u32,
    pub(crate) score: f32,
    pub(crate) channels: Channels,
    pub(crate) cosine: f32,
    pub(crate) words: u64,
    /// How telling its words are, all together.
    pub(crate) telling: f32,
    pub(crate) neighbours: [Option<u32>; 2],
    /// Documents of the same words.
    pub(crate) same: Vec<u32>,
}

impl Match {
    /// Returns the documents that are told with it: those around it, and those of the same words.
    pub(crate) fn beside(&self) -> impl Iterator<Item = Option<u32>> {
        self.neighbours.into_iter().chain(self.same.iter().copied().map(Some))
    }
}

/// What a search finds in the index.
#[derive(Debug)]
pub(crate) struct Matches {
    pub(crate) best: Vec<Match>,
    pub(crate) allowed: usize,
    pub(crate) words: Vec<QueryTerm>,
    /// How telling each of these is.
    pub(crate) rarities: Vec<f32>,
    /// How telling the words of the question are, all together.
    pub(crate) telling: f32,
}

/// Returns how well something fits a moment: what was put together of several days fits each of them.
fn during(moment: &Moment, meta: &Meta) -> f32 {
    let nearest = moment.from.clamp(meta.valid_from.min(meta.time), meta.time);
    moment.holds(meta.time).max(moment.holds(nearest))
}

/// Looks for the best matches. The view is one that holds only what the asker may see
/// ([`View::restricted_to`]).
pub(crate) fn search<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    search: &Search,
) -> Result<Matches, E> {
    let words = terms::of_query(&search.text, &view.languages);
    let forms = words.iter().flat_map(|word| &word.forms);
    let labels = search.filter.labels.iter().flatten();
    let mut needed: Vec<Term> = forms.chain(labels).copied().collect();
    needed.extend(names_of(&words));
    needed.extend(search.sort.iter().flat_map(|sort| &sort.labels));
    postings.gather(&needed)?;
    let allowed = allowed(view, postings, &search.filter)?;
    let count = allowed.iter().filter(|allowed| **allowed).count();
    let lexical = lexical::score(view, postings, &words)?;
    let dense = dense(view, search);
    let asked = asked_about(view, postings, &search.text, &words)?;
    let names = names(view, postings, &search.text, &words)?;
    let sorted = sorted(view, postings, search)?;
    let top_lexical = most(&lexical.scores, &allowed);
    let top_dense = most(&dense, &allowed);
    let channels = |index: usize, meta: &Meta| Channels {
        lexical: share(lexical.scores[index], top_lexical),
        dense: share(dense.get(index).copied().unwrap_or(0.0), top_dense),
        speaker: f32::from(u8::from(asked.is_some_and(|speaker| meta.speaker == speaker))),
        named: named(lexical.words[index], names),
        time: search.moments.iter().map(|moment| during(moment, meta)).fold(0.0, f32::max),
        sort: sorted.get(index).copied().unwrap_or(0.0),
        session: 0.0,
        standing: meta.standing(),
    };
    let mut scored: Vec<(f32, usize)> = Vec::new();
    let mut best_of: Vec<f32> = vec![0.0; view.sessions];
    let asks_time = !search.moments.is_empty();
    for (index, meta) in view.metas() {
        let near = dense.get(index).copied().unwrap_or(0.0);
        let is_near = lexical.scores[index] > 0.0 || near >= rank::NEAR_ENOUGH;
        if !(is_near || asks_time || search.sort.is_some()) || !allowed[index] {
            continue;
        }
        let channels = channels(index, meta);
        if is_near || channels.time > 0.0 || channels.sort > 0.0 {
            let score = rank::fuse(&channels);
            scored.push((score, index));
            let best = &mut best_of[meta.session as usize];
            *best = best.max(score);
        }
    }
    let of_session = |index: usize, score: f32| match view.meta(index).session {
        0 => score,
        session => best_of[session as usize],
    };
    for (score, index) in &mut scored {
        *score += rank::WEIGHTS.session * of_session(*index, *score);
    }
    // Of equal scores the newer document first, so that the order is always the same.
    let newer = |a: &(f32, usize), b: &(f32, usize)| {
        let newest = |index: usize| {
            let meta = view.meta(index);
            (meta.time, meta.position, meta.doc)
        };
        b.0.total_cmp(&a.0).then_with(|| newest(b.1).cmp(&newest(a.1)))
    };
    let wanted = search.limit.saturating_mul(2).saturating_add(20).min(scored.len());
    if wanted < scored.len() {
        scored.select_nth_unstable_by(wanted, newer);
        scored.truncate(wanted);
    }
    scored.sort_unstable_by(newer);
    let mut best: Vec<Match> = Vec::new();
    let mut by_words: HashMap<u64, usize> = HashMap::new();
    for (score, index) in scored {
        let meta = view.meta(index);
        if let Some(first) = by_words.get(&meta.fold) {
            best[*first].same.push(meta.doc);
            continue;
        }
        if best.len() == search.limit {
            continue;
        }
        by_words.insert(meta.fold, best.len());
        let near = view.neighbours(index);
        let mut channels = channels(index, meta);
        channels.session = of_session(index, rank::fuse(&channels));
        best.push(Match {
            doc: meta.doc,
            score,
            channels,
            cosine: dense.get(index).copied().unwrap_or(0.0),
            words: lexical.words[index],
            telling: lexical.telling(lexical.words[index]),
            neighbours: near.map(|at| at.map(|at| view.meta(at).doc)),
            same: Vec::new(),
        });
    }
    let telling = lexical.telling(u64::MAX);
    Ok(Matches { best, allowed: count, words, rarities: lexical.rarities, telling })
}

/// Returns how much each document is of the sort that is asked for; nothing where none is.
fn sorted<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    search: &Search,
) -> Result<Vec<f32>, E> {
    let Some(sort) = &search.sort else { return Ok(Vec::new()) };
    let kinds: Vec<u8> = sort.kinds.iter().map(|kind| kind.index()).collect();
    let is_of_kind = |meta: &Meta| kinds.contains(&meta.kind);
    let mut found: Vec<f32> =
        view.metas().map(|(_, meta)| if is_of_kind(meta) { sort.strength } else { 0.0 }).collect();
    for (index, _) in holders(view, postings, &sort.labels)? {
        found[index] = sort.strength;
    }
    Ok(found)
}

/// Returns the active documents that are nearest to a vector, nearest first, of equals the older.
pub(crate) fn nearest<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    vector: &Packed,
    count: usize,
    may_see: &[Sensitivity],
) -> Result<Vec<(u32, f32)>, E> {
    // Logs, documents and code tell of other things than a memory does.
    let kinds = vec![Kind::Fact, Kind::Thread, Kind::Archived, Kind::Record];
    let filter = Filter { kinds, sensitivities: may_see.to_vec(), ..Filter::default() };
    let search = Search { vector: Some(vector.clone()), filter, ..Search::default() };
    let allowed = allowed(view, postings, &search.filter)?;
    let near = dense(view, &search);
    let mut found: Vec<(f32, u32)> = view
        .metas()
        .filter(|(index, _)| allowed[*index])
        .filter_map(|(index, meta)| Some((near.get(index).copied()?, meta.doc)))
        .collect();
    let nearer = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if count < found.len() {
        found.select_nth_unstable_by(count, nearer);
        found.truncate(count);
    }
    found.sort_unstable_by(nearer);
    Ok(found.into_iter().map(|(near, doc)| (doc, near)).collect())
}

/// Returns the newest documents that a filter lets through, newest first, and how many there are.
pub(crate) fn newest<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    filter: &Filter,
    limit: usize,
) -> Result<(Vec<u32>, usize), E> {
    let allowed = allowed(view, postings, filter)?;
    let allowed = view.metas().filter(|(index, _)| allowed[*index]);
    let mut found: Vec<(i64, u32, u32)> =
        allowed.map(|(_, meta)| (meta.time, meta.position, meta.doc)).collect();
    let count = found.len();
    let newer = |a: &(i64, u32, u32), b: &(i64, u32, u32)| b.cmp(a);
    if limit < count {
        found.select_nth_unstable_by(limit, newer);
        found.truncate(limit);
    }
    found.sort_unstable_by(newer);
    Ok((found.into_iter().map(|(.., doc)| doc).collect(), count))
}

fn most(scores: &[f32], allowed: &[bool]) -> f32 {
    let pairs = scores.iter().zip(allowed);
    pairs.filter(|(_, allowed)| **allowed).fold(0.0, |most, (score, _)| most.max(*score))
}

fn share(score: f32, most: f32) -> f32 {
    if most > 0.0 { (score / most).clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the labels of speakers that are called by any of these words.
fn names_of(words: &[QueryTerm]) -> Vec<Term> {
    words.iter().flat_map(|word| &word.forms).map(|form| label::speaker(*form)).collect()
}

/// Returns the words of a query that speakers are called by, with the speakers.
pub(crate) fn speakers<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    words: &[QueryTerm],
) -> Result<Vec<(String, Vec<u32>)>, E> {
    postings.gather(&names_of(words))?;
    let mut found = Vec::new();
    for word in words {
        let labels: Vec<Term> = word.forms.iter().map(|form| label::speaker(*form)).collect();
        let mut speakers: Vec<u32> = holders(view, postings, &labels)?
            .into_iter()
            .map(|(index, _)| view.meta(index).speaker)
            .collect();
        speakers.sort_unstable();
        speakers.dedup();
        if !speakers.is_empty() {
            found.push((word.word.clone(), speakers));
        }
    }
    Ok(found)
}

/// Returns the one whose words are asked for: the only one that is named; or the user, who asks
/// about themselves.
fn asked_about<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    text: &str,
    words: &[QueryTerm],
) -> Result<Option<u32>, E> {
    let mut named: Vec<u32> =
        speakers(view, postings, words)?.into_iter().flat_map(|(_, speakers)| speakers).collect();
    named.sort_unstable();
    named.dedup();
    Ok(match named[..] {
        [only] => Some(only),
        [] if is_about_the_asker(text) => Some(speaker_number("user")),
        _ => None,
    })
}

/// Returns which words of a query are names of what memories are about, a bit each: what has none of
/// them is about something else.
fn names<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    text: &str,
    words: &[QueryTerm],
) -> Result<u64, E> {
    let mut bits = 0;
    for (number, word) in words.iter().enumerate().take(64) {
        let labels: Vec<Term> = word.forms.iter().map(|form| label::speaker(*form)).collect();
        // Whose words are asked for is a matter of the speaker.
        if !is_capitalised(text, &word.word) || !holders(view, postings, &labels)?.is_empty() {
            continue;
        }
        bits |= 1 << number;
    }
    Ok(bits)
}

/// Tells whether a word is written like a name, and not only because the sentence begins with it.
fn is_capitalised(text: &str, word: &str) -> bool {
    prose::words(text, "").skip(1).any(|one| {
        let mut letters = one.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.any(char::is_lowercase)
            && one.to_lowercase() == word
    })
}

/// Returns which share of the names a document has.
#[expect(clippy::cast_precision_loss, reason = "64 at most")]
fn named(has: u64, names: u64) -> f32 {
    if names == 0 { 0.0 } else { (has & names).count_ones() as f32 / names.count_ones() as f32 }
}

/// Tells whether somebody asks about themselves, and not about what they were told.
fn is_about_the_asker(text: &str) -> bool {
    let words: Vec<&str> = prose::words(text, "").collect();
    let asks_of_self =
        words.iter().any(|word| matches!(*word, "I" | "my" | "My" | "me" | "mine" | "myself"));
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let told = ["said", "told", "recommend", "suggest", "mention", "propos", "advis"];
    let of_other = lower.iter().any(|word| word == "your")
        || lower.windows(2).any(|pair| match (pair[0].as_str(), pair[1].as_str()) {
            ("did" | "have", "you") => true,
            ("you", word) => told.iter().any(|verb| word.starts_with(verb)),
            _ => false,
        });
    asks_of_self && !of_other
}

/// Returns how near each document is, whatever the width of its vectors; nothing where there is no
/// vector to compare.
fn dense(view: &View, search: &Search) -> Vec<f32> {
    let Some(query) = search.vector.as_ref().filter(|vector| !vector.is_zero()) else {
        return Vec::new();
    };
    if view.embedded == 0 {
        return Vec::new();
    }
    let mut scores = vec![0.0_f32; view.len()];
    let wide = query.widened();
    let asked = view
        .calibration
        .as_ref()
        .filter(|calibration| calibration.dims() == query.values.len())
        .map(|calibration| {
            [Width::Two, Width::Four].map(|width| Asked::new(query, width, calibration))
        });
    for (segment, offset) in view.segments.iter().zip(&view.offsets) {
        let vectors = &segment.vectors;
        if vectors.dims != query.values.len() {
            continue;
        }
        let mut found = |owner: u32, near: f32| {
            let best = &mut scores[offset + owner as usize];
            *best = best.max(near);
        };
        let full = &vectors.full;
        let rows = full.values.chunks_exact(full.row);
        for ((row, scale), owner) in rows.zip(&full.scales).zip(&full.owners) {
            found(*owner, scale * query.scale * vector::dot(row, &wide));
        }
        for (plane, asked) in vectors.coarse.iter().zip(asked.iter().flatten()) {
            let rows = plane.values.chunks_exact(plane.row);
            let heads = plane.scales.iter().zip(&plane.errors).zip(&plane.owners);
            for (row, ((scale, error), owner)) in rows.zip(heads) {
                found(*owner, asked.near(*scale, *error, row));
            }
        }
    }
    scores
}

/// Tells for each document whether it may be an answer.
fn allowed<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    filter: &Filter,
) -> Result<Vec<bool>, E> {
    let masks = Masks::new(filter);
    let mut result: Vec<bool> =
        view.metas().map(|(index, meta)| view.is_live(index) && masks.allow(meta)).collect();
    for any in &filter.labels {
        let mut labelled = vec![false; result.len()];
        for (index, _) in holders(view, postings, any)? {
            labelled[index] = true;
        }
        result.iter_mut().zip(labelled).for_each(|(allowed, labelled)| *allowed &= labelled);
    }
    if filter.experiences {
        let docs: HashSet<u32> = postings.experiences()?.into_iter().collect();
        for (index, meta) in view.metas() {
            result[index] &= docs.contains(&meta.doc);
        }
    }
    Ok(result)
}

/// Tells whether something is not over, nor still to come. Clocks of two machines may differ by less
/// than a day; what was replaced says so by its status.
fn is_current(meta: &Meta, now: i64) -> bool {
    const DAY: i64 = 24 * 60 * 60;
    let was_replaced = meta.status == Status::Superseded.index();
    was_replaced || (meta.valid_from < now.saturating_add(DAY) && now < meta.valid_to)
}

/// A filter as bits, one for each value.
struct Masks {
    kinds: u32,
    layers: u32,
    types: u32,
    statuses: u32,
    sensitivities: u32,
    since: i64,
    until: i64,
    as_of: Option<i64>,
    now: Option<i64>,
}

impl Masks {
    fn new(filter: &Filter) -> Self {
        let bits = |indexes: Vec<u8>| {
            if indexes.is_empty() {
                u32::MAX
            } else {
                indexes.into_iter().fold(0, |bits, index| bits | 1 << index)
            }
        };
        let of_mode = MemoryType::ALL.iter().copied().filter(|kind| filter.mode.includes(*kind));
        let of_mode = if filter.mode == Mode::FullContext {
            u32::MAX
        } else {
            bits(of_mode.map(MemoryType::index).collect())
        };
        let mut statuses = bits(filter.statuses.iter().copied().map(Status::index).collect());
        if filter.as_of.is_some() {
            statuses |= 1 << Status::Superseded.index();
        }
        let sensitivities = filter.sensitivities.iter().copied().map(Sensitivity::index);
        Self {
            kinds: bits(filter.kinds.iter().copied().map(Kind::index).collect()),
            layers: bits(filter.layers.iter().copied().map(Layer::index).collect()),
            types: bits(filter.types.iter().copied().map(MemoryType::index).collect()) & of_mode,
            statuses,
            sensitivities: sensitivities.fold(0, |bits, index| bits | 1 << index),
            since: filter.since.map_or(i64::MIN, jiff::Timestamp::as_second),
            until: filter.until.map_or(i64::MAX, jiff::Timestamp::as_second),
            as_of: filter.as_of.map(jiff::Timestamp::as_second),
            now: filter.now.filter(|_| filter.as_of.is_none()).map(jiff::Timestamp::as_second),
        }
    }

    fn allow(&self, meta: &Meta) -> bool {
        let has = |bits: u32, index: u8| bits >> index & 1 == 1;
        has(self.kinds, meta.kind)
            && has(self.layers, meta.layer)
            && has(self.types, meta.memory_type)
            && has(self.statuses, meta.status)
            && has(self.sensitivities, meta.sensitivity)
            && meta.time >= self.since
            && meta.time < self.until
            && self.as_of.is_none_or(|at| meta.valid_from <= at && at < meta.valid_to)
            && self.now.is_none_or(|now| is_current(meta, now))
    }
}
