//! `quipu doctor --database`: whether a database keeps what it acknowledges, and spaces apart.

use quipu_core::text::counted;
use quipu_engine::space::{Database, Examined};
use quipu_setup::doctor::{Check, Outcome};

use crate::error::CommandError;

/// The oldest version that tests have seen; older ones lack what statements use.
const OLDEST: i32 = 140_000;

/// So many connections one server takes.
const OF_A_SERVER: i64 = 16;

fn check(name: &'static str, outcome: Outcome) -> Check {
    Check { name, outcome }
}

fn fine(name: &'static str, detail: impl Into<String>) -> Check {
    check(name, Outcome::Fine { detail: detail.into() })
}

fn wrong(name: &'static str, what: impl Into<String>, why: &str, mend: &str) -> Check {
    let (why, mend) = (why.to_owned(), mend.to_owned());
    check(name, Outcome::Wrong { what: what.into(), why, mend })
}

/// Looks at everything; where it cannot be reached, that is the finding.
pub(super) fn examined(url: &str) -> Result<Vec<Check>, CommandError> {
    let database = Database::at(url)?;
    Ok(match database.examined() {
        Ok(found) => checks(&found),
        Err(error) => {
            let error = CommandError::from(error);
            let mend = error.advice().unwrap_or("start it, and look at its address").to_owned();
            let why = "no space can be used without it";
            vec![wrong("reachable", error.to_string(), why, &mend)]
        }
    })
}

fn checks(found: &Examined) -> Vec<Check> {
    let mut checks = vec![fine("reachable", short_version(&found.version))];
    checks.push(if found.version_number < OLDEST {
        let what = format!("it is {}", short_version(&found.version));
        wrong("version", what, "statements may fail on it", "use PostgreSQL 15 or newer")
    } else if found.encoding == "UTF8" {
        fine("version", format!("{}, {}", found.version_number, found.encoding))
    } else {
        let what = format!("texts are encoded as {}", found.encoding);
        let why = "not every text can be remembered";
        wrong("version", what, why, "make the database with `createdb -E UTF8`")
    });
    checks.push(schema(found));
    checks.push(role(found));
    checks.push(if found.schema == 0 {
        check("security", Outcome::Skipped { why: "there are no tables yet".to_owned() })
    } else if found.open_tables.is_empty() {
        fine("security", "row-level security holds for every table of a space")
    } else {
        let what = format!("it does not hold for {}", found.open_tables.join(", "));
        let why = "only the statements themselves keep spaces apart there";
        wrong("security", what, why, "`quipu migrate` puts it back")
    });
    checks.push(if found.has_fsync && found.has_full_page_writes {
        fine("disk", "what is committed reaches the disk")
    } else {
        let why = "a power failure can lose what was acknowledged, or damage the database";
        let mend = "set fsync = on and full_page_writes = on";
        wrong("disk", "it does not wait for the disk", why, mend)
    });
    checks.push(commits(found));
    checks.push(standbys(found));
    checks.push(if found.limits.iter().all(|limit| *limit > 0) {
        let [statement, lock, idle] = found.limits.map(|limit| limit / 1000);
        fine("limits", format!("{statement} s a statement, {lock} s a lock, {idle} s idle"))
    } else {
        let why = "a statement that hangs keeps a space locked for ever";
        wrong("limits", "a time limit is not kept", why, "look at what stands before the database")
    });
    let free = found.most_connections - found.connections;
    checks.push(if free >= OF_A_SERVER {
        fine("connections", format!("{} of {}", found.connections, found.most_connections))
    } else {
        let what = format!("{} of {} are in use", found.connections, found.most_connections);
        let why = format!("one server takes up to {OF_A_SERVER}");
        wrong("connections", what, &why, "raise max_connections, or put PgBouncer before it")
    });
    checks.push(if found.has_autovacuum {
        fine("vacuum", "room is given back by itself")
    } else {
        let why = "what was written over and removed takes room for ever";
        wrong("vacuum", "autovacuum is off", why, "set autovacuum = on")
    });
    checks
}

fn short_version(version: &str) -> String {
    version.split(" on ").next().unwrap_or(version).to_owned()
}

fn schema(found: &Examined) -> Check {
    let Examined { schema, known_schema, .. } = found;
    if schema < known_schema {
        let what = format!("it has schema {schema}, and this Quipu needs {known_schema}");
        return wrong("schema", what, "servers refuse to start", "quipu migrate");
    }
    if *schema > known_schema + 1 {
        let what = format!("it has schema {schema}, and this Quipu knows {known_schema}");
        return wrong("schema", what, "servers refuse to start", "install a newer Quipu");
    }
    let spaces = found.spaces.unwrap_or_default();
    let spaces = counted(usize::try_from(spaces).unwrap_or_default(), "space");
    if schema > known_schema {
        return fine("schema", format!("{schema}, one step ahead of this Quipu; {spaces}"));
    }
    fine("schema", format!("{schema}, the newest; {spaces}"))
}

fn role(found: &Examined) -> Check {
    match (found.has_role, found.is_above_security) {
        (true, _) => fine("role", "statements about spaces run as quipu_app"),
        (false, false) => fine("role", "this login is below row-level security itself"),
        (false, true) => {
            let why = "this login is above row-level security, so servers refuse to work";
            let mend = "`quipu migrate` with a login that has CREATEROLE, or serve with one that is no superuser";
            wrong("role", "the role quipu_app is not there, or not for this login", why, mend)
        }
    }
}

fn commits(found: &Examined) -> Check {
    match &*found.synchronous_commit {
        "off" => {
            let why = "what was acknowledged is lost when the database is killed";
            wrong("commits", "synchronous_commit is off", why, "set synchronous_commit = on")
        }
        how => fine("commits", format!("synchronous_commit = {how}")),
    }
}

fn standbys(found: &Examined) -> Check {
    if found.is_standby {
        let why = "nothing can be written to a standby";
        return wrong("standbys", "this is a standby", why, "name the primary's address");
    }
    if found.synchronous_standbys.is_empty() {
        let why = "no standby has to have a commit: what was acknowledged last can be lost with this \
                   machine (synchronous_standby_names)";
        return check("standbys", Outcome::Skipped { why: why.to_owned() });
    }
    if found.synchronous_commit == "local" {
        let what = "synchronous_commit is local, so no commit waits for a standby";
        let why = "what was acknowledged last can be lost with this machine";
        return wrong("standbys", what, why, "set synchronous_commit = on");
    }
    if !found.standbys.iter().any(|one| one.ends_with(": sync") || one.ends_with(": quorum")) {
        let what =
            format!("none of `{}` is connected, as far as can be seen", found.synchronous_standbys);
        let why = "every write waits until one is (a login without pg_monitor does not see them)";
        return wrong("standbys", what, why, "start it, or GRANT pg_monitor to this login");
    }
    fine("standbys", found.standbys.join(", "))
}
