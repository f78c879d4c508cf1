//! How well the rules tell what a text is: 300 sentences from many walks of life, written by somebody who had not seen
//! the rules. The rules are made on the odd lines; the even ones are only counted.
#![expect(clippy::print_stdout, reason = "the counts are what one wants to see")]

use std::collections::BTreeMap;

use quipu_core::item::{Layer, MemoryType};
use quipu_import::Draft;
use quipu_import::classify::{classify, is_noise};

const SENTENCES: &str = include_str!("data/kinds.txt");

/// How often sentences of one kind were taken for another: first what they are, then what the rules say.
type Confusion = BTreeMap<(&'static str, &'static str), usize>;

fn told(text: &str) -> &'static str {
    if is_noise(text) {
        return "none";
    }
    let class = classify(&Draft::new(text));
    match (class.memory_type, class.layer) {
        (MemoryType::Procedure, _) => "procedure",
        (MemoryType::Narrative, Layer::Episodic) => "episode",
        _ => "fact",
    }
}

/// Counts one half of the sentences.
fn counted(is_mine: impl Fn(usize) -> bool, show: bool) -> Confusion {
    let mut confusion = Confusion::new();
    let lines = SENTENCES.lines().filter(|line| !line.starts_with('#'));
    for (_, line) in lines.enumerate().filter(|(number, _)| is_mine(*number)) {
        let [kind, _, _, text] = line.splitn(4, '|').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let said = told(text);
        if show && said != kind {
            println!(
                "{kind:>10} taken for {said:<10} {text}  [{}]",
                classify(&Draft::new(text)).rule
            );
        }
        *confusion.entry((kind, said)).or_default() += 1;
    }
    confusion
}

/// Returns precision and recall of a kind, in percent.
fn of(confusion: &Confusion, kind: &str) -> (usize, usize) {
    let sum = |fits: &dyn Fn(&str, &str) -> bool| -> usize {
        confusion.iter().filter(|((is, said), _)| fits(is, said)).map(|(_, count)| count).sum()
    };
    let right = sum(&|is, said| is == kind && said == kind);
    let percent = |all: usize| right * 100 / all.max(1);
    (percent(sum(&|_, said| said == kind)), percent(sum(&|is, _| is == kind)))
}

#[test]
fn the_rules_tell_kinds_apart_on_sentences_that_they_were_not_made_for() {
    for (half, is_odd) in [("made on", true), ("held back", false)] {
        let confusion = counted(|number| number.is_multiple_of(2) == is_odd, is_odd);
        println!("{half}: {confusion:?}");
        for kind in ["procedure", "episode", "fact", "none"] {
            let (precision, recall) = of(&confusion, kind);
            println!("  {kind:<10} precision {precision:>3}  recall {recall:>3}");
        }
        let least = [("procedure", 85, 0), ("episode", 80, 60), ("none", 85, 0)];
        for (kind, precision, recall) in least {
            let found = of(&confusion, kind);
            assert!(found.0 >= precision && found.1 >= recall, "{half}, {kind}: {found:?}");
        }
    }
}
