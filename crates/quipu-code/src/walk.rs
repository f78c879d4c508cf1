//! The walk over a syntax tree: what is visited in which scope, and what is noted on the way.
//!
//! Only what can hold declarations is entered, and nothing recurses: a file nested a hundred
//! thousand deep costs memory on the heap and no stack.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use quipu_core::text::ellipsis;
use tree_sitter::Node;

use crate::doc;
use crate::language::Language;
use crate::symbol::{Outline, Symbol, SymbolKind};
use crate::text::{boundary, one_line};

/// A signature has no more characters than this.
const SIGNATURE: usize = 200;

/// A name has no more characters than this.
const NAME: usize = 100;

/// How many bytes of a declaration are read for its signature.
const HEADER: usize = 2_000;

/// Declarations inside each other, deeper than anyone writes by hand.
const DEEPEST: usize = 16;

/// A constant's value is shown where its declaration is no longer than this.
const SHORT: usize = 100;

/// What a declaration stands in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// The path of what it belongs to.
    pub(crate) parent: Option<String>,
    /// What sort of thing that is.
    pub(crate) place: Place,
    /// Whether a declaration is public that says nothing about it.
    pub(crate) is_open: bool,
    /// How many scopes lie around this one.
    depth: usize,
}

impl Scope {
    /// Tells whether anyone nests declarations so deep.
    pub(crate) fn is_reasonable(&self) -> bool {
        self.depth <= DEEPEST
    }
}

/// What sort of thing declarations stand in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file or a module: functions are functions.
    #[default]
    Module,
    /// A type: functions are methods.
    Type,
    /// The implementation of a trait for a type: the trait says what it has.
    Implementation,
}

/// A node that waits to be visited.
#[derive(Clone, Debug)]
pub(crate) struct Step<'t> {
    pub(crate) node: Node<'t>,
    pub(crate) scope: Rc<Scope>,
    pub(crate) lead: Lead<'t>,
}

/// What stands before or around a declaration and belongs to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lead<'t> {
    /// The comment before it.
    comment: Option<Range<usize>>,
    /// The row that the comment, or an attribute after it, ends on.
    row: usize,
    /// What wraps it and begins its signature: `export`, `template <T>`.
    pub(crate) outer: Option<Node<'t>>,
    /// Where its decorators begin.
    pub(crate) decorated: Option<usize>,
    /// Where it begins without decorators that it holds itself.
    pub(crate) bare: Option<usize>,
    /// The attributes before it.
    pub(crate) attributes: Vec<Node<'t>>,
    /// Whether it is exported by what wraps it.
    pub(crate) is_exported: bool,
}

/// A declaration that was found.
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    /// Where its header ends and its body begins.
    pub(crate) end: usize,
    pub(crate) is_public: bool,
    /// What it belongs to, where that is not what it stands in.
    pub(crate) parent: Option<String>,
    /// Its documentation, where that does not stand before it.
    pub(crate) doc: Option<String>,
    /// The part of it that is left out of its signature, where more than the body follows.
    pub(crate) hole: Option<Range<usize>>,
}

impl Found {
    /// Returns a declaration that is what it stands in says.
    pub(crate) fn new(name: &str, kind: SymbolKind, end: usize, is_public: bool) -> Self {
        let name = name.to_owned();
        Self { name, kind, end, is_public, parent: None, doc: None, hole: None }
    }
}

/// The walk over one file.
pub(crate) struct Walk<'t> {
    pub(crate) language: Language,
    pub(crate) text: &'t str,
    steps: Vec<Step<'t>>,
    outline: Outline,
    imported: BTreeSet<String>,
    /// Names that the file exports in a statement of their own.
    exported: BTreeSet<String>,
}

impl<'t> Walk<'t> {
    /// Begins at the root of a syntax tree.
    pub(crate) fn new(language: Language, text: &'t str, root: Node<'t>) -> Self {
        let doc = doc::of_file(language, text, root);
        let mut walk = Self {
            language,
            text,
            steps: Vec::new(),
            outline: Outline { doc, ..Outline::default() },
            imported: BTreeSet::new(),
            exported: BTreeSet::new(),
        };
        let is_open = matches!(language, Language::C | Language::Cpp);
        walk.enter(root, &Rc::new(Scope { is_open, ..Scope::default() }));
        walk
    }

