"""Generate question <-> statement pairs from templates and WordNet classes.

Output TSV: block, question, statement. All pairs of one block share the same two
speakers, so that a name never tells one pair of a training batch from another.
"""
import argparse
import gzip
import os
import random
import re

NAMES = """Anna Ben Carla David Emma Felix Grace Henry Isabel Jack Karen Leo Maria Nathan Olivia Paul Rachel Sam Tina Victor
Wendy Alex Julia Mark Sophie Tom Laura Peter Nina Oscar Alice George Helen Ian Kate Luke Megan Nick Priya Omar Yuki Chen
Diego Fatima Ravi Elena Marcus Hannah Chris Amy Daniel Sara Kevin Lisa Brian Susan Eric Diane Frank Ruth""".split()

# base | past | -ing
ACTIVITIES = """go hiking|went hiking|going hiking
bake a cake|baked a cake|baking a cake
adopt a dog|adopted a dog|adopting a dog
adopt a kitten|adopted a kitten|adopting a kitten
run a marathon|ran a marathon|running a marathon
visit the museum|visited the museum|visiting the museum
start a new job|started a new job|starting a new job
quit my job|quit my job|quitting my job
buy a house|bought a house|buying a house
move to a new apartment|moved to a new apartment|moving to a new apartment
paint a portrait|painted a portrait|painting a portrait
paint the kitchen|painted the kitchen|painting the kitchen
plant tomatoes|planted tomatoes|planting tomatoes
learn to surf|learned to surf|learning to surf
take a pottery class|took a pottery class|taking a pottery class
join a book club|joined a book club|joining a book club
join a gym|joined a gym|joining a gym
write a novel|wrote a novel|writing a novel
publish a blog post|published a blog post|publishing a blog post
record a song|recorded a song|recording a song
attend a concert|attended a concert|attending a concert
attend a conference|attended a conference|attending a conference
give a speech|gave a speech|giving a speech
volunteer at a shelter|volunteered at a shelter|volunteering at a shelter
donate blood|donated blood|donating blood
graduate from college|graduated from college|graduating from college
apply to graduate school|applied to graduate school|applying to graduate school
pass the exam|passed the exam|passing the exam
break my arm|broke my arm|breaking my arm
sprain my ankle|sprained my ankle|spraining my ankle
see the doctor|saw the doctor|seeing the doctor
get a haircut|got a haircut|getting a haircut
get married|got married|getting married
get engaged|got engaged|getting engaged
have a baby|had a baby|having a baby
celebrate my birthday|celebrated my birthday|celebrating my birthday
throw a party|threw a party|throwing a party
host a dinner|hosted a dinner|hosting a dinner
cook a roast|cooked a roast|cooking a roast
try yoga|tried yoga|trying yoga
start meditating|started meditating|starting to meditate
climb a mountain|climbed a mountain|climbing a mountain
swim in the lake|swam in the lake|swimming in the lake
ride a horse|rode a horse|riding a horse
drive across the country|drove across the country|driving across the country
fly to my sister|flew out to see my sister|flying to see my sister
fix the car|fixed the car|fixing the car
sell my bike|sold my bike|selling my bike
lose my wallet|lost my wallet|losing my wallet
find a stray cat|found a stray cat|finding a stray cat
win a tournament|won a tournament|winning a tournament
lose the game|lost the game|losing the game
watch a movie|watched a movie|watching a movie
finish a painting|finished a painting|finishing a painting
sign up for a class|signed up for a class|signing up for a class
open a shop|opened a shop|opening a shop
start a business|started a business|starting a business
lose my job|lost my job|losing my job
get promoted|got promoted|getting promoted
build a treehouse|built a treehouse|building a treehouse
build a bookshelf|built a bookshelf|building a bookshelf
renovate the bathroom|renovated the bathroom|renovating the bathroom
go to the beach|went to the beach|going to the beach
go on a road trip|went on a road trip|going on a road trip
go skiing|went skiing|going skiing
go fishing|went fishing|going fishing
go to therapy|went to therapy|going to therapy
call my mother|called my mother|calling my mother
meet an old friend|met an old friend|meeting an old friend
visit my grandparents|visited my grandparents|visiting my grandparents
take the kids to the park|took the kids to the park|taking the kids to the park
take photos of the sunset|took photos of the sunset|taking photos of the sunset
enter a competition|entered a competition|entering a competition
organize a fundraiser|organized a fundraiser|organizing a fundraiser
raise money for charity|raised money for charity|raising money for charity
march in a parade|marched in a parade|marching in a parade
teach a workshop|taught a workshop|teaching a workshop
mentor a student|mentored a student|mentoring a student
study for finals|studied for finals|studying for finals
learn Spanish|learned Spanish|learning Spanish
practice the guitar|practiced the guitar|practicing the guitar
play in a band|played in a band|playing in a band
audition for a play|auditioned for a play|auditioning for a play
launch a website|launched a website|launching a website
finish the report|finished the report|finishing the report
present to investors|presented to investors|presenting to investors
sign a contract|signed a contract|signing a contract
negotiate a raise|negotiated a raise|negotiating a raise
pay off my loan|paid off my loan|paying off my loan
save for a trip|saved for a trip|saving for a trip
cut back on sugar|cut back on sugar|cutting back on sugar
stop smoking|stopped smoking|quitting smoking
recover from surgery|recovered from surgery|recovering from surgery
lose ten pounds|lost ten pounds|losing ten pounds
knit a scarf|knitted a scarf|knitting a scarf
carve a bowl|carved a bowl|carving a bowl
repair the roof|repaired the roof|repairing the roof
clean the garage|cleaned the garage|cleaning the garage
walk the dog|walked the dog|walking the dog
feed the ducks|fed the ducks|feeding the ducks
watch the stars|watched the stars|watching the stars
see a meteor shower|saw a meteor shower|seeing a meteor shower
argue with my brother|argued with my brother|arguing with my brother
break up with my partner|broke up with my partner|breaking up with my partner
miss the flight|missed the flight|missing the flight
order a pizza|ordered a pizza|ordering a pizza
bake bread|baked bread|baking bread
brew beer|brewed beer|brewing beer
grow herbs|grew herbs|growing herbs
read a biography|read a biography|reading a biography
collect stamps|collected stamps|collecting stamps""".splitlines()

