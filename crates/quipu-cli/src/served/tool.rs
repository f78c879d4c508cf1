//! A tool: which arguments it takes, and which operation they ask for.

use quipu_engine::caller::{self, Permission};
use quipu_engine::operation::registry::{Entry, Object};
use quipu_engine::operations;
use quipu_server::{Answer, AnswerForm, Caller, Channel, Effect};
use serde_json::{Map, Value, json};

use crate::error::CommandError;

/// What a client sent.
pub(crate) struct Arguments(pub(crate) Map<String, Value>);

impl Arguments {
    /// Returns an argument; `null` is none.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Tells whether a flag is set.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| *value == json!(true) || *value == json!("true"))
    }
}

/// What a value looks like.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Text,
    Whole,
    Number,
    Flag,
    Texts,
    OneOf(Vec<String>),
    SomeOf(Vec<String>),
    /// Two whole numbers.
    Range,
    /// A whole number of a range.
    Between(u64, u64),
    /// One of some names; another one counts as none.
    Perhaps(Vec<String>),
}

/// What becomes of a value.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// It is a field of the operation.
    Field,
    /// The same, with another value than the operation's own where there is none.
    Otherwise(&'static str),
    /// A flag whose opposite is the field.
    Unless,
    /// A flag that gives the field this value.
    Sets(&'static str),
    /// Nothing: somebody else reads it.
    Aside,
}

/// An argument of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) form: Form,
    pub(crate) place: Place,
}

/// An argument that an action takes.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// Its name.
    pub(crate) name: String,
    /// The field of the operation that it is.
    pub(crate) field: String,
    /// Whether the action needs it.
    pub(crate) is_needed: bool,
}

impl Taken {
    /// Takes an argument that has the name of its field.
    pub(crate) fn new(name: &str, is_needed: bool) -> Self {
        Self { name: name.to_owned(), field: name.to_owned(), is_needed }
    }

    /// Reads `name`, `name!` where it is needed, or `name:field` where the field has another name.
    fn read(taken: &str) -> Self {
        let name = taken.trim_end_matches('!');
        let (said, field) = name.split_once(':').unwrap_or((name, name));
        Self { name: said.to_owned(), field: field.to_owned(), is_needed: name.len() < taken.len() }
    }

    /// Returns it as a signature has it.
    pub(crate) fn told(&self) -> String {
        if self.is_needed { self.name.clone() } else { format!("{}?", self.name) }
    }
}

/// One thing that a tool does.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    /// What the client calls it; empty where the tool does one thing.
    pub(crate) name: String,
    /// The operation.
    operation: String,
    /// What it always says.
    presets: Object,
    /// What it takes.
    pub(crate) takes: Vec<Taken>,
}

impl Action {
    /// Does an operation by its name.
    pub(crate) fn new(name: &str, operation: &str, takes: Vec<Taken>) -> Self {
        let (name, operation) = (name.to_owned(), operation.to_owned());
        Self { name, operation, presets: Object::new(), takes }
    }

    fn entry(&self) -> Option<&'static Entry> {
        operations::named(&self.operation)
    }

    /// Tells whether it does an operation, and nothing else than that.
    pub(crate) fn is_of(&self, operation: &str) -> bool {
        self.operation == operation && self.presets.is_empty()
    }

    /// Tells whether a caller could ever do it. What other channels than the main one remember has no marks of
    /// its own.
    pub(crate) fn is_for(&self, permission: Permission, channel: caller::Channel) -> bool {
        let is_marked = self.operation == "remember" && !self.presets.is_empty();
        self.entry().is_some_and(|entry| entry.is_for(permission, channel))
            && (channel == caller::Channel::Main || !is_marked)
    }
}

