//! Cursor: conversations in the database of its settings. Its memories and rules are on its maker's servers.

use std::collections::BTreeMap;

use jiff::{Timestamp, ToSpan as _};
use serde_json::Value;

use super::Options;
use super::turns::{Turn, turn};
use crate::database::Database;
use crate::error::ImportError;
use crate::input::Input;
use crate::out::Out;
use crate::text::{text_in, time_in};

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        if input.beginning(member, 15)? != b"SQLite format 3" {
            continue;
        }
        let Some(path) = input.path_of(member) else { continue };
        let database = Database::open(path)?;
        let mut chats: BTreeMap<String, Value> = BTreeMap::new();
        let mut bubbles: BTreeMap<(String, String), Value> = BTreeMap::new();
        database.rows("cursorDiskKV", &mut |row| {
            let (Some(key), Some(json)) = (row.text("key"), row.text("value")) else {
                return Ok(());
            };
            let parts: Vec<&str> = key.split(':').collect();
            let value = serde_json::from_str::<Value>(json);
            match (&parts[..], value) {
                (["composerData", id], Ok(value)) => drop(chats.insert((*id).to_owned(), value)),
                (["bubbleId", chat, id], Ok(value)) => {
                    bubbles.insert(((*chat).to_owned(), (*id).to_owned()), value);
                }
                (["composerData" | "bubbleId", ..], Err(error)) => {
                    out.unreadable(member.file_name(), &format!("`{key}`: {error}"));
                }
                _ => {}
            }
            Ok(())
        })?;
        for (id, chat) in &chats {
            let begun = time_in(&chat["createdAt"], &options.zone);
            let title = text_in(chat, "name");
            let headers = chat["fullConversationHeadersOnly"].as_array();
            let named = headers.into_iter().flatten().filter_map(|header| {
                let bubble = text_in(header, "bubbleId")?;
                bubbles.get(&(id.clone(), bubble.to_owned()))
            });
            // Older versions have the turns in one place.
            let old = chat["conversation"].as_array().into_iter().flatten();
            for (number, bubble) in named.chain(old).enumerate() {
                let own = time_in(&bubble["createdAt"], &options.zone);
                let count = i64::try_from(number).unwrap_or(0);
                let after = |begun: Timestamp| begun.checked_add(count.milliseconds()).ok();
                let words = text_in(bubble, "text").unwrap_or_default().to_owned();
                let speaker = if bubble["type"].as_u64() == Some(1) { "user" } else { "cursor" };
                let one = text_in(bubble, "bubbleId")
                    .map_or_else(|| format!("{id}-{number}"), str::to_owned);
                let time = own.or_else(|| after(begun?));
                let said = Turn { words, speaker, id: Some(one), time, session: id, title };
                turn(said, member, options, out)?;
            }
        }
    }
    out.warn("known 2026-09: Cursor does not document this format; its memories and user rules are on its servers");
    Ok(())
}
