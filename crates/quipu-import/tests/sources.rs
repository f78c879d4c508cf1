//! Each source as its program writes it, in the smallest form that a reader must take.

use std::path::Path;

use quipu_core::item::{Layer, MemoryType, Source, Status};
use quipu_import::{Draft, Format, Input, Options, Out, Skip, detect, read};
use rusqlite::Connection;
use tempfile::TempDir;

/// What a reader found.
pub(crate) struct Found {
    pub(crate) format: Format,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) skipped: Vec<(Skip, usize)>,
    pub(crate) warnings: Vec<String>,
}

impl Found {
    fn texts(&self) -> Vec<&str> {
        self.drafts.iter().map(|draft| draft.text.as_str()).collect()
    }

    fn draft(&self, part: &str) -> &Draft {
        self.drafts.iter().find(|draft| draft.text.contains(part)).unwrap()
    }

    fn skips(&self, why: Skip) -> usize {
        self.skipped.iter().find(|(one, _)| *one == why).map_or(0, |(_, count)| *count)
    }
}

pub(crate) fn take(path: &Path, options: &Options) -> Found {
    let input = Input::open(path).unwrap();
    let format = detect(&input).unwrap();
    take_as(&input, format, options)
}

pub(crate) fn take_as(input: &Input, format: Format, options: &Options) -> Found {
    let mut drafts = Vec::new();
    let mut put = |draft: Draft| {
        drafts.push(draft);
        Ok(())
    };
    let mut out = Out::new(&mut put);
    read(input, format, options, &mut out).unwrap();
    let (skipped, warnings) = (out.skipped.into_iter().collect(), out.warnings);
    Found { format, drafts, skipped, warnings }
}

/// Writes files into a folder of their own.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn of(files: &[(&str, &str)]) -> Found {
    take(folder(files).path(), &Options::default())
}

