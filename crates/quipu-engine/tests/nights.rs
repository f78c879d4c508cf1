//! Dreams over everyday memories: nothing that they write is untrue, and they do their work.

use quipu_testkit::nights::{self, Nights};

/// Returns a share in per cent.
fn share((all, some): (usize, usize)) -> usize {
    100 * some / all.max(1)
}

#[expect(clippy::print_stdout, reason = "how the nights went is read")]
fn require(nights: &Nights) {
    println!(
        "{} lines checked; merged {:?}, put away {:?}, promoted {:?} of lasting {:?}, days told {:?}",
        nights.checked,
        nights.copies,
        nights.idle,
        nights.promoted,
        nights.lasting,
        nights.days_told
    );
    assert!(nights.checked > 100, "{}", nights.checked);
    assert!(nights.untrue.is_empty(), "{:#?}", &nights.untrue[..nights.untrue.len().min(10)]);
    assert!(nights.too_soon.is_empty(), "{:#?}", nights.too_soon);
    assert!(share(nights.copies) >= 80, "planted copies: {:?}", nights.copies);
    assert!(share(nights.idle) >= 70, "idle ones: {:?}", nights.idle);
    assert!(share(nights.promoted) >= 80, "promotions: {:?}", nights.promoted);
    assert!(share(nights.lasting) >= 60, "lasting ones: {:?}", nights.lasting);
}

#[test]
fn a_hundred_and_twenty_nights_tell_nothing_untrue_and_put_nothing_away_too_soon() {
    let dreamt = nights::live(260, 11, true, 20);
    require(&dreamt);
    let awake = nights::live(260, 11, false, 20);
    assert!(
        dreamt.days_told.1 >= awake.days_told.1,
        "with dreams {:?}, without {:?}",
        dreamt.days_told,
        awake.days_told
    );
}