/// A tool. What it does and takes is a table; `asking` reads it.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) effect: Effect,
    /// The argument that chooses an action, and whether the first one goes without saying.
    pub(crate) key: String,
    pub(crate) has_default: bool,
    pub(crate) actions: Vec<Action>,
    pub(crate) params: Vec<Param>,
    /// Makes of the command's data what the client gets.
    pub(crate) shape: Option<fn(&Arguments, Value) -> Value>,
    /// What callers outside of the main channel and heartbeats are told, where it is not for them.
    pub(crate) only_main: Option<&'static str>,
    /// Whether it answers in words unless JSON is asked for; else it answers JSON as a text.
    pub(crate) has_words: bool,
    /// Whether the command takes the arguments as they are, and says itself whether it failed.
    pub(crate) is_raw: bool,
    /// The answer to a failure where a client expects another form.
    pub(crate) fails: Option<fn(&CommandError) -> Value>,
}

/// The argument that asks for data instead of words, and its value.
const FORMAT: &str = "format";
const JSON: &str = "json";

/// Arguments of nearly every action that writes.
const COMMON: [&str; 3] = ["dry_run", "not_a_secret", "session"];

/// An operation that a tool asks for.
pub(crate) struct Asking {
    pub(crate) entry: &'static Entry,
    pub(crate) object: Object,
    pub(crate) session: Option<String>,
}

impl Tool {
    /// Begins a tool.
    pub(crate) fn new(name: &str, effect: Effect, about: &str) -> Self {
        Self {
            name: name.to_owned(),
            about: about.to_owned(),
            effect,
            key: "action".to_owned(),
            has_default: false,
            actions: Vec::new(),
            params: Vec::new(),
            shape: None,
            only_main: None,
            has_words: false,
            is_raw: false,
            fails: None,
        }
    }

    /// Adds an action: its operation, and its arguments (see [`Taken::read`]).
    pub(crate) fn action(mut self, name: &str, operation: &str, takes: &str) -> Self {
        let takes = takes.split_whitespace().map(Taken::read).collect();
        self.actions.push(Action::new(name, operation, takes));
        self
    }

    /// Adds the one action of a tool that does one thing.
    pub(crate) fn does(self, operation: &str, takes: &str) -> Self {
        self.action("", operation, takes)
    }