fn with_chats(files: &[(&str, &str)]) -> Found {
    take(folder(files).path(), &Options { with_chats: true, ..Options::default() })
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with times that may be missing")]
fn at(time: &str) -> Option<jiff::Timestamp> {
    Some(time.parse().unwrap())
}

#[test]
fn mcp_a_graph_is_observations_and_relations() {
    // No line end at the end, an observation of two lines, a relation to nobody.
    let graph = "{\"type\":\"entity\",\"name\":\"Ana\",\"entityType\":\"person\",\"observations\":[\"likes tea\",\"Ana lives in Porto\\nsince 2020\"]}\n{\"type\":\"relation\",\"from\":\"Ana\",\"to\":\"Ghost\",\"relationType\":\"works_with\"}";
    let found = of(&[("memory.jsonl", graph)]);
    assert_eq!(found.format, Format::Mcp);
    assert_eq!(
        found.texts(),
        ["Ana: likes tea", "Ana lives in Porto\nsince 2020", "Ana works with Ghost"]
    );
    assert_eq!(found.drafts[0].tags, ["person"]);
    assert_eq!(found.drafts[0].time_from, Some("mtime"));
    let dump = r#"{"entities":[{"name":"Ana","entityType":"person","observations":["likes tea"]}],"relations":[{"from":"Ana","to":"B","relationType":"knows"}]}"#;
    assert_eq!(of(&[("graph.json", dump)]).texts(), ["Ana: likes tea", "Ana knows B"]);
}

#[test]
fn mem0_what_get_all_returns() {
    let json = r#"{"results":[{"id":"44","memory":"Likes black tea","hash":"dc","metadata":{"tags":["drinks"]},"created_at":"2026-01-02T10:00:00.730782+00:00","updated_at":"2026-01-03T10:00:00+00:00","user_id":"ana","actor_id":"ana","role":"user","expiration_date":"2027-01-01"}]}"#;
    let found = of(&[("x.json", json)]);
    let draft = &found.drafts[0];
    assert_eq!((found.format, draft.source), (Format::Mem0, Source::Human));
    assert_eq!(draft.time.unwrap().to_string(), "2026-01-02T10:00:00.730782Z");
    assert_eq!(draft.valid_to, at("2027-01-01T00:00:00Z"));
    assert_eq!((draft.speaker.as_deref(), &*draft.tags), (Some("ana"), &["drinks".to_owned()][..]));
    assert_eq!((draft.origin.account.as_str(), draft.origin.id.as_deref()), ("ana", Some("44")));
}

#[test]
fn mem0_a_first_page_alone_is_named() {
    let rows: Vec<String> = (0..20)
        .map(|n| format!(r#"{{"id":"{n}","memory":"fact {n}","hash":"x","user_id":"a"}}"#))
        .collect();
    let found = of(&[("x.json", &format!("[{}]", rows.join(",")))]);
    assert!(found.warnings[0].contains("get_all(top_k=1000000)"), "{:?}", found.warnings);
}

#[test]
fn mem0_the_history_tells_what_a_memory_said_before() {
    let folder = folder(&[]);
    let path = folder.path().join("history.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "CREATE TABLE history(id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at TEXT, updated_at TEXT, is_deleted INTEGER, actor_id TEXT, role TEXT);
         INSERT INTO history VALUES('1','44',NULL,'Likes green tea','ADD','2026-01-02T10:00:00+00:00',NULL,0,'ana','user');
         INSERT INTO history VALUES('2','44','Likes green tea','Likes black tea','UPDATE','2026-01-02T10:00:00+00:00','2026-01-03T10:00:00+00:00',0,'ana','user');
         INSERT INTO history VALUES('3','e9',NULL,'Noted it','ADD','2026-01-02T10:00:00+00:00',NULL,0,NULL,'assistant');
         INSERT INTO history VALUES('4','e9','Noted it',NULL,'DELETE','2026-01-02T10:00:00+00:00','2026-01-04T10:00:00+00:00',1,NULL,'assistant');",
    )
    .unwrap();
    drop(db);
    let before = std::fs::read(&path).unwrap();
    let found = take(folder.path(), &Options::default());
    assert_eq!(found.texts(), ["Likes green tea", "Likes black tea", "Noted it"]);
    assert_eq!(found.drafts[1].supersedes, found.drafts[0].origin.id);
    assert_eq!(found.drafts[1].time, at("2026-01-03T10:00:00Z"));
    assert_eq!(found.drafts[2].status, Status::Archived);
    assert_eq!(std::fs::read(&path).unwrap(), before, "the source is never written to");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nor beside it");
}

#[test]
fn mem0_an_archive_of_openmemory() {
    let lines = "{\"id\":\"7a\",\"content\":\"Lives in Porto\",\"metadata\":{},\"created_at\":\"2026-01-02T10:00:00+00:00\",\"updated_at\":null,\"state\":\"active\",\"app\":\"cursor\",\"categories\":[\"places\"]}\n{\"id\":\"7b\",\"content\":\"Gone\",\"state\":\"deleted\",\"app\":\"cursor\",\"categories\":[]}\n{\"id\":\"7c\",\"content\":\"Waits here\",\"state\":\"paused\",\"app\":\"cursor\",\"categories\":[]}\n";
    let folder = folder(&[]);
    let path = folder.path().join("export.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    zip.start_file("out/memories.jsonl.gz", zip::write::SimpleFileOptions::default()).unwrap();
    let mut gz = flate2::write::GzEncoder::new(zip, flate2::Compression::default());
    std::io::Write::write_all(&mut gz, lines.as_bytes()).unwrap();
    gz.finish().unwrap().finish().unwrap();
    let found = take(&path, &Options::default());
    assert_eq!(found.texts(), ["Lives in Porto", "Waits here"]);
    assert_eq!(found.drafts[0].tags, ["places"]);
    assert_eq!(found.drafts[1].status, Status::Challenged);
    assert_eq!(found.skips(Skip::Deleted), 1);
}

const CHATGPT: &str = r#"[{"id":"g1","conversation_id":"g1","title":null,"create_time":null,"update_time":1767348000.5,"current_node":"n4","is_do_not_remember":false,"mapping":{
"r":{"id":"r","parent":null,"children":["n1"],"message":null},
"n1":{"id":"n1","parent":"r","children":["n2"],"message":{"id":"n1","author":{"role":"user"},"create_time":1767347000.1,"content":{"content_type":"text","parts":["I moved"]}}},
"n2":{"id":"n2","parent":"n1","children":[],"message":{"id":"n2","author":{"role":"assistant"},"recipient":"bio","create_time":1767347002.1,"content":{"content_type":"text","parts":["User moved to Porto."]}}},
"n3":{"id":"n3","parent":"n1","children":[],"message":{"id":"n3","author":{"role":"assistant"},"recipient":"all","create_time":1767347003.1,"content":{"content_type":"text","parts":["A lost branch"]}}},
"n4":{"id":"n4","parent":"n2","children":[],"message":{"id":"n4","author":{"role":"assistant"},"recipient":"all","create_time":null,"content":{"content_type":"text","parts":["Noted!", {"asset":1}]}}},
"n5":{"id":"n5","parent":"n4","children":[],"message":{"id":"n5","author":{"role":"tool"},"create_time":1767347003.5,"content":{"content_type":"model_editable_context","model_set_context":"1. [2025-06-01]. Likes tea\n2. Speaks German\n"}}}
}},{"id":"g2","conversation_id":"g2","is_do_not_remember":true,"create_time":1.0,"mapping":{"a":{"id":"a","parent":null,"message":{"id":"a","author":{"role":"user"},"content":{"content_type":"text","parts":["secret plan"]}}}}}]"#;

#[test]
fn chatgpt_saved_memories_count_on_any_branch_and_turns_only_when_asked_for() {
    let found = of(&[("conversations.json", CHATGPT), ("user.json", "{\"id\":\"u\"}")]);
    assert_eq!(found.format, Format::ChatGpt);
    let mut texts = found.texts();
    texts.sort_unstable();
    assert_eq!(texts, ["Likes tea", "Speaks German", "User moved to Porto."]);
    assert_eq!(found.draft("Likes tea").time, at("2025-06-01T00:00:00Z"));
    let moved = found.draft("Porto");
    assert_eq!(moved.time.unwrap().as_second(), 1_767_347_002);
    assert_eq!(moved.status, Status::Challenged, "a later list does not have it");
    assert_eq!(found.skips(Skip::DoNotRemember), 1);
    assert_eq!(found.skips(Skip::Chat), 2);
}

#[test]
fn chatgpt_turns_are_those_of_the_branch_that_was_kept() {
    let found = with_chats(&[("conversations.json", CHATGPT)]);
    let turns: Vec<(&str, Option<&str>)> = found
        .drafts
        .iter()
        .filter(|draft| draft.source == Source::Interaction)
        .map(|draft| (draft.text.as_str(), draft.speaker.as_deref()))
        .collect();
    assert_eq!(turns, [("I moved", Some("user")), ("Noted!", Some("assistant"))]);
    assert!(
        !found.texts().iter().any(|text| text.contains("lost branch") || text.contains("plan"))
    );
    assert_eq!(
        found.draft("Noted").time.unwrap().as_second(),
        1_767_347_000,
        "the conversation began then"
    );
}

#[test]
fn chatgpt_a_circle_of_parents_ends() {
    let circle = r#"[{"id":"c","conversation_id":"c","current_node":"a","create_time":5.0,"mapping":{"a":{"id":"a","parent":"b","message":{"id":"a","author":{"role":"user"},"content":{"content_type":"text","parts":["one"]}}},"b":{"id":"b","parent":"a","message":{"id":"b","author":{"role":"user"},"content":{"content_type":"text","parts":["two"]}}}}}]"#;
    assert_eq!(with_chats(&[("conversations.json", circle)]).texts(), ["two", "one"]);
}

#[test]
fn claude_memories_instructions_and_turns() {
    let chats = r#"[{"uuid":"c1","name":"","created_at":"2026-01-02T10:00:00.000000Z","account":{"uuid":"a1"},"chat_messages":[
{"uuid":"m1","text":"I moved","content":[{"type":"text","text":"I moved"}],"sender":"human","created_at":"2026-01-02T10:00:00.000000Z","parent_message_uuid":"0000","attachments":[],"files":[]},
{"uuid":"m2","text":"","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use"}],"sender":"assistant","created_at":"2026-01-02T10:00:01.000000Z","parent_message_uuid":"m1"},
{"uuid":"m3","text":"old","content":[{"type":"text","text":"old answer"}],"sender":"assistant","created_at":"2026-01-02T10:00:02.000000Z","parent_message_uuid":"m1"},
{"uuid":"m4","text":"","content":[{"type":"text","text":"Where to?"}],"sender":"assistant","created_at":"2026-01-02T10:00:03.000000Z","parent_message_uuid":"m2"}]}]"#;
    let memories = r#"[{"account_uuid":"a1","conversations_memory":"**Work context**\n\nAna leads Otter.\n\n- Prefers short answers","project_memories":{"p1":"Ships weekly."}}]"#;
    let projects = r#"[{"uuid":"p1","name":"Otter","description":"","prompt_template":"Answer in German","created_at":"2025-05-01T00:00:00Z","docs":[]}]"#;
    let files =
        [("conversations.json", chats), ("memories.json", memories), ("projects.json", projects)];
    let found = of(&files);
    assert_eq!(found.format, Format::Claude);
    let mut texts = found.texts();
    texts.sort_unstable();
    assert_eq!(
        texts,
        ["Ana leads Otter.", "Answer in German", "Prefers short answers", "Ships weekly."]
    );
    assert_eq!(found.draft("Ships").tags, ["Otter"]);
    assert_eq!(found.draft("Ana leads").tags, ["Work-context"]);
    assert_eq!(found.draft("German").source, Source::Human);
    let turns = with_chats(&files);
    assert!(turns.texts().contains(&"I moved") && turns.texts().contains(&"Where to?"));
    assert!(!turns.texts().contains(&"old answer"));
    assert_eq!((turns.skips(Skip::Branch), turns.skips(Skip::Tool)), (1, 1));
}

