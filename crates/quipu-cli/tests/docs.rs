//! The commands of the documentation do what the documentation says.
//!
//! Each Markdown file is read top to bottom in a fresh git repository, with a home folder of its own
//! and the binary under test on the PATH as `quipu`:
//!
//! - Every line of a block marked `sh` is run. It succeeds, or its comment says `exits with 1`.
//! - In a block marked `console` the lines after `$ ` are run, and the lines below each are what it
//!   prints. `…` stands for any text in a line, and on a line of its own for any number of lines.
//! - `<!-- run first: … -->` holds commands that prepare the repository, hidden from the reader.
//! - `<!-- not run: REASON -->` above a block leaves it out. The test prints these blocks.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of this repository.
pub(crate) const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A command of a document.
#[derive(Debug)]
struct Step {
    line: usize,
    command: String,
    exit: i32,
    /// What a `console` block says that the command prints.
    output: Option<Vec<String>>,
}

/// What a document asks to be run, and what it leaves out.
#[derive(Debug, Default)]
struct Document {
    steps: Vec<Step>,
    left_out: Vec<(usize, String)>,
}

/// How the lines of a block are read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Block {
    Commands,
    Dialogue,
    Other,
}

/// Reads a document line by line.
struct Reader<'a> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    document: Document,
}

impl<'a> Reader<'a> {
    fn read(text: &'a str) -> Document {
        let lines = text.lines().enumerate().peekable();
        let mut reader = Reader { lines, document: Document::default() };
        let mut reason = None;
        while let Some((index, line)) = reader.lines.next() {
            let line = line.trim();
            if let Some(rest) = line.strip_prefix("<!-- not run:") {
                reason = Some(rest.trim_end_matches("-->").trim().to_owned());
            } else if line == "<!-- run first:" {
                reader.block("-->", Block::Commands);
            } else if let Some(language) = line.strip_prefix("```") {
                let block = match (&reason, language) {
                    (None, "sh") => Block::Commands,
                    (None, "console") => Block::Dialogue,
                    _ => Block::Other,
                };
                reader.document.left_out.extend(reason.take().map(|reason| (index + 1, reason)));
                let others = reader.block("```", block);
                let is_data = !["", "text", "bash", "shell"].contains(&language);
                let is_command = |line: &&str| line.starts_with("quipu ") || line.starts_with("$ ");
                let hidden = others.iter().find(|line| !is_data && is_command(line));
                assert_eq!(hidden, None, "mark the block as `sh` or `console`, so that it is run");
            }
        }
        reader.document
    }

    /// Reads a block up to `end`; returns the lines that are neither commands nor their output.
    fn block(&mut self, end: &str, block: Block) -> Vec<&'a str> {
        let mut others = Vec::new();
        while let Some((index, line)) = self.lines.next() {
            if line.trim() == end {
                return others;
            }
            match block {
                Block::Other => others.push(line),
                Block::Commands if line.trim().is_empty() || line.starts_with('#') => (),
                Block::Commands => self.step(index, line, None),
                Block::Dialogue => {
                    if let Some(command) = line.strip_prefix("$ ") {
                        self.step(index, command, Some(Vec::new()));
                    } else {
                        let step = self.document.steps.last_mut().unwrap();
                        step.output.as_mut().unwrap().push(line.to_owned());
                    }
                }
            }
        }
        panic!("a block without an end");
    }

    /// Adds a command, with the lines that continue it.
    fn step(&mut self, index: usize, first: &str, output: Option<Vec<String>>) {
        let mut command = first.to_owned();
        let marker = first.split_once("<<'").and_then(|(_, rest)| rest.split('\'').next());
        let mut is_open = marker.is_some() || first.ends_with('\\');
        while is_open {
            let (_, line) = self.lines.next().expect("a command without an end");
            command.extend(["\n", line]);
            is_open = marker.map_or(line.ends_with('\\'), |marker| line != marker);
        }
        let exit = first.rsplit_once("exits with ").map_or(0, |(_, code)| code.parse().unwrap());
        self.document.steps.push(Step { line: index + 1, command, exit, output });
    }
}

/// Whether `text` is `pattern`, where `…` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('…') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    (0..=text.len()).filter(|at| text.is_char_boundary(*at)).any(|at| fits(rest, &text[at..]))
}