    /// Lets the last action always say something.
    pub(crate) fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        if let Some(action) = self.actions.last_mut() {
            action.presets.insert(field.to_owned(), value.into());
        }
        self
    }

    /// Adds an argument that is a field.
    pub(crate) fn field(self, name: &str, form: Form, about: &str) -> Self {
        self.param(name, form, Place::Field, about)
    }

    /// Adds an argument.
    pub(crate) fn param(mut self, name: &str, form: Form, place: Place, about: &str) -> Self {
        let (name, about) = (name.to_owned(), about.to_owned());
        self.params.push(Param { name, about, form, place });
        self
    }

    /// Lets the tool answer in words, and as data where [`FORMAT`] asks for it.
    pub(crate) fn in_words(mut self) -> Self {
        self.has_words = true;
        self
    }

    /// Says what the client gets of the data.
    pub(crate) fn shaped(mut self, shape: fn(&Arguments, Value) -> Value) -> Self {
        self.shape = Some(shape);
        self
    }

    /// Returns the tool as a client sees it.
    pub(crate) fn told(&self) -> quipu_server::Tool {
        quipu_server::Tool {
            name: self.name.clone(),
            description: self.about.clone(),
            input: self.input(),
            effect: self.effect,
        }
    }

    fn is_choice(&self) -> bool {
        self.actions.len() > 1
    }

    /// The schema of the arguments.
    fn input(&self) -> Map<String, Value> {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if self.is_choice() {
            let names: Vec<&str> = self.actions.iter().map(|action| action.name.as_str()).collect();
            let takes = |action: &Action| {
                // What nearly every action takes need not be said for each.
                let own = action.takes.iter().filter(|taken| !COMMON.contains(&&*taken.name));
                let takes: Vec<String> = own.map(Taken::told).collect();
                format!("{}({})", action.name, takes.join(", "))
            };
            let takes: Vec<String> = self.actions.iter().map(takes).collect();
            properties.insert(
                self.key.clone(),
                json!({ "type": "string", "enum": names, "description": takes.join("; ") }),
            );
            if !self.has_default {
                required.push(self.key.clone());
            }
        }
        let is_needed = |name: &String| {
            let needs = |taken: &Taken| taken.is_needed && taken.name == *name;
            self.actions.iter().all(|action| action.takes.iter().any(needs))
        };
        let names = self.params.iter().map(|param| &param.name);
        required.extend(names.filter(|name| is_needed(name)).cloned());
        for param in &self.params {
            properties.insert(param.name.clone(), schema(param));
        }
        if self.has_words {
            properties.insert(FORMAT.to_owned(), json!({ "enum": [JSON] }));
        }
        let mut input = Map::new();
        input.insert("type".to_owned(), json!("object"));
        input.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            input.insert("required".to_owned(), json!(required));
        }
        input.insert("additionalProperties".to_owned(), json!(false));
        input
    }

    /// Returns the action that the arguments name.
    fn chosen(&self, arguments: &Arguments) -> Result<&Action, CommandError> {
        if let [only] = &self.actions[..] {
            return Ok(only);
        }
        let names: Vec<&str> = self.actions.iter().map(|action| action.name.as_str()).collect();
        let expected = format!("`{}` is one of {}", self.key, names.join(", "));
        let name = match (arguments.get(&self.key), self.actions.first()) {
            (None, Some(first)) if self.has_default => return Ok(first),
            (None, _) => {
                return Err(self.misused(&format!("`{}` is missing", self.key)).hint(expected));
            }
            (Some(name), _) => name.as_str().unwrap_or_default(),
        };
        self.actions
            .iter()
            .find(|action| action.name == name)
            .ok_or_else(|| self.misused(&format!("there is no action `{name}`")).hint(expected))
    }

    fn misused(&self, why: &str) -> CommandError {
        CommandError::input("arguments", format!("{}: {why}", self.name))
    }

    /// Makes what the arguments ask for.
    pub(crate) fn asking(
        &self,
        arguments: &Arguments,
        caller: &Caller,
    ) -> Result<Asking, CommandError> {
        let action = self.chosen(arguments)?;
        let entry = action.entry().ok_or_else(CommandError::bug)?;
        if let (Some(refusal), Channel::Other) = (self.only_main, caller.channel) {
            return Err(CommandError::forbidden("channel", refusal));
        }
        self.check_names(action, arguments)?;
        self.check_format(arguments)?;
        let session = arguments.get("session").and_then(Value::as_str).map(str::to_owned);
        let mut object = action.presets.clone();
        if self.is_raw {
            // One document, in the form that the client's own API has.
            let document = Value::Object(arguments.0.clone()).to_string();
            object.insert("command".to_owned(), json!(document));
            return Ok(Asking { entry, object, session: None });
        }
        for taken in &action.takes {
            let Some(param) = self.params.iter().find(|param| param.name == taken.name) else {
                continue;
            };
            let value = arguments.get(&taken.name);
            if taken.is_needed && value.is_none() {
                let why = format!("`{}` is missing", taken.name);
                let names: Vec<String> = action.takes.iter().map(Taken::told).collect();
                return Err(self.misused(&why).hint(format!("it takes {}", names.join(", "))));
            }
            let value = match value {
                Some(value) => checked(param, value).map_err(|why| self.misused(&why))?,
                None => None,
            };
            let is_set = arguments.is_set(&taken.name);
            let given = match (&param.place, value) {
                (Place::Aside, _) => None,
                (Place::Unless, _) => Some(json!(!is_set)),
                (Place::Sets(value), _) => is_set.then(|| json!(value)),
                (Place::Otherwise(value), None) => Some(json!(value)),
                (Place::Field | Place::Otherwise(_), given) => given,
            };
            if let Some(given) = given {
                object.insert(taken.field.clone(), given);
            }
        }
        Ok(Asking { entry, object, session })
    }

    /// Refuses arguments that the action does not take.
    fn check_names(&self, action: &Action, arguments: &Arguments) -> Result<(), CommandError> {
        let takes = |name: &str| action.takes.iter().any(|taken| taken.name == name);
        let is_format = |name: &str| self.has_words && name == FORMAT;
        let is_key = |name: &str| (self.is_choice() && name == self.key) || is_format(name);
        let foreign = arguments.0.keys().find(|name| !takes(name) && !is_key(name));
        let Some(foreign) = foreign.filter(|name| arguments.get(name).is_some()) else {
            return Ok(());
        };
        let names: Vec<&str> = action.takes.iter().map(|taken| &*taken.name).collect();
        let with = if action.name.is_empty() {
            String::new()
        } else {
            format!(" with {} {}", self.key, action.name)
        };
        let takes = match names.as_slice() {
            [] => "it takes none".to_owned(),
            names => format!("it takes {}", names.join(", ")),
        };
        Err(self.misused(&format!("there is no argument `{foreign}`{with}")).hint(takes))
    }

    /// Refuses a form that there is not.
    fn check_format(&self, arguments: &Arguments) -> Result<(), CommandError> {
        match arguments.get(FORMAT).filter(|_| self.has_words) {
            Some(format) if *format != json!(JSON) => {
                let why = format!("`{FORMAT}` cannot be {format}");
                let hint = format!("leave `{FORMAT}` out for text, or say `{JSON}`");
                Err(self.misused(&why).hint(hint))
            }
            _ => Ok(()),
        }
    }

    /// Tells whether an answer is put into words: the client did not ask for data.
    pub(crate) fn speaks(&self, arguments: &Arguments) -> bool {
        self.has_words && arguments.get(FORMAT).is_none()
    }

    /// Makes an answer of an operation's data, as the clients of a program expect it.
    pub(crate) fn shown(&self, arguments: &Arguments, is_preview: bool, mut data: Value) -> Answer {
        if self.is_raw {
            let words = data["content"].as_str().unwrap_or_default().to_owned();
            let is_error = data["is_error"] == true;
            return Answer { form: AnswerForm::Words(words), is_error, data };
        }
        if let Some(shape) = self.shape {
            data = shape(arguments, data);
        }
        if !data.is_object() {
            data = json!({ "items": data });
        }
        // A change that was made need not be shown line by line.
        if let Some(fields) = data.as_object_mut()
            && !is_preview
        {
            fields.remove("changes");
        }
        let form = if self.has_words { AnswerForm::Data } else { AnswerForm::JsonText };
        Answer { form, data, is_error: false }
    }
}

