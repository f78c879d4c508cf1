//! C and C++: functions behind their declarators, types and type names, macros, namespaces, classes.

use std::rc::Rc;

use tree_sitter::Node;

use super::{child_of_kind, header_end};
use crate::symbol::SymbolKind;
use crate::walk::{Found, Lead, Place, Scope, Step, Walk, children};

/// Declarators inside each other, deeper than anyone writes by hand.
const DEEPEST: usize = 32;

/// Notes what a declaration declares.
pub(super) fn visit<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    match node.kind() {
        "preproc_include" => {
            if let Some(path) = walk.field(node, "path") {
                walk.import(path.trim_matches(['<', '>', '"']));
            }
        }
        "preproc_def" | "preproc_function_def" => define(walk, step),
        "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif" | "preproc_elifdef"
        | "declaration_list" => walk.enter(node, &step.scope),
        "linkage_specification" => linkage(walk, step),
        "namespace_definition" => namespace(walk, step),
        "template_declaration" => template(walk, step),
        "function_definition" => function(walk, step),
        "declaration" | "field_declaration" => declaration(walk, step),
        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
            declare_type(walk, step, node);
        }
        "type_definition" => type_names(walk, step),
        "alias_declaration" => named(walk, step, SymbolKind::Type),
        "concept_definition" => named(walk, step, SymbolKind::Trait),
        _ => {}
    }
}

/// Notes a macro. One without a value is a switch or a guard.
fn define<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let Some(name) = walk.field(node, "name") else { return };
    let value = node.child_by_field_name("value");
    let end = match node.child_by_field_name("parameters") {
        Some(parameters) => parameters.end_byte(),
        None if value.is_none() => return,
        None => walk.end_of_constant(node, value),
    };
    walk.add(step, Found::new(name, SymbolKind::Macro, end, true));
}

/// Enters `extern "C" { … }`, or queues the one declaration after it.
fn linkage<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    match step.node.child_by_field_name("body") {
        Some(body) if body.kind() == "declaration_list" => walk.enter(body, &step.scope),
        Some(body) => walk.unwrap(step, body, false),
        None => {}
    }
}

/// Notes a namespace and enters it. Without a name it hides what it holds.
fn namespace<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let Some(body) = step.node.child_by_field_name("body") else { return };
    let Some(name) = walk.field(step.node, "name") else {
        let mut hidden = (*step.scope).clone();
        hidden.is_open = false;
        return walk.enter_scope(body, hidden);
    };
    let is_public = step.scope.is_open;
    walk.add(step, Found::new(name, SymbolKind::Module, body.start_byte(), is_public));
    let scope = walk.inside(&step.scope, name, Place::Module, is_public);
    walk.enter_scope(body, scope);
}

/// Queues what a template declares.
fn template<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let mut cursor = step.node.walk();
    let inner = step.node.named_children(&mut cursor).last();
    if let Some(inner) = inner.filter(|inner| inner.kind() != "template_parameter_list") {
        walk.unwrap(step, inner, false);
    }
}

/// Notes a function with a body, or one that is defaulted or deleted.
fn function<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let Some(declared) = declared(walk, node.child_by_field_name("declarator")) else { return };
    if !declared.is_function {
        // `class EXPORT Name : Base {` is read as a function: the macro is taken for the class.
        let of = node.child_by_field_name("type").filter(|of| of.kind().ends_with("_specifier"));
        if let Some(of) = of {
            let is_public = step.scope.is_open;
            walk.add(step, Found::new(&declared.name, kind_of(of), header_end(node), is_public));
        }
        return;
    }
    let initializers = child_of_kind(node, "field_initializer_list");
    let end = initializers.map_or(header_end(node), |list| list.start_byte());
    note_function(walk, step, &declared, end);
}

