//! Match databases, of futures and of costs: what is read is written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_match::{CostDatabase, MatchDatabase};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(database) = MatchDatabase::from_bytes(bytes) {
        let written = database.to_bytes();
        MatchDatabase::from_bytes(&written).expect("what is written is read");
    }
    if let Ok(database) = CostDatabase::from_bytes(bytes) {
        let written = database.to_bytes();
        CostDatabase::from_bytes(&written).expect("what is written is read");
    }
});