#[test]
fn claude_code_memories_instructions_and_transcripts() {
    let memory = "---\nname: retries-use-jitter\ndescription: \"Retries back off with jitter\"\nmetadata:\n  node_type: memory\n  type: feedback\n  originSessionId: 7e\n  modified: 2026-01-02T10:00:00.702Z\n---\nBack off with jitter.\n**Why:** the herd in May. See [[herd-in-may]].\n";
    let index = "# Memory\n- [Retries](retries-use-jitter.md) — jitter\n- The build needs protoc\n";
    let rules = "# Rules\n\n- Never push to main\n@docs/more.md\n";
    let lines = [
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-01-02T10:00:00.000Z","cwd":"/w/otter","isSidechain":false,"message":{"role":"user","content":"Use jitter <system-reminder>do not tell</system-reminder>"}}"#,
        r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s1","timestamp":"2026-01-02T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"Done: jitter added"},{"type":"tool_use","name":"Edit"}]}}"#,
        r#"{"type":"user","uuid":"u3","sessionId":"s1","timestamp":"2026-01-02T10:00:06.000Z","message":{"role":"user","content":[{"type":"tool_result","content":"ok"}]}}"#,
        r#"{"type":"user","uuid":"u4","sessionId":"s1","isMeta":true,"timestamp":"2026-01-02T10:00:07.000Z","message":{"role":"user","content":"injected"}}"#,
        r#"{"type":"user","uuid":"u5","sessionId":"s1","isSidechain":true,"timestamp":"2026-01-02T10:00:07.000Z","message":{"role":"user","content":"helper"}}"#,
        r#"{"type":"user","uuid":"u1","sessionId":"s2","timestamp":"2026-01-02T10:00:00.000Z","message":{"role":"user","content":"Use jitter"}}"#,
    ]
    .join("\n");
    let files = [
        ("projects/-w-otter/memory/retries-use-jitter.md", memory),
        ("projects/-w-otter/memory/MEMORY.md", index),
        ("CLAUDE.md", rules),
        ("projects/-w-otter/s1.jsonl", &lines),
    ];
    let found = of(&files);
    assert_eq!(found.format, Format::ClaudeCode);
    assert_eq!(found.drafts.len(), 3, "{:?}", found.texts());
    let draft = found.draft("jitter");
    assert!(draft.text.starts_with("Retries back off with jitter\n\nBack off"), "{}", draft.text);
    assert_eq!(
        (draft.category.as_deref(), draft.layer),
        (Some("convention"), Some(Layer::Procedural))
    );
    assert_eq!(
        (draft.time, draft.session.as_deref()),
        (at("2026-01-02T10:00:00.702Z"), Some("7e"))
    );
    assert_eq!(draft.links[0].to, "herd-in-may");
    assert_eq!(found.draft("protoc").source, Source::Ai);
    assert_eq!(found.draft("push").source, Source::Human);
    let turns = with_chats(&files);
    let said: Vec<&str> = turns
        .drafts
        .iter()
        .filter(|one| one.source == Source::Interaction)
        .map(|one| &*one.text)
        .collect();
    assert_eq!(said, ["Use jitter", "Done: jitter added"]);
    for (why, count) in
        [(Skip::Tool, 1), (Skip::Hidden, 1), (Skip::Sidechain, 1), (Skip::Repeat, 1)]
    {
        assert_eq!(turns.skips(why), count, "{}", why.as_str());
    }
}

