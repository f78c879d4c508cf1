//! What statements may say, so that other engines of the same kind can take the place of `PostgreSQL`, and
//! spaces stay apart.

use std::fs;
use std::path::Path;

/// Words that tie a database to one server, or to one connection.
const FORBIDDEN: [&str; 22] = [
    "SAVEPOINT",
    "LISTEN",
    "NOTIFY",
    "FOREIGN KEY",
    "REFERENCES",
    "SERIAL",
    "SEQUENCE",
    "NEXTVAL",
    "TRIGGER",
    "CREATE FUNCTION",
    "CREATE TEMP",
    "TEMPORARY",
    "ADVISORY",
    "LO_IMPORT",
    "LO_CREATE",
    "DECLARE ",
    "LANGUAGE",
    "GENERATED ALWAYS",
    "CREATE RULE",
    "SET SESSION",
    "SKIP LOCKED",
    "COLLATE \"DEFAULT\"",
];

/// Tables whose rows each belong to one space.
const OF_A_SPACE: [&str; 19] = [
    "space",
    "page",
    "entry",
    "event",
    "item",
    "session",
    "source",
    "entity",
    "mention",
    "access",
    "note",
    "experience",
    "model",
    "tail",
    "dead",
    "segment",
    "segment_part",
    "audit",
    "lease",
];

fn sources() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/postgres");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    // That one takes names of spaces out, to see that it is noticed.
    files.map(read).filter(|(name, _)| name != "isolation.rs").collect()
}

/// Returns the strings of a source file, on one line each.
fn strings(source: &str) -> Vec<String> {
    let mut strings = Vec::new();
    let code: Vec<&str> =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut letters = code.iter().flat_map(|line| line.chars().chain(['\n'])).peekable();
    let mut inside: Option<String> = None;
    while let Some(letter) = letters.next() {
        match (&mut inside, letter) {
            (None, '\'') => {
                // A letter in quotes, or a lifetime; only `'"'` matters here.
                if letters.peek() == Some(&'"') {
                    letters.next();
                }
            }
            (None, '"') => inside = Some(String::new()),
            (None, _) => {}
            (Some(_), '"') => strings.extend(inside.take()),
            (Some(text), '\\') => {
                if let Some(next) = letters.next()
                    && next != '\n'
                {
                    text.push(next);
                }
            }
            (Some(text), letter) => text.push(letter),
        }
    }
    strings.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Returns the tables that a statement reads or changes, each as often as it is named.
fn tables(sql: &str) -> Vec<String> {
    let words: Vec<&str> =
        sql.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect();
    let after = ["FROM", "JOIN", "UPDATE", "INTO"];
    let pairs = words.windows(2).filter(|pair| after.contains(&pair[0]));
    pairs.map(|pair| pair[1].to_owned()).filter(|it| OF_A_SPACE.contains(&&**it)).collect()
}

#[test]
fn statements_use_nothing_that_ties_them_to_one_server() {
    let mut all: Vec<(String, String)> = Vec::new();
    for (file, source) in sources() {
        all.extend(strings(&source).into_iter().map(|text| (file.clone(), text)));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/postgres");
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let code: Vec<&str> =
            text.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
        all.push((path.display().to_string(), code.join(" ")));
    }
    assert!(all.len() > 150, "the strings are not found any more: {}", all.len());
    for (file, text) in &all {
        let large = text.to_uppercase();
        // Statements are in capitals; words for people are not.
        let is_statement =
            ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", "ALTER ", "SET "]
                .iter()
                .any(|verb| text.contains(verb));
        for word in FORBIDDEN {
            assert!(!is_statement || !large.contains(word), "{file}: `{word}` in: {text}");
        }
        let changes = ["INSERT", "UPDATE", "DELETE"];
        let is_with = large.starts_with("WITH ") && changes.iter().any(|verb| large.contains(verb));
        assert!(!is_with, "{file}: a change inside of WITH: {text}");
    }
}

#[test]
fn every_table_of_a_space_is_read_and_changed_with_its_number() {
    // Who lists spaces, and who finds one by its name, names none: these ask for the table of spaces alone.
    let of_all = [
        "SELECT name, bytes, most_bytes, generation FROM space",
        "FROM space WHERE name",
        "SELECT space FROM space WHERE name = $1",
        "SELECT count(*) FROM space",
        "SELECT space.name, token.name",
    ];
    let mut seen = 0;
    for (file, source) in sources() {
        for sql in strings(&source) {
            let found = tables(&sql);
            if found.is_empty() || of_all.iter().any(|start| sql.contains(start)) {
                continue;
            }
            seen += found.len();
            let named = sql.matches("space = $").count()
                + sql.matches("space = {").count()
                // A row that is new has it as its first column.
                + sql.matches("(space").count();
            assert!(
                named >= found.len(),
                "{file}: {found:?} and {named} names of a space in: {sql}"
            );
        }
    }
    assert!(seen > 100, "the statements are not found any more: {seen}");
}

#[test]
fn every_key_begins_with_the_space() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/postgres");
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| !line.trim_start().starts_with("--")) {
            let is_key = line.contains("PRIMARY KEY (") || line.starts_with("CREATE INDEX");
            let is_unique = line.starts_with("CREATE UNIQUE INDEX");
            assert!(!is_key || line.contains("(space"), "{line}");
            // Names of spaces and hashes of tokens belong to the database as a whole.
            assert!(!is_unique || line.contains("space_name"), "{line}");
            let is_text =
                line.contains(" text ") && (line.contains("key") || line.contains("path "));
            assert!(!is_text || line.contains("COLLATE \"C\""), "{line}");
        }
    }
}