TIMES = """yesterday;last week;last weekend;two days ago;last month;last year;on Monday;last Friday;this morning;in June;
over the summer;last night;three weeks ago;on Saturday;back in 2019;in March 2022;a few years ago;recently;the other day;
when I was ten;during the holidays;on July 4th;earlier today""".replace("\n", "").split(";")
FUTURE = "next week;tomorrow;next month;this weekend;in October;next summer;on Friday;later this year;soon;in two weeks".split(";")
FEEL = """It was amazing!;It was so much fun.;I was really nervous.;It felt great.;I loved every minute of it.;It was tough but worth it.;
I'm so proud.;It was a bit scary at first.;It really helped me relax.;What a relief!;I'm still exhausted.;It brought back so many memories.;
Honestly it was harder than I expected.;I learned a lot.;My family loved it too.;I can't stop thinking about it.;It was a disaster, to be honest.;
I felt so free.;It made me really happy.;I was a little sad afterwards.""".replace("\n", "").split(";")
OPEN = """Hey {B}!;Hi {B}, long time no talk!;Guess what, {B}!;Thanks, {B}!;Wow, that's great.;Oh nice!;Yeah, totally.;I know, right?;
Not much, just busy.;Things have been good.;That sounds awesome, {B}.;Aww, thanks!;Good question.;Absolutely!;;;;;;;""".replace("\n", "").split(";")
CLOSE = """How about you?;What's new with you?;Have you ever tried that?;What do you think?;Any plans for the weekend?;Take care!;
Check out this photo!;Talk soon!;;;;;;;;;;""".replace("\n", "").split(";")
FILLER = """The weather has been lovely lately.;Work has been crazy.;The kids are growing so fast.;I've been trying to take better care of myself.;
I need a vacation.;It's been a long week.;I've had a lot on my mind.;My weekend was pretty quiet otherwise.;It's good to catch up with you.;
I really appreciate your support.;Life is full of surprises.""".replace("\n", "").split(";")

