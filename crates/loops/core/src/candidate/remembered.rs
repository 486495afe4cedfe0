//! Caches values in bounded memory.

use core::cell::RefCell;

/// A cache of values of two numbers, such as a frame and a lag; a search uses values close together. A value replaces another
/// one whose numbers have the same slot.
#[derive(Debug)]
pub(super) struct Remembered {
    /// Number of slots, a power of two.
    num_places: usize,
    /// By slot: the numbers plus one, and their value. No take has more frames than 32 bits count.
    places: RefCell<Vec<([u32; 2], f64)>>,
}

/// Most cached values: those of a take of a few hundred frames, or of a stretch of a longer one.
const MOST_PLACES: usize = 1 << 16;

impl Remembered {
    /// Creates a cache for this many values, up to the limit.
    pub(super) fn new(num_values: usize) -> Self {
        Self {
            num_places: num_values.clamp(1, MOST_PLACES).next_power_of_two(),
            places: RefCell::default(),
        }
    }

    /// Returns the value of a fast-changing and a slow-changing number; `find` computes it if it is not cached.
    pub(super) fn get(&self, fast: usize, slow: usize, find: impl FnOnce() -> f64) -> f64 {
        // Fast numbers are consecutive, and slow ones begin apart from each other.
        let place = (slow.wrapping_mul(0x9e37_79b1) >> 4).wrapping_add(fast) & (self.num_places - 1);
        let numbers = [fast as u32 + 1, slow as u32 + 1];
        if let Some(&(known, value)) = self.places.borrow().get(place)
            && known == numbers
        {
            return value;
        }
        let value = find();
        let mut places = self.places.borrow_mut();
        if places.is_empty() {
            *places = vec![([0; 2], 0.0); self.num_places];
        }
        places[place] = (numbers, value);
        value
    }
}
