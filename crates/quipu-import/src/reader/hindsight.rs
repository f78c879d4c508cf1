//! Hindsight: an archive with a manifest, a file for each document with its facts, and observations.

use quipu_core::item::{Layer, MemoryType, Source};
use serde_json::Value;

use super::{Options, each_value};
use crate::draft::{Draft, DraftLink};
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, text_in, texts_in, time_in};

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    let (mut bank, mut expected) = (String::new(), (None, None));
    for member in input.ending(&["manifest.json"]) {
        each_value(input, member, out, &mut |value, _, out| {
            text_in(&value, "source_bank_id").unwrap_or_default().clone_into(&mut bank);
            expected = (value["fact_count"].as_u64(), value["observation_count"].as_u64());
            out.version =
                value["schema_version"].as_u64().map(|version| format!("schema {version}"));
            Ok(())
        })?;
    }
    let (mut facts, mut observations) = (0, 0);
    for member in input.ending(&[".json"]) {
        let is_document = member.name.contains("documents/");
        let is_list = member.file_name() == "observations.json";
        if !is_document && !is_list {
            continue;
        }
        each_value(input, member, out, &mut |value, _, out| {
            if is_list {
                observations += 1;
                return observation(&value, &bank, member, options, out);
            }
            for (number, fact) in value["facts"].as_array().into_iter().flatten().enumerate() {
                facts += 1;
                self::fact(fact, number, &value, &bank, member, options, out)?;
            }
            Ok(())
        })?;
    }
    for (what, expected, found) in
        [("facts", expected.0, facts), ("observations", expected.1, observations)]
    {
        if expected.is_some_and(|expected| expected != found) {
            let why = format!(
                "its manifest says {} {what}, and {found} are there",
                expected.unwrap_or_default()
            );
            return Err(ImportError::NotThat {
                path: input.shown().to_owned(),
                format: "a whole archive of Hindsight".to_owned(),
                why,
            });
        }
    }
    Ok(())
}

/// A fact of a document; others of the same document are named by their place in it.
fn fact(
    value: &Value,
    number: usize,
    document: &Value,
    bank: &str,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let time = |key: &str| time_in(&value[key], &options.zone);
    let id = text_in(document, "id").unwrap_or(member.stem());
    let own = |number: usize| format!("{id}#{number}");
    let words = text_in(value, "text").unwrap_or_default();
    let mut draft = Draft::new(words).from(Source::Ai).at(member.file_name(), Some(own(number)));
    bank.clone_into(&mut draft.origin.account);
    draft.session = Some(id.to_owned());
    draft.time = time("mentioned_at").or_else(|| time("event_date")).or_else(|| time("created_at"));
    (draft.valid_from, draft.valid_to) = (time("occurred_start"), time("occurred_end"));
    (draft.layer, draft.memory_type) = match text_in(value, "fact_type") {
        Some("experience") => (Some(Layer::Episodic), Some(MemoryType::Narrative)),
        _ => (Some(Layer::Semantic), Some(MemoryType::Fact)),
    };
    let tags = texts_in(&value["tags"]).into_iter().chain(texts_in(&document["tags"]));
    draft.tags = tags.chain(texts_in(&value["entities"])).map(|tag| as_tag(&tag)).collect();
    draft.tags.sort();
    draft.tags.dedup();
    let causes = value["causal_relations"].as_array().into_iter().flatten();
    let causes = causes.filter_map(|one| {
        let to = usize::try_from(one["target_fact_index"].as_u64()?).ok()?;
        let relation = text_in(one, "relation_type").unwrap_or("causes").to_owned();
        Some(DraftLink { to: own(to), relation })
    });
    draft.links = causes.collect();
    if let Some(context) = text_in(value, "context") {
        draft.notes.push((context.to_owned(), None));
    }
    draft.keep("metadata", &value["metadata"]);
    out.put(draft)
}

fn observation(
    value: &Value,
    bank: &str,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let words = text_in(value, "text").or_else(|| text_in(value, "content")).unwrap_or_default();
    let id = text_in(value, "id").map(str::to_owned);
    let mut draft = Draft::new(words).from(Source::Dream).at(member.file_name(), id);
    bank.clone_into(&mut draft.origin.account);
    let times = ["mentioned_at", "event_date", "created_at"];
    draft.time = times.into_iter().find_map(|key| time_in(&value[key], &options.zone));
    draft.tags = texts_in(&value["tags"]).iter().map(|tag| as_tag(tag)).collect();
    out.put(draft)
}