# class name -> (WordNet root lemma, questions, statements)
PERSONAL = {
    "animal": ("domestic_animal.noun|dog.noun|bird.noun|reptile.noun", ["What kind of pet does {A} have?", "What animal does {A} own?", "What pets does {A} have?", "Which animal did {A} get?"],
               ["I got a {x} {time}, so cute!", "My {x} keeps me company all day.", "We just adopted a {x}.", "I took my {x} to the vet {time}."]),
    "instrument": ("musical_instrument.noun", ["What instrument does {A} play?", "Which musical instrument is {A} learning?", "What instruments does {A} play?"],
                   ["I've been playing the {x} since I was a kid.", "I started learning the {x} {time}.", "I practice my {x} every evening."]),
    "sport": ("sport.noun|athletic_game.noun|exercise.noun", ["What sport does {A} play?", "What does {A} do to stay active?", "What physical activity does {A} enjoy?", "What is {A}'s favorite sport?"],
              ["I've been doing a lot of {x} lately.", "I took up {x} {time} and I'm hooked.", "{x} is my favorite way to stay fit."]),
    "food": ("dish.noun", ["What did {A} cook?", "What is {A}'s favorite dish?", "What meal did {A} make?", "What food does {A} like?"],
             ["I made {x} for dinner {time}.", "My favorite thing to eat is {x}.", "We had the best {x} at that new place."]),
    "dessert": ("dessert.noun|baked_goods.noun", ["What dessert did {A} make?", "What did {A} bake?", "What sweet treat does {A} like?"],
                ["I baked {x} {time}, it was delicious.", "I made {x} from my grandmother's recipe.", "I brought {x} to the party."]),
    "fruit": ("edible_fruit.noun|vegetable.noun", ["What does {A} grow in the garden?", "What did {A} plant?", "Which produce does {A} like?"],
              ["My {x} plants are finally growing.", "I planted {x} in the backyard {time}.", "I picked fresh {x} from the garden."]),
    "drink": ("beverage.noun", ["What does {A} like to drink?", "What is {A}'s favorite beverage?", "What drink did {A} order?"],
              ["I can't start my day without {x}.", "I ordered {x} as usual.", "A glass of {x} in the evening is perfect."]),
    "country": ("European_country.noun|Asian_country.noun|African_country.noun|South_American_country.noun|North_American_country.noun",
                ["Which country did {A} visit?", "Where did {A} travel?", "What country is {A} from?", "Where did {A} go on vacation?", "Which countries has {A} been to?"],
                ["I just got back from {x}!", "We spent two weeks in {x} {time}.", "I grew up in {x} before moving here.", "My trip to {x} was unforgettable."]),
    "city": ("national_capital.noun|city.noun", ["Which city did {A} visit?", "Where does {A} live?", "What city did {A} move to?", "Where did {A} go?"],
             ["I moved to {x} {time}.", "We had a wonderful weekend in {x}.", "I'm flying to {x} for a friend's wedding."]),
    "job": ("professional.noun|worker.noun|skilled_worker.noun", ["What does {A} do for a living?", "What is {A}'s job?", "What career does {A} have?", "What occupation is {A} considering?"],
            ["I work as a {x} now.", "I've been a {x} for five years.", "I'm thinking about becoming a {x}.", "I got hired as a {x} {time}!"]),
    "clothes": ("clothing.noun", ["What did {A} wear?", "What item of clothing did {A} buy?", "What did {A} purchase?"],
                ["I bought a new {x} {time}.", "I wore my {x} to the party.", "I finally found a {x} that fits."]),
    "vehicle": ("motor_vehicle.noun|bicycle.noun|boat.noun", ["What vehicle does {A} own?", "What does {A} drive?", "How does {A} get to work?", "What did {A} buy?"],
                ["I bought a used {x} {time}.", "My {x} broke down on the highway.", "I take my {x} everywhere."]),
    "flower": ("flower.noun|tree.noun", ["What flowers does {A} grow?", "What plant does {A} like?", "What did {A} plant in the yard?"],
               ["I planted a {x} in front of the house.", "The {x} in the garden is blooming.", "I love the smell of {x}."]),
    "furniture": ("furniture.noun", ["What furniture did {A} buy?", "What did {A} build?", "What did {A} make for the living room?"],
                  ["I built a {x} {time} in the workshop.", "We got a new {x} for the living room.", "The old {x} finally broke."]),
    "illness": ("disease.noun|symptom.noun|injury.noun", ["What health problem does {A} have?", "What medical condition was {A} diagnosed with?", "Why did {A} see a doctor?"],
                ["I was diagnosed with {x} {time}.", "The doctor says I have {x}.", "My {x} has been bothering me again."]),
    "game": ("game.noun|card_game.noun|board_game.noun", ["What game does {A} like to play?", "What does {A} do for fun?", "What are {A}'s hobbies?"],
             ["We played {x} all night.", "I've become obsessed with {x}.", "We have a {x} night every week."]),
    "dance": ("dancing.noun", ["What kind of dance does {A} do?", "What does {A} practice?", "What style of dancing did {A} learn?"],
              ["I've been taking {x} lessons.", "My {x} class performed {time}.", "I love {x}, it lifts my mood."]),
    "art": ("art.noun|handicraft.noun|picture.noun", ["What kind of art does {A} make?", "What creative hobby does {A} have?", "What did {A} create?"],
            ["I've been getting into {x} lately.", "I made a {x} {time} for my sister.", "I sold my first {x}!"]),
    "music": ("music_genre.noun|popular_music.noun|musical_composition.noun", ["What music does {A} listen to?", "What kind of music does {A} like?", "What type of song did {A} write?"],
              ["I listen to a lot of {x}.", "I went to a {x} show {time}.", "We performed a {x} on stage."]),
    "emotion": ("feeling.noun|emotion.noun", ["How did {A} feel?", "What emotion did {A} express?", "How does {A} feel about the change?"],
                ["I felt so much {x} that day.", "There was a lot of {x}, I have to admit.", "It filled me with {x}."]),
    "relative": ("relative.noun|friend.noun", ["Who did {A} visit?", "Who did {A} spend time with?", "Who gave {A} the gift?", "Who supports {A}?"],
                 ["My {x} came to visit {time}.", "I spent the day with my {x}.", "My {x} gave it to me for my birthday.", "I couldn't have done it without my {x}."]),
    "place": ("building.noun|geological_formation.noun|body_of_water.noun|tract.noun", ["Where did {A} go?", "What place did {A} visit?", "Where was {A} {time}?", "Where does {A} like to relax?"],
              ["We went to the {x} {time}.", "The {x} was beautiful this time of year.", "I like to sit by the {x} and think."]),
    "study": ("discipline.noun|natural_science.noun|social_science.noun|humanistic_discipline.noun", ["What did {A} study?", "What is {A}'s degree in?", "What field is {A} interested in?", "What subject did {A} major in?"],
              ["I majored in {x} in college.", "I'm taking a course in {x}.", "I've always been fascinated by {x}."]),
    "book": ("literary_composition.noun|writing.noun|movie.noun", ["What did {A} read?", "What did {A} write?", "What kind of books does {A} enjoy?"],
             ["I finished reading a {x} {time}.", "I'm writing a {x} about my childhood.", "That {x} really moved me."]),
    "tool": ("tool.noun|device.noun|electronic_equipment.noun", ["What did {A} buy for the house?", "What device does {A} use?", "What broke at {A}'s place?"],
             ["I bought a {x} {time}.", "My {x} stopped working.", "I use a {x} every day."]),
    "event": ("social_event.noun|ceremony.noun|contest.noun", ["What event did {A} attend?", "What is {A} planning?", "What did {A} participate in?", "What event is {A} organizing?"],
              ["I went to a {x} {time} and it was worth the trip.", "We are planning a {x} for {future}.", "I took part in a {x} {time}."]),
    "organization": ("association.noun|institution.noun|club.noun", ["What group did {A} join?", "What organization does {A} belong to?", "Where does {A} volunteer?"],
                     ["I joined a {x} {time}.", "I volunteer at a {x} on weekends.", "Our {x} meets every Tuesday."]),
    "quality": ("trait.noun", ["How would {B} describe {A}?", "What personality traits does {A} have?", "What does {B} admire about {A}?"],
                ["{A}, your {x} always impresses me.", "People say my {x} is my strength.", "I admire your {x}."]),
}

