//! Recipes and joint maps: what is read is written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_job::{Recipe, recipe::read_joint_map};

fuzz_target!(|bytes: &[u8]| {
    let _ = read_joint_map(bytes);
    let Ok(recipe) = Recipe::read(bytes) else { return };
    if let Ok(text) = recipe.to_text() {
        let again = Recipe::read(text.as_bytes()).expect("what is written is read");
        assert_eq!(again.to_text().ok(), Some(text));
    }
});
