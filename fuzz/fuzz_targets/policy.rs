//! Any policy: it is refused with a line that exists, or its windows are in order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_core::policy::Policy;

fuzz_target!(|source: &str| match Policy::parse(source) {
    Ok(policy) => assert!(policy.active_window < policy.archive_window),
    Err(error) => assert!(error.line() <= source.lines().count().max(1), "{error}"),
});