/// The schema of an argument. What its name says need not be described.
fn schema(param: &Param) -> Value {
    let mut about = param.about.clone();
    let mut schema = match &param.form {
        Form::Text => json!({ "type": "string" }),
        Form::Whole => json!({ "type": "integer", "minimum": 0 }),
        Form::Number => json!({ "type": "number" }),
        Form::Flag => json!({ "type": "boolean" }),
        Form::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Form::OneOf(names) => json!({ "type": "string", "enum": names }),
        Form::Range => {
            json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 })
        }
        Form::Perhaps(names) => {
            about = format!("{about}: {}", names.join(", "));
            json!({ "type": "string" })
        }
        Form::Between(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Form::SomeOf(names) => {
            json!({ "type": "array", "items": { "type": "string", "enum": names } })
        }
    };
    if !about.is_empty() {
        schema["description"] = json!(about);
    }
    schema
}

/// Returns a value as the operation takes it, where the tool has its own idea of it; the operation's schema does the
/// rest. Nothing is a name that does not exist, where that counts as none.
fn checked(param: &Param, value: &Value) -> Result<Option<Value>, String> {
    match &param.form {
        Form::Between(least, most) => {
            let number = match value {
                Value::String(text) => text.parse().ok(),
                value => value.as_u64(),
            };
            match number {
                Some(number) if (*least..=*most).contains(&number) => Ok(Some(json!(number))),
                _ => Err(format!(
                    "`{}` should be a whole number from {least} to {most}, and is {value}",
                    param.name
                )),
            }
        }
        Form::Perhaps(names) => {
            let is_known = value.as_str().is_some_and(|name| names.iter().any(|one| one == name));
            Ok(is_known.then(|| value.clone()))
        }
        Form::OneOf(names) => match value.as_str() {
            Some(name) if !names.iter().any(|known| known == name) => Err(format!(
                "`{}` cannot be `{name}`: it is one of {}",
                param.name,
                names.join(", ")
            )),
            _ => Ok(Some(value.clone())),
        },
        _ => Ok(Some(value.clone())),
    }
}
