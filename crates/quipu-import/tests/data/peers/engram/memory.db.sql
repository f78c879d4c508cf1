CREATE TABLE memories (
    id TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    source_file TEXT,
    source_type TEXT NOT NULL DEFAULT 'ingest',
    layer TEXT NOT NULL DEFAULT 'episodic',
    memory_type TEXT NOT NULL DEFAULT 'narrative',
    status TEXT NOT NULL DEFAULT 'active',
    embedding BLOB,
    importance REAL NOT NULL DEFAULT 0.5,
    access_count INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL,
    last_accessed REAL NOT NULL,
    fact_date TEXT,
    fact_date_end TEXT,
    emotional_valence REAL DEFAULT 0.0,
    chunk_hash TEXT NOT NULL,
    metadata TEXT DEFAULT '{}',
    forgotten INTEGER DEFAULT 0,
    previous_memory_id TEXT DEFAULT NULL
);
INSERT INTO memories VALUES('075e50b1-d5bb-6b4b-bc55-473a2e8fbf6c','Łucja repaired the cellar no 71 two
lines',NULL,'dream','episodic','procedure','active',NULL,6.34456639594529470116e-01,0,1573231535.96,1573231535.96,NULL,NULL,0.0,'4c7fcc544a1ee6fce9f0fa566bbbce7247fbf391cf4708c9e2b3be20d9f22fc8','{"tags": ["garden"], "invalidated": true, "invalidation_reason": "wrong", "invalidated_at": 1541524341.895}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('0da6eac7-b53b-f753-fa43-4b9103441ea8','NEGATIVE KNOWLEDGE: Inés lost the night train no 9 ends with two spaces  ',NULL,'dream','procedural','procedure','active',NULL,8.45054692099075466238e-01,0,1735716366.152,1735716366.152,NULL,NULL,0.0,'795ddb1e8e9a11763d4928ab5edb02772cd0bfebaf1ebc18b53d68499aa33fb9','{"tags": ["tea", "home"], "annotations": [{"note": "Ana wants to sell the tea tin no 10 back\\slash and \"double\" quotes", "timestamp": 1479208872.587}]}',0,'b3b1e211-d321-9330-48ff-339acb66a478');
INSERT INTO memories VALUES('106d56f6-6a9f-5287-4960-b2c1ebf802bf','Gwen never opens the cellar no 121',NULL,'interaction','semantic','procedure','active',NULL,5.50755033757520218173e-01,0,1617176598.116,1617176598.116,NULL,NULL,0.0,'57e6c98a10fee54f35f830740e74844d728556c08162141ac7a17493798da890','{"tags": ["tea", "tr\u00e8s-long"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('27bf96c6-b166-3070-c0d6-25b92ba591de','Mina moved her cello no 114 three

paragraphs

here',NULL,'interaction','semantic','procedure','active',NULL,7.4954828777666138162e-01,0,1624829373.275,1624829373.275,NULL,NULL,0.0,'a569d395e833bd373675cfa100320834ad5cabb9843a3306440593ffd3e344cf','{"tags": ["home", "work", "garden"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('2f3cb056-575b-14a4-c9e3-9b34d81fccb5','Ana moved port 8443 no 79',NULL,'remember:human','semantic','procedure','active',NULL,6.78279965443103871614e-01,0,1547124593.711,1547124593.711,NULL,NULL,0.0,'ff832d0e8c7b4162a01a4a9a8ae9c3f1b822a008fb63a8388ca11ec14dad08b8','{"tags": ["home", "tea", "tr\u00e8s-long"]}',1,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('3c97cd3a-601b-7eac-e867-021ceb50c62f','Chidi lost a green bicycle no 165',NULL,'dream','semantic','fact','active',NULL,4.8089166957046658446e-01,0,1688675020.301,1688675020.301,NULL,NULL,0.0,'0f997f5a32b4a5c01484ceab46a6cf9752c1cf40b20bb91a9d518e2fbce7b18e','{"tags": ["garden", "home", "work"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('58bd6ddf-99ed-fca1-9ce7-d3b79ca5d485','Inés painted the eye drops no 215',NULL,'remember:human','procedural','fact','active',NULL,7.02666905907387229213e-01,0,1453095437.503,1453095437.503,NULL,NULL,0.0,'660b18c159accf6b3f13d5a7c19d8452c65abd81e55ac82c80f05e8c11fc7b3e','{"tags": ["home", "work", "tr\u00e8s-long"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('59c4e9c4-623d-a4cf-41a8-4f98b1cab33e','Farah prefers the third shard no 43 back\slash and "double" quotes',NULL,'ingest','procedural','procedure','active',NULL,5.33746301252872257236e-01,0,1521567431.565,1521567431.565,NULL,NULL,0.0,'c2ee99b9b638b9984d2bd7eeef478e97ab6c189670a36445b1094b6fb7cb77c0','{"tags": ["tr\u00e8s-long", "tea"]}',0,'b3b1e211-d321-9330-48ff-339acb66a478');
INSERT INTO memories VALUES('5dced401-c74f-5d97-b2dd-9ba013bff527','Inés never opens a green bicycle no 16',NULL,'remember:ai','procedural','procedure','active',NULL,2.1063871120401189696e-01,0,1707487655.728,1707487655.728,NULL,NULL,0.0,'b35f80ffceea17352e097d7f70b87d950dbef26d5888aa6461a31586233d81fd','{"tags": ["home", "net", "work"]}',0,'b3b1e211-d321-9330-48ff-339acb66a478');
INSERT INTO memories VALUES('5ee9318b-6724-11a7-a99b-334031c92f98','Ana never opens the eye drops no 156 two
lines',NULL,'remember:human','episodic','narrative','active',NULL,8.57861865912375343157e-01,0,1462067103.325,1462067103.325,NULL,NULL,0.0,'18306808d55a2deb102d40840a6be8ad97ef6c13ec7915b820f15ca3af1164dd','{"tags": ["tea", "net", "home"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('66f414f3-5925-dcbf-674d-0af33e4cb4be','Hiroshi keeps a hornbeam hedge no 87',NULL,'interaction','working','fact','active',NULL,0.582944139944327,0,1496963828.09,1496963828.09,NULL,NULL,0.0,'5cf6a1b1bee9f7aacdb11a6c020cd65ce5aa11d95ae2cebd7f82995a3620a957','{"tags": ["tr\u00e8s-long", "tea", "work"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('6b83c8d0-d8a2-b78d-9100-c4096be8580b','Jonas moved the gateway no 191',NULL,'remember:human','procedural','fact','active',NULL,5.27568934329976868546e-01,0,1746490374.368,1746490374.368,'2027-06-15',NULL,0.0,'d587a2f516f59c694e52225e5b6328c80a01fcc1ef67513e31b74d84d5708efc','{"tags": ["net", "garden", "home"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('7cd882d7-9ff8-402f-f732-b3036bce2aa0','NEGATIVE KNOWLEDGE: Björn never opens the night train no 62',NULL,'interaction','episodic','fact','active',NULL,9.20946849926873367664e-01,0,1451588502.79,1451588502.79,NULL,NULL,0.0,'3fff063374f91bf6908d780b8faca6912fd12883fd802aa2ab618b05670e2197','{"tags": ["garden", "net", "work"], "annotations": [{"note": "Gwen prefers a hornbeam hedge no 63 \u05e2\u05d1\u05e8\u05d9\u05ea \u05d5\u05e2\u05e8\u05d1\u05d9\u05ea \u0639\u0631\u0628\u064a", "timestamp": 1536474881.526}]}',0,'42201c51-97a3-8446-89bc-24cadbb649c7');
INSERT INTO memories VALUES('83ba7cd7-80c1-046d-899f-262c3d9d3ffe','Inés prefers port 8443 no 23',NULL,'dream','episodic','narrative','active',NULL,6.54396008037434473436e-01,0,1729240747.114,1729240747.114,NULL,NULL,0.0,'65be90224713b0c6118893c048539279b7fc0b7099a0ff3f51c77209c05f329b','{"tags": ["tr\u00e8s-long"]}',0,'b3b1e211-d321-9330-48ff-339acb66a478');
INSERT INTO memories VALUES('8cbd5582-ccac-91b2-c615-9b96df930ae4','Björn painted the night train no 1',NULL,'remember:ai','semantic','procedure','active',NULL,2.50618399585283535557e-01,0,1659657272.799,1659657272.799,NULL,NULL,0.0,'8bdd05dd78ff5f3a0269ca64666a468f9fbcac3ba86615c938ea9c12d8d52086','{"tags": ["work", "tr\u00e8s-long", "garden"]}',0,NULL);
INSERT INTO memories VALUES('8d77cbd6-783c-d44c-70fc-9d5fb31cdc51','Hiroshi never opens the tea tin no 208',NULL,'remember:ai','semantic','narrative','active',NULL,5.41211772541637659017e-02,0,1708663352.601,1708663352.601,NULL,NULL,0.0,'fe64ce62264ae05eeac01b9b8d2b1e50fa5fb1ade6dd297158fcd86c5d571592','{"tags": []}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('9881ba3b-5460-5586-30dc-3b293c668e44','Farah wants to sell port 8443 no 31',NULL,'ingest','semantic','procedure','active',NULL,4.14817913383369041291e-01,0,1454571796.658,1454571796.658,NULL,NULL,0.0,'683888382a1d4b04e782c4b4ab26aa855642d581a2ad09c2f577ee83de47f2ce','{"tags": ["work", "net"]}',0,'b3b1e211-d321-9330-48ff-339acb66a478');
INSERT INTO memories VALUES('98822873-0bf5-06b9-e837-cf5fb5ee7b65','Inés repaired the third shard no 143',NULL,'interaction','semantic','narrative','active',NULL,6.45158184626397734895e-01,0,1443604261.859,1443604261.859,NULL,NULL,0.0,'028e4c849df61ebc4224d2e8642384fad93cafc6491c4f5b4384d95f6faa7337','{"tags": ["home", "work", "garden"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('a3fdcb9a-7641-a78a-4892-6b74bfcee7bb','Dolores painted the tea tin no 182',NULL,'ingest','semantic','procedure','active',NULL,1.97422544618749529199e-01,0,1627936265.157,1627936265.157,NULL,NULL,0.0,'5d05b23427cf98ad49b016f55dea1f2b7bfdbe4e563e52d36b61ad2de1d5fc2b','{"tags": ["tr\u00e8s-long", "net", "garden"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('ac1ca3fc-a93a-a74e-9baf-43d1b3d45c34','Hiroshi lost the night train no 225',NULL,'remember:human','episodic','fact','active',NULL,2.19400357020653635764e-01,0,1435213928.375,1435213928.375,NULL,NULL,0.0,'1e0a8c3bc9f16800a72be7d7e9ce6378dc763d3c40aad85a6b90b303ef05014b','{"tags": ["garden", "tea", "work"], "invalidated": true, "invalidation_reason": "wrong", "invalidated_at": 1702564891.583}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('b8a78b5d-2b65-ed5a-8c78-975f6157c669','Björn depends on a green bicycle no 242',NULL,'remember:ai','semantic','procedure','active',NULL,9.60839824214693161152e-01,0,1517230490.304,1517230490.304,NULL,NULL,0.0,'e3496c3cfa1f26d65a3156ee80f7df3e891a0168778b8c938460fe2105000a71','{"tags": []}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('c06e6d2b-e949-05e4-8efc-9d616bca9769','Gwen depends on her cello no 171',NULL,'remember:human','episodic','narrative','active',NULL,4.09589972950147540586e-01,0,1747822218.288,1747822218.288,NULL,NULL,0.0,'2abe02fefe83e30fb95dcfea0152490a864f2578591e96465eefdd7684a45b27','{"tags": []}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('c2525c13-802f-0f23-a966-a338a9024791','Łucja keeps the gateway no 94',NULL,'interaction','episodic','fact','active',NULL,4.22548348260475381543e-01,0,1672857983.597,1672857983.597,NULL,NULL,0.0,'364e1291d9ce21eaeacb0f88678bbf2f67496b58dfa5a5f72c120057058f777b','{"tags": ["work"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('c8651fad-d498-c8df-1890-f13cc3d4307e','Inés repaired port 8443 no 130',NULL,'remember:human','episodic','fact','invalidated',NULL,7.30666608030610120749e-01,0,1553170822.845,1553170822.845,'2017-05-01',NULL,0.0,'ba048a5bf93da01a69537a3bc3733c702d44ee53d213beed32afb6ed96530e53','{"tags": []}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('cd13e98d-3c88-723c-e2d9-bb7f01ead066','NEGATIVE KNOWLEDGE: Inés depends on the third shard no 55 --- not a fence',NULL,'remember:human','episodic','narrative','active',NULL,9.52454684004549578801e-01,0,1428667921.331,1428667921.331,NULL,NULL,0.0,'01e70274a76f782dc16f5ae41defc4b3d8296280de31c46da2b7d670845cd531','{"tags": ["work", "home", "net"]}',0,'b3b1e211-d321-9330-48ff-339acb66a478');
INSERT INTO memories VALUES('d853851d-f2a7-a132-4811-17c7417eabcb','Ana depends on her cello no 104',NULL,'interaction','procedural','procedure','active',NULL,7.0821691256812591142e-01,0,1583517098.6,1583517098.6,NULL,NULL,0.0,'e11063528c4eb93cf965b0b9fcce1c4d3e9b2143865c5edfd4cf447cc1c0c20f','{"tags": ["tea"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('dbf5b617-0049-df98-00ab-d79d4923fab0','Dolores repaired the third shard no 231',NULL,'remember:ai','episodic','procedure','active',NULL,6.67815689907322651563e-01,0,1590637262.499,1590637262.499,NULL,NULL,0.0,'1b477b8cdda12bbf42bb89767c06c9fc4ffaf646a0d1a14551e469f47d644f57','{"tags": ["tea"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('eccfb9a9-8d81-a36f-99b9-bee10c0bb023','Mina painted a hornbeam hedge no 252',NULL,'remember:human','semantic','procedure','active',NULL,0.913812250316116,0,1589570046.421,1589570046.421,'2019-11-25',NULL,0.0,'52eb02ce25c75b40d00e8050874e328edee9885368d56a7fa00e727ca60e7ddf','{"tags": []}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('f8e239d3-020b-2be6-a2b5-7dc16a57bd2e','Dolores lost the third shard no 200 back\slash and "double" quotes',NULL,'dream','procedural','fact','active',NULL,5.00868749560471449022e-01,0,1477650671.325,1477650671.325,'2028-09-09',NULL,0.0,'40e0086ab27364fb8a629c634656fd92ecf05cc251f4743aece372ba5e759e9f','{"tags": []}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
INSERT INTO memories VALUES('fc8f8334-9c8f-bfde-2952-c42a1d534d9c','Jonas prefers a hornbeam hedge no 149',NULL,'ingest','working','procedure','active',NULL,3.11067855273737814414e-02,0,1522055484.412,1522055484.412,'2029-06-21',NULL,0.0,'305070f5316f39f59310853ca9eee574bd109e23edd067cdbd4b0a71270a1000','{"tags": ["net"]}',0,'8902ed3d-c6ef-a4d5-ddf4-a7fa86b138ac');
CREATE TABLE hypothetical_queries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    query_text TEXT NOT NULL
);
CREATE TABLE entities (
    id TEXT PRIMARY KEY,
    canonical_name TEXT NOT NULL UNIQUE,
    aliases TEXT DEFAULT '[]',
    entity_type TEXT DEFAULT 'concept',
    first_seen REAL NOT NULL,
    last_seen REAL NOT NULL,
    metadata TEXT DEFAULT '{}'
);
CREATE TABLE entity_mentions (
    entity_id TEXT NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    PRIMARY KEY (entity_id, memory_id)
);
CREATE TABLE relationships (
    source_entity_id TEXT NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    target_entity_id TEXT NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    relation_type TEXT NOT NULL,
    strength REAL DEFAULT 1.0,
    evidence_count INTEGER DEFAULT 1,
    created_at REAL NOT NULL,
    last_seen REAL NOT NULL,
    valid_from REAL DEFAULT NULL,
    valid_to REAL DEFAULT NULL,
    embedding BLOB DEFAULT NULL,
    PRIMARY KEY (source_entity_id, target_entity_id, relation_type)
);
CREATE TABLE access_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL,
    accessed_at REAL NOT NULL,
    query_text TEXT
);
CREATE TABLE ingest_log (
    file_path TEXT PRIMARY KEY,
    file_hash TEXT NOT NULL,
    last_ingested REAL NOT NULL,
    memory_count INTEGER DEFAULT 0
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_type TEXT NOT NULL,
    memory_id TEXT,
    entity_id TEXT,
    detail TEXT,
    created_at REAL NOT NULL
);
INSERT INTO events VALUES(1,'memory_write','8cbd5582-ccac-91b2-c615-9b96df930ae4',NULL,'layer=semantic source=remember:ai',1.79512627334590816503e+09);
INSERT INTO events VALUES(9,'memory_write','0da6eac7-b53b-f753-fa43-4b9103441ea8',NULL,'layer=procedural source=dream',1.79512627349525761598e+09);
INSERT INTO events VALUES(15,'memory_write','5dced401-c74f-5d97-b2dd-9ba013bff527',NULL,'layer=procedural source=remember:ai',1.7951262734967112541e+09);
INSERT INTO events VALUES(21,'memory_write','83ba7cd7-80c1-046d-899f-262c3d9d3ffe',NULL,'layer=episodic source=dream',1.79512627349815082553e+09);
INSERT INTO events VALUES(28,'memory_write','9881ba3b-5460-5586-30dc-3b293c668e44',NULL,'layer=semantic source=ingest',1.79512627356832599632e+09);
INSERT INTO events VALUES(37,'memory_write','59c4e9c4-623d-a4cf-41a8-4f98b1cab33e',NULL,'layer=procedural source=ingest',1.79512627357050347327e+09);
INSERT INTO events VALUES(49,'memory_write','cd13e98d-3c88-723c-e2d9-bb7f01ead066',NULL,'layer=episodic source=remember:human',1.79512627368997502324e+09);
INSERT INTO events VALUES(55,'memory_write','7cd882d7-9ff8-402f-f732-b3036bce2aa0',NULL,'layer=episodic source=interaction',1.79512627406777620312e+09);
INSERT INTO events VALUES(61,'memory_write','075e50b1-d5bb-6b4b-bc55-473a2e8fbf6c',NULL,'layer=episodic source=dream',1.79512627406893897057e+09);
INSERT INTO events VALUES(68,'memory_write','2f3cb056-575b-14a4-c9e3-9b34d81fccb5',NULL,'layer=semantic source=remember:human',1.79512627407048201561e+09);
INSERT INTO events VALUES(76,'memory_write','66f414f3-5925-dcbf-674d-0af33e4cb4be',NULL,'layer=working source=interaction',1.79512627422474527359e+09);
INSERT INTO events VALUES(82,'memory_write','c2525c13-802f-0f23-a966-a338a9024791',NULL,'layer=episodic source=interaction',1.7951262742260589599e+09);
INSERT INTO events VALUES(92,'memory_write','d853851d-f2a7-a132-4811-17c7417eabcb',NULL,'layer=procedural source=interaction',1.79512627429670572278e+09);
INSERT INTO events VALUES(102,'memory_write','27bf96c6-b166-3070-c0d6-25b92ba591de',NULL,'layer=semantic source=interaction',1.79512627447970366479e+09);
INSERT INTO events VALUES(109,'memory_write','106d56f6-6a9f-5287-4960-b2c1ebf802bf',NULL,'layer=semantic source=interaction',1.79512627486127471923e+09);
INSERT INTO events VALUES(117,'memory_write','c8651fad-d498-c8df-1890-f13cc3d4307e',NULL,'layer=episodic source=remember:human',1.79512627497589707372e+09);
INSERT INTO events VALUES(129,'memory_write','98822873-0bf5-06b9-e837-cf5fb5ee7b65',NULL,'layer=semantic source=interaction',1.79512627522346472738e+09);
INSERT INTO events VALUES(135,'memory_write','fc8f8334-9c8f-bfde-2952-c42a1d534d9c',NULL,'layer=working source=ingest',1.79512627522495627407e+09);
INSERT INTO events VALUES(141,'memory_write','5ee9318b-6724-11a7-a99b-334031c92f98',NULL,'layer=episodic source=remember:human',1.79512627522649025916e+09);
INSERT INTO events VALUES(149,'memory_write','3c97cd3a-601b-7eac-e867-021ceb50c62f',NULL,'layer=semantic source=dream',1.79512627560591316215e+09);
INSERT INTO events VALUES(155,'memory_write','c06e6d2b-e949-05e4-8efc-9d616bca9769',NULL,'layer=episodic source=remember:human',1.79512627566068387035e+09);
INSERT INTO events VALUES(166,'memory_write','a3fdcb9a-7641-a78a-4892-6b74bfcee7bb',NULL,'layer=semantic source=ingest',1.79512627578806304934e+09);
INSERT INTO events VALUES(174,'memory_write','6b83c8d0-d8a2-b78d-9100-c4096be8580b',NULL,'layer=procedural source=remember:human',1.79512627590819835669e+09);
INSERT INTO events VALUES(183,'memory_write','f8e239d3-020b-2be6-a2b5-7dc16a57bd2e',NULL,'layer=procedural source=dream',1.79512627603318500519e+09);
INSERT INTO events VALUES(191,'memory_write','8d77cbd6-783c-d44c-70fc-9d5fb31cdc51',NULL,'layer=semantic source=remember:ai',1.79512627628808116913e+09);
INSERT INTO events VALUES(198,'memory_write','58bd6ddf-99ed-fca1-9ce7-d3b79ca5d485',NULL,'layer=procedural source=remember:human',1.79512627628991508488e+09);
INSERT INTO events VALUES(208,'memory_write','ac1ca3fc-a93a-a74e-9baf-43d1b3d45c34',NULL,'layer=episodic source=remember:human',1.79512627638525867459e+09);
INSERT INTO events VALUES(214,'memory_write','dbf5b617-0049-df98-00ab-d79d4923fab0',NULL,'layer=episodic source=remember:ai',1.79512627648332881921e+09);
INSERT INTO events VALUES(223,'memory_write','b8a78b5d-2b65-ed5a-8c78-975f6157c669',NULL,'layer=semantic source=remember:ai',1.79512627660830354683e+09);
INSERT INTO events VALUES(233,'memory_write','eccfb9a9-8d81-a36f-99b9-bee10c0bb023',NULL,'layer=semantic source=remember:human',1.79512627700752401354e+09);
INSERT INTO events VALUES(271,'status_change','c8651fad-d498-c8df-1890-f13cc3d4307e',NULL,'active → invalidated: the seed says so',1.79512627728975796698e+09);
INSERT INTO events VALUES(303,'memory_forget','2f3cb056-575b-14a4-c9e3-9b34d81fccb5',NULL,NULL,1.79512627785929846768e+09);
CREATE TABLE diary_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    session_id TEXT,
    created_at REAL NOT NULL
);
CREATE TABLE session_handoffs (
    session_id TEXT PRIMARY KEY,
    summary TEXT NOT NULL,
    metadata TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL
);
CREATE TABLE importance_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL,
    score REAL NOT NULL,
    recorded_at REAL NOT NULL
);
CREATE TABLE status_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    old_status TEXT NOT NULL,
    new_status TEXT NOT NULL,
    reason TEXT,
    changed_at REAL NOT NULL
);
INSERT INTO status_history VALUES(11,'c8651fad-d498-c8df-1890-f13cc3d4307e','active','invalidated','the seed says so',1.79512627728975462915e+09);
