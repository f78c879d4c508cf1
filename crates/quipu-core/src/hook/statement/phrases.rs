//! The phrases by which people ask for memory, and those by which they say that something holds from now on. They
//! match a sentence in small letters.

use std::sync::OnceLock;

use regex::Regex;

use super::pattern;

/// Little words before a request.
const BEFORE: &str = r"^(?:(?:and|but|so|also|oh|ok|okay|hey|hi|hello|btw|by the way|one more thing|another thing|please|pls|now|just|then|important|ps|p\.s\.|fyi|quick note|note|reminder|heads up|can you|could you|would you|will you|you should|you must|you can|i want you to|i'd like you to|i would like you to|i need you to|you need to|we need to|we must|we should|it's important to|it is important to|worth|try to|do|let's|make sure to|make sure you|make sure that you|be sure to|und|bitte|übrigens|kannst du|y|por favor|puedes|et|s'il te plaît|peux-tu)\b[,:!.–—-]*\s+){0,4}";

/// What asks for memory, after [`BEFORE`].
const ASKS: &[&str] = &[
    r"(?:always )?remember(?:,| that\b|:| for (?:later|next time|the future|good|ever|future)\b| this\b| the following\b| (?:it|that)(?: for| from|[.!]|$)| these\b| forever\b| both\b| going forward\b| from now on\b| as well\b| too\b)",
    r"remember (?:our|we|my|i|there|all|every|nobody|everyone|the)\b.{0,60}?\b(?:is|are|was|were|has|have|must|needs?|uses?|goes|lives?|runs?|don't|doesn't|never|always|can't|cannot|only|owns?|wants?)\b",
    r"remember for (?:all|every|any|each)\b.{0,40}? that\b",
    r"memori[sz]e\b(?: that\b| this\b)?",
    r"(?:don't|do not|never) (?:ever )?forget(?: that\b|:|,| this\b)",
    r"(?:keep|bear) (?:in mind(?: that\b)?|(?:this|that|it) in mind)",
    r"(?:note|record|write) (?:down that\b|(?:down )?for (?:later|next time|the future|future)\b|to self\b)",
    r"(?:note|write|jot|take) (?:this|that|it|these)(?: things?)? down\b",
    r"(?:make|take) (?:a )?(?:mental |permanent )?note(?: of (?:this|that|it)\b| that\b|:|,)",
    r"(?:add|save|store|put|write|keep|commit|log|record|note) (?:(?:this|that|it|these|the following|something|one thing|down) )?(?:in|into|to|for|on) (?:your|our|the team|the project|team|project|long-term|long term|persistent|shared)(?: \w+)? (?:memory|memories|notes|file)\b(?: that\b)?",
    r"(?:add|save|store|commit|put|write) (?:(?:this|that|it|these|the following) )?(?:to|into|in) (?:the )?memory\b(?: that\b|:|,)",
    r"(?:add|commit|save) (?:this|that|it|these|the following) to memory\b",
    r"(?:save|store|keep|note|record|file) (?:this|that|these|the following)(?: one| fact| rule| info| things?)?(?: permanently| forever| please)?(?: for\b.{0,24}?(?:later|future|next|good|sessions?)\b|:|$)",
    r"for (?:the |your )?(?:future reference|record|memory|notes|next time|later sessions|future sessions|future|later)\b[,:—–-]",
    r"(?:one|two|three|a few|some|a couple of|something|a thing|things?|this is) (?:more )?(?:things?|facts?|points?|notes?|rules?|something)? ?(?:for your|for the|to your|for|you should|worth|to) (?:memory|notes|future|remember|keep|know|file|remembering|knowing)\b(?: for (?:later|next time|the future|good))?",
    r"(?:make|consider|treat) (?:it|this|that) (?:as )?(?:a |an |our |your |the )?(?:standing |new |general |hard |permanent )?(?:rule|habit|convention|policy)\b(?: for yourself| from now on)?",
    r"(?:adopt|take) (?:it|this|that) (?:for good|as a rule|permanently)\b",
    r"(?:new|house|standing|general|team|hard|golden|ground) (?:rule|convention|policy)\b(?: for (?:you|us|everyone|this repo|this project))?:",
    r"good to know for (?:later|next time|the future)\b",
    r"don't (?:let|make) me (?:explain|repeat|say|tell)\b",
    r"so (?:that )?(?:you|i) (?:don't|do not|never|won't) (?:forget|have to (?:explain|ask|repeat|say))\b",
    r"(?:i|we)(?:'ve| have)? (?:already |just )?(?:told|tell|keep telling|said to) you\b[^:.]*(?::| that\b)",
    r"how (?:often|many times)\b.*\b(?:tell|repeat|explain)\b",
    r"you (?:should|must|need to) know(?: that\b|:)",
    r"learn (?:this|that|once and for all)\b(?: for good)?",
    // German
    r"(?:merk|merke|notier|notiere|speicher|speichere)(?:e)?(?: (?:dir|euch|es dir|das)\b|:)",
    r"(?:denk|denke) (?:bitte )?(?:immer )?(?:daran|dran)(?:,? dass\b|:)",
    r"vergiss (?:bitte )?(?:nie|nicht|niemals),? dass\b",
    r"(?:behalte|behalt)\b.{0,20} im (?:kopf|gedächtnis|hinterkopf)\b(?:,? dass\b)?",
    r"für (?:später|die zukunft|das nächste mal|deine notizen|dein gedächtnis)\b",
    // Spanish, Portuguese, Italian
    r"recuerda(?:lo)?\b(?: para siempre\b| que\b|:|,| esto\b| bien\b| siempre\b)",
    r"no (?:te )?olvides(?: de)? que\b",
    r"ten (?:en cuenta|presente)(?: siempre)?(?: que\b|:)",
    r"(?:guarda|apunta|anota|memoriza)(?:lo|te)?\b(?: en (?:tu|la) memoria\b| esto\b)?(?: que\b|:)?",
    r"para (?:el futuro|la próxima|futuras sesiones)\b",
    r"(?:lembre-se|lembra-te|lembra)(?: de)?(?: que\b|:)",
    r"(?:ricorda|ricordati)(?: che\b|:| per)",
    // French, Dutch
    r"(?:souviens-toi|rappelle-toi|retiens|retenez|mémorise)(?: bien)?(?: que\b| qu'|:| pour)",
    r"note(?: bien)?(?: que\b| qu')",
    r"n'oublie (?:pas|jamais) (?:que\b|qu')",
    r"garde(?:z)? en (?:tête|mémoire)\b(?: que\b| qu')?",
    r"onthou(?:d|dt)?(?: goed)?(?: dat\b|:)",
    // Chinese, Japanese
    r"(?:请)?(?:你要)?记住[,,::]?|請記住[,,::]?|别忘了[,,::]?",
];

