//! Which words are paths.

/// A path that a text names, and what it names inside that file.
pub(super) struct Found<'a> {
    pub(super) path: String,
    pub(super) inside: Option<&'a str>,
}

/// Endings that files have. Without a folder before it, a word is a file only by one of these.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "adoc", "astro", "avif", "bash", "bat", "bazel", "bib", "bicep", "c", "cc", "cfg", "cjs", "clj",
    "cljs", "cmake", "cmd", "conf", "cpp", "cql", "cs", "csproj", "css", "csv", "cts", "cu", "cxx",
    "dart", "db", "diff", "dockerfile", "el", "elm", "env", "erb", "erl", "ex", "exs", "fish", "fs",
    "fsx", "gif", "go", "gql", "gradle", "graphql", "groovy", "h", "haml", "hbs", "hcl", "hpp",
    "hrl", "hs", "html", "hxx", "ico", "ini", "ipynb", "j2", "java", "jinja", "jl", "jpeg", "jpg",
    "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less", "liquid", "lock", "log",
    "lua", "m", "markdown", "md", "mdc", "mdx", "mjs", "mk", "ml", "mli", "mm", "mod", "mts", "nim",
    "nix", "njk", "nu", "org", "parquet", "patch", "pdf", "php", "pkl", "pl", "plist", "pm", "png",
    "po", "prisma", "properties", "proto", "ps1", "pug", "py", "pyi", "pyx", "r", "rake", "razor",
    "rb", "res", "rkt", "rmd", "ron", "rs", "rst", "sass", "sbt", "scala", "scm", "scss", "service",
    "sh", "sln", "snap", "sol", "sql", "sqlite", "sum", "sv", "svelte", "svg", "swift", "tcl",
    "template", "tex", "tf", "tfvars", "thrift", "tmpl", "toml", "ts", "tsv", "tsx", "txt", "v",
    "vhd", "vim", "vue", "wasm", "webp", "xaml", "xml", "xsd", "xsl", "yaml", "yml", "zig", "zsh",
];

/// Files that have no ending.
#[rustfmt::skip]
const WHOLE_NAMES: &[&str] = &[
    ".dockerignore", ".editorconfig", ".env", ".eslintignore", ".eslintrc", ".gitattributes",
    ".gitignore", ".gitmodules", ".mailmap", ".npmrc", ".nvmrc", ".prettierrc", ".python-version",
    ".tool-versions", "AUTHORS", "BUILD", "Brewfile", "CHANGELOG", "CODEOWNERS", "CONTRIBUTING",
    "Containerfile", "Dockerfile", "GNUmakefile", "Gemfile", "Jenkinsfile", "Justfile", "LICENSE",
    "Makefile", "NOTICE", "Pipfile", "Procfile", "README", "Rakefile", "Vagrantfile", "WORKSPACE",
    "justfile", "makefile",
];

/// Folders that projects keep their things in: what begins so is no repository and no branch.
#[rustfmt::skip]
const ROOTS: &[&str] = &[
    ".agent", ".cargo", ".circleci", ".claude", ".cursor", ".devcontainer", ".github", ".vscode",
    "api", "app", "apps", "assets", "backend", "bench", "benches", "bin", "build", "client", "cmd",
    "components", "conf", "config", "configs", "core", "crates", "data", "db", "deploy", "dist",
    "doc", "docker", "docs", "e2e", "etc", "examples", "fixtures", "frontend", "fuzz", "hack",
    "include", "infra", "internal", "k8s", "lib", "libs", "memory", "migrations", "modules",
    "packages", "pages", "pkg", "public", "scripts", "server", "services", "spec", "sql", "src",
    "static", "styles", "templates", "test", "testdata", "tests", "tools", "ui", "utils", "vendor",
    "web", "website",
];

