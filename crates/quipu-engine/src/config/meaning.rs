//! What each setting is for, as docs/configuration.md says it. A test compares the two.

/// Returns what a setting is for.
pub(super) fn of(key: &str) -> &'static str {
    MEANINGS.iter().find(|(known, _)| *known == key).map_or("", |(_, meaning)| meaning)
}

/// Every setting with what it is for.
const MEANINGS: &[(&str, &str)] = &[
    ("review.auto", "`session end` applies a review that is due, instead of showing it"),
    (
        "lint.allow",
        "warnings to live with: `\"code\"` or `\"code:subject\"`; errors cannot be waived",
    ),
    (
        "embedding.provider",
        "which model makes vectors: `built-in`, `endpoint`, or `transformer` (built with `--features transformer`)",
    ),
    ("embedding.url", "an OpenAI-shaped endpoint"),
    ("embedding.model", "the endpoint's model"),
    (
        "embedding.folder",
        "a folder with `model.safetensors`, `config.json` and `vocab.txt`, from the workspace's root",
    ),
    (
        "judge.url",
        "an OpenAI-shaped chat endpoint that answers questions, such as `http://localhost:11434/v1/chat/completions`",
    ),
    ("judge.model", "the judge's model"),
    (
        "journal.format",
        "how new records are written: `markdown` (a bullet and a comment), `json` (a line, as CursorClaw writes it), or `auto`: as noted when Quipu first wrote to the journal, or by `quipu journal convert`",
    ),
    (
        "journal.timezone",
        "the zone whose days the daily logs are, such as `Europe/Berlin`; for writing and reading",
    ),
    (
        "journal.tracked",
        "git may track `MEMORY.md` and the rest of the journal: they are written to, and `init`, `lint` and `doctor` do not object",
    ),
    ("undo.days", "for how many days before the newest change others can be undone"),
    (
        "guard.secrets",
        "what happens to what looks like a secret, wherever it would get in: `refuse`, `redact` (to `(REDACTED)`), `allow`; not set: what is said or committed is refused, what is read from files is redacted",
    ),
    (
        "guard.mode",
        "what happens to a commit with what looks like a secret: `block`, `warn` (report, and go on), `off`",
    ),
    ("guard.scope", "which staged files are looked at: those of the memory, or `all`"),
    (
        "guard.nudge",
        "whether a commit reminds of the session log that is missing, at most once in 30 minutes",
    ),
    ("serve.listen", "where it listens; another address than a loopback one needs tokens"),
    (
        "serve.hosts",
        "names by which it is reached, beside the loopback ones and the address itself",
    ),
    (
        "serve.origins",
        "web pages that may call it, such as `https://memory.example.com`, beside its own",
    ),
    ("serve.maxBodyBytes", "a larger request is refused"),
    (
        "serve.requestsPerSecond",
        "the most requests per second from one token, or from one address without a token (loopback is free); 0 means no limit",
    ),
    ("serve.dreamCron", "when it dreams, in the journal's time zone; empty is never"),
    (
        "lifecycle.retention",
        "how retention falls: `l2` (exponential), `huber` (then a line to zero), `elastic` (a mixture)",
    ),
    ("lifecycle.halfLifeDays", "the half-life of what a person wrote"),
    ("lifecycle.huberDelta", "where Huber's line begins, in half-lives"),
    ("lifecycle.elasticRho", "how much of the mixture is the line"),
    (
        "lifecycle.trustDecay",
        "how much faster less trusted memories fade: λ·(1 + this·(1 − trust))",
    ),
    (
        "lifecycle.archiveAfterDays",
        "a memory is never archived sooner than this after it was made or last used; a smaller number keeps fewer old memories",
    ),
    ("lifecycle.weightBase", "what the stated importance is worth"),
    ("lifecycle.weightAccess", "what the number of uses is worth"),
    ("lifecycle.weightRecency", "what the last use is worth"),
    ("lifecycle.weightValence", "what a strong feeling is worth"),
    ("lifecycle.weightStability", "what steady use is worth"),
    ("lifecycle.weightLayer", "what the layer is worth"),
    ("lifecycle.weightTrust", "what the trust in who said it is worth"),
    ("lifecycle.weightConfirmations", "what independent confirmations are worth"),
    ("lifecycle.weightActivation", "what base-level activation (ACT-R) over all uses is worth"),
    ("continuity.sessionMemoryEnabled", "whether `quipu brief` prints anything"),
    ("continuity.sessionMemoryCap", "the most characters of a briefing"),
    (
        "continuity.includeRecentTopics",
        "whether a briefing lists what the ten newest sessions began with",
    ),
    ("continuity.includeLongMemoryInSession", "whether a briefing includes `LONGMEMORY.md`"),
    (
        "continuity.injectExperienceContext",
        "whether a briefing with a hint ends with experiences that fit it",
    ),
    (
        "continuity.memoryEmbeddingsEnabled",
        "whether records of the journal are recalled (CursorClaw: off)",
    ),
    ("continuity.memorySizeWarnChars", "`status` warns when `MEMORY.md` is larger"),
    (
        "continuity.substrateSizeWarnChars",
        "`status` warns when all that a briefing draws on is larger",
    ),
    ("continuity.memoryMaxRecords", "the most records in `MEMORY.md`"),
    ("continuity.memoryMaxChars", "the most characters in `MEMORY.md`"),
    (
        "continuity.memoryArchivePath",
        "where lines that leave `MEMORY.md` are kept, such as `memory/MEMORY-archive.md` (without it: only those that no day has, there)",
    ),
    ("continuity.memoryProtectedCategories", "categories that never leave `MEMORY.md`"),
    ("continuity.memoryCompactionEnabled", "whether compaction runs by itself"),
    (
        "continuity.memoryCompactionScheduleCron",
        "when it runs: a cron expression in the journal's time zone; also `memoryCompactionSchedule`",
    ),
    (
        "continuity.memoryCompactionIntervalMs",
        "how long from one run to the next, without a cron expression",
    ),
    (
        "continuity.memoryCompactionThresholdRecords",
        "it runs only above so many records, and then after an append too; also `memoryCompactionMaxRecords`",
    ),
    (
        "continuity.memoryCompactionThresholdChars",
        "it runs only above so many characters; also `memoryCompactionMaxChars`",
    ),
    ("continuity.memoryCompactionMinAgeDays", "younger records are left alone"),
    ("continuity.longMemoryPath", "where the summaries are"),
    ("continuity.longMemoryMaxChars", "how long they may get before the oldest are condensed"),
    ("continuity.experienceStoreEnabled", "whether experiences are collected (CursorClaw: off)"),
    (
        "continuity.experienceStorePath",
        "where `experiences import` looks for CursorClaw's store (a path that is no `.json` means `tmp/experience-store.json`, as there)",
    ),
    ("continuity.experienceUniquenessThreshold", "how alike two experiences may be"),
    ("continuity.experienceMaxCount", "the most experiences; the oldest leave"),
    (
        "continuity.integrityExemptCategories",
        "categories in which different words are no contradiction",
    ),
    ("continuity.integrityStaleDays", "a record is stale after this many days"),
    (
        "memoryTool.folder",
        "the folder that a model sees as `/memories`, from the workspace's root; its files are recalled",
    ),
    (
        "hooks.sessionStart",
        "a session of an agent opens one of Quipu's, and begins with a briefing",
    ),
    ("hooks.prompt", "memories that fit a prompt are given with it"),
    (
        "hooks.afterTool",
        "files that tools edit, and failures that were fixed, are noted in the session",
    ),
    (
        "hooks.preCompact",
        "before an agent forgets, a checkpoint is written and what the user stated is kept",
    ),
    (
        "hooks.stop",
        "after each turn, the facts that it used are noted and what the user asked to remember is kept",
    ),
    (
        "hooks.sessionEnd",
        "the end of an agent's session ends Quipu's, with a log if something happened",
    ),
    (
        "hooks.briefChars",
        "the most characters of the briefing that a session begins with (never more than `continuity.sessionMemoryCap`)",
    ),
    ("hooks.resumeChars", "the most characters for a session that is resumed"),
    ("hooks.promptThreshold", "how sure it must be that a memory fits a prompt, 0 to 1"),
    ("hooks.promptCount", "the most memories that are given with a prompt"),
    ("hooks.promptChars", "the most characters that are given with a prompt"),
    ("hooks.afterToolEvery", "at most one line is noted per this many calls of tools"),
    ("hooks.extractMost", "the most records that are taken from a conversation at once"),
    ("hooks.turnChars", "the most characters of a session's summary"),
];