/// What asks for memory wherever it stands in a short sentence.
const ASKS_ANYWHERE: &[&str] = &[
    r"\bdon't (?:let|make) me (?:explain|repeat|say|tell)\b",
    r"\b(?:keep|bear) (?:this|that|it) in mind\b",
    r"\b(?:write|note|jot) (?:this|that|it|these) down\b",
    r"\b(?:please|and|to|should|must) (?:always )?(?:remember|memorize|memorise) (?:this|that|it|these)(?: for| from|[.!,]|$| across| please| in| next)",
    r"\bremember (?:this|that|it)(?: please)?[.!]*$",
    r"[,;—–-] (?:and )?(?:please )?remember that\b",
    r"\bfor (?:future reference|future sessions|later sessions|your memory)\b",
    r"\b(?:in|to|into) your (?:memory|notes|long-term memory)\b(?: that\b)?",
    r"\b(?:make|made) (?:it|this|that) (?:a |your )?(?:standing )?rule\b(?: for yourself)?",
    r"\badopt (?:it|this|that) for good\b",
    r"[,;.—–-] (?:so )?(?:and )?(?:please |pls )?(?:remember|keep in mind|note|memorize)(?: that| this| it)?(?:,? please| for (?:later|next time|the future|future sessions))?[.!)]*$",
    r"^(?:please |so |and )*stick (?:to|with) (?:this|that|it)\b",
    r"\b(?:that's|that is|this is) (?:the|our|my|a|an) (?:standing |hard |house |team |general )?(?:rule|convention|policy)\b",
    r"\b(?:that's|that is|this is) how (?:we|i) (?:do|want|like|work)\b",
    r"^(?:this|that|it) (?:applies|holds|goes|counts|stays)\b.*\b(?:always|future|every|all|from now on|good|everywhere)\b",
    r"\bmerk(?:e)? (?:dir|es dir) (?:das|es|bitte)\b",
    r"覚えておいて|忘れないで",
];

