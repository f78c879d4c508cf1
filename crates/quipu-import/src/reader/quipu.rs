//! Our own export. Its files are put back by whoever takes it; here its items become drafts, for an export of a part,
//! and for a memory that has something in it already.

use quipu_core::item::{Item, Kind};
use serde_json::Value;

use super::{Options, each_value};
use crate::draft::{Draft, DraftLink, Skip};
use crate::error::ImportError;
use crate::input::Input;
use crate::out::Out;
use crate::text::text_in;

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    let mut workspace = String::new();
    for member in input.members() {
        each_value(input, member, out, &mut |value, line, out| {
            match text_in(&value, "t") {
                Some("header") => {
                    text_in(&value, "workspace").unwrap_or_default().clone_into(&mut workspace);
                    out.version = text_in(&value, "by").map(str::to_owned);
                }
                Some("item") => {
                    let Ok(item) = serde_json::from_value::<Item>(value) else {
                        out.unreadable(&input.place(member), "an item that cannot be read");
                        return Ok(());
                    };
                    if matches!(item.kind, Kind::Code | Kind::Document | Kind::Session) {
                        out.skip(Skip::Derived);
                        return Ok(());
                    }
                    let mut draft = draft_of(item, options.keep_pins);
                    draft.at_line(line, member.file_name(), &workspace);
                    out.put(draft)?;
                }
                Some("file" | "use" | "end") => {}
                _ => out.unreadable(&input.place(member), "a line of no kind that is known"),
            }
            Ok(())
        })?;
    }
    Ok(())
}

impl Draft {
    fn at_line(&mut self, line: Option<usize>, file: &str, account: &str) {
        self.origin.line = line;
        file.clone_into(&mut self.origin.file);
        account.clone_into(&mut self.origin.account);
    }
}

/// Returns an item of ours as a draft.
pub(crate) fn draft_of(item: Item, keep_pins: bool) -> Draft {
    let mut draft = Draft::new(item.text).from(item.source);
    draft.category = Some(item.category).filter(|category| !category.is_empty());
    (draft.memory_type, draft.layer) = (Some(item.memory_type), Some(item.layer));
    draft.time = Some(item.time);
    (draft.valid_from, draft.valid_to) = (item.valid_from, item.valid_to);
    (draft.session, draft.speaker) = (item.session, item.speaker);
    draft.tags = item.tags;
    let links = item.links.into_iter();
    draft.links = links.map(|link| DraftLink { to: link.to, relation: link.relation }).collect();
    draft.importance = crate::text::importance(Some(f64::from(item.importance)));
    draft.status = item.status;
    draft.supersedes = item.supersedes.into_iter().next();
    draft.pinned = item.pinned && keep_pins;
    draft.negative = item.negative;
    draft.sensitivity = Some(item.sensitivity);
    draft.notes = item.notes.into_iter().map(|note| (note, None)).collect();
    if !item.title.is_empty() {
        draft.keep("title", &Value::from(item.title));
    }
    draft.origin.id = Some(item.id);
    draft
}
