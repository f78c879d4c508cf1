//! A `PostgreSQL` server for tests, and a database of its own for each.
//!
//! The server is made once in a temporary folder and shared by all test processes of a user: each holds
//! a lock on it, and the last one stops it. It is reached by a socket in that folder and by nobody else.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Versions that may be installed, newest first.
const VERSIONS: [u32; 6] = [18, 17, 16, 15, 14, 13];

/// A server that runs while this is held.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    programs: PathBuf,
    /// Held shared by everybody who uses the server.
    users: File,
}

/// Returns a server, starting one where none runs. None where `PostgreSQL` is not installed: then the
/// test is skipped, and says so.
///
/// # Panics
/// When it is not installed and `CI` is `true`, or when it cannot be started.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn server() -> Option<Server> {
    let Some(programs) = programs() else {
        let why = "PostgreSQL is not installed, so this test is skipped";
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{why}: that is a failure in CI");
        eprintln!("{why}");
        return None;
    };
    Some(Server::start(programs).expect("the PostgreSQL server for tests starts"))
}

/// Returns the folder of the programs of the newest version that is installed.
fn programs() -> Option<PathBuf> {
    let installed = |version| PathBuf::from(format!("/usr/lib/postgresql/{version}/bin"));
    let chosen = std::env::var_os("QUIPU_TEST_POSTGRES").map(PathBuf::from);
    let mut folders = chosen.into_iter().chain(VERSIONS.map(installed));
    folders.find(|folder| folder.join("initdb").exists())
}

impl Server {
    fn start(programs: PathBuf) -> io::Result<Self> {
        let version = programs.parent().and_then(Path::file_name).unwrap_or_default();
        let name = format!("quipu-pg-{}-{}", version.to_string_lossy(), account());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder)?;
        let door = File::create(folder.join("door.lock"))?;
        let users = File::create(folder.join("users.lock"))?;
        // One process at a time starts or stops it.
        door.lock()?;
        users.lock_shared()?;
        let server = Self { folder, programs, users };
        server.make()?;
        if !server.is_running() {
            server.run("pg_ctl", &["-w", "-t", "60", "-l", &server.path("log"), "start"])?;
        }
        Ok(server)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn make(&self) -> io::Result<()> {
        if self.folder.join("data/made").exists() {
            return Ok(());
        }
        let data = self.folder.join("data");
        let _ = fs::remove_dir_all(&data);
        fs::create_dir_all(&data)?;
        if is_root() {
            let owner = format!("{}:", account());
            for path in [&self.folder, &data] {
                succeed(Command::new("chown").arg(&owner).arg(path))?;
            }
        }
        let options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
        self.run("initdb", &options)?;
        let settings = format!(
            "listen_addresses = ''\nunix_socket_directories = '{}'\nfsync = off\n\
             full_page_writes = off\nmax_connections = 200\nshared_buffers = 64MB\n",
            self.folder.display()
        );
        fs::write(data.join("postgresql.auto.conf"), settings)?;
        fs::write(data.join("made"), "")
    }

    fn is_running(&self) -> bool {
        self.run("pg_ctl", &["status"]).is_ok()
    }

    /// Runs a program of `PostgreSQL` on the data, as somebody who is not root.
    fn run(&self, program: &str, arguments: &[&str]) -> io::Result<()> {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            let account = account();
            command.args(["--reuid", &account, "--regid", &group(), "--clear-groups", "--"]);
            command.arg(program);
            command
        } else {
            Command::new(program)
        };
        command.args(arguments).arg("-D").arg(self.folder.join("data")).current_dir(&self.folder);
        succeed(&mut command)
    }

    /// Runs statements in a database.
    ///
    /// # Errors
    /// When one of them fails.
    pub fn execute(&self, database: &str, sql: &str) -> io::Result<()> {
        succeed(
            Command::new(self.programs.join("psql"))
                .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-c", sql])
                .arg("-h")
                .arg(&self.folder)
                .args(["-d", database]),
        )
    }

    /// Makes an empty database for one test.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn database(&self) -> TestDatabase<'_> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("t{}_{number}", std::process::id());
        let _ = self.execute("postgres", &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        self.execute("postgres", &format!("CREATE DATABASE {name}")).expect("a database is made");
        TestDatabase { server: self, name }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Ok(door) = File::create(self.folder.join("door.lock")) else { return };
        // Only who is alone may stop it.
        if door.lock().is_ok() && self.users.unlock().is_ok() && self.users.try_lock().is_ok() {
            let _ = self.run("pg_ctl", &["-w", "-m", "immediate", "stop"]);
        }
    }
}

/// A database that is removed when it is dropped.
#[derive(Debug)]
pub struct TestDatabase<'a> {
    server: &'a Server,
    name: String,
}

impl TestDatabase<'_> {
    /// Returns its address.
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// Returns its address for another login.
    pub fn url_of(&self, login: &str) -> String {
        let folder = self.server.folder.display();
        format!("host={folder} user={login} dbname={}", self.name)
    }

    /// Runs statements in it.
    ///
    /// # Panics
    /// When one of them fails.
    pub fn execute(&self, sql: &str) {
        self.server.execute(&self.name, sql).expect("the statements are right");
    }
}

impl Drop for TestDatabase<'_> {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let _ = self.server.execute("postgres", &sql);
    }
}

fn is_root() -> bool {
    answer(Command::new("id").arg("-u")) == "0"
}

/// Returns who runs the server: this user, or somebody without rights where that is root.
fn account() -> String {
    if !is_root() {
        return answer(Command::new("id").arg("-un"));
    }
    let is_there = succeed(Command::new("id").arg("postgres")).is_ok();
    if is_there { "postgres" } else { "nobody" }.to_owned()
}

fn group() -> String {
    answer(Command::new("id").args(["-gn", &account()]))
}

fn answer(command: &mut Command) -> String {
    let output = command.output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).trim().to_owned()
}

fn succeed(command: &mut Command) -> io::Result<()> {
    // A server that is started here outlives this process and must not hold its pipes.
    let status =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?}: {status}"))) }
}