/// What says of itself that it holds from now on, with its category, after [`BEFORE`].
const STANDS: &[(&str, &str)] = &[
    (
        r"(?:from now on|from here on|from today on|going forward|starting (?:now|today|tomorrow)|in (?:the )?future|henceforth|as of (?:now|today))\b[,: ]",
        "user-preference",
    ),
    (r"(?:[^,:?]{1,48}[,:] )?(?:please )?(?:always|never)\b,? [a-z]+", "user-preference"),
    (
        r"you (?:should|must|may|can|are to|have to|need to)? ?(?:always|never) (?:use|run|write|add|put|ask|commit|push|name|keep|check|touch|change|edit|call|make|create|include|answer|reply|start|explain|delete|remove|merge|skip|mention|open)\b",
        "user-preference",
    ),
    (r"(?:don't|do not) (?:ever|you ever)\b", "user-preference"),
    (
        r"(?:don't|do not|stop|quit|no)\b.*\b(?:ever again|again|anymore|any more|from now on|in future|at all times|under any circumstances|ever)[.!]*$",
        "user-preference",
    ),
    (r"(?:under no circumstances|at no time|without exception)\b", "user-preference"),
    (
        r"(?:i|we) (?:always |never |really |generally |strongly |usually )?prefer\b",
        "user-preference",
    ),
    (r"(?:i|we) (?:always|never|only ever) [a-z]+", "user-preference"),
    (r"i (?:don't|do not|never) (?:want|like|need) (?:you to|to see|any)\b", "user-preference"),
    (r"i (?:like|want) (?:you to always|all|every|my)\b", "user-preference"),
    (
        r"(?:as a rule|as a general rule|rule of thumb|house rule|our rule|our convention)\b[,: ]",
        "user-preference",
    ),
    (r"(?:whenever|every time|each time|any time|anytime) you\b.*,", "user-preference"),
    (
        r"(?:whenever|when|every time|if) i (?:say|ask|type|write|tell you)\b.*(?:,|\bi mean\b|\bthat means\b|\bit means\b)",
        "user-preference",
    ),
    (
        r"you (?:don't|do not|never) (?:need|have) to (?:ask|confirm|check|explain|wait|tell me|show me|run|write|add)\b",
        "user-preference",
    ),
    (
        r"(?:always )?(?:ask|check with|consult|tell|warn) (?:me|us|\w+)(?: first)? before\b",
        "user-preference",
    ),
    (r"(?:prefer|favou?r) [\w`'-]+", "user-preference"),
    (
        r"(?:no need to ask|don't ask me|you don't need my|you're allowed to|you are allowed to|you're not allowed to|you are not allowed to)\b",
        "user-preference",
    ),
    (r"no more [\w -]+", "user-preference"),
    (
        r"(?:we|i)(?:'ve| have)? (?:now |just |finally |all )?(?:decided|agreed|settled)\b",
        "decision",
    ),
    (r"(?:it's|it is|it was|that's|that is) (?:decided|settled|agreed)\b", "decision"),
    (r"(?:the |our )?(?:final )?decision(?: is|:| was)\b", "decision"),
    (
        r"(?:team|the team|management|everybody|everyone) (?:has |have )?(?:decided|agreed)\b",
        "decision",
    ),
    // German
    (r"(?:immer|niemals|nie) [a-zäöüß]+", "user-preference"),
    (r"wir haben (?:.* )?(?:entschieden|beschlossen|geeinigt|vereinbart)\b", "decision"),
    (r"ich (?:bevorzuge|möchte (?:immer|nie|keine))\b", "user-preference"),
    // Spanish, Portuguese, Italian
    (r"(?:siempre|nunca) [a-zñáéíóú]+", "user-preference"),
    (r"(?:hemos decidido|decidimos|hemos acordado|quedamos en)\b", "decision"),
    (r"(?:yo )?prefiero\b", "user-preference"),
    (r"(?:sempre|mai) [a-zàèéìòù]+", "user-preference"),
    // French
    (r"(?:toujours|jamais) [a-zàâçéèêëîïôûù]+", "user-preference"),
    (r"(?:on a|nous avons) (?:décidé|convenu)\b", "decision"),
    (r"je préfère\b", "user-preference"),
    (r"以后|今后|今後は|これからは", "user-preference"),
];

