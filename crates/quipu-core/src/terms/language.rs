//! Which language a text is in, as far as stems and stop words need to know: by script, and for
//! Latin letters by the little words that every sentence has.

use rust_stemmers::{Algorithm, Stemmer};

/// A language that Quipu can stem, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// None that we know: words stay as they are.
    Unknown,
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Portuguese.
    Portuguese,
    /// Dutch.
    Dutch,
    /// Swedish.
    Swedish,
    /// Russian.
    Russian,
    /// Greek.
    Greek,
    /// Arabic.
    Arabic,
    /// Tamil.
    Tamil,
}

use Language::{
    Arabic, Dutch, English, French, German, Greek, Italian, Portuguese, Russian, Spanish, Swedish,
    Tamil, Unknown,
};

/// The languages that are told apart by their stop words.
const LATIN: [Language; 8] =
    [English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish];

impl Language {
    /// Every language, in order.
    pub const ALL: [Self; 13] = [
        Unknown, English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Russian,
        Greek, Arabic, Tamil,
    ];

    /// Returns the place in [`Self::ALL`].
    pub fn index(self) -> u8 {
        self as u8
    }

    /// Guesses the language of words in small letters.
    ///
    /// A text of Latin letters without evidence counts as English: most notes about code are.
    pub fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut scripts = [0_usize; 5];
        let mut hits = [0_usize; LATIN.len()];
        let mut foreign = 0;
        for word in words.take(400) {
            let Some(first) = word.chars().next() else { continue };
            match first {
                'а'..='я' | 'ё' => scripts[0] += 1,
                'α'..='ω' | 'ά'..='ώ' => scripts[1] += 1,
                '\u{620}'..='\u{64a}' => scripts[2] += 1,
                '\u{b80}'..='\u{bff}' => scripts[3] += 1,
                _ => scripts[4] += 1,
            }
            foreign += usize::from(!word.is_ascii());
            for (language, count) in LATIN.iter().zip(&mut hits) {
                *count += usize::from(language.is_stop(word));
            }
        }
        let most = scripts.iter().max().copied().unwrap_or(0);
        let by_script = [Russian, Greek, Arabic, Tamil];
        if let Some(at) = scripts[..4].iter().position(|count| *count == most && most > 0) {
            return by_script[at];
        }
        let best = hits.iter().max().copied().unwrap_or(0);
        match hits.iter().position(|count| *count == best) {
            Some(at) if best > 0 => LATIN[at],
            _ if foreign * 2 > scripts[4] => Unknown,
            _ => English,
        }
    }

    /// Tells whether `word` says nothing by itself.
    pub fn is_stop(self, word: &str) -> bool {
        self.stop_words().binary_search(&word).is_ok()
    }

    /// Returns the stem of a word in small letters.
    pub fn stem(self, word: &str) -> String {
        let algorithm = match self {
            Unknown => return word.to_owned(),
            English => {
                let regular = IRREGULAR.binary_search_by_key(&word, |(form, _)| *form);
                let word = regular.map_or(word, |at| IRREGULAR[at].1);
                return Stemmer::create(Algorithm::English).stem(word).into_owned();
            }
            German => Algorithm::German,
            French => Algorithm::French,
            Spanish => Algorithm::Spanish,
            Italian => Algorithm::Italian,
            Portuguese => Algorithm::Portuguese,
            Dutch => Algorithm::Dutch,
            Swedish => Algorithm::Swedish,
            Russian => Algorithm::Russian,
            Greek => Algorithm::Greek,
            Arabic => Algorithm::Arabic,
            Tamil => Algorithm::Tamil,
        };
        Stemmer::create(algorithm).stem(word).into_owned()
    }

    /// Sorted, so that they can be searched.
    fn stop_words(self) -> &'static [&'static str] {
        match self {
            English => ENGLISH,
            German => GERMAN,
            French => FRENCH,
            Spanish => SPANISH,
            Italian => ITALIAN,
            Portuguese => PORTUGUESE,
            Dutch => DUTCH,
            Swedish => SWEDISH,
            Russian => RUSSIAN,
            Unknown | Greek | Arabic | Tamil => &[],
        }
    }
}

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any",
    "are", "aren", "aren't", "as", "at", "be", "because", "been", "before", "being", "below",
    "between", "both", "but", "by", "can", "can't", "cannot", "could", "couldn", "couldn't", "d",
    "did", "didn", "didn't", "do", "does", "doesn", "doesn't", "doing", "don", "don't", "down",
    "during", "each", "few", "for", "from", "further", "get", "got", "had", "hadn", "hadn't",
    "has", "hasn", "hasn't", "have", "haven", "haven't", "having", "he", "he'd", "he'll", "he's",
    "her", "here", "here's", "hers", "herself", "him", "himself", "his", "how", "how's", "i",
    "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "isn", "isn't", "it", "it's", "its",
    "itself", "just", "let", "let's", "ll", "m", "me", "more", "most", "must", "my", "myself",
    "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other", "ought", "our",
    "ours", "ourselves", "out", "over", "own", "re", "s", "same", "she", "she'd", "she'll",
    "she's", "should", "shouldn", "shouldn't", "so", "some", "such", "t", "than", "that",
    "that's", "the", "their", "theirs", "them", "themselves", "then", "there", "there's", "these",
    "they", "they'd", "they'll", "they're", "they've", "this", "those", "through", "to", "too",
    "under", "until", "up", "us", "ve", "very", "was", "wasn", "wasn't", "we", "we'd", "we'll",
    "we're", "we've", "were", "weren", "weren't", "what", "what's", "when", "when's", "where",
    "where's", "which", "while", "who", "who's", "whom", "why", "why's", "will", "with", "won",
    "won't", "would", "wouldn", "wouldn't", "you", "you'd", "you'll", "you're", "you've", "your",
    "yours", "yourself", "yourselves",
];
#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "aber", "als", "am", "an", "auch", "auf", "aus", "bei", "bin", "bis", "da", "damit", "das",
    "dass", "daß", "dem", "den", "der", "des", "die", "dies", "diese", "dieser", "dieses", "doch",
    "du", "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er", "es", "für", "haben",
    "hat", "hatte", "ich", "ihr", "im", "in", "ist", "ja", "kann", "kein", "keine", "man", "mehr",
    "mein", "mir", "mit", "nach", "nicht", "noch", "nur", "oder", "ohne", "sein", "sich", "sie",
    "sind", "so", "soll", "um", "und", "uns", "unter", "vom", "von", "vor", "wann", "war",
    "waren", "warum", "was", "welche", "welcher", "welches", "wenn", "wer", "werden", "wie",
    "wir", "wird", "wo", "wurde", "wurden", "zu", "zum", "zur", "über",
];
#[rustfmt::skip]
const FRENCH: &[&str] = &[
    "au", "aux", "avec", "avons", "ce", "ces", "cette", "comme", "comment", "dans", "de", "des",
    "dont", "du", "elle", "en", "est", "et", "eu", "fait", "il", "ils", "je", "la", "le", "les",
    "leur", "lui", "ma", "mais", "me", "mes", "mon", "même", "ne", "nos", "notre", "nous", "on",
    "ont", "ou", "où", "par", "pas", "pour", "pourquoi", "quand", "que", "quel", "quelle", "qui",
    "sa", "se", "ses", "son", "sont", "sur", "ta", "te", "tes", "ton", "tu", "un", "une", "vos",
    "votre", "vous", "à", "était", "été", "être",
];
#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "al", "como", "con", "cuando", "cuál", "cuándo", "cómo", "de", "del", "desde", "donde",
    "dónde", "el", "ella", "ellos", "en", "entre", "era", "es", "esa", "ese", "esta", "este",
    "esto", "está", "están", "fue", "ha", "hay", "la", "las", "le", "les", "lo", "los", "me",
    "mi", "muy", "más", "ni", "no", "nos", "o", "para", "pero", "por", "porque", "que", "quién",
    "qué", "se", "ser", "si", "sin", "sobre", "son", "su", "sus", "sí", "también", "tu", "un",
    "una", "unos", "y", "ya", "yo",
];
#[rustfmt::skip]
const ITALIAN: &[&str] = &[
    "a", "ad", "ai", "al", "alla", "anche", "che", "chi", "ci", "come", "con", "cosa", "cui",
    "da", "dal", "dalla", "dei", "del", "della", "delle", "di", "dove", "e", "ed", "era", "gli",
    "ha", "hanno", "ho", "i", "il", "in", "io", "la", "le", "lo", "ma", "mi", "nel", "nella",
    "noi", "non", "o", "per", "perché", "più", "quale", "quando", "quella", "quello", "questa",
    "questo", "se", "si", "sono", "su", "sul", "sulla", "tra", "un", "una", "uno", "è",
];
#[rustfmt::skip]
const PORTUGUESE: &[&str] = &[
    "a", "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "ele",
    "em", "entre", "era", "essa", "esse", "esta", "este", "está", "eu", "foi", "há", "isso", "já",
    "mais", "mas", "me", "muito", "na", "nas", "no", "nos", "não", "nós", "o", "onde", "os", "ou",
    "para", "pela", "pelo", "por", "porque", "qual", "quando", "que", "quem", "se", "sem", "ser",
    "seu", "sua", "são", "também", "tem", "um", "uma", "você", "à", "é",
];
#[rustfmt::skip]
const DUTCH: &[&str] = &[
    "aan", "als", "bij", "dan", "dat", "de", "deze", "die", "dit", "door", "een", "en", "er",
    "geen", "had", "heb", "heeft", "het", "hij", "hoe", "ik", "in", "is", "je", "kan", "maar",
    "met", "mijn", "naar", "niet", "nog", "of", "om", "ook", "op", "over", "te", "tot", "uit",
    "van", "voor", "waar", "waarom", "wanneer", "was", "wat", "we", "welke", "werd", "wie",
    "worden", "wordt", "ze", "zich", "zijn", "zo",
];
#[rustfmt::skip]
const SWEDISH: &[&str] = &[
    "alla", "att", "av", "blev", "bli", "de", "dem", "den", "denna", "det", "detta", "du", "där",
    "efter", "eller", "en", "ett", "från", "för", "ha", "hade", "han", "har", "hon", "hur", "i",
    "inte", "jag", "kan", "med", "men", "mot", "mycket", "många", "ni", "nu", "när", "och", "om",
    "på", "sig", "sin", "ska", "som", "till", "under", "upp", "ut", "vad", "var", "varför", "vi",
    "vid", "vilken", "är", "även", "över",
];
#[rustfmt::skip]
const RUSSIAN: &[&str] = &[
    "а", "без", "был", "была", "были", "было", "в", "вы", "где", "для", "до", "его", "если",
    "есть", "же", "за", "и", "из", "или", "их", "к", "как", "когда", "кто", "мы", "на", "не",
    "но", "о", "он", "она", "они", "от", "по", "почему", "при", "с", "так", "то", "у", "что",
    "это", "я",
];

