//! A tool: which arguments it takes, and which command line they make.

use quipu_engine::operation::registry::{Entry, Object};
use quipu_engine::operations;
use quipu_server::{Answer, Caller, Channel, Effect};
use serde_json::{Map, Value, json};

use super::hints;
use crate::error::CommandError;
use crate::reply::Reply;

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

/// Where a value goes on the command line.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// Among the words, in the order in which the action takes them.
    Word,
    /// Behind an option.
    Option(String),
    /// Behind an option that has another value than the command's own where there is none.
    Otherwise(String, &'static str),
    /// An option that is set unless the flag is.
    Unless(String),
    /// Nowhere: somebody else reads it.
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

/// One thing that a tool does.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    /// What the client calls it; empty where the tool does one thing.
    pub(crate) name: String,
    /// The command.
    pub(crate) command: Vec<String>,
    /// The arguments by name, and whether it needs them.
    pub(crate) takes: Vec<(String, bool)>,
}

/// A tool. What it does and takes is a table; `line` reads it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) about: String,
    pub(crate) effect: Effect,
    /// The argument that chooses an action, and whether the first one goes without saying.
    pub(crate) key: String,
    pub(crate) has_default: bool,
    pub(crate) actions: Vec<Action>,
    pub(crate) params: Vec<Param>,
    pub(crate) output: Option<Value>,
    /// Makes of the command's data what the client gets.
    pub(crate) shape: Option<fn(&Arguments, Value) -> Value>,
    /// What callers outside of the main channel and heartbeats are told, where it is not for them.
    pub(crate) only_main: Option<&'static str>,
    /// Whether the answer is a text.
    pub(crate) is_text: bool,
    /// Whether the command takes the arguments as they are, and says itself whether it failed.
    pub(crate) is_raw: bool,
    /// Whether the arguments are those of the operation itself.
    pub(crate) is_whole: bool,
    /// The answer to a failure where a client expects another form.
    pub(crate) fails: Option<fn(&CommandError) -> Value>,
}

/// An operation that a tool asks for.
pub(crate) struct Asking {
    pub(crate) entry: &'static Entry,
    pub(crate) object: Object,
    pub(crate) session: Option<String>,
}

/// A command line.
pub(crate) struct Call {
    pub(crate) words: Vec<String>,
    pub(crate) session: Option<String>,
}