    /// Returns the next node to visit. Of what could not be read the children are visited.
    pub(crate) fn next_step(&mut self) -> Option<Step<'t>> {
        loop {
            let step = self.steps.pop()?;
            if !step.node.is_error() {
                return Some(step);
            }
            self.enter(step.node, &step.scope);
        }
    }

    /// Returns the text of a node.
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the text of a node's field.
    pub(crate) fn field(&self, node: Node<'_>, name: &str) -> Option<&'t str> {
        node.child_by_field_name(name).map(|field| self.text_of(field))
    }

    /// Queues the children of a node, in a scope.
    pub(crate) fn enter(&mut self, node: Node<'t>, scope: &Rc<Scope>) {
        let children = children(node);
        self.queue(children.into_iter().map(|(node, lead)| (node, lead, Rc::clone(scope))));
    }

    /// Queues the children of a declaration, in a scope of its own.
    pub(crate) fn enter_scope(&mut self, node: Node<'t>, scope: Scope) {
        if scope.is_reasonable() {
            self.enter(node, &Rc::new(scope));
        }
    }

    /// Queues nodes, the first to be visited first.
    pub(crate) fn queue(
        &mut self,
        nodes: impl DoubleEndedIterator<Item = (Node<'t>, Lead<'t>, Rc<Scope>)>,
    ) {
        self.steps.extend(nodes.rev().map(|(node, lead, scope)| Step { node, scope, lead }));
    }

    /// Queues the one declaration that a node wraps.
    pub(crate) fn unwrap(&mut self, step: &Step<'t>, inner: Node<'t>, is_exported: bool) {
        let mut lead = step.lead.clone();
        lead.outer.get_or_insert(step.node);
        lead.is_exported |= is_exported;
        self.steps.push(Step { node: inner, scope: Rc::clone(&step.scope), lead });
    }

    /// Notes a declaration.
    pub(crate) fn add(&mut self, step: &Step<'t>, found: Found) {
        if found.name.is_empty() {
            return;
        }
        let comment = || {
            let comment = self.text.get(step.lead.comment.clone()?)?;
            doc::of_comment(self.language, comment)
        };
        let doc = found.doc.clone().or_else(comment);
        let symbol = Symbol {
            signature: self.signature(step, &found),
            name: ellipsis(&found.name, NAME),
            kind: found.kind,
            parent: found.parent.or_else(|| step.scope.parent.clone()),
            line: self.row_of(step) + 1,
            is_public: found.is_public,
            doc,
        };
        self.outline.symbols.push(symbol);
    }

    /// Notes a module that is imported.
    pub(crate) fn import(&mut self, module: &str) {
        let module = one_line(module, 0..boundary(module, SIGNATURE), &[]);
        if !module.is_empty() && self.imported.insert(module.clone()) {
            self.outline.imports.push(module);
        }
    }

    /// Notes a name that is exported apart from its declaration.
    pub(crate) fn export(&mut self, name: &str) {
        self.exported.insert(name.to_owned());
    }

    /// Returns where a constant's header ends: after its value where that is short, else before it.
    pub(crate) fn end_of_constant(&self, node: Node<'_>, value: Option<Node<'_>>) -> usize {
        let Some(value) = value else { return node.end_byte() };
        let is_short = node.end_byte() - node.start_byte() <= SHORT
            && !self.text_of(node).trim_end().contains('\n');
        if is_short { node.end_byte() } else { value.start_byte() }
    }

    /// Returns the scope of what is declared inside a declaration.
    pub(crate) fn inside(&self, outer: &Scope, name: &str, place: Place, is_open: bool) -> Scope {
        let name = ellipsis(name, NAME);
        let parent = match &outer.parent {
            Some(parent) => format!("{parent}{}{name}", self.language.separator()),
            None => name,
        };
        Scope { parent: Some(parent), place, is_open, depth: outer.depth + 1 }
    }

    /// Returns the row that a declaration begins on, after decorators that it holds itself.
    fn row_of(&self, step: &Step<'t>) -> usize {
        let start = step.node.start_byte();
        let bare = step.lead.bare.filter(|bare| *bare > start).unwrap_or(start);
        let above = self.text.get(start..bare).unwrap_or_default();
        step.node.start_position().row + memchr::memchr_iter(b'\n', above.as_bytes()).count()
    }

    /// Returns a declaration on one line, with its decorators where both fit.
    fn signature(&self, step: &Step<'t>, found: &Found) -> String {
        let end = found.end;
        let outer = step.lead.outer.unwrap_or(step.node);
        let start = outer.start_byte().min(step.node.start_byte());
        let decorated = step.lead.decorated.map_or(start, |at| at.min(start));
        let bare = step.lead.bare.unwrap_or(start);
        if let Some(hole) = &found.hole {
            let (head, tail) =
                (self.header(outer, start, hole.start), self.header(outer, hole.end, end));
            return ellipsis(&format!("{head} {tail}"), SIGNATURE);
        }
        let line = self.header(outer, decorated, end);
        if decorated == bare || line.chars().count() <= SIGNATURE {
            return ellipsis(&line, SIGNATURE);
        }
        ellipsis(&self.header(outer, bare, end), SIGNATURE)
    }

    /// Returns `start..end` on one line, without comments and the sign that opens a body.
    fn header(&self, outer: Node<'t>, start: usize, end: usize) -> String {
        let end = boundary(self.text, end.min(start + HEADER)).max(start);
        let holes = comments_in(outer, end);
        let line = one_line(self.text, start..end, &holes);
        line.trim_end_matches([' ', ';', '{', ':', '=', ',', '\\']).to_owned()
    }

    /// Returns what was noted, with what is exported apart from its declaration marked.
    pub(crate) fn finish(mut self) -> Outline {
        for symbol in &mut self.outline.symbols {
            symbol.is_public |= symbol.parent.is_none() && self.exported.contains(&symbol.name);
        }
        self.outline
    }
}

