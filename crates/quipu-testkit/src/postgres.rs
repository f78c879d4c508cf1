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
    settings: &'static str,
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

/// What makes a server fast that nobody needs after the tests.
const FOR_TESTS: &str =
    "fsync = off\nfull_page_writes = off\nmax_connections = 200\nshared_buffers = 64MB\n";

impl Server {
    fn start(programs: PathBuf) -> io::Result<Self> {
        let version = programs.parent().and_then(Path::file_name).unwrap_or_default();
        let name = format!("quipu-pg-{}-{}", version.to_string_lossy(), account());
        Self::start_in(std::env::temp_dir().join(name), programs, FOR_TESTS)
    }

    /// Starts a server of one's own in a folder, with settings of one's own, which may be killed.
    ///
    /// # Panics
    /// When `PostgreSQL` is not installed, or cannot be started.
    pub fn own(folder: PathBuf, settings: &'static str) -> Self {
        let programs = programs().expect("PostgreSQL is installed");
        Self::start_in(folder, programs, settings).expect("the server starts")
    }

    fn start_in(folder: PathBuf, programs: PathBuf, settings: &'static str) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let door = File::create(folder.join("door.lock"))?;
        let users = File::create(folder.join("users.lock"))?;
        // One process at a time starts or stops it.
        door.lock()?;
        users.lock_shared()?;
        let server = Self { folder, programs, settings, users };
        server.make()?;
        if !server.is_running() {
            server.begin()?;
        }
        Ok(server)
    }

    fn begin(&self) -> io::Result<()> {
        self.run("pg_ctl", &["-w", "-t", "60", "-l", &self.path("log"), "start"])
    }

    /// Returns the folder, in which its socket is too.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the address of a database.
    pub fn url(&self, database: &str) -> String {
        format!("host={} user=postgres dbname={database}", self.folder.display())
    }

    /// Kills the server with all its processes, as the kernel does when memory runs out, and starts it again.
    ///
    /// # Errors
    /// When it does not run, or does not start again.
    pub fn kill_and_start(&self) -> io::Result<()> {
        let file = fs::read_to_string(self.folder.join("data/postmaster.pid"))?;
        let first = file.lines().next().unwrap_or_default().to_owned();
        let children = answer(Command::new("pgrep").args(["-P", &first]));
        let all = [&*first].into_iter().chain(children.lines());
        // One that has just ended by itself is as dead.
        let _ = succeed(Command::new("kill").arg("-9").args(all));
        let mut left = 200;
        while left > 0 && self.begin().is_err() {
            left -= 1;
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        if left == 0 { Err(io::Error::other("it does not start again")) } else { Ok(()) }
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
            "listen_addresses = ''\nunix_socket_directories = '{}'\n{}",
            self.folder.display(),
            self.settings
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