impl Tool {
    /// Begins a tool.
    pub(crate) fn new(name: &str, title: &str, effect: Effect, about: &str) -> Self {
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            about: about.to_owned(),
            effect,
            key: "action".to_owned(),
            has_default: false,
            actions: Vec::new(),
            params: Vec::new(),
            output: None,
            shape: None,
            only_main: None,
            is_text: false,
            is_raw: false,
            is_whole: false,
            fails: None,
        }
    }

    /// Adds an action: its command, and its arguments (`!` behind those that it needs).
    pub(crate) fn action(mut self, name: &str, command: &str, takes: &str) -> Self {
        let takes = takes.split_whitespace().map(|taken| {
            let name = taken.trim_end_matches('!');
            (name.to_owned(), name.len() < taken.len())
        });
        let command = command.split_whitespace().map(str::to_owned).collect();
        self.actions.push(Action { name: name.to_owned(), command, takes: takes.collect() });
        self
    }

    /// Adds the one action of a tool that does one thing.
    pub(crate) fn command(self, command: &str, takes: &str) -> Self {
        self.action("", command, takes)
    }

    /// Adds an argument that goes behind the option of its name.
    pub(crate) fn option(self, name: &str, form: Form, about: &str) -> Self {
        let option = format!("--{}", name.replace('_', "-"));
        self.param(name, form, Place::Option(option), about)
    }

    /// Adds an argument that stands among the words.
    pub(crate) fn word(self, name: &str, form: Form, about: &str) -> Self {
        self.param(name, form, Place::Word, about)
    }

    /// Adds an argument.
    pub(crate) fn param(mut self, name: &str, form: Form, place: Place, about: &str) -> Self {
        let (name, about) = (name.to_owned(), about.to_owned());
        self.params.push(Param { name, about, form, place });
        self
    }

    /// Says what the data looks like.
    pub(crate) fn returns(mut self, output: Value) -> Self {
        self.output = Some(output);
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
            title: self.title.clone(),
            description: self.about.clone(),
            input: self.input(),
            output: self.output.as_ref().and_then(Value::as_object).cloned(),
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
                let takes: Vec<String> = action
                    .takes
                    .iter()
                    .map(
                        |(name, is_needed)| {
                            if *is_needed { name.clone() } else { format!("{name}?") }
                        },
                    )
                    .collect();
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
            self.actions.iter().all(|action| action.takes.contains(&(name.clone(), true)))
        };
        let names = self.params.iter().map(|param| &param.name);
        required.extend(names.filter(|name| is_needed(name)).cloned());
        for param in &self.params {
            properties.insert(param.name.clone(), schema(param));
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

    /// Makes what the arguments ask for, where that is an operation.
    pub(crate) fn asking(
        &self,
        arguments: &Arguments,
        caller: &Caller,
    ) -> Result<Option<Asking>, CommandError> {
        let action = self.chosen(arguments)?;
        let words = action.command.iter().take_while(|word| !word.starts_with("--"));
        let name = words.map(String::as_str).collect::<Vec<_>>().join(".");
        let Some(entry) = operations::named(&name) else { return Ok(None) };
        if let (Some(refusal), Channel::Other) = (self.only_main, caller.channel) {
            return Err(CommandError::forbidden("channel", refusal));
        }
        self.check_names(action, arguments)?;
        let session = arguments.get("session").and_then(Value::as_str).map(str::to_owned);
        if self.is_whole {
            let mut object = arguments.0.clone();
            object.remove("session");
            return Ok(Some(Asking { entry, object, session }));
        }
        let mut object = Object::new();
        if self.is_raw {
            // One document, in the form that the client's own API has.
            let document = Value::Object(arguments.0.clone()).to_string();
            object.insert("command".to_owned(), json!(document));
            return Ok(Some(Asking { entry, object, session: None }));
        }
        let grammar = (entry.command)();
        let behind = |option: &str| {
            let long = option.trim_start_matches("--");
            let arg = grammar.get_arguments().find(|arg| arg.get_long() == Some(long));
            arg.map_or(long.replace('-', "_"), |arg| arg.get_id().to_string())
        };
        for preset in action.command.iter().filter(|word| word.starts_with("--")) {
            match preset.split_once('=') {
                Some((option, value)) => object.insert(behind(option), json!(value)),
                None => object.insert(behind(preset), json!(true)),
            };
        }
        let mut positions = grammar.get_positionals().map(|arg| arg.get_id().to_string());
        for (name, is_needed) in &action.takes {
            let Some(param) = self.params.iter().find(|param| param.name == *name) else {
                continue;
            };
            let value = arguments.get(name);
            if *is_needed && value.is_none() {
                let what = format!("{} is needed: {}", name, param.about);
                return Err(self.misused(&format!("`{name}` is missing")).hint(what));
            }
            let given = value.map(|value| values(param, value)).transpose();
            let given = given.map_err(|why| self.misused(&why))?;
            let (field, default) = match &param.place {
                Place::Aside => continue,
                Place::Word => (positions.next().unwrap_or_else(|| name.clone()), None),
                Place::Unless(option) => {
                    object.insert(behind(option), json!(!arguments.is_set(name)));
                    continue;
                }
                Place::Option(option) => match option.split_once('=') {
                    Some((option, value)) => {
                        if arguments.is_set(name) {
                            object.insert(behind(option), json!(value));
                        }
                        continue;
                    }
                    None => (behind(option), None),
                },
                Place::Otherwise(option, default) => (behind(option), Some(*default)),
            };
            match (value.zip(given), default) {
                (Some((value, given)), _) => {
                    // A name that does not exist counts as none.
                    if !given.is_empty() || value.is_array() {
                        object.insert(field, value.clone());
                    }
                }
                (None, Some(default)) => {
                    object.insert(field, json!(default));
                }
                (None, None) => {}
            }
        }
        Ok(Some(Asking { entry, object, session }))
    }

    /// Makes the command line.
    pub(crate) fn line(
        &self,
        arguments: &Arguments,
        caller: &Caller,
    ) -> Result<Call, CommandError> {
        if let (Some(refusal), Channel::Other) = (self.only_main, caller.channel) {
            return Err(CommandError::forbidden("channel", refusal));
        }
        let action = self.chosen(arguments)?;
        self.check_names(action, arguments)?;
        let mut words = action.command.clone();
        let mut behind = Vec::new();
        for (name, is_needed) in &action.takes {
            let Some(param) = self.params.iter().find(|param| param.name == *name) else {
                continue;
            };
            let value = arguments.get(name);
            if *is_needed && value.is_none() {
                let what = format!("{} is needed: {}", name, param.about);
                return Err(self.misused(&format!("`{name}` is missing")).hint(what));
            }
            match &param.place {
                Place::Unless(option) if !arguments.is_set(name) => words.push(option.clone()),
                Place::Otherwise(option, otherwise) if value.is_none() => {
                    words.push(format!("{option}={otherwise}"));
                }
                _ => {}
            }
            let Some(value) = value else { continue };
            let given = values(param, value).map_err(|why| self.misused(&why))?;
            match (&param.place, &param.form) {
                (Place::Word, _) => behind.extend(given),
                (Place::Unless(_) | Place::Aside, _) => {}
                (Place::Option(option), Form::Flag) => {
                    words.extend(given.into_iter().map(|_| option.clone()));
                }
                // In one word, so that a value may begin with a hyphen.
                (Place::Option(option) | Place::Otherwise(option, _), _) => {
                    words.extend(given.into_iter().map(|value| format!("{option}={value}")));
                }
            }
        }
        words.extend(super::access::signed(&action.command, arguments, caller));
        if !behind.is_empty() {
            words.push("--".to_owned());
            words.extend(behind);
        }
        let session = arguments.get("session").and_then(Value::as_str).map(str::to_owned);
        Ok(Call { words, session })
    }

    /// Refuses arguments that the action does not take.
    fn check_names(&self, action: &Action, arguments: &Arguments) -> Result<(), CommandError> {
        let takes = |name: &str| action.takes.iter().any(|(taken, _)| taken == name);
        let is_key = |name: &str| self.is_choice() && name == self.key;
        let foreign = arguments.0.keys().find(|name| !takes(name) && !is_key(name));
        let Some(foreign) = foreign.filter(|name| arguments.get(name).is_some()) else {
            return Ok(());
        };
        let names: Vec<&str> = action.takes.iter().map(|(name, _)| name.as_str()).collect();
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

    /// Makes an answer of a reply.
    pub(crate) fn answer(&self, arguments: &Arguments, words: &[String], reply: Reply) -> Answer {
        self.shown(arguments, super::access::is_set(words, "--dry-run"), reply.json)
    }

    /// Makes an answer of data.
    pub(crate) fn shown(&self, arguments: &Arguments, is_preview: bool, mut data: Value) -> Answer {
        if self.is_raw {
            let (text, is_error) = (data["content"].as_str(), data["is_error"] == true);
            return Answer { text: text.map(str::to_owned), is_error, data };
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
        let text = self.is_text.then(|| data["text"].as_str().map(str::to_owned)).flatten();
        Answer { text, data, is_error: false }
    }

    /// Makes an answer of a failure, written for the model that reads it.
    pub(crate) fn failure(&self, error: &CommandError) -> Answer {
        if let Some(fails) = self.fails {
            let data = fails(error);
            return Answer { text: None, data, is_error: false };
        }
        let text = hints::for_model(error);
        Answer { text: Some(text), data: error.json(), is_error: true }
    }
}

fn schema(param: &Param) -> Value {
    let about = &param.about;
    match &param.form {
        Form::Text => json!({ "type": "string", "description": about }),
        Form::Whole => json!({ "type": "integer", "minimum": 0, "description": about }),
        Form::Number => json!({ "type": "number", "description": about }),
        Form::Flag => json!({ "type": "boolean", "description": about }),
        Form::Texts => {
            json!({ "type": "array", "items": { "type": "string" }, "description": about })
        }
        Form::OneOf(names) => json!({ "type": "string", "enum": names, "description": about }),
        Form::Range => json!({
            "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2, "description": about
        }),
        Form::Perhaps(names) => {
            json!({ "type": "string", "description": format!("{about}: {}", names.join(", ")) })
        }
        Form::Between(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most, "description": about })
        }
        Form::SomeOf(names) => json!({
            "type": "array", "items": { "type": "string", "enum": names }, "description": about
        }),
    }
}