impl Lead<'_> {
    /// Adds a comment to the one before it, or begins a new one.
    fn take_comment(&mut self, comment: Node<'_>) {
        let range = comment.byte_range();
        let goes_on = comment.start_position().row <= self.row + 1 && self.attributes.is_empty();
        match &mut self.comment {
            Some(before) if goes_on => before.end = range.end,
            _ => self.comment = Some(range),
        }
        self.row = doc::last_row(comment);
    }
}

/// Returns the named children of a node, each with what stands before it.
pub(crate) fn children(node: Node<'_>) -> Vec<(Node<'_>, Lead<'_>)> {
    let mut cursor = node.walk();
    let mut children = Vec::new();
    let mut lead = Lead::default();
    let mut last_row = None;
    for child in node.named_children(&mut cursor) {
        let row = child.start_position().row;
        match child.kind() {
            "comment" | "line_comment" | "block_comment" => {
                // A comment after code on the same line is about that code.
                if last_row != Some(row) {
                    lead.take_comment(child);
                }
                continue;
            }
            "attribute_item" => lead.attributes.push(child),
            "decorator" => lead.decorated = lead.decorated.or(Some(child.start_byte())),
            _ => {
                if row > lead.row + 1 {
                    lead.comment = None;
                }
                children.push((child, std::mem::take(&mut lead)));
                last_row = Some(doc::last_row(child));
                continue;
            }
        }
        if row > lead.row + 1 {
            lead.comment = None;
        }
        lead.row = doc::last_row(child);
    }
    children
}

/// Returns the comments inside a node that begin before `end`, in order.
fn comments_in(node: Node<'_>, end: usize) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut cursor = node.walk();
    loop {
        let node = cursor.node();
        let is_before = node.start_byte() < end;
        if is_before && matches!(node.kind(), "comment" | "line_comment" | "block_comment") {
            comments.push(node.byte_range());
        } else if is_before && cursor.goto_first_child() {
            continue;
        }
        while !(is_before_end(&cursor, end) && cursor.goto_next_sibling()) {
            if !cursor.goto_parent() {
                return comments;
            }
        }
    }
}

/// Tells whether what follows a node can still begin before `end`.
fn is_before_end(cursor: &tree_sitter::TreeCursor<'_>, end: usize) -> bool {
    cursor.node().end_byte() < end
}
