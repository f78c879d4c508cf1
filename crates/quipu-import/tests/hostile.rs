//! What a stranger may give to read: bombs, ways out, links.

use quipu_import::{Format, Input, detect};

use crate::sources::folder;

#[test]
fn a_bomb_and_a_way_out_are_refused() {
    let folder = folder(&[]);
    let path = folder.path().join("bomb.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("conversations.json", options).unwrap();
    std::io::Write::write_all(&mut zip, &vec![b' '; 64 << 20]).unwrap();
    zip.finish().unwrap();
    assert_eq!(Input::open(&path).unwrap_err().code(), "too-large");
    let path = folder.path().join("out.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    zip.start_file("../../evil.json", options).unwrap();
    std::io::Write::write_all(&mut zip, b"[]").unwrap();
    zip.finish().unwrap();
    assert!(Input::open(&path).unwrap().members().is_empty());
}

/// An archive of some files.
fn zipped(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn archives_in_an_archive_are_a_bomb_together() {
    let folder = folder(&[]);
    let path = folder.path().join("nested.zip");
    let inner = zipped(&[("a.json".to_owned(), vec![b' '; 700_000])]);
    let named = |count: usize| -> Vec<(String, Vec<u8>)> {
        (0..count).map(|number| (format!("{number}.zip"), inner.clone())).collect()
    };
    std::fs::write(&path, zipped(&named(1))).unwrap();
    assert_eq!(Input::open(&path).unwrap().members()[0].name, "0.zip/a.json");
    std::fs::write(&path, zipped(&named(40))).unwrap();
    assert_eq!(Input::open(&path).unwrap_err().code(), "too-large");
}

#[test]
fn what_gzip_blows_up_ends_with_an_error() {
    let folder = folder(&[]);
    let path = folder.path().join("bomb.json.gz");
    let file = std::fs::File::create(&path).unwrap();
    let mut gz = flate2::write::GzEncoder::new(file, flate2::Compression::best());
    std::io::Write::write_all(&mut gz, &vec![b' '; 64 << 20]).unwrap();
    gz.finish().unwrap();
    let input = Input::open(&path).unwrap();
    let mut bytes = Vec::new();
    let mut reader = input.read(&input.members()[0]).unwrap();
    let error = std::io::Read::read_to_end(&mut reader, &mut bytes).unwrap_err();
    assert!(error.to_string().contains("more than anything"), "{error}");
    assert!(bytes.len() < 20 << 20, "{}", bytes.len());
}

#[test]
fn a_log_beside_a_database_that_leads_elsewhere_is_left_alone() {
    let folder = folder(&[("elsewhere", "not a log")]);
    let path = folder.path().join("history.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch("CREATE TABLE history (memory_id, new_memory, event)").unwrap();
    drop(database);
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("history.db-wal")).unwrap();
    assert_eq!(detect(&Input::open(&path).unwrap()).unwrap(), Format::Mem0);
}