/// Returns a value as words of a command line. Models write `"5"` for 5 and `"x"` for `["x"]`: that is understood.
fn values(param: &Param, value: &Value) -> Result<Vec<String>, String> {
    let name = &param.name;
    let wrong = |expected: &str| Err(format!("`{name}` should be {expected}, and is {value}"));
    match (&param.form, value) {
        (Form::Text, Value::String(text)) => Ok(vec![text.clone()]),
        (Form::Between(least, most), value) => match whole(value) {
            Some(number) if (*least..=*most).contains(&number) => Ok(vec![number.to_string()]),
            _ => wrong(&format!("a whole number from {least} to {most}")),
        },
        (Form::Perhaps(names), value) => {
            let known = value.as_str().filter(|name| names.iter().any(|known| known == name));
            Ok(known.map(str::to_owned).into_iter().collect())
        }
        // What takes it reads it as it came.
        (Form::Range, value) => Ok(vec![value.to_string()]),
        (Form::Whole, value) => match whole(value) {
            Some(number) => Ok(vec![number.to_string()]),
            None => wrong("a whole number"),
        },
        (Form::Number, Value::Number(number)) => Ok(vec![number.to_string()]),
        (Form::Number, Value::String(text)) if text.parse::<f64>().is_ok() => {
            Ok(vec![text.clone()])
        }
        (Form::Number, _) => wrong("a number"),
        (Form::Flag, Value::Bool(is_set)) => Ok(vec![String::new(); usize::from(*is_set)]),
        (Form::Flag, Value::String(text)) if text == "true" => Ok(vec![String::new()]),
        (Form::Flag, Value::String(text)) if text == "false" => Ok(Vec::new()),
        (Form::Flag, _) => wrong("true or false"),
        (Form::Texts | Form::SomeOf(_), Value::Array(items)) => {
            let one = |item: &Value| item.as_str().map(str::to_owned);
            let texts: Option<Vec<String>> = items.iter().map(one).collect();
            match texts {
                Some(texts) => known(param, texts),
                None => wrong("a list of strings"),
            }
        }
        (Form::Texts | Form::SomeOf(_) | Form::OneOf(_), Value::String(text)) => {
            known(param, vec![text.clone()])
        }
        (Form::Texts | Form::SomeOf(_), _) => wrong("a list of strings"),
        (Form::Text | Form::OneOf(_), _) => wrong("a string"),
    }
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

fn known(param: &Param, texts: Vec<String>) -> Result<Vec<String>, String> {
    let (Form::OneOf(names) | Form::SomeOf(names)) = &param.form else { return Ok(texts) };
    match texts.iter().find(|text| !names.contains(text)) {
        Some(foreign) => Err(format!(
            "`{}` cannot be `{foreign}`: it is one of {}",
            param.name,
            names.join(", ")
        )),
        None => Ok(texts),
    }
}