/// The same wherever it stands.
const STANDS_ANYWHERE: &[(&str, &str)] = &[
    (r"\b(?:from now on|going forward|from here on out|henceforth)\b", "user-preference"),
    (r"[,—–-] (?:always|never)[.!]*$", "user-preference"),
    (
        r"\b(?:for|in) (?:all |every |any )?future (?:prs?|commits?|sessions?|work|code|changes|projects?|chats?|conversations?|tasks?)\b",
        "user-preference",
    ),
    (
        r"\bin (?:every|all|any) (?:\w+ )?(?:sessions?|conversations?|chats?|projects?|repos?)\b",
        "user-preference",
    ),
    (
        r"^(?:please )?(?:use|do|run|write|keep|put|name|ask|skip|avoid|stop|leave)\b.*\b(?:for good|forever|permanently|every time|each time|everywhere|by default|without exception|at all times)[.!]*$",
        "user-preference",
    ),
    (r"\b(?:is|are) (?:off[- ]limits|taboo|sacred)\b|\bhands off\b", "user-preference"),
    (
        r"^(?:\w+,? )?(?:we|nobody|no one)\b.*\b(?:in this (?:repo|project|team|codebase|company)|around here|here)[.!]*$",
        "user-preference",
    ),
    (r"\bmust (?:never|always)\b", "user-preference"),
    (
        r"\bunless (?:i|we) (?:say|ask|tell|explicitly)\b|\bunless told otherwise\b",
        "user-preference",
    ),
    (
        r"\bwithout (?:asking|checking with) (?:me|us|first)\b|\bwithout asking[.!]*$|\bwithout my (?:ok|approval|permission)\b",
        "user-preference",
    ),
    (r"\b(?:we|we've|we have) (?:decided|agreed) (?:to|on|that|against)\b", "decision"),
    (r"\bwe(?:'ve| have) (?:decided|agreed)\b", "decision"),
    (
        r"\b(?:ab jetzt|ab sofort|ab heute|von nun an|von jetzt an|in zukunft|künftig|zukünftig)\b",
        "user-preference",
    ),
    (
        r"\b(?:a partir de ahora|de ahora en adelante|desde ahora|a partir de agora|de agora em diante|d'ora in poi|d'ora in avanti|da ora in poi)\b",
        "user-preference",
    ),
    (
        r"\b(?:à partir de maintenant|désormais|dorénavant|à l'avenir|vanaf nu|voortaan)\b",
        "user-preference",
    ),
];

/// What makes it a passing remark after all, unless the second phrase is in it.
const PASSING: &[(&str, &str)] = &[
    (r"\bnever ?mind\b", ""),
    (r"\bnever again this\b", ""),
    (r"\bremember (?:when|me|my login|the last|how|why|what|where|which|if|whether|who)\b", ""),
    (
        r"\b(?:for now|this time|for today|just once|right now|until (?:then|tomorrow|later|i)|before you (?:finish|commit|push|go|start)|when (?:you're|you are|we're) (?:done|finished)|at the end|in this (?:pr|branch|commit|session|file|function|test|case)|for this (?:one|change|task|time|pr|fix|commit|bug|ticket|issue|test))\b",
        LASTING,
    ),
    (
        r"\b(?:while|as long as) (?:you|we)(?:'re| are)? (?:do|doing|work|working|fix|fixing|make|making|refactor|refactoring|change|changing|at it)\b",
        LASTING,
    ),
    (r"^(?:always|never)[?.!]*$", ""),
    (r"^(?:and |but |so |please |also )*(?:don't forget|do not forget|remember) to\b", LASTING),
    (r"^(?:bitte )?vergiss (?:bitte )?nicht\b", r"\bdass\b|\bimmer\b"),
    (r"^denke? (?:daran|dran)\b", r"\bdass\b|\bimmer\b"),
    (r"^no (?:te )?olvides\b", r"\bque\b|\bsiempre\b"),
    (r"^n'oublie (?:pas|jamais)\b", r"\bqu[e']|\btoujours\b"),
    (r"\bforget (?:it|about it|that one)\b", ""),
    (
        r"^immer (?:noch|wenn|wieder)\b|^nie (?:wieder|mehr)\b|^siempre que\b|^toujours (?:la|le|pas|rien)\b",
        "",
    ),
];

