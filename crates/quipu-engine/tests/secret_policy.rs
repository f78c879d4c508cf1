//! What happens to words with a credential, whoever wants to write them.

use quipu_engine::config::OnSecret;
use quipu_engine::gateway::{self, NewText};
use quipu_engine::secret_policy::guarded;
use quipu_testkit::TestRepo;

#[test]
fn a_text_with_a_credential_is_refused_redacted_or_taken() {
    let text = format!("the password={} of it", ["Zq7", "Lm2", "Xw9", "Rt4"].concat());
    assert!(guarded(OnSecret::Refuse, &text).is_err());
    assert_eq!(guarded(OnSecret::Redact, &text).unwrap(), "the password=(REDACTED) of it");
    assert_eq!(guarded(OnSecret::Allow, &text).unwrap(), text);
    assert_eq!(guarded(OnSecret::Refuse, "plain").unwrap(), "plain");
}

#[test]
fn a_file_keeps_the_credential_that_it_has_and_gets_no_other_in_its_place() {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", "# C\n");
    let line = |parts: [&str; 4]| format!("# Mine\n\npassword={}\n", parts.concat());
    let (old, new) = (line(["Zq7", "Lm2", "Xw9", "Rt4"]), line(["Vb8", "Kp3", "Jd6", "Hs5"]));
    repo.write("MEMORY.md", &old);
    let workspace = quipu_testkit::journal::configured(&repo, &[]);
    let set = |text: &str| {
        let new = NewText { text, instead_of: None, allow_secret: false, may_lose: false };
        gateway::set_journal_file(
            &workspace,
            "MEMORY.md",
            &new,
            &quipu_testkit::repo::request("journal.set"),
        )
    };
    set(&format!("{old}More.\n")).unwrap();
    set(&new).unwrap_err();
    set(&format!("{old}{new}")).unwrap_err();
    assert_eq!(repo.read("MEMORY.md"), format!("{old}More.\n"));
}
