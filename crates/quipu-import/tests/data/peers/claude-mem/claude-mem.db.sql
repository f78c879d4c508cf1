CREATE TABLE schema_versions (
        id INTEGER PRIMARY KEY,
        version INTEGER UNIQUE NOT NULL,
        applied_at TEXT NOT NULL
      );
INSERT INTO schema_versions VALUES(1,4,'2026-11-19T21:13:33.487Z');
INSERT INTO schema_versions VALUES(2,5,'2026-11-19T21:13:33.488Z');
INSERT INTO schema_versions VALUES(3,6,'2026-11-19T21:13:33.488Z');
INSERT INTO schema_versions VALUES(4,7,'2026-11-19T21:13:33.489Z');
INSERT INTO schema_versions VALUES(5,8,'2026-11-19T21:13:33.490Z');
INSERT INTO schema_versions VALUES(6,9,'2026-11-19T21:13:33.515Z');
INSERT INTO schema_versions VALUES(7,10,'2026-11-19T21:13:33.516Z');
INSERT INTO schema_versions VALUES(8,11,'2026-11-19T21:13:33.516Z');
INSERT INTO schema_versions VALUES(9,16,'2026-11-19T21:13:33.516Z');
INSERT INTO schema_versions VALUES(10,17,'2026-11-19T21:13:33.517Z');
INSERT INTO schema_versions VALUES(11,20,'2026-11-19T21:13:33.517Z');
INSERT INTO schema_versions VALUES(12,21,'2026-11-19T21:13:33.517Z');
INSERT INTO schema_versions VALUES(13,22,'2026-11-19T21:13:33.517Z');
INSERT INTO schema_versions VALUES(14,23,'2026-11-19T21:13:33.518Z');
INSERT INTO schema_versions VALUES(15,24,'2026-11-19T21:13:33.518Z');
INSERT INTO schema_versions VALUES(16,26,'2026-11-19T21:13:33.522Z');
INSERT INTO schema_versions VALUES(17,27,'2026-11-19T21:13:33.524Z');
INSERT INTO schema_versions VALUES(18,29,'2026-11-19T21:13:33.524Z');
INSERT INTO schema_versions VALUES(19,30,'2026-11-19T21:13:33.524Z');
INSERT INTO schema_versions VALUES(20,31,'2026-11-19T21:13:33.525Z');
INSERT INTO schema_versions VALUES(21,28,'2026-11-19T21:13:33.525Z');
INSERT INTO schema_versions VALUES(22,32,'2026-11-19T21:13:33.525Z');
INSERT INTO schema_versions VALUES(23,33,'2026-11-19T21:13:33.526Z');
INSERT INTO schema_versions VALUES(24,34,'2026-11-19T21:13:33.529Z');
INSERT INTO schema_versions VALUES(25,35,'2026-11-19T21:13:33.529Z');
INSERT INTO schema_versions VALUES(26,39,'2026-11-19T21:13:33.534Z');
INSERT INTO schema_versions VALUES(27,41,'2026-11-19T21:13:33.536Z');
INSERT INTO schema_versions VALUES(28,42,'2026-11-19T21:13:33.536Z');
INSERT INTO schema_versions VALUES(29,44,'2026-11-19T21:13:33.536Z');
INSERT INTO schema_versions VALUES(30,45,'2026-11-19T21:13:33.536Z');
INSERT INTO schema_versions VALUES(31,46,'2026-11-19T21:13:33.537Z');
INSERT INTO schema_versions VALUES(32,47,'2026-11-19T21:13:33.537Z');
INSERT INTO schema_versions VALUES(33,48,'2026-11-19T21:13:33.537Z');
INSERT INTO schema_versions VALUES(34,49,'2026-11-19T21:13:33.538Z');
INSERT INTO schema_versions VALUES(35,50,'2026-11-19T21:13:33.542Z');
INSERT INTO schema_versions VALUES(36,51,'2026-11-19T21:13:33.543Z');
INSERT INTO schema_versions VALUES(37,52,'2026-11-19T21:13:33.543Z');
CREATE TABLE sdk_sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        content_session_id TEXT NOT NULL,
        memory_session_id TEXT UNIQUE,
        project TEXT NOT NULL,
        platform_source TEXT NOT NULL DEFAULT 'claude',
        user_prompt TEXT,
        started_at TEXT NOT NULL,
        started_at_epoch INTEGER NOT NULL,
        completed_at TEXT,
        completed_at_epoch INTEGER,
        status TEXT CHECK(status IN ('active', 'completed', 'failed')) NOT NULL DEFAULT 'active'
      , worker_port INTEGER, prompt_counter INTEGER DEFAULT 0, custom_title TEXT, observed_model TEXT, observed_billing TEXT);