/// What only tells what happens, unless the second phrase is in it or the user asks for memory: "it always fails".
const HAPPENS: &[(&str, &str)] = &[
    (
        r"\b(?:always|never) (?:the|an?|in|on|at|when|null|\w+ed|\w*[^s\W]s|been|got|had|saw|seen|did|happens?|ends?|mind|gets?|comes?|shows?|was|were|is|are|has|have|had|heard)\b.*",
        r"^(?:[\w' ,]+[,:] )?(?:please )?(?:always|never) (?:in|on|at|use|address|process|pass|discuss|access|have)\b|\bfrom now on\b|\bwe (?:always|never) \w+[^s]\b",
    ),
    (
        r"^(?:i|we) (?:always|never) (?:get|see|have to|receive|run into|end up|hear|need|had|know|understood|understand|find|hit|used to|manage)\b",
        "",
    ),
];

/// What makes a task a rule.
const LASTING: &str = r"\b(?:always|never|every time|whenever|each time|from now on|in (?:the )?future|all sessions|every session|going forward)\b";

/// What says that the words before are meant.
const BACK: &str = r"\b(?:that|this|it|these)\b|\bdas\b|\bes\b|don't (?:let|make) me";

/// What begins a task.
const TASK: &str = r"^(?:now|then|next|and now|and then|can you|could you|please|so|also|jetzt|und jetzt|ahora)\b|^(?:fix|add|look|check|run|implement|rename|update|write|create|make|continue|find|show|open|start|go|build|refactor|remove|delete|commit|push|deploy|test|review|explain|log in|mach|schau|prüfe|arregla|revisa)\b";

/// Tells whether the words behind a request only say how many things come.
pub(super) fn announces(words: &str) -> bool {
    static CELL: OnceLock<Regex> = OnceLock::new();
    let lower = words.to_lowercase();
    pattern(&CELL, r"^(?:the following|these|some|a few|two|three|several)\b.{0,20}[:.]?$")
        .is_match(&lower)
        || is_aside(&lower)
}

/// Tells whether a request for memory has the form of a question.
pub(super) fn is_polite(lower: &str) -> bool {
    static CELL: OnceLock<Regex> = OnceLock::new();
    let polite = r"^(?:\w+,? )?(?:can|could|would|will) you\b|^(?:kannst|könntest) du\b|^¿?(?:puedes|podrías)\b|^(?:peux-tu|pourrais-tu)\b";
    pattern(&CELL, polite).is_match(lower)
}

/// Tells whether words only say how long something is to be remembered.
pub(super) fn is_aside(words: &str) -> bool {
    static CELL: OnceLock<Regex> = OnceLock::new();
    let aside = r"^(?:(?:please|pls|this|that|it|across|for|from|in|on|all|the|a|our|your|my|future|later|next|time|session|sessions|team|teammates|colleagues|others|us|everyone|everybody|whole|rest|long|run|term|day|week|month|year|today|tomorrow|work|as|well|btw|now|good|ever|always|too|also|down|memory|notes|somewhere|kind|of|again|anymore|more|any|twice|over|thing|things|rule|forever|yourself|here|project|repo|chat|conversation|thanks|ok|okay|will|you|bitte|für|später|immer|para|siempre)\b[\s,]*)+\W*$";
    pattern(&CELL, aside).is_match(words)
}

/// Tells whether a request means what was said before it.
pub(super) fn points_back(lower: &str) -> bool {
    static CELL: OnceLock<Regex> = OnceLock::new();
    pattern(&CELL, BACK).is_match(lower) && !lower.trim_end().ends_with(':')
}

