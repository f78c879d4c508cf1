//! An outline as data: symbols, imports and what a file says about itself.

use serde::{Deserialize, Serialize};

/// What a source file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// What it declares, in order.
    pub symbols: Vec<Symbol>,
    /// The modules that it imports, as written, each once, in order.
    pub imports: Vec<String>,
    /// The first sentence that it says about itself.
    pub doc: Option<String>,
    /// How many lines it has.
    pub lines: usize,
    /// Whether parts of it could not be read.
    pub has_errors: bool,
}

/// Something that a source file declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What sort of thing it is.
    pub kind: SymbolKind,
    /// Its declaration on one line, without the body, at most 200 characters.
    pub signature: String,
    /// What it belongs to: a type, a module, or both (`pay::Card`).
    pub parent: Option<String>,
    /// The line of its declaration, from one.
    pub line: usize,
    /// Whether other files can use it.
    pub is_public: bool,
    /// The first sentence of its documentation, at most 160 characters.
    pub doc: Option<String>,
}

/// What sort of thing a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SymbolKind {
    Function,
    Method,
    Struct,
    Class,
    Enum,
    Trait,
    Interface,
    Type,
    Constant,
    Module,
    Macro,
}

impl SymbolKind {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Struct => "struct",
            Self::Class => "class",
            Self::Enum => "enum",
            Self::Trait => "trait",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Module => "module",
            Self::Macro => "macro",
        }
    }
}