/// English words whose forms no rule leads back to their stem, in order.
#[rustfmt::skip]
const IRREGULAR: &[(&str, &str)] = &[
    ("arisen", "arise"), ("arose", "arise"), ("ate", "eat"), ("beaten", "beat"),
    ("became", "become"), ("began", "begin"), ("begun", "begin"), ("bent", "bend"),
    ("bit", "bite"), ("bitten", "bite"), ("blew", "blow"), ("blown", "blow"), ("bought", "buy"),
    ("broke", "break"), ("broken", "break"), ("brought", "bring"), ("built", "build"),
    ("came", "come"), ("caught", "catch"), ("children", "child"), ("chose", "choose"),
    ("chosen", "choose"), ("crept", "creep"), ("dad", "father"), ("dealt", "deal"),
    ("drank", "drink"), ("drawn", "draw"), ("dreamt", "dream"), ("drew", "draw"),
    ("driven", "drive"), ("drove", "drive"), ("drunk", "drink"), ("dug", "dig"), ("eaten", "eat"),
    ("fallen", "fall"), ("fed", "feed"), ("feet", "foot"), ("fell", "fall"), ("felt", "feel"),
    ("flew", "fly"), ("flown", "fly"), ("forgave", "forgive"), ("forgiven", "forgive"),
    ("forgot", "forget"), ("forgotten", "forget"), ("fought", "fight"), ("found", "find"),
    ("froze", "freeze"), ("frozen", "freeze"), ("gave", "give"), ("geese", "goose"),
    ("given", "give"), ("gone", "go"), ("grew", "grow"), ("grown", "grow"), ("heard", "hear"),
    ("held", "hold"), ("hid", "hide"), ("hidden", "hide"), ("hung", "hang"), ("kept", "keep"),
    ("knew", "know"), ("knives", "knife"), ("known", "know"), ("learnt", "learn"),
    ("leaves", "leaf"), ("led", "lead"), ("left", "leave"), ("lent", "lend"), ("lives", "life"),
    ("lost", "lose"), ("made", "make"), ("meant", "mean"), ("men", "man"), ("met", "meet"),
    ("mice", "mouse"), ("mom", "mother"), ("mum", "mother"), ("paid", "pay"),
    ("people", "person"), ("ran", "run"), ("rang", "ring"), ("ridden", "ride"), ("risen", "rise"),
    ("rode", "ride"), ("rose", "rise"), ("rung", "ring"), ("said", "say"), ("sang", "sing"),
    ("sank", "sink"), ("sat", "sit"), ("saw", "see"), ("seen", "see"), ("sent", "send"),
    ("shaken", "shake"), ("shone", "shine"), ("shook", "shake"), ("shot", "shoot"),
    ("shown", "show"), ("shrank", "shrink"), ("shrunk", "shrink"), ("slept", "sleep"),
    ("sold", "sell"), ("sought", "seek"), ("spent", "spend"), ("spoke", "speak"),
    ("spoken", "speak"), ("spun", "spin"), ("stole", "steal"), ("stolen", "steal"),
    ("stood", "stand"), ("struck", "strike"), ("stuck", "stick"), ("sung", "sing"),
    ("sunk", "sink"), ("swam", "swim"), ("swept", "sweep"), ("swore", "swear"),
    ("sworn", "swear"), ("swum", "swim"), ("swung", "swing"), ("taken", "take"),
    ("taught", "teach"), ("teeth", "tooth"), ("thought", "think"), ("threw", "throw"),
    ("thrown", "throw"), ("told", "tell"), ("took", "take"), ("tore", "tear"), ("torn", "tear"),
    ("understood", "understand"), ("went", "go"), ("wives", "wife"), ("woke", "wake"),
    ("woken", "wake"), ("women", "woman"), ("won", "win"), ("wore", "wear"), ("worn", "wear"),
    ("wove", "weave"), ("woven", "weave"), ("written", "write"), ("wrote", "write"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Language {
        Language::of(text.split(' '))
    }

    #[test]
    fn stop_words_are_sorted() {
        for language in Language::ALL {
            let words = language.stop_words();
            assert!(words.is_sorted(), "{language:?}");
        }
        assert!(IRREGULAR.is_sorted());
    }

    #[test]
    fn languages_are_told_apart() {
        assert_eq!(of("we decided that the retries back off"), English);
        assert_eq!(of("wir haben uns für die neue datenbank entschieden"), German);
        assert_eq!(of("nous avons choisi la nouvelle base de données"), French);
        assert_eq!(of("el servidor está en la nube y no es rápido"), Spanish);
        assert_eq!(of("мы решили использовать новую базу"), Russian);
        assert_eq!(of("retry backoff jitter"), English);
        assert_eq!(of("日本語 東京"), Unknown);
    }
}