/// Tells whether a sentence is a task for now.
pub(super) fn is_task(lower: &str) -> bool {
    static CELL: OnceLock<Regex> = OnceLock::new();
    pattern(&CELL, TASK).is_match(lower)
}

/// Tells whether a request is about how the agent should work.
pub(super) fn is_wish(lower: &str) -> bool {
    static CELL: OnceLock<Regex> = OnceLock::new();
    pattern(
        &CELL,
        r"\b(?:always|never|prefer|rule|every time|whenever|from now on|immer|nie|siempre|nunca)\b",
    )
    .is_match(lower)
}

/// Tells whether a question mark only asks for agreement: "never push to main, ok?".
pub(super) fn ends_with_a_tag(lower: &str) -> bool {
    static CELL: OnceLock<Regex> = OnceLock::new();
    pattern(&CELL, r",\s*(?:ok|okay|right|yes|please|alright|got it|deal|understood|ja|oder|gell|vale|sí)\s*\?$").is_match(lower)
}

fn all(
    cell: &'static OnceLock<Vec<(Regex, &'static str)>>,
    of: &[(String, &'static str)],
) -> &'static [(Regex, &'static str)] {
    cell.get_or_init(|| {
        let compiled = |words: &str| Regex::new(words).expect("a phrase of ours is a pattern");
        of.iter().map(|(words, category)| (compiled(words), *category)).collect()
    })
}

/// A name before a request, such as "Claude, …", or a mark as before a command.
const NAME: &str = r"^(?:(?:hey |hi |ok )?(?:claude|codex|cursor|gemini|copilot|quipu|assistant|agent|bot|mate|buddy)[,:!]? +|[@/#!])?";

pub(super) fn asks() -> &'static [(Regex, &'static str)] {
    static CELL: OnceLock<Vec<(Regex, &'static str)>> = OnceLock::new();
    let kind = |words: &str| if words.starts_with("remember (?:our") { "whole" } else { "learned" };
    let first =
        ASKS.iter().map(|words| (format!("{NAME}{}(?:{words})", &BEFORE[1..]), kind(words)));
    let anywhere = ASKS_ANYWHERE.iter().map(|words| ((*words).to_owned(), "learned"));
    all(&CELL, &first.chain(anywhere).collect::<Vec<_>>())
}

pub(super) fn stands() -> &'static [(Regex, &'static str)] {
    static CELL: OnceLock<Vec<(Regex, &'static str)>> = OnceLock::new();
    let first = STANDS
        .iter()
        .map(|(words, category)| (format!("{NAME}{}(?:{words})", &BEFORE[1..]), *category));
    let anywhere = STANDS_ANYWHERE.iter().map(|(words, category)| ((*words).to_owned(), *category));
    all(&CELL, &first.chain(anywhere).collect::<Vec<_>>())
}

/// Tells whether a sentence is a passing remark.
pub(super) fn is_passing(lower: &str) -> bool {
    static CELL: OnceLock<Vec<(Regex, Option<Regex>)>> = OnceLock::new();
    matches(&CELL, PASSING, lower)
}

/// Tells whether a sentence tells what happens, and not what should.
pub(super) fn happens(lower: &str) -> bool {
    static CELL: OnceLock<Vec<(Regex, Option<Regex>)>> = OnceLock::new();
    matches(&CELL, HAPPENS, lower)
}

/// Tells whether one of the phrases is in a sentence without its exception.
fn matches(
    cell: &'static OnceLock<Vec<(Regex, Option<Regex>)>>,
    phrases: &[(&str, &str)],
    lower: &str,
) -> bool {
    let compiled = |words: &str| Regex::new(words).expect("a phrase of ours is a pattern");
    let all = cell.get_or_init(|| {
        let unless = |words: &str| (!words.is_empty()).then(|| compiled(words));
        phrases.iter().map(|(phrase, but)| (compiled(phrase), unless(but))).collect()
    });
    all.iter().any(|(phrase, but)| {
        phrase.is_match(lower) && !but.as_ref().is_some_and(|but| but.is_match(lower))
    })
}
