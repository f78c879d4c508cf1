//! Operations without their types: for whoever calls them by name.

use std::sync::LazyLock;

use clap::Command;
use quipu_core::item;
use quipu_core::secret::{self, Scope};
use quipu_core::text;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::homes;
use super::input::Moment;
use super::{Audience, Call, Effect, Operation, OperationError, Output as _};
use crate::caller::{Channel, OPERATOR, Permission};
use crate::error::ErrorKind;
use crate::refusal::Refusal;
use crate::retry;
use crate::workspace::{Workspace, again};

/// The JSON Schema of an object, or an object.
pub type Object = Map<String, Value>;

/// An operation, whatever its type.
#[derive(Debug)]
pub struct Entry {
    /// Its name, such as `fact.add`.
    pub name: &'static str,
    /// The most that it does.
    pub effect: Effect,
    /// What a caller needs for it to do that.
    pub permission: Permission,
    /// Who may call it.
    pub audience: Audience,
    /// Whether it only looks unless it is told more.
    pub looks_first: bool,
    /// What it is for, in the words of a tool.
    pub for_agents: Option<&'static str>,
    /// Its arguments on a command line.
    pub command: fn() -> Command,
    /// The schema of what it takes; made once, because every call is checked against it.
    pub input: LazyLock<Object>,
    /// The schema of what it answers.
    pub output: LazyLock<Object>,
    from_json: fn(Object) -> Result<Box<dyn Asked>, OperationError>,
}

/// What a caller asked for.
pub trait Asked {
    /// Returns what this call does.
    fn effect(&self) -> Effect;

    /// Does it, if the caller may.
    ///
    /// # Errors
    /// When the caller may not, or it cannot be done.
    fn answer(&self, on: &Workspace, call: &Call<'_>) -> Result<Value, OperationError>;
}

impl<O: Operation> Asked for O {
    fn effect(&self) -> Effect {
        Operation::effect(self)
    }

