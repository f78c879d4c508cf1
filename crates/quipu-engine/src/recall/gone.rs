//! What a question finds beside what holds: memories that were put away or replaced, and code. It is looked at
//! only where nothing that holds is sure to be the answer.

use quipu_core::item::{Kind, Status};
use quipu_core::text;
use quipu_store::{Filter, Hit, Search};

use super::judge::Judge;
use super::known::Known;
use super::ranking::Ranking;
use super::{Answer, Confidence, Telling, answer, chain};
use crate::error::Error;

/// So many are looked at.
const LOOKED_AT: usize = 5;

/// It must answer so much better than anything that holds.
const BETTER: f32 = 0.3;

/// Below this the evidence is too little to speak of.
const WORTH_SAYING: f32 = -1.0;

/// Code must be so much better.
const CLEARLY: f32 = 1.0;

/// So much of a memory that is gone is told.
const TOLD: usize = 160;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// What to tell about it.
    pub(super) hint: Option<String>,
    /// How sure the answers are now, where that has changed.
    pub(super) confidence: Option<Confidence>,
}

/// Looks at what is gone, and at code. What answers better than all that holds becomes an answer, or is told.
pub(super) fn look(
    ranking: &Ranking<'_>,
    search: &Search,
    judge: &Judge,
    known: &mut Known<'_>,
    results: &mut Vec<Answer>,
) -> Result<Looked, Error> {
    let mut looked = Looked::default();
    if !judge.orders() {
        return Ok(looked);
    }
    let best = |results: &[Answer]| {
        results.iter().map(|answer| answer.why.weight).fold(f32::MIN, f32::max)
    };
    if let Some(code) = ranking.code_filter()
        && let Some(found) = best_of(ranking, search, code, judge, known)?
        && found.why.weight >= (best(results) + CLEARLY).max(WORTH_SAYING)
    {
        results.insert(0, found);
        results.truncate(ranking.count());
        looked.confidence = Some(Confidence::Likely);
    }
    let Some(gone) = ranking.gone_filter() else { return Ok(looked) };
    let Some(found) = best_of(ranking, search, gone, judge, known)? else { return Ok(looked) };
    if found.why.weight < (best(results) + BETTER).max(WORTH_SAYING) {
        return Ok(looked);
    }
    let words = text::ellipsis(&text::collapse_whitespace(&found.text), TOLD);
    let id = found.id.clone();
    looked.hint = Some(match (found.status, successor(&found, known, ranking.filter())?) {
        (Status::Superseded, Some(newer)) => {
            let hint = format!("`{id}` matches, and `{}` replaced it", newer.id);
            results.retain(|answer| answer.id != newer.id);
            results.insert(0, newer);
            looked.confidence = Some(Confidence::Likely);
            hint
        }
        (Status::Superseded, None) => {
            format!("the best match, `{id}`, is superseded, and nothing replaced it: “{words}”")
        }
        _ => {
            results.truncate(ranking.count().saturating_sub(1));
            results.push(found);
            looked.confidence = Some(Confidence::Likely);
            format!("the best match, `{id}`, is archived: `quipu restore {id}` brings it back")
        }
    });
    results.truncate(ranking.count());
    Ok(looked)
}

/// Returns the answer with the most evidence among what a filter lets through.
fn best_of(
    ranking: &Ranking<'_>,
    search: &Search,
    filter: Filter,
    judge: &Judge,
    known: &mut Known<'_>,
) -> Result<Option<Answer>, Error> {
    let search = Search { filter, limit: LOOKED_AT, ..search.clone() };
    let hits = ranking.hits(&search)?;
    let items: Vec<_> = hits.iter().map(|hit| &hit.item).collect();
    let chains = chain::visible(known, &items, ranking.filter())?;
    let mut answers: Vec<Answer> = hits
        .into_iter()
        .zip(chains)
        .map(|(hit, chain)| answer(hit, chain, Telling::default()))
        .collect();
    judge.judge(ranking.workspace, &mut answers);
    Ok(answers.into_iter().max_by(|a, b| a.why.weight.total_cmp(&b.why.weight)))
}

/// Returns what holds in place of a superseded memory, as far as the asker may see it.
fn successor(
    gone: &Answer,
    known: &mut Known<'_>,
    filter: &Filter,
) -> Result<Option<Answer>, Error> {
    /// What replaced something may be replaced itself, so often.
    const LONGEST: usize = 16;
    let found = known.work_out(|known, lacking| {
        let mut next = gone.superseded_by.clone();
        for _ in 0..LONGEST {
            let id = next.clone()?;
            if !known.has_read(&id) {
                lacking.insert(id.clone());
            }
            let item = known.get(&id)?;
            match item.status {
                Status::Active => return Some(item.clone()),
                Status::Superseded => next.clone_from(&item.superseded_by),
                _ => return None,
            }
        }
        None
    })?;
    let may_see = found
        .filter(|item| filter.sensitivities.contains(&item.sensitivity) && item.kind != Kind::Code);
    let Some(item) = may_see else { return Ok(None) };
    let chain = chain::visible(known, &[&item], filter)?.pop().unwrap_or_default();
    Ok(Some(answer(Hit::fetched(item, gone.score), chain, Telling::default())))
}