INSERT INTO sdk_sessions VALUES(1,'s3','memory-s3','otter','claude','What about s3?','2026-11-19T21:13:33.543Z',1795122813543,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(2,'s2','memory-s2','otter','claude','What about s2?','2026-11-19T21:13:33.558Z',1795122813558,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(3,'s1','memory-s1','otter','claude','What about s1?','2026-11-19T21:13:33.567Z',1795122813567,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(4,'s5','memory-s5','otter','claude','What about s5?','2026-11-19T21:13:33.578Z',1795122813578,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(5,'s12','memory-s12','otter','claude','What about s12?','2026-11-19T21:13:33.579Z',1795122813579,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(6,'s4','memory-s4','otter','claude','What about s4?','2026-11-19T21:13:33.580Z',1795122813580,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(7,'s9','memory-s9','otter','claude','What about s9?','2026-11-19T21:13:33.595Z',1795122813595,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(8,'s6','memory-s6','otter','claude','What about s6?','2026-11-19T21:13:33.599Z',1795122813599,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(9,'s7','memory-s7','otter','claude','What about s7?','2026-11-19T21:13:33.599Z',1795122813599,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(10,'s10','memory-s10','otter','claude','What about s10?','2026-11-19T21:13:33.600Z',1795122813600,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(11,'s11','memory-s11','otter','claude','What about s11?','2026-11-19T21:13:33.628Z',1795122813628,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO sdk_sessions VALUES(12,'s8','memory-s8','otter','claude','What about s8?','2026-11-19T21:13:33.708Z',1795122813708,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
CREATE TABLE "session_summaries" (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_session_id TEXT NOT NULL,
        project TEXT NOT NULL,
        request TEXT,
        investigated TEXT,
        learned TEXT,
        completed TEXT,
        next_steps TEXT,
        files_read TEXT,
        files_edited TEXT,
        notes TEXT,
        prompt_number INTEGER,
        created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, merged_into_project TEXT, synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
        FOREIGN KEY(memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE ON UPDATE CASCADE
      );
CREATE TABLE "observations" (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_session_id TEXT NOT NULL,
        project TEXT NOT NULL,
        text TEXT,
        type TEXT NOT NULL,
        title TEXT,
        subtitle TEXT,
        facts TEXT,
        narrative TEXT,
        concepts TEXT,
        files_read TEXT,
        files_modified TEXT,
        prompt_number INTEGER,
        created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, content_hash TEXT, generated_by_model TEXT, relevance_count INTEGER DEFAULT 0, merged_into_project TEXT, agent_type TEXT, agent_id TEXT, metadata TEXT, synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
        FOREIGN KEY(memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE ON UPDATE CASCADE
      );
INSERT INTO observations VALUES(7,'memory-s4','otter',NULL,'feature','Hiroshi lost a hornbeam hedge no 22','in short','["Hiroshi wants to sell port 8443 no 23 עברית וערבית عربي","Jonas keeps her cello no 24","Jonas lost the eye drops no 25"]','Gwen lost the gateway no 26','[]','[]','["net.rs"]',6,'2018-03-28T17:36:40.395Z',1522258600395,0,'5f8e6af03c4b246f',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(13,'memory-s7','otter',NULL,'decision','Gwen moved the cellar no 46','in short','["Łucja lost the cellar no 47","Chidi repaired port 8443 no 48","Gwen lost the cellar no 49"]','Chidi never opens the gateway no 50','[]','[]','["net.rs"]',12,'2024-10-28T18:09:53.631Z',1730138993631,0,'e3af9c17108e850d',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(18,'memory-s2','otter',NULL,'decision','Emeka prefers the cellar no 62','in short','["Hiroshi depends on the barn door no 63 <!-- a comment -->","Emeka depends on the third shard no 64","Mina wants to sell the cellar no 65"]','Chidi never opens the night train no 3 back\slash and "double" quotes','[]','[]','["net.rs"]',17,'2022-02-10T09:59:25.668Z',1644487165668,0,'ba6f13b5a558ff01',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(24,'memory-s6','otter',NULL,'feature','Dolores moved a hornbeam hedge no 87 tab	here','in short','["Hiroshi lost the barn door no 88","Jonas depends on the night train no 89","Björn never opens the night train no 90"]','Björn never opens the barn door no 91','[]','[]','["net.rs"]',23,'2020-09-18T05:09:32.823Z',1600405772823,0,'d3988589cac1d1f9',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(29,'memory-s8','otter',NULL,'change','Farah keeps a hornbeam hedge no 108 עברית וערבית عربي','in short','["Chidi depends on a hornbeam hedge no 109 --- not a fence"]','Chidi lost the barn door no 110','[]','[]','["net.rs"]',28,'2024-10-10T18:02:49.013Z',1728583369013,0,'a2dc8bb688bbc911',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(34,'memory-s7','otter',NULL,'refactor','Dolores depends on the night train no 125','in short','["Hiroshi lost the night train no 126"]','Hiroshi prefers the night train no 127','[]','[]','["net.rs"]',33,'2024-07-13T11:49:54.859Z',1720871394859,0,'d00fed6ffe971d63',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(39,'memory-s3','otter',NULL,'discovery','Hiroshi painted the cellar no 143 zero​width','in short','["Ana depends on the eye drops no 144"]','Chidi moved a hornbeam hedge no 145','["why-it-exists"]','[]','["net.rs"]',38,'2018-05-29T20:42:28.806Z',1527626548806,0,'85ea16ead104b2a2',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(44,'memory-s11','otter',NULL,'refactor','Łucja never opens the eye drops no 161','in short','["Inés prefers chapter nine no 162","Inés prefers the night train no 163"]','Hiroshi repaired the eye drops no 164 100 % of 3/4 & more','[]','[]','["net.rs"]',43,'2022-07-12T13:23:56.632Z',1657632236632,0,'3ba527ddef74aeea',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(52,'memory-s10','otter',NULL,'bugfix','Mina lost the third shard no 192','in short','["Hiroshi never opens a hornbeam hedge no 193 two\nlines","Hiroshi moved the gateway no 194","Björn repaired the third shard no 195 emoji 🎉👩‍🚒 inside"]','Farah wants to sell her cello no 196','["why-it-exists"]','[]','["net.rs"]',51,'2015-11-07T20:56:07.278Z',1446929767278,0,'0f84b825c3f69eb4',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(58,'memory-s8','otter',NULL,'bugfix','Łucja repaired the cellar no 211 two
lines','in short','["Farah keeps a green bicycle no 212"]','Chidi keeps the night train no 213','[]','[]','["net.rs"]',57,'2021-10-01T13:02:29.476Z',1633093349476,0,'8413f20cd08fd73b',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(63,'memory-s9','otter',NULL,'discovery','Farah never opens a green bicycle no 231','in short','["Hiroshi moved the gateway no 232","Emeka lost the tea tin no 233"]','Gwen moved chapter nine no 234 C:\Temp\new','[]','[]','["net.rs"]',62,'2016-10-26T02:30:24.752Z',1477449024752,0,'7062cf3a3104dbc8',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(69,'memory-s12','otter',NULL,'change','Łucja depends on a green bicycle no 251','in short','["Jonas moved the cellar no 252"]','Mina repaired a green bicycle no 253','["why-it-exists"]','[]','["net.rs"]',68,'2024-06-19T08:54:45.152Z',1718787285152,0,'009cbef937dee5f7',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(74,'memory-s11','otter',NULL,'decision','Dolores moved the gateway no 268','in short','["Emeka keeps port 8443 no 269 --- not a fence"]','Chidi keeps the gateway no 270','[]','[]','["net.rs"]',73,'2018-10-03T23:29:48.068Z',1538609388068,0,'a0229b931a72062e',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(80,'memory-s4','otter',NULL,'decision','Björn keeps the night train no 289 100 % of 3/4 & more','in short','["Łucja painted port 8443 no 290","Hiroshi lost a green bicycle no 291","Farah painted a green bicycle no 292"]','Mina wants to sell the barn door no 293','["why-it-exists"]','[]','["net.rs"]',79,'2022-08-22T19:08:00.493Z',1661195280493,0,'1f6c1842c2d02afc',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(85,'memory-s4','otter',NULL,'discovery','Farah painted a hornbeam hedge no 308','in short','["Dolores wants to sell the eye drops no 309","Inés wants to sell chapter nine no 310"]','Ana wants to sell chapter nine no 311 {"json": [1, 2]}','[]','[]','["net.rs"]',84,'2016-02-04T09:35:39.362Z',1454578539362,0,'4061585cc5cf62db',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(91,'memory-s2','otter',NULL,'feature','Farah moved the third shard no 328','in short','["Björn wants to sell the night train no 329","Hiroshi moved the tea tin no 330"]','Inés moved the night train no 331 {"json": [1, 2]}','[]','[]','["net.rs"]',90,'2018-07-15T16:36:21.255Z',1531672581255,0,'c901e12c07b95f4b',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(96,'memory-s12','otter',NULL,'change','Inés painted chapter nine no 347 <!-- a comment -->','in short','["Mina moved the eye drops no 348","Hiroshi repaired the third shard no 349 zero​width","Hiroshi wants to sell port 8443 no 350"]','Inés repaired the barn door no 351','[]','[]','["net.rs"]',95,'2022-11-11T12:12:13.498Z',1668168733498,0,'3f3b1eac473c6037',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(102,'memory-s5','otter',NULL,'feature','Łucja depends on a hornbeam hedge no 373 emoji 🎉👩‍🚒 inside','in short','["Björn keeps the cellar no 374"]','Emeka keeps the gateway no 375 zero​width','["why-it-exists"]','[]','["net.rs"]',101,'2024-06-03T06:00:51.445Z',1717394451445,0,'8adbb224b4e76d19',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(107,'memory-s9','otter',NULL,'refactor','Łucja repaired port 8443 no 391','in short','[]','Emeka wants to sell chapter nine no 392','["why-it-exists"]','[]','["net.rs"]',106,'2021-06-05T21:41:33.837Z',1622929293837,0,'c8c52fd9f427858f',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(112,'memory-s2','otter',NULL,'bugfix','Hiroshi lost her cello no 408 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx','in short','[]','Farah painted port 8443 no 409','[]','[]','["net.rs"]',111,'2016-07-08T05:46:13.867Z',1467956773867,0,'fea7df81b0cc4089',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(118,'memory-s7','otter',NULL,'decision','Chidi depends on her cello no 431','in short','["Dolores keeps her cello no 432","Mina wants to sell the third shard no 433","Łucja moved the tea tin no 434"]','Mina lost the barn door no 435','[]','[]','["net.rs"]',117,'2015-12-11T11:24:33.841Z',1449833073841,0,'df35fc06a0e58e9d',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(129,'memory-s6','otter',NULL,'refactor','Gwen painted the gateway no 477','in short','["Jonas prefers the gateway no 478 two\nlines"]','Dolores lost a hornbeam hedge no 479','["why-it-exists"]','[]','["net.rs"]',128,'2022-07-17T02:53:54.098Z',1658026434098,0,'d07b3f4aebfe69af',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(139,'memory-s2','otter',NULL,'feature','Łucja keeps the eye drops no 515','in short','["Inés wants to sell chapter nine no 516 <!-- a comment -->","Łucja repaired the tea tin no 517 C:\\Temp\\new","Mina wants to sell the third shard no 518"]','Jonas repaired her cello no 519','["why-it-exists"]','[]','["net.rs"]',138,'2021-06-19T18:19:20.137Z',1624126760137,0,'dac11dccb6819ace',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(144,'memory-s8','otter',NULL,'decision','Łucja painted the tea tin no 531','in short','["Gwen wants to sell chapter nine no 532","Hiroshi repaired the night train no 533"]','Inés never opens the cellar no 534 --- not a fence','[]','[]','["net.rs"]',143,'2019-06-14T11:17:59.685Z',1560511079685,0,'b57060bbe08e28dc',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(149,'memory-s3','otter',NULL,'refactor','Inés prefers port 8443 no 549 and so on and so on and so on and so on and so on ','in short','["Gwen keeps a green bicycle no 550","Hiroshi depends on the cellar no 551","Dolores moved her cello no 552 100 % of 3/4 & more"]','Ana keeps a hornbeam hedge no 553 日本語のメモ','[]','[]','["net.rs"]',148,'2020-06-29T19:53:39.441Z',1593460419441,0,'3ff341d017de0d8a',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(154,'memory-s3','otter',NULL,'decision','Jonas keeps the third shard no 568 zero​width','in short','["Dolores moved the barn door no 569"]','Mina keeps the eye drops no 570','["why-it-exists"]','[]','["net.rs"]',153,'2021-01-10T23:24:58.241Z',1610321098241,0,'7165729c802bbac2',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO observations VALUES(160,'memory-s6','otter',NULL,'decision','Inés painted chapter nine no 591','in short','["Gwen repaired chapter nine no 592 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","Jonas depends on the night train no 593","Farah lost port 8443 no 594"]','Emeka painted the eye drops no 595 עברית וערבית عربي','[]','[]','["net.rs"]',159,'2021-08-26T00:47:02.605Z',1629938822605,0,'eae73a295d8dfc94',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
CREATE TABLE pending_messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_db_id INTEGER NOT NULL,
        content_session_id TEXT NOT NULL,
        message_type TEXT NOT NULL CHECK(message_type IN ('observation', 'summarize')),
        tool_name TEXT,
        tool_input TEXT,
        tool_response TEXT,
        cwd TEXT,
        last_user_message TEXT,
        last_assistant_message TEXT,
        prompt_number INTEGER,
        status TEXT NOT NULL DEFAULT 'pending' CHECK(status IN ('pending', 'processing')),
        created_at_epoch INTEGER NOT NULL, agent_type TEXT, agent_id TEXT, tool_use_id TEXT,
        FOREIGN KEY (session_db_id) REFERENCES sdk_sessions(id) ON DELETE CASCADE
      );
CREATE TABLE "user_prompts" (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_db_id INTEGER,
        content_session_id TEXT NOT NULL,
        prompt_number INTEGER NOT NULL,
        prompt_text TEXT NOT NULL,
        created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
        FOREIGN KEY(session_db_id) REFERENCES sdk_sessions(id) ON DELETE CASCADE
      );
CREATE TABLE sync_state (
        k TEXT PRIMARY KEY,
        v TEXT
      );
CREATE TABLE sync_outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        op_uuid TEXT NOT NULL UNIQUE,
        rev TEXT NOT NULL DEFAULT '1',
        body TEXT NOT NULL,
        canonical_body TEXT,
        operation_sha256 TEXT,
        created_at_epoch INTEGER NOT NULL
      );
CREATE TABLE sync_entity_heads (
        entity_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('observation', 'summary', 'prompt')),
        origin_device_id TEXT NOT NULL,
        origin_local_id TEXT NOT NULL,
        entity_rev TEXT NOT NULL,
        operation_sha256 TEXT NOT NULL,
        deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
        updated_at_epoch INTEGER NOT NULL
      );
CREATE TABLE sync_content_outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        entity_id TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('observation', 'summary', 'prompt')),
        origin_local_id TEXT NOT NULL,
        entity_rev TEXT NOT NULL,
        body TEXT NOT NULL,
        operation_sha256 TEXT NOT NULL,
        deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)),
        created_at_epoch INTEGER NOT NULL,
        UNIQUE(entity_id, entity_rev)
      );
CREATE TABLE sync_dead_letter (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        lane TEXT NOT NULL CHECK (lane IN ('content', 'mutation')),
        queue_key TEXT NOT NULL,
        kind TEXT,
        origin_local_id TEXT,
        entity_rev TEXT,
        reason TEXT NOT NULL,
        raw_body TEXT,
        created_at_epoch INTEGER NOT NULL,
        UNIQUE(lane, queue_key, entity_rev, reason)
      );
CREATE TABLE sync_launch_exclusions (
        kind TEXT NOT NULL CHECK (kind IN ('observation', 'summary', 'prompt')),
        origin_local_id TEXT NOT NULL,
        through_rev TEXT NOT NULL,
        PRIMARY KEY (kind, origin_local_id)
      );
CREATE TABLE tool_uses (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      tool_use_id TEXT NOT NULL,
      content_session_id TEXT NOT NULL,
      memory_session_id TEXT,
      session_db_id INTEGER,
      project TEXT NOT NULL,
      platform_source TEXT NOT NULL DEFAULT 'claude',
      tool_name TEXT NOT NULL,
      tool_input TEXT,
      tool_response TEXT,
      cwd TEXT,
      prompt_number INTEGER,
      agent_type TEXT,
      agent_id TEXT,
      observation_id INTEGER,
      or_generation_id TEXT,
      or_session_id TEXT,
      content_hash TEXT,
      created_at TEXT NOT NULL,
      created_at_epoch INTEGER NOT NULL,
      UNIQUE(content_session_id, tool_use_id)
    );
CREATE TABLE telegram_wrapups (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        platform_source TEXT NOT NULL,
        content_session_id TEXT NOT NULL,
        project TEXT NOT NULL,
        route_key TEXT NOT NULL,
        summary_created_at_epoch INTEGER NOT NULL,
        status TEXT NOT NULL CHECK(status IN ('claimed', 'sent')),
        claimed_at_epoch INTEGER NOT NULL,
        sent_at_epoch INTEGER,
        UNIQUE(platform_source, content_session_id, project, route_key)
      );
