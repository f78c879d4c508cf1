-- Vectors of faded memories take fewer bits. The width stands before the bytes, so that it is read
-- without them.
CREATE TABLE vectors_by_width (
    segment INTEGER NOT NULL,
    model INTEGER NOT NULL,
    bits INTEGER NOT NULL DEFAULT 8,
    chunk INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (segment, model, bits, chunk)
);
INSERT INTO vectors_by_width (segment, model, chunk, data)
    SELECT segment, model, chunk, data FROM segment_vectors;
DROP TABLE segment_vectors;
ALTER TABLE vectors_by_width RENAME TO segment_vectors;

-- What the codes of narrow vectors are relative to.
ALTER TABLE model ADD COLUMN calibration BLOB;

-- Counts how often a segment's vectors were rewritten, for readers that know an older state.
ALTER TABLE segment ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

-- Names beyond ASCII are found now: everything is read again. How often something was used stays.
DELETE FROM source;
DELETE FROM event;
DELETE FROM item;
DELETE FROM mention;
DELETE FROM entity;
DELETE FROM tail;
DELETE FROM dead;
DELETE FROM segment;
DELETE FROM segment_vectors;
DELETE FROM posting;
DELETE FROM experience;
DELETE FROM note;
UPDATE counter SET tail = 0, generation = generation + 1;
