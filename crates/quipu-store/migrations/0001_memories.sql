-- One row that every writer changes, so that a reader sees at a glance whether anything is new.
CREATE TABLE counter (
    generation INTEGER NOT NULL,
    next_doc INTEGER NOT NULL,
    next_segment INTEGER NOT NULL,
    tail INTEGER NOT NULL
);
INSERT INTO counter VALUES (1, 1, 1, 0);

-- The append-only log.
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    item TEXT NOT NULL,
    at INTEGER NOT NULL,
    path TEXT NOT NULL,
    place INTEGER NOT NULL,
    data TEXT NOT NULL
);
CREATE INDEX event_item ON event (item, at);
CREATE INDEX event_path ON event (path);

-- What is known, as JSON. `doc` is its number in the index and changes with every change.
CREATE TABLE item (
    doc INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    path TEXT,
    position INTEGER NOT NULL,
    data TEXT NOT NULL,
    -- As the file has it, where decisions have changed that.
    base TEXT
);
CREATE INDEX item_path ON item (path);

CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- The files that were indexed, as they were then.
CREATE TABLE source (
    path TEXT PRIMARY KEY,
    stamp TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE entity (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL
);
CREATE TABLE mention (
    entity INTEGER NOT NULL,
    doc INTEGER NOT NULL,
    PRIMARY KEY (entity, doc)
) WITHOUT ROWID;
CREATE INDEX mention_doc ON mention (doc);

-- How often something was opened: the only thing that the files do not know.
CREATE TABLE access (
    item TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX access_item ON access (item);

CREATE TABLE model (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dims INTEGER NOT NULL
);

-- The index. New documents wait in the tail; full tails become segments, and segments merge.
CREATE TABLE tail (
    doc INTEGER PRIMARY KEY,
    meta BLOB NOT NULL,
    terms BLOB NOT NULL,
    model INTEGER NOT NULL,
    vectors BLOB NOT NULL
);
CREATE TABLE dead (
    doc INTEGER PRIMARY KEY
);
CREATE TABLE segment (
    number INTEGER PRIMARY KEY,
    docs INTEGER NOT NULL,
    metas BLOB NOT NULL
);
CREATE TABLE segment_vectors (
    segment INTEGER NOT NULL,
    model INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (segment, model, chunk)
);
CREATE TABLE posting (
    segment INTEGER NOT NULL,
    term INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (segment, term)
) WITHOUT ROWID;
