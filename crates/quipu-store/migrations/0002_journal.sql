-- The user's words between records are indexed now, so every file is read again.
DELETE FROM source;

-- Most events are the beginning of their own item, and found by their id.
DROP INDEX event_item;
CREATE INDEX event_item ON event (item, at) WHERE item <> id;

-- What the engine notes for itself: how far it has looked for experiences.
CREATE TABLE note (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Records that are unlike all others before them.
CREATE TABLE experience (
    item TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    -- Its place in the log.
    place INTEGER NOT NULL,
    vector BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX experience_at ON experience (at, place);