#[test]
fn engram_a_database_with_its_decisions() {
    let folder = folder(&[]);
    let db = Connection::open(folder.path().join("memory.db")).unwrap();
    db.execute_batch(
        r#"CREATE TABLE memories(id TEXT, content TEXT, source_file TEXT, source_type TEXT, layer TEXT, memory_type TEXT, status TEXT, importance REAL, created_at REAL, fact_date TEXT, fact_date_end TEXT, chunk_hash TEXT, metadata TEXT, forgotten INTEGER, previous_memory_id TEXT);
        CREATE TABLE status_history(memory_id TEXT, old_status TEXT, new_status TEXT, reason TEXT, changed_at REAL);
        INSERT INTO memories VALUES('5e','Retries use jitter',NULL,'remember:human','procedural','procedure','active',0.95,1767348000.5,'2026-01',NULL,'9c','{"tags":["net"],"pinned":true,"annotations":[{"note":"since v2","timestamp":1767350000.1}]}',0,'4d');
        INSERT INTO memories VALUES('6f','NEGATIVE KNOWLEDGE: There is no staging',NULL,'remember:ai','semantic','fact','active',0.5,1767348000.5,NULL,NULL,'9d','{"invalidated":true,"invalidation_reason":"there is now","invalidated_at":1767360000.0}',0,NULL);
        INSERT INTO memories VALUES('70','fn main()',NULL,'code_scan','codebase','fact','active',0.5,1767348000.5,NULL,NULL,'9e','{}',0,NULL);
        INSERT INTO memories VALUES('71','An old thing',NULL,'ingest','episodic','narrative','challenged',0.5,1767348000.5,NULL,NULL,'9f','{}',0,NULL);
        INSERT INTO status_history VALUES('71','active','challenged','who says so',1767349000.0);"#,
    )
    .unwrap();
    drop(db);
    let found = take(folder.path(), &Options { keep_pins: true, ..Options::default() });
    assert_eq!(found.format, Format::Engram);
    let draft = found.draft("jitter");
    assert_eq!(
        (draft.layer, draft.memory_type),
        (Some(Layer::Procedural), Some(MemoryType::Procedure))
    );
    assert_eq!((draft.source, draft.importance, draft.pinned), (Source::Human, Some(0.8), true));
    assert_eq!(draft.valid_from, at("2026-01-01T00:00:00Z"));
    assert_eq!((draft.notes[0].0.as_str(), draft.supersedes.is_none()), ("since v2", true));
    let negative = found.draft("staging");
    assert!(negative.negative && !negative.text.contains("NEGATIVE"));
    assert_eq!(negative.status, Status::Invalidated);
    assert_eq!(found.draft("old thing").decided.as_ref().unwrap().1, "who says so");
    assert_eq!(found.skips(Skip::Derived), 1);
}

