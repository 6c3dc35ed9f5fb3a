CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,        -- JSON
    checksum INTEGER NOT NULL
);

CREATE TABLE games (
    id INTEGER PRIMARY KEY,     -- in the order in which they were stored
    slot TEXT NOT NULL UNIQUE,  -- identity in the plan
    game TEXT NOT NULL,         -- canonical game specification; `@` and a digest for a file's
    first TEXT NOT NULL,        -- canonical engine specification of who moves first
    second TEXT NOT NULL,
    pair INTEGER NOT NULL,      -- the two games of a pair share the opening, colours swapped
    opening TEXT NOT NULL,      -- its moves, in the game's notation
    seed INTEGER NOT NULL,
    result REAL NOT NULL,       -- 1, 0.5 or 0, as `first` sees it
    reason TEXT NOT NULL,       -- why it ended
    moves TEXT NOT NULL,        -- all moves, the opening included
    started TEXT NOT NULL,      -- UTC, ISO 8601
    finished TEXT NOT NULL,
    machine TEXT NOT NULL,
    version TEXT NOT NULL,      -- of the code
    networks TEXT,              -- JSON: which network each side plays with, where it has one
    limits TEXT,                -- JSON: what held for both sides (`limits.Limits`)
    worker TEXT,                -- which machine of a cluster played it, null outside of one
    failure TEXT,               -- how the loser failed (`failures.Failure`), null if nobody did
    costs BLOB NOT NULL,        -- of the moves after the opening (`costs.ROW`)
    checksum INTEGER NOT NULL
);