TECH = {
    "database": ("PostgreSQL;MySQL;SQLite;MongoDB;Redis;Cassandra;DynamoDB;MariaDB;ClickHouse;CockroachDB;Elasticsearch;DuckDB;Neo4j;RocksDB",
                 ["Which database do we use?", "Where is the data stored?", "What do we store user sessions in?", "What is the storage backend?", "Which datastore did I choose?"],
                 ["We store all user data in {x}.", "{x} is our primary database.", "Sessions are kept in {x} with a TTL of one hour.", "We migrated from {y} to {x} because of write contention.", "The {x} connection pool is capped at 20."]),
    "language": ("Rust;Python;Go;TypeScript;JavaScript;Java;Kotlin;Swift;C++;Ruby;Elixir;Scala;Haskell;PHP;C#;Zig",
                 ["What language is the backend written in?", "Which programming language do I prefer?", "What is the project implemented in?"],
                 ["The backend is written in {x}.", "I prefer {x} over {y} for services.", "The command line tool was rewritten in {x}.", "We use {x} for the parser and {y} for scripts."]),
    "framework": ("Flask;Django;FastAPI;Express;React;Vue;Angular;Svelte;Rails;Spring Boot;Axum;Actix;Next.js;Laravel;Phoenix;Tokio",
                  ["Which web framework does the project use?", "What framework did I pick for the app?", "What is the frontend built with?"],
                  ["The API server uses {x}.", "I'm building the app with {x} and it is going well.", "We replaced {y} with {x} for the web layer.", "Routes are defined in {x}."]),
    "cloud": ("AWS;Google Cloud;Azure;Heroku;Fly.io;DigitalOcean;Hetzner;Render;Kubernetes;Docker Compose;Nomad;Lambda;ECS",
              ["Where is the service deployed?", "What is our hosting provider?", "How do we deploy to production?", "Where does the app run?"],
              ["Production runs on {x}.", "We deploy to {x} through the release pipeline.", "Staging is hosted on {x}, production on {y}."]),
    "queue": ("Kafka;RabbitMQ;NATS;SQS;Redis streams;Celery;Sidekiq;Pulsar;ZeroMQ;Temporal",
              ["What message broker do we use?", "How are background jobs processed?", "Which queue handles events?"],
              ["Background jobs go through {x}.", "Events are published to {x}.", "We use {x} as the message broker."]),
    "testing": ("pytest;Jest;Vitest;cargo test;JUnit;RSpec;Playwright;Selenium;Cypress;unittest;proptest;Criterion;Locust",
                ["How are the tests run?", "Which testing framework do we use?", "What do we use for end to end tests?"],
                ["Run the unit tests with {x}.", "End to end tests are written with {x}.", "We moved the test suite from {y} to {x}."]),
    "editor": ("VS Code;Vim;Neovim;Emacs;IntelliJ;PyCharm;Sublime Text;Helix;Zed;Xcode",
               ["Which editor does the user prefer?", "What IDE do I use?", "What development environment is set up?"],
               ["The user works in {x}.", "I use {x} with the dark theme.", "I switched from {y} to {x}."]),
    "ci": ("GitHub Actions;GitLab CI;Jenkins;CircleCI;Buildkite;Travis;TeamCity;Azure Pipelines",
           ["What runs our continuous integration?", "Where does CI run?", "Which build server do we use?"],
           ["CI runs on {x} for every pull request.", "The {x} workflow builds and tests the project.", "Our build pipeline is defined in {x}."]),
    "auth": ("JWT;OAuth 2.0;session cookies;API keys;SAML;OpenID Connect;mutual TLS;basic auth;Auth0;Keycloak;passkeys",
             ["How do users log in?", "What authentication method does the API use?", "How are requests authorized?", "What handles login and sessions?"],
             ["Authentication uses {x}.", "Every request must carry {x} credentials.", "We implemented login with {x} and hashed passwords."]),
    "format": ("JSON;YAML;TOML;Protobuf;MessagePack;CSV;Parquet;XML;Avro;CBOR",
               ["What file format is used for configuration?", "How is the data serialized?", "Which format do exports use?"],
               ["Configuration is read from a {x} file.", "Messages are serialized as {x}.", "Exports are written in {x}."]),
    "style": ("tabs;four spaces;two spaces;snake_case;camelCase;single quotes;type hints;trailing commas;small functions;early returns;no comments;docstrings",
              ["What coding style does the user prefer?", "How should code be formatted?", "What is the naming or formatting convention?"],
              ["Always use {x} in this repository.", "The user prefers {x} over {y}.", "Code style: {x}."]),
    "error": ("connection refused;out of memory;permission denied;timeout;null pointer exception;stack overflow;deadlock;segmentation fault;certificate expired;404 not found;500 internal server error;CORS error;foreign key violation;race condition;KeyError;TypeError",
              ["What error did the service throw?", "Why did the deployment fail?", "What bug did I run into?", "What caused the outage?"],
              ["The service crashed with {x}.", "I'm getting a {x} when calling the endpoint.", "The outage was caused by {x}.", "Fixed the {x} by adding a retry with backoff."]),
    "lib": ("serde;reqwest;numpy;pandas;SQLAlchemy;requests;lodash;axios;tokio;rayon;matplotlib;scikit-learn;PyTorch;TensorFlow;Chart.js;Redux;Pydantic;Bootstrap;Tailwind",
            ["Which library do we use for that?", "What dependency did we add?", "What package did I install?"],
            ["Added {x} as a dependency.", "We use {x} instead of {y}.", "{x} must stay pinned until the upgrade is done.", "I installed {x} to handle this part of the project."]),
}
SETTINGS = """max_retries;timeout_ms;DATABASE_URL;cache_ttl;batch_size;log_level;worker_threads;rate_limit;MAX_CONNECTIONS;page_size;
retry_backoff_ms;learning_rate;port;session_lifetime;upload_limit;heartbeat_interval;API_BASE_URL;pool_size;chunk_size;min_confidence""".replace("\n", "").split(";")
VALUES = ["3", "5", "30", "60", "250", "1000", "8080", "5432", "0.01", "16", "64 MB", "debug", "24h", "100"]
SETTING_Q = ["What is {k} set to?", "What value does {k} have?", "How is {h} configured?", "What is the default {h}?", "What is our {h}?"]
SETTING_S = ["{k} is set to {v} in production.", "Set {k}={v} before starting the server.", "The default {h} is {v}.", "We raised {k} from {w} to {v} after the incident.", "{k}: {v}"]
PROJECT = """plant diary;recipe app;weather dashboard;portfolio website;chat bot;expense report tool;inventory system;fitness tracker;
note taking app;online store;blog engine;language learning app;job board;event calendar;photo gallery;search engine;music player;
classroom scheduler;resume builder;novel;cover letter;research paper;wedding plan;meal plan;savings plan;marketing campaign;home renovation;
algebra course;probability homework;essay;book proposal;podcast;screenplay;patent application;estate plan;workout routine;study plan""".replace("\n", "").split(";")
ASPECT = """deadline;budget;database schema;user interface;login page;error handling;test coverage;deployment;performance;security;
API design;data model;timeline;team members;cost;documentation;logging;caching;first sprint;code review;design;feedback;milestones;
outline;characters;sources;word count;interview;presentation;training data;accuracy;monthly payment;schedule""".replace("\n", "").split(";")
CHAT_Q = ["What did I say about the {a} of my {p}?", "How is the {a} of the {p} going?", "What was the {a} for my {p}?",
          "Can you summarize what we discussed about the {a} of my {p}?", "How did I handle the {a} in my {p} project?",
          "When did I mention the {a} for the {p}?", "What recommendations did you give me about the {a} for my {p}?",
          "Have I ever worked on the {a} of the {p}?"]