#[test]
fn engram_its_export_says_what_it_lacks() {
    let json = r#"{"version":"1.0","exported_at":1767348000.0,"memories":[{"id":"5e","content":"Retries use jitter","source_type":"remember:human","layer":"procedural","importance":0.8,"created_at":1767348000.5,"metadata":{"tags":["net"]}}],"entities":[],"relationships":[],"entity_mentions":[]}"#;
    let found = of(&[("export.json", json)]);
    assert_eq!((found.format, found.texts()), (Format::Engram, vec!["Retries use jitter"]));
    assert!(found.warnings[0].contains("memory.db"));
}

#[test]
fn claude_mem_an_observation_is_one_memory_and_its_facts_are_notes() {
    let folder = folder(&[]);
    let db = Connection::open(folder.path().join("claude-mem.db")).unwrap();
    db.execute_batch(
        r#"CREATE TABLE sdk_sessions(id INTEGER, content_session_id TEXT, memory_session_id TEXT, project TEXT);
        CREATE TABLE observations(id INTEGER, memory_session_id TEXT, project TEXT, text TEXT, type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT, created_at_epoch INTEGER);
        CREATE TABLE session_summaries(id INTEGER, memory_session_id TEXT, project TEXT, request TEXT, learned TEXT, next_steps TEXT, completed TEXT, created_at_epoch INTEGER);
        CREATE TABLE user_prompts(id INTEGER, content_session_id TEXT, prompt_text TEXT, created_at_epoch INTEGER);
        INSERT INTO sdk_sessions VALUES(1,'cc-9','mem-1','otter');
        INSERT INTO observations VALUES(1,'mem-1','otter',NULL,'decision','Use jitter','for retries','["base 200 ms"]','We chose jitter.','["why-it-exists"]','["net.rs"]','[]',1767348000547);
        INSERT INTO session_summaries VALUES(1,'mem-1','otter','Fix retries','Jitter helps','Measure it','Added jitter',1767348000547);
        INSERT INTO user_prompts VALUES(1,'cc-9','please fix the retries',1767348000547);"#,
    )
    .unwrap();
    drop(db);
    let found = take(folder.path(), &Options::default());
    assert_eq!(found.format, Format::ClaudeMem);
    let draft = &found.drafts[0];
    assert_eq!(draft.text, "Use jitter\n\nWe chose jitter.");
    assert_eq!(
        (draft.category.as_deref(), draft.session.as_deref()),
        (Some("decision"), Some("cc-9"))
    );
    assert_eq!(draft.time.unwrap().as_millisecond(), 1_767_348_000_547);
    assert_eq!(draft.notes[0].0, "base 200 ms");
    assert_eq!(draft.tags, ["why-it-exists", "otter", "file:net.rs"]);
    assert_eq!(
        found.texts()[1..],
        ["Asked: Fix retries\nDone: Added jitter", "Jitter helps", "Next: Measure it"]
    );
    assert_eq!(found.skips(Skip::Chat), 1);
}