    fn answer(&self, on: &Workspace, call: &Call<'_>) -> Result<Value, OperationError> {
        let writes = Operation::effect(self) != Effect::Reads;
        let Some(retry) = call.retry.filter(|_| writes) else {
            let (output, change) = carry_out(self, on, call)?;
            return with_change(&output, change);
        };
        let by_key = |key: &str| {
            let (output, change) = carry_out_as(self, on, call, Some(key))?;
            with_change(&output, change)
        };
        admit(O::NAME, self.needs(), O::AUDIENCE, call)?;
        let by = call.caller.recorded_as().unwrap_or_default();
        again(|| on.as_one(O::NAME, by, || retry::once(on, retry, (by, call.now), by_key)))
    }
}

/// Does what was asked, if the caller may, and blacks out what they may not see. Returns the answer, and
/// the id of the change where anything was written.
///
/// # Errors
/// When the caller may not, or it cannot be done.
pub fn carry_out<O: Operation>(
    asked: &O,
    on: &Workspace,
    call: &Call<'_>,
) -> Result<(O::Output, Option<String>), OperationError> {
    let by = call.caller.recorded_as().unwrap_or(OPERATOR);
    again(|| on.as_one(O::NAME, by, || carry_out_as(asked, on, call, None)))
}

/// The same, where what is made has ids that are derived from a key.
fn carry_out_as<O: Operation>(
    asked: &O,
    on: &Workspace,
    call: &Call<'_>,
    key: Option<&str>,
) -> Result<(O::Output, Option<String>), OperationError> {
    admit(O::NAME, asked.needs(), O::AUDIENCE, call)?;
    if !homes::works_in_a_space(O::NAME) {
        on.needs_folder(O::NAME)?;
    }
    let scope = asked.scope().or(call.scope);
    let call = &Call { scope, ..*call };
    let done = if scope == Some(item::Scope::User) {
        carry_out_on(asked, user_scope(on, asked.effect())?, call, key)
    } else {
        let home = match scope {
            None => asked.home(on),
            Some(item::Scope::Project) if O::OF_JOURNAL => on.project_scope(),
            Some(_) => on,
        };
        carry_out_on(asked, home, call, key).or_else(|error| {
            let is_missing = error.kind() == ErrorKind::NotFound;
            // What is not here may be in the main checkout, or the user's own.
            let main = on.main_checkout().filter(|_| scope != Some(item::Scope::Team));
            let user = on.user_scope().ok().flatten().filter(|_| scope.is_none());
            let mut others = main.into_iter().chain(user).filter(|_| is_missing);
            others.find_map(|other| carry_out_on(asked, other, call, key).ok()).ok_or(error)
        })
    };
    let (mut output, change) = done?;
    if !call.is_here {
        output.said(&mut |text| *text = secret::redacted(text, Scope::Credentials));
    }
    Ok((output, change))
}

/// Returns the user's own memory for a call that is about it.
fn user_scope(on: &Workspace, effect: Effect) -> Result<&Workspace, OperationError> {
    if effect != Effect::Reads {
        return on.user_scope_to_write();
    }
    if on.is_user_scope() {
        return Ok(on);
    }
    Ok(on.user_scope()?.ok_or(Refusal::EmptyUserScope)?)
}

fn carry_out_on<O: Operation>(
    asked: &O,
    on: &Workspace,
    call: &Call<'_>,
    key: Option<&str>,
) -> Result<(O::Output, Option<String>), OperationError> {
    if asked.effect() != Effect::Reads {
        let by = call.caller.recorded_as().unwrap_or(OPERATOR);
        on.begin_change(&O::NAME.replace('.', " "), by, key)?;
    }
    let done = asked.run(on, call);
    let change = on.end_change();
    Ok((done?, change))
}

/// Returns an answer as data, with the id of the change that it tells of.
///
/// # Errors
/// When it cannot be written as JSON, which is a bug.
pub fn with_change(
    output: &impl serde::Serialize,
    change: Option<String>,
) -> Result<Value, OperationError> {
    let mut value = serde_json::to_value(output).map_err(|_| OperationError::bug())?;
    shorten_floats(&mut value);
    if let (Some(change), Value::Object(answer)) = (change, &mut value) {
        answer.insert("change".to_owned(), Value::String(change));
    }
    Ok(value)
}

/// Writes numbers as short as people read them.
fn shorten_floats(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let short = number.as_f64().map(text::rounded).and_then(serde_json::Number::from_f64);
            if let Some(short) = short {
                *number = short;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(shorten_floats),
        Value::Object(fields) => fields.values_mut().for_each(shorten_floats),
        _ => {}
    }
}

/// Refuses a caller who may not call an operation.
fn admit(
    name: &str,
    needed: Permission,
    audience: Audience,
    call: &Call<'_>,
) -> Result<(), OperationError> {
    let name = name.replace('.', " ");
    if audience == Audience::Here && !call.is_here {
        let why = format!("`{name}` is only there on the command line of the machine itself");
        return Err(OperationError::forbidden("forbidden", why));
    }
    if call.caller.permission < needed {
        let why = format!(
            "`{name}` needs the permission `{}`, and this caller has less",
            needed.as_str()
        );
        return Err(OperationError::forbidden("forbidden", why)
            .hint("a person can make a token with more: `quipu token add NAME --permission …`"));
    }
    if !audience.has(call.caller.channel) {
        let why = format!("`{name}` is available on the main channel only");
        return Err(OperationError::forbidden("channel", why).hint(
            "this channel can `recall` and `remember`; private memory stays in the main one",
        ));
    }
    Ok(())
}

impl Entry {
    /// Forgets the type of an operation.
    pub const fn of<O: Operation + 'static>() -> Self {
        Self {
            name: O::NAME,
            effect: O::EFFECT,
            permission: O::PERMISSION,
            audience: O::AUDIENCE,
            looks_first: O::LOOKS_FIRST,
            for_agents: O::FOR_AGENTS,
            command: || O::augment_args(Command::new(last_word(O::NAME))),
            input: LazyLock::new(input_schema::<O>),
            output: LazyLock::new(output_schema::<O::Output>),
            from_json: |object| {
                let asked: O = serde_json::from_value(Value::Object(object)).map_err(|error| {
                    OperationError::input("arguments", format!("{}: {error}", O::NAME))
                })?;
                Ok(Box::new(asked))
            },
        }
    }