CHAT_S = ["I'm working on my {p} and I need help with the {a}. {f}", "For the {p}, I've decided to change the {a}. {f}",
          "I finally finished the {a} for my {p}, can you review it? {f}", "The {a} of the {p} is still a problem for me. {f}",
          "To improve the {a} of your {p}, start with the basics: define what you need, then break the work into smaller steps. {f}"]
CHAT_F = """I have about two weeks left.;Can you give me a step by step plan?;I'm not sure where to start.;It needs to be done by April 15.;
I've never done this before.;My colleague suggested a different approach.;Here is what I have so far.;I want to keep it simple.;
Please include examples.;That should make it easier to maintain.;Let me know if you need more details.""".replace("\n", "").split(";")
IDENTIFIER = re.compile(r"\b(?:[a-z]+(?:_[a-z]+)+|[a-z]{2,}(?:[A-Z][a-z]{2,})+|(?:[A-Z][a-z]{2,}){2,})\b")
STOP = set("""a an the of to in on at for with and or but is are was were be been i you he she it we they my your his her its our their me him them us
this that these those there here have has had do does did will would can could should may might not no so as if by from about into what which who when where
how why all any some more most very just like want need get please yes ok okay also than then too up out one""".split())


def load_wordnet(folder):
    """Hyponym trees of nouns: lemma of the first sense -> words under it."""
    synsets, index, counts = {}, {}, {}
    with open(os.path.join(folder, "cntlist.rev"), encoding="latin-1") as lines:
        for line in lines:
            key, _, count = line.split()
            lemma = key.split("%")[0]
            counts[lemma] = counts.get(lemma, 0) + int(count)
    with open(os.path.join(folder, "data.noun"), encoding="latin-1") as lines:
        for line in lines:
            if line.startswith("  "):
                continue
            f = line.split("|")[0].split()
            n = int(f[3], 16)
            words = [f[4 + 2 * i] for i in range(n)]
            at = 4 + 2 * n
            links = [(f[at + 1 + 4 * i], f[at + 2 + 4 * i]) for i in range(int(f[at]))]
            synsets[f[0]] = (words, [t for s, t in links if s in ("~", "~i")])
    with open(os.path.join(folder, "index.noun"), encoding="latin-1") as lines:
        for line in lines:
            if line.startswith("  "):
                continue
            f = line.split()
            index[f[0]] = f[-int(f[2]):]

    def under(roots):
        out, seen = [], set()
        for root in roots.split("|"):
            lemma = root.rsplit(".", 1)[0].lower()
            stack = list(index.get(lemma, [])[:2])
            while stack:
                node = stack.pop()
                if node in seen:
                    continue
                seen.add(node)
                words, down = synsets[node]
                out += [w for w in words[:2] if len(w) < 24]
                stack += down
        # words seen in real text more often, rare ones kept
        weight = [1 + 4 * min(counts.get(w.lower(), 0), 10) for w in out]
        return [w.replace("_", " ") for w in out], weight

    return under


