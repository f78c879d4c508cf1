//! `quipu user …`: who the human is.

use quipu_engine::operations::{Changed, UserEdit, UserEdited, UserShow, UserText};
use quipu_engine::user::TEMPLATE;

use super::edit::in_editor;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::Reply;
use crate::spoken::Spoken;

impl Spoken for UserShow {
    fn say(&self, output: &UserText, _: &Context) -> Reply {
        match &output.text {
            Some(text) => Reply::words(&**text),
            None => Reply::words("there is no USER.md yet\n").advise("`quipu user edit` writes it"),
        }
    }
}

impl Spoken for UserEdit {
    fn complete(&mut self, context: &Context) -> Result<(), CommandError> {
        if self.text.is_some() {
            return Context::complete_text(self.text.as_mut());
        }
        let workspace = context.glimpse()?;
        let current = quipu_engine::user::user(&workspace)?.unwrap_or_else(|| TEMPLATE.to_owned());
        self.text = Some(in_editor(&current)?);
        self.instead_of = Some(current);
        Ok(())
    }

    fn talks(&self) -> bool {
        self.text.is_none()
    }

    fn say(&self, output: &Changed<UserEdited>, _: &Context) -> Reply {
        super::changed_words("changed USER.md", output)
    }
}
