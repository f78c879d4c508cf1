"""Words, times and names that a seed makes: what people write, and what programs choke on."""
import random

NAMES = ["Ana", "Björn", "Chidi", "Dolores", "Emeka", "Farah", "Gwen", "Hiroshi", "Inés", "Jonas", "Łucja", "Mina"]
THINGS = ["the gateway", "a green bicycle", "the cellar", "her cello", "the barn door", "port 8443", "the tea tin",
          "chapter nine", "the night train", "a hornbeam hedge", "the third shard", "the eye drops"]
VERBS = ["keeps", "prefers", "repaired", "lost", "wants to sell", "never opens", "painted", "moved", "depends on"]
ODD = ["naïve “quotes” — and a dash", "emoji 🎉👩‍🚒 inside", "two\nlines", "three\n\nparagraphs\n\nhere", "tab\there",
       "back\\slash and \"double\" quotes", "a | pipe and `code`", "<!-- a comment -->", "--- not a fence", "日本語のメモ",
       "עברית וערבית عربي", "ends with two spaces  ", "#hashtag and [[link]]", "x" * 3000, "- a bullet\n- another",
       "zero​width", "C:\\Temp\\new", "'; DROP TABLE memories; --", "{\"json\": [1, 2]}", "100 % of 3/4 & more"]
# Shapes of credentials, put together here so that no scanner takes this file for a leak.
SECRETS = ["ghp_" + "R4nd0mR4nd0mR4nd0mR4nd0mR4nd0m123456", "AKIA" + "QZ7XWJ5K3LMN2P4R", "sk-" + "ant-api03-" + "Zk3" * 31 + "AA",
           "xoxb-" + "210987654321-109876543210-" + "AbCdEfGhIjKlMnOpQrStUvWx", "glpat-" + "Zx9Yw8Vu7Ts6Rq5Po4Nm"]


class Made:
    """Everything that a run makes follows from its seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = 0

    def text(self):
        """A sentence that no other one of the run is like."""
        self.number += 1
        r = self.random
        plain = f"{r.choice(NAMES)} {r.choice(VERBS)} {r.choice(THINGS)} no {self.number}"
        odd = r.random()
        if odd < 0.25:
            return f"{plain} {r.choice(ODD)}"
        if odd < 0.27:
            return plain + " and so on" * 10_000
        if odd < 0.30:
            return f"{plain} with {r.choice(SECRETS)} in it"
        return plain

    def name(self):
        return self.random.choice(NAMES)

    def tags(self):
        return self.random.sample(["net", "home", "work", "tea", "garden", "très-long"], self.random.randint(0, 3))

    def day(self):
        """A day of the past or of the time to come."""
        r = self.random
        return f"{r.randint(2015, 2031)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}"

    def second(self):
        """A time of the last years, in seconds, with a fraction."""
        return self.random.randint(1_420_000_000, 1_760_000_000) + self.random.randint(0, 999) / 1000

    def some(self, things, count):
        return self.random.sample(things, min(count, len(things)))


def tidy(text):
    """How a text looks in a file of records: no white space around it, line ends as `\\n`, blank lines empty."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")
    return "\n".join(line if line.strip() else "" for line in lines)
