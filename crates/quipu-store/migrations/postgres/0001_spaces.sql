-- A space is a workspace in the database. Its row is the lock that writers take, and a reader sees in
-- it at a glance whether anything is new.
CREATE TABLE space (
    space bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    created bigint NOT NULL,
    generation bigint NOT NULL DEFAULT 1,
    -- Differs in any two states: see `Head`.
    head bytea NOT NULL,
    -- Changes with every file that is written.
    files bytea NOT NULL,
    next_doc bigint NOT NULL DEFAULT 1,
    next_segment bigint NOT NULL DEFAULT 1,
    next_seq bigint NOT NULL DEFAULT 1,
    next_session bigint NOT NULL DEFAULT 1,
    next_entity bigint NOT NULL DEFAULT 1,
    next_model bigint NOT NULL DEFAULT 1,
    tail bigint NOT NULL DEFAULT 0,
    -- How many bytes its files may have together, and how many they have.
    most_bytes bigint NOT NULL,
    bytes bigint NOT NULL DEFAULT 0
);

-- The exact bytes of every file: this is the memory itself, and all else can be made from it. What is
-- added to a file becomes a row of its own, so that adding a line costs a line.
CREATE TABLE page (
    space bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    is_folder boolean NOT NULL,
    version bigint NOT NULL,
    size bigint NOT NULL,
    next_part bigint NOT NULL,
    PRIMARY KEY (space, path)
);
CREATE TABLE entry (
    space bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    part bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (space, path, part)
);

-- What happened, as the files say it.
CREATE TABLE event (
    space bigint NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    item text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    place bigint NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (space, id)
);
CREATE INDEX event_seq ON event (space, seq);
CREATE INDEX event_item ON event (space, item, at) WHERE item <> id;
CREATE INDEX event_path ON event (space, path);
CREATE INDEX event_at ON event (space, at, id);

-- What is known, as JSON. `doc` is its number in the index and changes with every change.
CREATE TABLE item (
    space bigint NOT NULL,
    doc bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    path text COLLATE "C",
    position bigint NOT NULL,
    is_public boolean NOT NULL,
    data text NOT NULL,
    -- As the file has it, where decisions have changed that.
    base text,
    PRIMARY KEY (space, id)
);
CREATE INDEX item_doc ON item (space, doc);
CREATE INDEX item_path ON item (space, path);

CREATE TABLE session (
    space bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (space, name)
);
CREATE TABLE source (
    space bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    stamp text NOT NULL,
    PRIMARY KEY (space, path)
);
CREATE TABLE entity (
    space bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    -- In small letters, as far as these are ASCII.
    lowered text COLLATE "C" NOT NULL,
    PRIMARY KEY (space, name)
);
CREATE INDEX entity_number ON entity (space, number);
CREATE INDEX entity_lowered ON entity (space, lowered);
CREATE TABLE mention (
    space bigint NOT NULL,
    entity bigint NOT NULL,
    doc bigint NOT NULL,
    PRIMARY KEY (space, entity, doc)
);
CREATE INDEX mention_doc ON mention (space, doc);

CREATE TABLE access (
    space bigint NOT NULL,
    item text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    uses bigint NOT NULL
);
CREATE INDEX access_item ON access (space, item, at);

CREATE TABLE note (
    space bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (space, key)
);
CREATE TABLE experience (
    space bigint NOT NULL,
    item text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    place bigint NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (space, item)
);

CREATE TABLE model (
    space bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    dims bigint NOT NULL,
    calibration bytea,
    PRIMARY KEY (space, name)
);

-- The index. `mark` is random: two rows with the same number and mark are the same row, also where a
-- transaction was rolled back or a replica that lacked the newest rows took over.
CREATE TABLE tail (
    space bigint NOT NULL,
    doc bigint NOT NULL,
    mark bigint NOT NULL,
    meta bytea NOT NULL,
    terms bytea NOT NULL,
    model bigint NOT NULL,
    vectors bytea NOT NULL,
    PRIMARY KEY (space, doc)
);
CREATE TABLE dead (
    space bigint NOT NULL,
    doc bigint NOT NULL,
    PRIMARY KEY (space, doc)
);
CREATE TABLE segment (
    space bigint NOT NULL,
    number bigint NOT NULL,
    mark bigint NOT NULL,
    docs bigint NOT NULL,
    PRIMARY KEY (space, number)
);
CREATE TABLE segment_part (
    space bigint NOT NULL,
    segment bigint NOT NULL,
    -- 0: documents, 1: vectors, 2: postings.
    kind bigint NOT NULL,
    model bigint NOT NULL,
    bits bigint NOT NULL,
    part bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (space, segment, kind, model, bits, part)
);
ALTER TABLE segment_part ALTER COLUMN data SET STORAGE EXTERNAL;

-- Who wrote, and who was refused.
CREATE TABLE audit (
    space bigint NOT NULL,
    id bigint NOT NULL,
    at bigint NOT NULL,
    who text NOT NULL,
    operation text NOT NULL,
    outcome text NOT NULL,
    PRIMARY KEY (space, id)
);
CREATE INDEX audit_at ON audit (space, at);

-- A job that only one server does at a time.
CREATE TABLE lease (
    space bigint NOT NULL,
    job text COLLATE "C" NOT NULL,
    holder text NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (space, job)
);

-- Who may talk to a server, and about which space. Only the hash of a token is kept.
CREATE TABLE token (
    hash bytea PRIMARY KEY,
    space bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    permission text NOT NULL,
    channel text NOT NULL,
    created bigint NOT NULL
);
CREATE INDEX token_space ON token (space, name);
CREATE UNIQUE INDEX space_name ON space (name);
