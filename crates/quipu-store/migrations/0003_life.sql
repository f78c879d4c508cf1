-- Old uses of an item stand together in one row, at their mean time.
ALTER TABLE access ADD COLUMN uses INTEGER NOT NULL DEFAULT 1;
