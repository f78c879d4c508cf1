//! How sure it is that a memory has to do with a prompt: a number from 0 to 1, fitted on questions with
//! known answers and on prompts that no memory has to do with (`quipu-bench hook` measures it anew).

use crate::prose::is_unspaced;

/// What recall knows about a memory and a prompt, by itself and not by comparison with others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// How near the meanings are.
    pub cosine: f32,
    /// Which share of what the prompt's words tell the memory has.
    pub coverage: f32,
    /// How many of the rarest words would tell as much as those that both have.
    pub rare_words: f32,
}

/// A logistic model of three numbers: each is wrong in a way of its own, and they are rarely wrong
/// together. Near in meaning is most of it.
const WEIGHTS: Evidence = Evidence { cosine: 7.9, coverage: 1.7, rare_words: 1.0 };
const BIAS: f32 = -6.1;

/// More words in common say no more.
const MOST_RARE_WORDS: f32 = 4.0;

/// A shorter prompt is an answer ("yes", "thanks, continue"), and asks for nothing.
const FEWEST_WORDS: usize = 3;

impl Evidence {
    /// Returns how sure it is that the memory has to do with the prompt.
    pub fn confidence(&self) -> f32 {
        let sum = BIAS
            + WEIGHTS.cosine * self.cosine
            + WEIGHTS.coverage * self.coverage
            + WEIGHTS.rare_words * self.rare_words.min(MOST_RARE_WORDS);
        1.0 / (1.0 + libm::expf(-sum))
    }
}

/// Tells whether a prompt says enough to look for anything.
pub fn asks_for_something(prompt: &str) -> bool {
    let is_command = prompt.trim_start().starts_with('/') && !prompt.trim().contains(' ');
    // Without spaces between words there is no counting them.
    let words = prompt.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    !is_command
        && (words.count() >= FEWEST_WORDS || prompt.chars().filter(|c| is_unspaced(*c)).count() > 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_evidence_is_never_less_sure() {
        let sure =
            |cosine, coverage, rare_words| Evidence { cosine, coverage, rare_words }.confidence();
        assert!(sure(0.0, 0.0, 0.0) < 0.01);
        assert!(sure(0.2, 0.2, 0.8) < 0.1, "what an unrelated prompt has in common with anything");
        assert!(sure(0.55, 0.6, 2.0) > 0.6, "what a question and its answer have");
        assert!(sure(0.5, 0.5, 2.0) < sure(0.6, 0.5, 2.0));
        assert!(sure(0.5, 0.5, 2.0) < sure(0.5, 0.6, 2.0));
        assert!(sure(0.5, 0.5, 2.0) < sure(0.5, 0.5, 3.0));
        let same = sure(0.5, 0.5, 9.0) - sure(0.5, 0.5, 4.0);
        assert!(same.abs() < f32::EPSILON);
    }

    #[test]
    fn an_answer_asks_for_nothing() {
        for prompt in ["", "ok", "thanks, continue", "yes!", "/compact", "- - -", "好的"] {
            assert!(!asks_for_something(prompt), "{prompt}");
        }
        for prompt in ["why do retries back off?", "/review the retry code", "重试策略是什么样的"]
        {
            assert!(asks_for_something(prompt), "{prompt}");
        }
    }
}