/// Notes a prototype, a constant or a type that a declaration holds.
fn declaration<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let of = node.child_by_field_name("type");
    if of.is_some_and(|of| walk.text_of(of) == "import") {
        if let Some(module) = walk.field(node, "declarator") {
            walk.import(module);
        }
        return;
    }
    if let Some(of) = of.filter(|of| of.child_by_field_name("body").is_some()) {
        declare_type(walk, step, of);
    }
    let Some(first) = node.child_by_field_name("declarator") else { return };
    let value = first.child_by_field_name("value");
    let Some(declared) = declared(walk, Some(first)) else { return };
    if declared.is_function {
        note_function(walk, step, &declared, node.end_byte());
    } else if has_word(walk, node, &["const", "constexpr", "constinit", "extern"]) {
        let default = node.child_by_field_name("default_value");
        let end = walk.end_of_constant(node, value.or(default));
        let is_public = is_public(walk, step);
        let parent = declared.parent(walk, step);
        let found = Found::new(&declared.name, SymbolKind::Constant, end, is_public);
        walk.add(step, Found { parent, ..found });
    }
}

/// Notes a function: a method where it stands in a class or names one.
fn note_function<'t>(walk: &mut Walk<'t>, step: &Step<'t>, declared: &Declared, end: usize) {
    let is_method = step.scope.place == Place::Type || declared.of.is_some();
    let kind = if is_method { SymbolKind::Method } else { SymbolKind::Function };
    let parent = declared.parent(walk, step);
    let found = Found::new(&declared.name, kind, end, is_public(walk, step));
    walk.add(step, Found { parent, ..found });
}

/// Notes a type that has a body, and enters it.
fn declare_type<'t>(walk: &mut Walk<'t>, step: &Step<'t>, node: Node<'t>) {
    let (Some(body), Some(name)) = (node.child_by_field_name("body"), walk.field(node, "name"))
    else {
        return;
    };
    let name = without_arguments(name);
    walk.add(step, Found::new(name, kind_of(node), body.start_byte(), step.scope.is_open));
    enter_type(walk, step, node, name);
}

/// Enters a class. Who may use a member depends on the last word before it.
fn enter_type<'t>(walk: &mut Walk<'t>, step: &Step<'t>, node: Node<'t>, name: &str) {
    let Some(body) = node.child_by_field_name("body") else { return };
    if node.kind() == "enum_specifier" || walk.language == crate::Language::C {
        return;
    }
    let is_open = node.kind() != "class_specifier";
    let scope = |is_open| Rc::new(walk.inside(&step.scope, name, Place::Type, is_open));
    let (open, closed) = (scope(true), scope(false));
    let mut now = if is_open { &open } else { &closed };
    let mut members: Vec<(Node<'t>, Lead<'t>, Rc<Scope>)> = Vec::new();
    for (member, lead) in children(body) {
        if member.kind() == "access_specifier" {
            now = if walk.text_of(member) == "public" { &open } else { &closed };
        } else {
            members.push((member, lead, Rc::clone(now)));
        }
    }
    if open.is_reasonable() {
        walk.queue(members.into_iter());
    }
}

/// Notes the names that `typedef` gives to a type.
fn type_names<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let of = node.child_by_field_name("type");
    let body = of.and_then(|of| of.child_by_field_name("body"));
    let kind = match (of, body) {
        (Some(of), Some(_)) => kind_of(of),
        _ => SymbolKind::Type,
    };
    let mut cursor = node.walk();
    let first = node.children_by_field_name("declarator", &mut cursor).next();
    let Some(declared) = declared(walk, first) else { return };
    let hole = body.map(|body| body.byte_range());
    let found = Found::new(&declared.name, kind, node.end_byte(), step.scope.is_open);
    walk.add(step, Found { hole, ..found });
    if let Some(of) = of {
        enter_type(walk, step, of, &declared.name);
    }
}

/// Notes a declaration with a name of its own.
fn named<'t>(walk: &mut Walk<'t>, step: &Step<'t>, kind: SymbolKind) {
    if let Some(name) = walk.field(step.node, "name") {
        walk.add(step, Found::new(name, kind, step.node.end_byte(), step.scope.is_open));
    }
}

