//! The install manifest, `.agent/version.md`.

use crate::doc;

/// A version `major.minor.patch` of the memory layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayoutVersion {
    /// Grows when an older tool could not read the files.
    pub major: u32,
    /// Grows with additions.
    pub minor: u32,
    /// Grows with wording.
    pub patch: u32,
}

/// The newest layout that Quipu knows.
pub const NEWEST_LAYOUT: LayoutVersion = LayoutVersion { major: 4, minor: 38, patch: 0 };

impl std::fmt::Display for LayoutVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// What the manifest says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The layout that the folder is on.
    pub version: LayoutVersion,
}

impl Manifest {
    /// Reads a manifest; `None` where it has no version.
    pub fn parse(source: &str) -> Option<Self> {
        let value = doc::state_line(source, "version")?.value;
        let mut numbers = value.splitn(3, '.').map(|part| {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            (part[..digits].parse::<u32>().ok(), digits == part.len())
        });
        let (major, whole) = numbers.next()?;
        let (minor, whole_too) = numbers.next()?;
        let (patch, _) = numbers.next()?;
        (whole && whole_too).then_some(())?;
        Some(Self { version: LayoutVersion { major: major?, minor: minor?, patch: patch? } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_needs_three_numbers() {
        let version = |text: &str| Manifest::parse(text).map(|m| m.version.to_string());
        assert_eq!(version("- **version:**  4.38.0  # now\n").as_deref(), Some("4.38.0"));
        assert_eq!(version("- **version:** 4.38\n"), None);
        assert_eq!(version("- **version:** {{VERSION}}\n"), None);
        assert_eq!(version(""), None);
    }
}