/// Whether the lines of `output` are those of `expected`, where a line `…` stands for any number.
fn all_fit(expected: &[String], output: &[&str]) -> bool {
    match expected.split_first() {
        None => output.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=output.len()).any(|at| all_fit(rest, &output[at..]))
        }
        Some((first, rest)) => output
            .split_first()
            .is_some_and(|(line, others)| fits(first, line) && all_fit(rest, others)),
    }
}

/// The folders of a run: a home, a repository, and what each command printed.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "bin", "repo", "results"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let binary = folder.path().join("bin/quipu");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_quipu"), binary).unwrap();
        let machine = Self { folder };
        let settings =
            "[user]\nname = Ann\nemail = ann@example.org\n[init]\ndefaultBranch = main\n";
        fs::write(machine.path("home/.gitconfig"), settings).unwrap();
        assert!(machine.shell("git init --quiet").status().unwrap().success());
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A shell in the repository that has nothing of the caller's environment.
    fn shell(&self, script: &str) -> Command {
        let mut search = vec![self.path("bin")];
        search.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
        let mut command = Command::new("bash");
        command.env_clear().env("PATH", std::env::join_paths(search).unwrap());
        command.env("HOME", self.path("home")).env("LANG", "C.UTF-8").env("SOURCE", SOURCE);
        command.args(["-c", script]).current_dir(self.path("repo")).stdin(Stdio::null());
        command
    }

    /// Runs the steps in one shell, so that variables and folders carry over.
    fn run(&self, steps: &[Step]) -> Vec<String> {
        let mut script = "set -o pipefail\n".to_owned();
        for (number, step) in steps.iter().enumerate() {
            let results = self.path("results").join(number.to_string());
            let results = results.to_str().unwrap();
            let command = &step.command;
            writeln!(script, "{{ {command}\n}} >{results}.out 2>{results}.err").unwrap();
            writeln!(script, "echo $? >{results}.code").unwrap();
        }
        assert!(self.shell(&script).status().unwrap().success(), "the shell failed");
        let problems = steps.iter().enumerate().filter_map(|(number, step)| {
            let problem = self.problem(number, step)?;
            Some(format!("line {}: `{}` {problem}", step.line, step.command))
        });
        problems.collect()
    }

    /// What a step did that the document does not say.
    fn problem(&self, number: usize, step: &Step) -> Option<String> {
        let read = |kind: &str| {
            fs::read_to_string(self.path("results").join(format!("{number}.{kind}"))).unwrap()
        };
        let (code, output, errors) = (read("code"), read("out"), read("err"));
        if code.trim() != step.exit.to_string() {
            return Some(format!("exits with {code}{output}{errors}"));
        }
        let lines: Vec<&str> = output.lines().collect();
        let is_expected = step.output.as_ref().is_none_or(|expected| all_fit(expected, &lines));
        (!is_expected).then(|| format!("prints\n{output}{errors}"))
    }
}

/// The documents of this repository that show commands.
fn documents() -> Vec<PathBuf> {
    let mut found = vec![Path::new("README.md").to_owned()];
    let mut folders = vec![PathBuf::from("docs"), PathBuf::from("examples/evolving-memory")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(SOURCE).join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() && folder.starts_with("docs") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[expect(clippy::print_stderr, reason = "what is not run is printed")]
#[test]
fn the_commands_of_the_documentation_do_what_it_says() {
    let mut problems = Vec::new();
    let mut steps = 0;
    for path in documents() {
        let document = Reader::read(&fs::read_to_string(Path::new(SOURCE).join(&path)).unwrap());
        let path = path.display();
        for (line, reason) in &document.left_out {
            eprintln!("{path}:{line} is not run: {reason}");
        }
        if !document.steps.is_empty() {
            steps += document.steps.len();
            let found = Machine::new().run(&document.steps);
            problems.extend(found.iter().map(|problem| format!("{path}, {problem}")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(steps > 40, "only {steps} commands were found");
}

#[test]
fn an_ellipsis_stands_for_any_text() {
    assert!(fits("a … c …", "a b c d"));
    assert!(!fits("a … c", "a b d"));
    let expected = ["first", "…", "last"].map(str::to_owned);
    assert!(all_fit(&expected, &["first", "second", "third", "last"]));
    assert!(!all_fit(&expected, &["first", "second"]));
}
