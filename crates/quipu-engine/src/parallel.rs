//! Work on many files with all cores, with results in order.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

/// Below this many items a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 64;

/// Returns `work` of every item, in the items' order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    // Asking for the cores reads files of the system, so it is asked once, and only for much work.
    static CORES: OnceLock<usize> = OnceLock::new();
    let worth = items.len() / WORTH_A_THREAD;
    let cores = || thread::available_parallelism().map_or(1, NonZero::get).min(8);
    let threads = if worth < 2 { 1 } else { worth.min(*CORES.get_or_init(cores)) };
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let parts: Vec<_> = items
            .chunks(items.len().div_ceil(threads))
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let joined = parts.into_iter().flat_map(|part| match part.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order() {
        let items: Vec<usize> = (0..1000).collect();
        assert_eq!(super::map(&items, |item| item * 2), (0..2000).step_by(2).collect::<Vec<_>>());
    }
}