#[test]
fn basic_memory_observations_and_relations() {
    let note = "---\ntitle: Tea plan\ntype: note\npermalink: main/notes/tea-plan\ntags:\n- tea\ncreated: 2026-01-02T10:00:00Z\n---\n\n# Tea plan\n\n- [decision] Buy sencha on Fridays #tea (budget)\n- leads_to [[Otter]] (soon)\n- see also [[Ana]] and [[Nobody]]\n- [ ] a task\n- [x] done\n- [12:30] lunch\n\nSome words beside.\n";
    let found = of(&[("notes/Tea plan.md", note)]);
    assert_eq!(found.format, Format::BasicMemory);
    let draft = found.draft("sencha");
    assert_eq!(draft.text, "Buy sencha on Fridays");
    assert_eq!(
        (draft.category.as_deref(), draft.notes[0].0.as_str()),
        (Some("decision"), "budget")
    );
    assert_eq!(draft.tags, ["tea", "tea"]);
    assert_eq!(found.draft("Otter").text, "Tea plan leads to Otter");
    assert_eq!(found.draft("Ana").text, "Tea plan links to Ana");
    assert!(found.texts().contains(&"Some words beside."));
    assert!(found.drafts.iter().all(|draft| draft.time == at("2026-01-02T10:00:00Z")));
}

#[test]
fn obsidian_a_vault_is_headings_and_days() {
    let files = [
        (".obsidian/app.json", "{}"),
        (
            "Otter.md",
            "---\naliases: [the project]\ntags: work\n---\nIntro words here.\n\n## Deploys\n\nThey go out on Tuesdays, see [[Ana|the lead]] #ops ^b1\n",
        ),
        ("Ana.md", "Leads [[Otter]]. %%private%%\n"),
        ("2026-01-02.md", "- Met Ana for lunch\n\nprose is left\n"),
        ("Templates/x.md", "{{title}} words\n"),
    ];
    let found = of(&files);
    assert_eq!(found.format, Format::Obsidian);
    let deploys = found.draft("Tuesdays");
    assert_eq!(deploys.text, "Deploys\n\nThey go out on Tuesdays, see the lead #ops");
    assert_eq!(deploys.tags, ["ops", "work"]);
    assert_eq!(deploys.links[0].to, "Ana.md#");
    assert_eq!(found.draft("Leads").text, "Ana\n\nLeads Otter.");
    assert_eq!(found.draft("lunch").time, at("2026-01-02T00:00:00Z"));
    assert!(!found.texts().iter().any(|text| text.contains("{{title}}")));
}

#[test]
fn letta_blocks_are_memories_and_the_system_prompt_is_none() {
    let v2 = r#"{"agents":[{"id":"agent-0","name":"kim","system":"You are kim","block_ids":["block-0"],"messages":[{"id":"message-0","role":"user","content":[{"type":"text","text":"hi there Kim"}],"created_at":"2026-01-02T10:00:00Z"}]}],"groups":[],"blocks":[{"id":"block-0","label":"human","value":"Ana, lives in Porto.\n\nLikes tea.","limit":5000}],"tools":[{"source_code":"secret"}]}"#;
    let found = of(&[("kim.af", v2)]);
    assert_eq!(
        (found.format, found.texts()),
        (Format::Letta, vec!["Ana, lives in Porto.", "Likes tea."])
    );
    assert_eq!(found.drafts[0].category.as_deref(), Some("user-preference"));
    assert_eq!((found.skips(Skip::System), found.skips(Skip::Chat)), (1, 1));
    let v1 = r#"{"agent_type":"memgpt_agent","name":"kim","core_memory":[{"label":"persona","value":"I am Kim","created_at":"2026-01-02T10:00:00Z"}],"messages":[],"version":"0.1"}"#;
    assert_eq!(of(&[("kim.af", v1)]).drafts[0].time, at("2026-01-02T10:00:00Z"));
}

