//! Values that are asked for again and again, in bounded memory.

use core::cell::RefCell;

/// Values of two numbers, such as a frame and a lag, which are worked out once while they are remembered: what a search looks at lies
/// close together. A value takes the place of another whose numbers fall on the same place.
#[derive(Debug)]
pub(super) struct Remembered {
    /// A power of two.
    num_places: usize,
    /// By place: the numbers plus one, and their value. No take has more frames than 32 bits count.
    places: RefCell<Vec<([u32; 2], f64)>>,
}

/// Most values that are remembered at once: those of a take of a few hundred frames, or of a stretch of a longer one.
const MOST_PLACES: usize = 1 << 16;

impl Remembered {
    /// Room for so many values, or as many as are remembered at most.
    pub(super) fn new(num_values: usize) -> Self {
        Self {
            num_places: num_values.clamp(1, MOST_PLACES).next_power_of_two(),
            places: RefCell::default(),
        }
    }

    /// The value of a number that changes fast and of one that changes slowly, which `find` works out where it is not known.
    pub(super) fn get(&self, fast: usize, slow: usize, find: impl FnOnce() -> f64) -> f64 {
        // Fast numbers follow each other, and slow ones start apart from each other.
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
