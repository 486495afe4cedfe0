//! Identifies the file of a sidecar by its hash.

use core::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::sidecar::Sidecar;
use crate::excerpt::cut;

/// Returns the SHA-256 of bytes as 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing into a text does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The file is not the one that a sidecar describes.
#[value(Eq, thiserror::Error)]
#[error("the file is not the one that its sidecar describes: its SHA-256 is {found}, the sidecar states {stated}")]
pub struct OtherFile {
    /// The hash of the file.
    pub found: String,
    /// The hash in the sidecar.
    pub stated: String,
}

impl Sidecar {
    /// Records the file of the sidecar; `bytes` are its whole contents as written.
    pub fn state_file(&mut self, bytes: &[u8]) {
        Self::state_file_of_all(core::slice::from_mut(self), bytes);
    }

    /// Records the file of several loops in their facts.
    pub fn state_file_of_all(loops: &mut [Self], bytes: &[u8]) {
        let hash = sha256(bytes);
        for each in loops {
            each.file_sha256 = Some(hash.clone());
        }
    }

    /// Checks the file of the sidecar; a sidecar without a hash fits any file. Errors: the hashes differ.
    pub fn check_file(&self, bytes: &[u8]) -> Result<(), OtherFile> {
        let Some(stated) = &self.file_sha256 else {
            return Ok(());
        };
        let found = sha256(bytes);
        if found.eq_ignore_ascii_case(stated) {
            return Ok(());
        }
        Err(OtherFile {
            found,
            stated: cut(stated, 64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sidecar_knows_its_file() {
        let mut sidecar = Sidecar::new();
        assert_eq!(sidecar.check_file(b"any"), Ok(()));
        sidecar.state_file(b"abc");
        // The example of FIPS 180-4.
        let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sidecar.file_sha256.as_deref(), Some(of_abc));
        assert_eq!(sidecar.check_file(b"abc"), Ok(()));
        assert_eq!(sidecar.check_file(b"xyz").unwrap_err().stated, of_abc);
    }
}