/// The last part of a host's name.
#[rustfmt::skip]
const DOMAINS: &[&str] = &[
    "ai", "app", "at", "be", "biz", "ch", "cloud", "co", "com", "cz", "de", "dev", "edu", "es",
    "eu", "fi", "fr", "gg", "google", "gov", "in", "info", "int", "invalid", "io", "it", "jp", "localhost",
    "ly", "me", "mil", "net", "nl", "no", "org", "page", "pl", "rs", "ru", "se", "sh", "site", "so",
    "space", "tech", "tv", "uk", "us", "wiki", "xyz",
];

/// Kinds of media.
const MEDIA: &[&str] =
    &["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];

/// What names of branches begin with.
#[rustfmt::skip]
const BRANCHES: &[&str] = &[
    "bugfix", "chore", "dependabot", "feat", "feature", "fix", "heads", "hotfix", "origin", "refs",
    "release", "releases", "remotes", "renovate", "tags", "upstream", "wip",
];

/// Names in examples.
const EXAMPLES: &[&str] = &["foo", "bar", "baz", "qux", "foobar", "xxx", "yyy"];

/// Parts of a segment that stand for something else.
const STAND_INS: &[&str] =
    &["USERNAME", "YOUR", "YYYY", "NNN", "XXX", "HHMM", "PLACEHOLDER", "…", "...", "MM-DD"];

/// Returns the parts of a word that may each be a path.
pub(super) fn split(word: &str) -> impl Iterator<Item = &str> {
    // A link in Markdown names its target in brackets.
    let target = word.rfind("](").map_or(word, |at| &word[at + 2..]);
    let is_listed = !target.contains(['{', '(', '<']);
    target
        .split("->")
        .flat_map(|part| part.split("=>"))
        .flat_map(|part| part.split(['→', '—', '–', '|', '"', '“', '”']))
        .flat_map(move |part| part.split(move |c| c == ',' && is_listed))
        .map(trim)
        .filter(|part| !part.is_empty())
}

/// Returns a word without the punctuation around it.
pub(super) fn trim(word: &str) -> &str {
    let mut word = word;
    loop {
        let before = word.len();
        word = word.trim_end_matches(['.', ',', ';', '!', '?', '\'', '"', '’', '”', '*', ':']);
        word = word.trim_start_matches(['\'', '"', '‘', '“', '*']);
        for possessive in ["'s", "’s"] {
            word = word.strip_suffix(possessive).unwrap_or(word);
        }
        for (open, close) in [('(', ')'), ('[', ']')] {
            let opened = word.matches(open).count();
            let closed = word.matches(close).count();
            if word.ends_with(close) && closed > opened {
                word = &word[..word.len() - close.len_utf8()];
            } else if word.starts_with(open) && (opened > closed || word.ends_with(close)) {
                word = &word[open.len_utf8()..];
            }
        }
        if word.len() == before {
            return word;
        }
    }
}

/// Returns the path that a word names.
pub(super) fn parse(word: &str, is_code: bool) -> Option<Found<'_>> {
    let (word, inside) = word.split_once("::").map_or((word, None), |(a, b)| (a, Some(b)));
    let bare = without_position(word);
    if bare.len() > 300 || !bare.contains(['/', '.']) && !WHOLE_NAMES.contains(&bare) {
        return None;
    }
    let is_folder = bare.ends_with('/');
    let is_absolute = bare.starts_with('/') || bare.starts_with("~/");
    let is_dotted = bare.starts_with("./") || bare.starts_with("../");
    let segments: Vec<&str> =
        bare.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let last = segments.last()?;
    if bare.contains("//") || !segments.iter().all(|part| is_segment(part)) {
        return None;
    }
    if is_elsewhere(&segments, is_absolute || is_dotted)
        || is_example(&segments)
        || is_list(&segments)
    {
        return None;
    }
    let deep = segments.len() > 1;
    let accepted = if is_absolute {
        deep || has_ending(last, is_code)
    } else if is_folder {
        is_dotted || (is_code && last.len() > 1) || (deep && ROOTS.contains(&segments[0]))
    } else if has_ending(last, is_code && deep) || WHOLE_NAMES.contains(last) {
        is_code || deep || is_dotted
    } else {
        // Without an ending, `a/b` is as often a repository, a branch or a pair of words.
        let is_long = segments.len() > 2 && !last.starts_with(char::is_uppercase);
        is_code && deep && (is_dotted || is_long || ROOTS.contains(&segments[0]))
    };
    let is_tail = inside.is_none_or(|inside| !inside.is_empty());
    let rooted = if bare.starts_with('/') { "/" } else { "" };
    let end = if is_folder { "/" } else { "" };
    (accepted && is_tail)
        .then(|| Found { path: format!("{rooted}{}{end}", segments.join("/")), inside })
}

