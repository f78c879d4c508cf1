//! Mails: a file each, or many in an mbox.

use std::io::{BufRead as _, BufReader};

use quipu_core::item::Source;

use super::Options;
use crate::document::{Mail, mail};
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::input::{Input, LONGEST_TEXT, Member};
use crate::out::Out;

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        let place = input.place(member);
        let mut reader = BufReader::new(input.read(member)?);
        let mut one = Vec::new();
        let (mut is_box, mut was_blank, mut line) = (false, true, Vec::new());
        loop {
            line.clear();
            let count = reader.read_until(b'\n', &mut line).map_err(ImportError::io(&place))?;
            let begins = was_blank && line.starts_with(b"From ");
            if (count == 0 || begins) && !one.is_empty() {
                take(&std::mem::take(&mut one), member, options, out)?;
            }
            if count == 0 {
                break;
            }
            is_box |= begins;
            was_blank = line.iter().all(u8::is_ascii_whitespace);
            if begins || one.len() as u64 > LONGEST_TEXT {
                continue;
            }
            // In an mbox, a line of a mail that begins like the next one has a mark before it.
            let quoted = is_box && line.trim_ascii_start().starts_with(b">From ");
            one.extend_from_slice(if quoted { &line[1..] } else { &line });
        }
    }
    Ok(())
}

fn take(
    bytes: &[u8],
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let Some(Mail { id, thread, document }) = mail(bytes) else {
        out.unreadable(member.file_name(), "something between two mails that is none");
        return Ok(());
    };
    if bytes.len() as u64 > LONGEST_TEXT {
        out.skip(Skip::TooLong);
        return Ok(());
    }
    let from = document.author.unwrap_or_default();
    let is_own =
        options.me.as_ref().is_some_and(|me| from.to_lowercase().contains(&me.to_lowercase()));
    let source = if is_own { Source::Interaction } else { Source::Ingest };
    let title = document.title;
    let words = match &title {
        Some(title) => format!("{title}\n\n{}", document.body),
        None => document.body,
    };
    let mut draft =
        Draft::new(words).from(source).called("note").at(member.file_name(), id.clone());
    draft.heading = title;
    draft.time = document.created;
    draft.session = thread.or(id);
    // A name, and not the address beside it.
    let name = from.split('<').next().unwrap_or_default().trim().trim_matches('"');
    draft.speaker = (!name.is_empty()).then(|| name.to_owned());
    out.put(draft)
}