def personal_statement(rng, text, a, b):
    parts = [rng.choice(OPEN), text, rng.choice(FEEL) if rng.random() < 0.5 else "",
             rng.choice(FILLER) if rng.random() < 0.2 else "", rng.choice(CLOSE)]
    if rng.random() < 0.3:
        parts[0], parts[3] = parts[3], parts[0]
    out = " ".join(p for p in parts if p).replace("{B}", b).replace("{A}", a)
    return f"{a}: {out}" if rng.random() < 0.7 else out


def split_identifier(name):
    """retry_backoff_ms, retryBackoffMs and retry-backoff-ms as words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", re.sub(r"[_:.-]+", " ", name)).lower().strip()


def joined(rng, words):
    """Words as somebody might write them in code."""
    parts = words.split()
    return rng.choice(["_".join(parts), parts[0] + "".join(p.capitalize() for p in parts[1:]), "-".join(parts),
                       "".join(p.capitalize() for p in parts), "_".join(parts).upper()])


def third(rng, phrase, name):
    return phrase.replace(" my ", rng.choice([" his ", " her ", " their "]))


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--wordnet", required=True, help="folder with data.noun, index.noun, cntlist.rev")
    args.add_argument("--corpus", required=True, help="output of collect.py")
    args.add_argument("--blocks", type=int, default=360)
    args.add_argument("--size", type=int, default=512)
    args.add_argument("--more", type=float, default=0.15, help="share of paraphrases, changed values and identifiers")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--out", required=True)
    args = args.parse_args()
    rng = random.Random(args.seed)
    under = load_wordnet(args.wordnet)
    classes = {k: under(v[0]) for k, v in PERSONAL.items()}
    for name, (words, _) in classes.items():
        print(name, len(words), words[:4])
    tech = {k: v[0].split(";") for k, v in TECH.items()}
    acts = [line.split("|") for line in ACTIVITIES]
    said, docs, glosses, named = [], [], [], []
    with gzip.open(args.corpus, "rt", encoding="utf-8") as lines:
        for line in lines:
            kind, _, text = line.rstrip("\n").split("\t", 2)
            if kind == "d" and len(text) > 45:
                said.append(text)
            elif kind == "p" and len(text) > 70:
                docs.append(text)
                if IDENTIFIER.search(text):
                    named.append(text)
            elif kind == "w":
                glosses.append(text)

    def span(text):
        """A few neighbouring words of the text with at least one content word."""
        words = re.findall(r"[\w'./:-]*\w", text)
        for _ in range(8):
            size = rng.choice([1, 2, 2, 3, 3, 4])
            if len(words) < size:
                continue
            at = rng.randrange(len(words) - size + 1)
            part = words[at:at + size]
            while part and part[0].lower() in STOP:
                part = part[1:]
            while part and part[-1].lower() in STOP:
                part = part[:-1]
            if part and any(len(w) > 3 for w in part):
                return " ".join(part)
        return None

    def paraphrase(a, b):
        """One fact in two wordings, of which one names the speaker."""
        name = rng.choice(list(PERSONAL) + list(TECH))
        if name in TECH:
            x, y = rng.sample(tech[name], 2)
            first, second = rng.sample(TECH[name][2], 2)
            return first.format(x=x, y=y), second.format(x=x, y=y)
        _, _, statements = PERSONAL[name]
        words, weight = classes[name]
        first, second = rng.sample(statements, 2)
        fill = {"A": a, "B": b, "x": rng.choices(words, weight)[0], "time": rng.choice(TIMES), "future": rng.choice(FUTURE)}
        about = rng.choice(["{A} said: {s}", "{A} told {B}: {s}", "{A}: {s}"]).format(A=a, B=b, s=first.format(**fill))
        return about, personal_statement(rng, second.format(**fill), a, b)

    def changed(a, b):
        """Two statements that differ in a value alone, each asked for by its value: the other is the hardest wrong answer."""
        if rng.random() < 0.5:
            k = rng.choice(SETTINGS)
            v, w = rng.sample(VALUES, 2)
            said_as = rng.choice(["{k} is set to {v}.", "We set {k} to {v}.", "{k} = {v}", "The {h} is now {v}."])
            asked = rng.choice(["When was {h} {v}?", "Is {k} {v}?", "Why is {k} set to {v}?", "Who set {h} to {v}?"])
            fill = {"k": k, "h": k.replace("_", " ").lower()}
            return [(asked.format(v=value, **fill), said_as.format(v=value, **fill)) for value in (v, w)]
        base, past, _ = rng.choice(acts)
        times = rng.sample(TIMES, 2)
        return [(f"What did {a} do {time}?" if rng.random() < 0.5 else f"Did {a} {third(rng, base, a)} {time}?", f"{a}: {time.capitalize()} I {past}.")
                for time in times]

    def identifier(a, b):
        """A name in code, asked for in words, or words asked for by the name."""
        text = rng.choice(named)
        found = rng.choice(IDENTIFIER.findall(text))
        words = split_identifier(found)
        if rng.random() < 0.5:
            return rng.choice(["What does {w} do?", "Where is {w} used?", "{w}", "How is {w} set?"]).format(w=words), text
        return joined(rng, words), text.replace(found, words)

    def more(a, b):
        """Pairs of the kinds that one() does not make."""
        roll = rng.random()
        if roll < 0.4:
            return [paraphrase(a, b)]
        if roll < 0.65:
            return changed(a, b)
        return [identifier(a, b)]

    def one(a, b):
        roll = rng.random()
        if roll < 0.27:
            name = rng.choice(list(PERSONAL))
            _, questions, statements = PERSONAL[name]
            words, weight = classes[name]
            x = rng.choices(words, weight)[0]
            fill = {"A": a, "B": b, "x": x, "time": rng.choice(TIMES), "future": rng.choice(FUTURE)}
            question = rng.choice(questions).format(**fill)
            if rng.random() < 0.35:  # a question that names the thing
                question = rng.choice(["When did {A} mention the {x}?", "What did {A} say about {x}?", "Does {A} like {x}?",
                                       "How long has {A} had the {x}?", "Why does {A} like {x}?", "Where did {A} find the {x}?"]).format(**fill)
            return question, personal_statement(rng, rng.choice(statements).format(**fill), a, b)
        if roll < 0.42:
            base, past, ing = rng.choice(acts)
            form = rng.random()
            time, future = rng.choice(TIMES), rng.choice(FUTURE)
            if form < 0.7:
                text = rng.choice([f"I {past} {time}!", f"{time.capitalize()} I {past}.", f"I {past} {time} with my family.", f"So I finally {past}."])
                question = rng.choice(["When did {A} {v}?", "Where did {A} {v}?", "Why did {A} {v}?", "Did {A} {v}?", "How did {A} feel after {i}?",
                                       "Who did {A} {v} with?", "What happened when {A} {p}?"])
            else:
                text = rng.choice([f"I'm {ing} {future}.", f"I'm planning on {ing} {future}!", f"We want to {base} {future}."])
                question = rng.choice(["When is {A} thinking of {i}?", "What are {A}'s plans?", "When will {A} {v}?", "Why does {A} want to {v}?"])
            question = question.format(A=a, v=third(rng, base, a), i=third(rng, ing, a), p=third(rng, past, a))
            return question, personal_statement(rng, text, a, b)
        if roll < 0.60:
            name = rng.choice(list(TECH))
            _, questions, statements = TECH[name]
            x, y = rng.sample(tech[name], 2)
            question = rng.choice(questions)
            if rng.random() < 0.35:
                question = rng.choice([f"Why did we choose {x}?", f"What do we use {x} for?", f"How is {x} used in the project?", f"Do we use {x}?", f"{x}?"])
            return question, rng.choice(statements).format(x=x, y=y)
        if roll < 0.66:
            k = rng.choice(SETTINGS)
            v, w = rng.sample(VALUES, 2)
            fill = {"k": k, "h": k.replace("_", " ").lower(), "v": v, "w": w}
            return rng.choice(SETTING_Q).format(**fill), rng.choice(SETTING_S).format(**fill)
        if roll < 0.74:
            fill = {"a": rng.choice(ASPECT), "p": rng.choice(PROJECT), "f": " ".join(rng.sample(CHAT_F, rng.choice([1, 2, 3])))}
            return rng.choice(CHAT_Q).format(**fill), rng.choice(CHAT_S).format(**fill)
        if roll < 0.84:
            text = rng.choice(said)
            part = span(text)
            if not part:
                return None
            question = rng.choice(["What did {A} say about {s}?", "When did {A} mention {s}?", "What does {A} think of {s}?", "Did {A} ask about {s}?",
                                   "What does {A} want to know about {s}?", "Why did {A} talk about {s}?"]).format(A=a, s=part)
            return question, (f"{a}: {text}" if rng.random() < 0.5 else text)
        if roll < 0.95:
            text = rng.choice(docs)
            part = span(text)
            if not part:
                return None
            question = rng.choice(["What is {s}?", "How does {s} work?", "{s}", "How do I use {s}?", "What did you say about {s}?", "Why does {s} matter?",
                                   "When should I use {s}?", "explain {s}", "What happens with {s}?"]).format(s=part)
            return question, text
        text = rng.choice(glosses)
        if ": " not in text:
            return None
        word, gloss = text.split(": ", 1)
        word = rng.choice(word.split(", "))
        return rng.choice(["What does {w} mean?", "What is {w}?", "{w}", "Tell me about {w}."]).format(w=word), gloss

    with gzip.open(args.out, "wt", encoding="utf-8", compresslevel=6) as out:
        for block in range(args.blocks):
            a, b = rng.sample(NAMES, 2)
            done = 0
            while done < args.size:
                who = (a, b) if rng.random() < 0.5 else (b, a)
                made = more(*who) if rng.random() < args.more else [one(*who)]
                for pair in [pair for pair in made if pair][: args.size - done]:
                    out.write(f"{block}\t{pair[0]}\t{pair[1]}\n")
                    done += 1


if __name__ == "__main__":
    main()