/// Returns a path without the line, the column or the heading that it points at.
fn without_position(word: &str) -> &str {
    let word = word.split_once('#').map_or(word, |(path, _)| path);
    let mut bare = word;
    while let Some((path, position)) = bare.rsplit_once(':') {
        let is_position = !path.is_empty()
            && position.trim_start_matches('L').starts_with(|c: char| c.is_ascii_digit())
            && position.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'L' | b','));
        if !is_position {
            return bare;
        }
        bare = path;
    }
    bare
}

/// Tells whether something can be a part of a path: anything that looks like a template cannot.
fn is_segment(part: &str) -> bool {
    let is_allowed =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '@' | '~');
    matches!(part, ".." | "~")
        || part.chars().all(is_allowed)
            && part.contains(char::is_alphanumeric)
            && !part.ends_with('.')
            && !STAND_INS.iter().any(|stand_in| part.contains(stand_in))
}

/// Tells whether a word with slashes is an address, a package, a branch, a date or a media type.
fn is_elsewhere(segments: &[&str], is_certain: bool) -> bool {
    let (first, last) = (segments[0], segments[segments.len() - 1]);
    let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
    if segments.iter().all(|part| is_number(part) || is_version(part)) || first.starts_with('@') {
        return true;
    }
    if is_certain || segments.len() < 2 {
        return false;
    }
    let is_host = !first.starts_with('.')
        && first.rsplit_once('.').is_some_and(|(_, end)| DOMAINS.contains(&end));
    let known = last.rsplit_once('.').is_some_and(|(_, end)| ENDINGS.contains(&end));
    is_host
        || first == "localhost"
        || (!known && (MEDIA.contains(&first) || BRANCHES.contains(&first)))
}

/// "README.md/CHANGELOG.md" are two files.
fn is_list(segments: &[&str]) -> bool {
    let folders = &segments[..segments.len() - 1];
    folders.iter().any(|part| WHOLE_NAMES.contains(part) || has_ending(part, false))
}

fn is_example(segments: &[&str]) -> bool {
    let stem = |part: &str| part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    segments.windows(2).any(|pair| pair[0] == "path" && pair[1] == "to")
        || segments.iter().any(|part| EXAMPLES.contains(&&*stem(part)))
}

fn is_version(part: &str) -> bool {
    let bare = part.strip_prefix('v').unwrap_or(part);
    bare.starts_with(|c: char| c.is_ascii_digit())
        && bare.split(['.', '-', '+']).all(|number| {
            number.bytes().all(|b| b.is_ascii_digit())
                || matches!(number, "x" | "alpha" | "beta" | "dev")
                || number.strip_prefix("rc").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
        })
}

/// Tells whether a name ends like a file's; with `freely`, in any way that is not a version's.
fn has_ending(name: &str, freely: bool) -> bool {
    let Some((stem, end)) = name.rsplit_once('.') else { return false };
    if end.is_empty() || is_version(name) {
        return false;
    }
    let is_known = ENDINGS.contains(&&*end.to_ascii_lowercase());
    if stem.is_empty() {
        return false;
    }
    let plain = end.starts_with(|c: char| c.is_ascii_alphabetic())
        && end.bytes().all(|b| b.is_ascii_alphanumeric());
    is_known || (freely && plain && end.len() <= 12)
}
