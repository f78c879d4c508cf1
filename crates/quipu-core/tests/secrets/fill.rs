//! Templates filled at run time, so that no file of ours holds anything that looks like a secret.
//!
//! `«A36»` is 36 letters and digits; `H` hexadecimal, `U` capitals and digits, `L` small letters and digits,
//! `D` digits, `B` base64, `R` base64 for addresses, `S` base32. Without a number: `P` a password as people make
//! them, `N` a user, `X` a host, `Y` a UUID, `J` a JSON web token, `K` the inside of a key in lines, `k` the same
//! in one line, `a` base64 of user and password, `p` base64 of a whole key, `W` twelve words of a wallet.

/// Numbers that are the same on every machine.
pub(crate) struct Dice(u64);

impl Dice {
    /// Seeds by a name, so that a new format changes no other.
    pub(crate) fn of(name: &str) -> Self {
        Self(hash(name))
    }

    pub(crate) fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % below
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.next(letters.len())]).collect()
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.next(words.len())]
    }
}

/// FNV-1a: decides the half that a name belongs to.
pub(crate) fn hash(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    hash ^ (hash >> 31)
}

/// A text and what in it must not be told.
pub(crate) struct Sample {
    pub(crate) text: String,
    pub(crate) secrets: Vec<String>,
}

const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";
const WORDS: [&str; 24] = [
    "amber", "river", "tiger", "copper", "meadow", "falcon", "winter", "harbor", "violet",
    "rocket", "marble", "summit", "walnut", "breeze", "cactus", "lantern", "orchid", "pepper",
    "saddle", "thunder", "velvet", "willow", "zephyr", "basalt",
];
const WALLET: [&str; 24] = [
    "abandon", "ability", "puzzle", "rapid", "ozone", "gravity", "legend", "mimic", "noble",
    "oyster", "panel", "quarter", "ribbon", "salmon", "tornado", "unveil", "velvet", "whisper",
    "zebra", "harvest", "jungle", "kitten", "lizard", "fabric",
];

/// Fills a template.
pub(crate) fn fill(dice: &mut Dice, template: &str) -> Sample {
    let mut sample = Sample { text: String::new(), secrets: Vec::new() };
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('«') {
        let (kind, after) = after.split_once('»').expect("a kind ends with »");
        sample.text.push_str(before);
        let (value, is_secret) = value(dice, kind);
        if is_secret && value.len() >= 6 {
            sample.secrets.extend(value.lines().map(str::to_owned));
        }
        sample.text.push_str(&value);
        rest = after;
    }
    sample.text.push_str(rest);
    sample
}

fn value(dice: &mut Dice, kind: &str) -> (String, bool) {
    let all = [UPPER, LOWER, DIGITS].concat();
    let alphabet = match &kind[..1] {
        "A" => all.clone(),
        "H" => "0123456789abcdef".to_owned(),
        "U" => [UPPER, DIGITS].concat(),
        "L" => [LOWER, DIGITS].concat(),
        "D" => DIGITS.to_owned(),
        "B" => all.clone() + "+/",
        "R" => all.clone() + "-_",
        "S" => UPPER.to_owned() + "234567",
        _ => String::new(),
    };
    if let Ok(length) = kind[1..].parse::<usize>() {
        let mut value = dice.text(&alphabet, length);
        // A token begins and ends with what it could not be told from the text around it by otherwise.
        if kind.starts_with('R') {
            value =
                format!("{}{}{}", dice.text(&all, 1), &value[1..length - 1], dice.text(&all, 1));
        }
        return (value, !kind.starts_with('D'));
    }
    match kind {
        "P" => (password(dice), true),
        "N" => (
            dice.pick(&["admin", "deploy", "svc_backup", "app", "root", "maria", "jenkins"])
                .to_owned(),
            false,
        ),
        "X" => {
            let host = dice.pick(&["db", "cache", "git", "mail", "api", "registry", "files"]);
            (
                format!(
                    "{host}.{}.{}",
                    dice.pick(&WORDS),
                    dice.pick(&["io", "net", "internal", "corp"])
                ),
                false,
            )
        }
        "Y" => {
            let digits = dice.text("0123456789abcdef", 30);
            let parts = [&digits[..8], &digits[8..12], &digits[12..15], &digits[15..18]];
            let [first, second, third, fourth] = parts;
            (format!("{first}-{second}-4{third}-a{fourth}-{}", &digits[18..]), true)
        }
        "J" => {
            let payload = format!(
                "{{\"sub\":\"{}\",\"name\":\"{}\"}}",
                dice.text(DIGITS, 10),
                dice.pick(&WORDS)
            );
            let head = base64(b"{\"alg\":\"HS256\",\"typ\":\"JWT\"}").replace('=', "");
            let body = base64(payload.as_bytes()).replace('=', "");
            (format!("{head}.{body}.{}", dice.text(&(all + "-_"), 43)), true)
        }
        "K" => {
            let lines: Vec<String> = (0..6).map(|_| dice.text(&(all.clone() + "+/"), 64)).collect();
            (lines.join("\n"), true)
        }
        "k" => (dice.text(&(all + "+/"), 300), true),
        "a" => {
            let user = dice.pick(&["admin", "deploy", "svc", "maria"]).to_owned();
            (base64(format!("{user}:{}", password(dice)).as_bytes()), true)
        }
        "p" => {
            let inside = value(dice, "K").0;
            let mark = ["-----BEGIN RSA ", "PRIVATE ", "KEY-----"].concat();
            (base64(format!("{mark}\n{inside}\n{}", mark.replace("BEGIN", "END")).as_bytes()), true)
        }
        "W" => {
            let words: Vec<&str> = (0..12).map(|_| dice.pick(&WALLET)).collect();
            (words.join(" "), true)
        }
        other => panic!("what is «{other}»?"),
    }
}

/// A password as people make them: a word with a year and a mark, words, letters changed to digits, or random.
fn password(dice: &mut Dice) -> String {
    let all = [UPPER, LOWER, DIGITS].concat();
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    match dice.next(6) {
        0 => format!(
            "{}{}{}",
            capital(dice.pick(&WORDS)),
            1900 + dice.next(130),
            dice.pick(&["!", "#", "?", "*"])
        ),
        1 => format!(
            "{}-{}-{}-{}",
            dice.pick(&WORDS),
            dice.pick(&WORDS),
            dice.pick(&WORDS),
            dice.next(100)
        ),
        2 => {
            let word = format!("{}_{}", capital(dice.pick(&WORDS)), capital(dice.pick(&WORDS)));
            word.replace('e', "3").replace('a', "4") + &dice.next(1000).to_string()
        }
        3 => dice.text(&(all.clone() + "#%*!?-_+"), 11) + &dice.text(&all, 3),
        4 => dice.text(&all, 16),
        _ => dice.text(&[LOWER, DIGITS].concat(), 9) + &dice.text(DIGITS, 1),
    }
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut result = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sextet = (group >> (18 - 6 * place)) & 63;
            let is_filled = place <= chunk.len();
            result.push(if is_filled {
                char::from(ALPHABET[usize::try_from(sextet).expect("six bits")])
            } else {
                '='
            });
        }
    }
    result
}