#[test]
fn graphiti_edges_are_facts_with_their_time() {
    let lines = "{\"uuid\":\"n1\",\"name\":\"Ana\",\"labels\":[],\"summary\":\"\"}\n{\"uuid\":\"x1\",\"group_id\":\"g\",\"source_node_uuid\":\"n1\",\"target_node_uuid\":\"n2\",\"created_at\":\"2026-01-02T00:00:00Z\",\"name\":\"LIVES_IN\",\"fact\":\"Ana lives in Porto\",\"episodes\":[\"e1\"],\"expired_at\":null,\"valid_at\":\"2020-05-01T00:00:00Z\",\"invalid_at\":null,\"attributes\":{}}\n{\"uuid\":\"e1\",\"name\":\"chat 1\",\"group_id\":\"g\",\"source\":\"message\",\"source_description\":\"slack\",\"content\":\"ana: I moved to Porto\",\"valid_at\":\"2026-01-01T09:00:00Z\"}\n";
    let found = of(&[("graph.jsonl", lines)]);
    assert_eq!((found.format, found.texts()), (Format::Graphiti, vec!["Ana lives in Porto"]));
    assert_eq!(found.drafts[0].valid_from, at("2020-05-01T00:00:00Z"));
    assert_eq!(found.drafts[0].tags, ["Ana"]);
    let chats = with_chats(&[("graph.jsonl", lines)]);
    assert_eq!(chats.draft("I moved").speaker.as_deref(), Some("ana"));
}

#[test]
fn codex_sessions_without_what_codex_wrote() {
    let lines = [
        r#"{"timestamp":"2026-01-02T10:00:00.000Z","type":"session_meta","payload":{"id":"t1","cwd":"/w","cli_version":"0.1"}}"#,
        r#"{"timestamp":"2026-01-02T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}"#,
        r#"{"timestamp":"2026-01-02T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]}}"#,
        r#"{"timestamp":"2026-01-02T10:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Use jitter please"}]}}"#,
        r#"{"timestamp":"2026-01-02T10:00:02.000Z","type":"event_msg","payload":{"type":"user_message","message":"Use jitter please"}}"#,
    ]
    .join("\n");
    let found = with_chats(&[("rollout.jsonl", &lines)]);
    assert_eq!((found.format, found.texts()), (Format::Codex, vec!["Use jitter please"]));
    assert_eq!(found.drafts[0].session.as_deref(), Some("t1"));
    assert_eq!(found.skips(Skip::System), 2);
}

#[test]
fn slack_only_ones_own_words_are_an_interaction() {
    let day = r#"[{"type":"message","user":"U1","text":"ship it &lt;now&gt; <@U2> <https://x.y|docs>","ts":"1767348000.000100","thread_ts":"1767347000.000100"},{"type":"message","subtype":"channel_join","user":"U2","text":"joined","ts":"1767348001.0"},{"type":"message","user":"U2","text":"will do it","ts":"1767348002.0"}]"#;
    let users = r#"[{"id":"U1","name":"ana","profile":{"display_name":"Ana"}},{"id":"U2","name":"bo","profile":{"display_name":""},"real_name":"Bo"}]"#;
    let folder = folder(&[("general/2026-01-02.json", day), ("users.json", users)]);
    let options = Options { with_chats: true, me: Some("Ana".to_owned()), ..Options::default() };
    let found = take(folder.path(), &options);
    assert_eq!(found.texts(), ["ship it <now> @Bo docs (https://x.y)", "will do it"]);
    assert_eq!(
        (found.drafts[0].source, found.drafts[1].source),
        (Source::Interaction, Source::Ingest)
    );
    assert_eq!(found.drafts[0].session.as_deref(), Some("general/1767347000.000100"));
}

#[test]
fn gemini_prompts_far_apart_are_two_conversations() {
    let json = r#"[{"header":"Gemini Apps","title":"Prompted and then?","time":"2026-01-02T12:00:00Z","products":["Gemini Apps"]},{"header":"Gemini Apps","title":"Used an extension","time":"2026-01-02T11:00:00Z","products":["Gemini Apps"]},{"header":"Gemini Apps","title":"Prompted when does the market open","time":"2026-01-02T10:00:00.773Z","products":["Gemini Apps"],"safeHtmlItem":[{"html":"<p>At nine.</p>"}]}]"#;
    let found = with_chats(&[("MyActivity.json", json)]);
    assert_eq!(found.texts(), ["when does the market open", "At nine.", "and then?"]);
    assert_eq!(found.drafts[0].session, found.drafts[1].session);
    assert_ne!(found.drafts[1].session, found.drafts[2].session);
    assert_eq!(found.skips(Skip::Tool), 1);
}