    /// Reads what a caller asks for from JSON. Models write `"5"` for 5 and `"x"` for `["x"]`: that is understood.
    ///
    /// # Errors
    /// When an argument is missing, unknown or not what it should be.
    pub fn read(&self, object: Object) -> Result<Box<dyn Asked>, OperationError> {
        let misused = |why: String| {
            OperationError::input("arguments", format!("{}: {why}", self.name.replace('.', "_")))
        };
        let schema = &*self.input;
        let properties = schema.get("properties").and_then(Value::as_object);
        let names: Vec<&str> =
            properties.into_iter().flat_map(Map::keys).map(|name| &**name).collect();
        let mut read = Map::new();
        for (name, value) in object.into_iter().filter(|(_, value)| !value.is_null()) {
            let Some(expected) = properties.and_then(|all| all.get(&name)) else {
                let takes = match names.as_slice() {
                    [] => "it takes none".to_owned(),
                    names => format!("it takes {}", names.join(", ")),
                };
                return Err(misused(format!("there is no argument `{name}`")).hint(takes));
            };
            let value = fitted(&name, expected, value).map_err(misused)?;
            read.insert(name, value);
        }
        let needed = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing = needed.filter_map(Value::as_str).find(|name| !read.contains_key(*name));
        if let Some(name) = missing {
            let about = properties.and_then(|all| all.get(name)?.get("description")?.as_str());
            // Only a terminal has a stdin to read from.
            let about = about.unwrap_or_default().replace(" (`-` reads it from stdin)", "");
            let what = format!("{name} is needed: {about}");
            return Err(misused(format!("`{name}` is missing")).hint(what));
        }
        (self.from_json)(read)
    }

    /// Refuses a caller who could not do the most that the operation does.
    ///
    /// # Errors
    /// When they may not.
    pub fn admit(&self, call: &Call<'_>) -> Result<(), OperationError> {
        admit(self.name, self.permission, self.audience, call)
    }

    /// Tells whether a caller could ever call it, with some arguments.
    pub fn is_for(&self, permission: Permission, channel: Channel) -> bool {
        let least = if self.effect == Effect::Reads || self.looks_first {
            Permission::Read
        } else {
            self.permission
        };
        permission >= least && self.audience != Audience::Here && self.audience.has(channel)
    }

    /// Returns the words of its command.
    pub fn words(&self) -> Vec<&'static str> {
        self.name.split('.').collect()
    }

    /// Returns its name as a tool.
    pub fn tool_name(&self) -> String {
        self.name.replace(['.', '-'], "_")
    }
}

/// Returns the verb of a name.
const fn last_word(name: &'static str) -> &'static str {
    let bytes = name.as_bytes();
    let mut at = bytes.len();
    while at > 0 && bytes[at - 1] != b'.' {
        at -= 1;
    }
    name.split_at(at).1
}

/// Returns the schema of a type that is read, with everything in its place.
fn input_schema<T: schemars::JsonSchema>() -> Object {
    schema::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// Returns the schema of a type that is written: what may be left out is not required.
fn output_schema<T: schemars::JsonSchema>() -> Object {
    schema::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn schema<T: schemars::JsonSchema>(mut settings: SchemaSettings) -> Object {
    settings.inline_subschemas = true;
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    let mut object = match Value::from(schema) {
        Value::Object(object) => object,
        _ => Object::new(),
    };
    for name in ["title", "$schema"] {
        object.remove(name);
    }
    object
}

/// Returns a value as the schema expects it, where it is clear what is meant.
fn fitted(name: &str, schema: &Value, value: Value) -> Result<Value, String> {
    let is = |kind: &str| match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => false,
    };
    let wrong = |expected: &str| Err(format!("`{name}` should be {expected}, and is {value}"));
    if is("array") {
        let items = match value {
            Value::Array(items) => items,
            Value::String(text) => vec![Value::String(text)],
            _ => return wrong("a list of strings"),
        };
        let fit = |item| fitted(name, &schema["items"], item);
        return items.into_iter().map(fit).collect::<Result<Vec<_>, _>>().map(Value::Array);
    }
    if is("string") {
        let Value::String(text) = &value else { return wrong("a string") };
        let names = schema["enum"].as_array().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        if !names.is_empty() && !names.contains(&&**text) {
            let names = names.join(", ");
            return Err(format!("`{name}` cannot be `{text}`: it is one of {names}"));
        }
        if schema["pattern"] == Moment::PATTERN
            && let Err(why) = Moment::exact(text)
        {
            return Err(format!("`{name}`: {why}"));
        }
        return Ok(value);
    }
    // `"5"` and `"true"` mean what stands in the quotes.
    let meant = match &value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    };
    match &meant {
        Value::Bool(_) if is("boolean") => Ok(meant),
        Value::Number(number) if is("integer") && is_whole(number) => Ok(meant),
        Value::Number(_) if is("number") => Ok(meant),
        _ if is("boolean") => wrong("true or false"),
        _ if is("integer") => wrong("a whole number"),
        _ => wrong("a number"),
    }
}

fn is_whole(number: &serde_json::Number) -> bool {
    number.is_u64() || number.is_i64()
}