/// Returns what sort of type a specifier declares.
fn kind_of(node: Node<'_>) -> SymbolKind {
    match node.kind() {
        "enum_specifier" => SymbolKind::Enum,
        "class_specifier" => SymbolKind::Class,
        _ => SymbolKind::Struct,
    }
}

/// Tells whether other files can use what a declaration declares.
fn is_public(walk: &Walk<'_>, step: &Step<'_>) -> bool {
    let is_hidden = step.scope.place == Place::Module && has_word(walk, step.node, &["static"]);
    step.scope.is_open && !is_hidden
}

/// Tells whether a declaration has one of these words before its name.
fn has_word(walk: &Walk<'_>, node: Node<'_>, words: &[&str]) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .take_while(|child| !child.kind().ends_with("declarator"))
        .filter(|child| matches!(child.kind(), "storage_class_specifier" | "type_qualifier"))
        .any(|child| words.contains(&walk.text_of(child)))
}

/// What a declarator declares.
struct Declared {
    name: String,
    /// The class or namespace before the name.
    of: Option<String>,
    is_function: bool,
}

impl Declared {
    /// Returns what it belongs to, where the name itself says so.
    fn parent(&self, walk: &Walk<'_>, step: &Step<'_>) -> Option<String> {
        let of = self.of.as_deref()?;
        walk.inside(&step.scope, of, Place::Type, true).parent
    }
}

/// Returns what a declarator declares. The sign next to the name decides: `f()` is a function,
/// `(*f)()` a variable.
fn declared(walk: &Walk<'_>, declarator: Option<Node<'_>>) -> Option<Declared> {
    let mut node = declarator?;
    let mut is_function = false;
    for _ in 0..DEEPEST {
        match node.kind() {
            "function_declarator" => is_function = true,
            "parenthesized_declarator" | "init_declarator" | "attributed_declarator" => {}
            "operator_cast" => {
                let name = format!("operator {}", walk.field(node, "type")?);
                return Some(Declared { name, of: None, is_function: true });
            }
            "qualified_identifier" => return qualified(walk, node, is_function),
            "template_function" => node = node.child_by_field_name("name")?,
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type"
            | "operator_name" | "destructor_name" => {
                let name = walk.text_of(node).to_owned();
                return Some(Declared { name, of: None, is_function });
            }
            kind if kind.ends_with("_declarator") => is_function = false,
            _ => return None,
        }
        if let Some(inner) = inner_declarator(node) {
            node = inner;
        } else if !matches!(node.kind(), "identifier") {
            return None;
        }
    }
    None
}

/// Returns the declarator inside another.
fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("declarator").or_else(|| {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).find(|child| {
            child.kind().ends_with("declarator") || child.kind().ends_with("identifier")
        })
    })
}

/// Returns what `a::B<T>::name` declares.
fn qualified(walk: &Walk<'_>, mut node: Node<'_>, is_function: bool) -> Option<Declared> {
    let mut of = Vec::new();
    for _ in 0..DEEPEST {
        if node.kind() != "qualified_identifier" {
            break;
        }
        if let Some(scope) = walk.field(node, "scope") {
            of.push(without_arguments(scope));
        }
        node = node.child_by_field_name("name")?;
    }
    if node.kind() == "operator_cast" {
        let name = format!("operator {}", walk.field(node, "type")?);
        return Some(Declared { name, of: Some(of.join("::")), is_function: true });
    }
    let name = without_arguments(walk.text_of(node)).to_owned();
    let of = (!of.is_empty()).then(|| of.join("::"));
    Some(Declared { name, of, is_function })
}

/// Returns a name without template arguments.
fn without_arguments(name: &str) -> &str {
    if name.starts_with("operator") {
        return name;
    }
    name.split_once('<').map_or(name, |(name, _)| name).trim_end()
}