#[test]
fn tables_objects_and_lists() {
    let csv = "\u{feff}id;body;date;labels;mood\n1;\"Tea is\ngreen\";2026-01-02;a,b;good\n2;'=x is a cell;;;\n";
    let found = of(&[("x.csv", csv)]);
    assert_eq!((found.format, found.texts()), (Format::Csv, vec!["Tea is\ngreen", "=x is a cell"]));
    assert_eq!(found.drafts[0].time, at("2026-01-02T00:00:00Z"));
    assert_eq!(found.drafts[0].tags, ["a", "b"]);
    assert_eq!(found.drafts[0].origin.extra["mood"], "good");
    let lines = "{\"text\":\"one thing\",\"created_at\":1767348000,\"tags\":[\"x\"]}\n{broken\n{\"text\":\"\",\"id\":3}\n";
    let found = of(&[("x.jsonl", lines)]);
    assert_eq!((found.format, found.texts()), (Format::Json, vec!["one thing"]));
    assert_eq!(found.drafts[0].time, at("2026-01-02T10:00:00Z"));
    assert_eq!((found.skips(Skip::Unreadable), found.skips(Skip::Empty)), (1, 1));
    let folder = folder(&[("x.txt", "1. [2025-06-01]. Likes tea\nSpeaks German\n")]);
    let input = Input::open(&folder.path().join("x.txt")).unwrap();
    let found = take_as(&input, Format::List, &Options::default());
    assert_eq!(found.texts(), ["Likes tea", "Speaks German"]);
    assert_eq!(found.drafts[0].time, at("2025-06-01T00:00:00Z"));
}

#[test]
fn a_column_of_another_name_is_named_by_the_caller() {
    let folder = folder(&[("x.csv", "Note text,When\nTea is green,2026-01-02\n")]);
    let input = Input::open(&folder.path().join("x.csv")).unwrap();
    let mut put = |_| Ok(());
    let error =
        read(&input, Format::Csv, &Options::default(), &mut Out::new(&mut put)).unwrap_err();
    assert!(error.to_string().contains("note text, when"), "{error}");
    let columns =
        [("text", "Note text"), ("time", "When")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    let options = Options { columns: columns.into(), ..Options::default() };
    assert_eq!(take_as(&input, Format::Csv, &options).texts(), ["Tea is green"]);
}

#[test]
fn a_journal_of_cursorclaw_keeps_what_was_decided() {
    let record = |id: &str, category: &str, text: &str, more: &str| {
        format!(
            "- {{\"id\":\"{id}\",\"sessionId\":\"s1\",\"category\":\"{category}\",\"text\":\"{text}\",\"provenance\":{{\"sourceChannel\":\"web\",\"confidence\":0.8,\"timestamp\":\"2026-02-03T04:05:06.789Z\",\"sensitivity\":\"private-user\"}}{more}}}\n"
        )
    };
    let day = [
        record("7f", "learned", "café by the sea", ""),
        record("80", "learned", "old words", ""),
        record("81", "lifecycle", "", ",\"target\":\"80\",\"decision\":{\"op\":\"status\",\"from\":\"active\",\"to\":\"archived\"}"),
    ]
    .concat();
    let found = of(&[("memory/2026-02-03.md", &day), ("MEMORY.md", &day)]);
    assert_eq!((found.format, found.drafts.len()), (Format::Journal, 2));
    assert_eq!(found.draft("old").status, Status::Archived);
    assert_eq!(found.draft("café").session.as_deref(), Some("s1"));
}

#[test]
fn what_no_reader_knows_is_said_and_never_guessed() {
    let strangers = [
        ("package.json", "{\"name\":\"x\",\"version\":\"1\"}"),
        ("a.json", "[1,2,3]"),
        ("b.json", "{\"type\":\"FeatureCollection\",\"features\":[]}"),
        ("c.json", "[{\"title\":\"x\",\"content\":\"y\"}]"),
        ("d.txt", "just a line\nand another"),
        ("e.toml", "[package]\nname = \"x\"\n"),
        ("f.csv", "x,y\n1,2\n"),
        (
            "g.jsonl",
            "{\"level\":\"info\",\"msg\":\"started\"}\n{\"level\":\"info\",\"msg\":\"x\"}\n",
        ),
        ("h.bin", "\u{0}\u{1}\u{2}"),
    ];
    for (name, text) in strangers {
        let folder = folder(&[(name, text)]);
        let error = detect(&Input::open(&folder.path().join(name)).unwrap()).unwrap_err();
        assert_eq!(error.code(), "unknown-format", "{name}: {error}");
    }
    let folder = folder(&[]);
    let path = folder.path().join("x.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE users(id, name)").unwrap();
    assert_eq!(detect(&Input::open(&path).unwrap()).unwrap_err().code(), "unknown-format");
}

#[test]
fn two_programs_in_one_folder_are_named() {
    let mcp = r#"{"type":"entity","name":"A","entityType":"x","observations":["A is"]}"#;
    let folder = folder(&[("memory.jsonl", mcp), ("conversations.json", CHATGPT)]);
    let error = detect(&Input::open(folder.path()).unwrap()).unwrap_err();
    assert_eq!(error.to_string().split_once("could be ").unwrap().1, "chatgpt or mcp");
}
