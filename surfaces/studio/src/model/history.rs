//! Undo and redo of a value.

/// Number of former values to keep: far more than anybody undoes, and little memory.
const MAX_STEPS: usize = 200;

/// A value with its former values, and with those that were undone.
///
/// A drag changes the value many times and counts as one step: see [`Self::set`].
pub struct History<T> {
    current: T,
    past: Vec<T>,
    future: Vec<T>,
    /// The state that was written last, or the first one.
    pub saved: T,
    /// Whether the last change is still in progress: the value before it is stored already.
    is_open: bool,
}

impl<T: Clone + PartialEq> History<T> {
    /// Creates a value without a past.
    pub fn new(current: T) -> Self {
        Self {
            saved: current.clone(),
            current,
            past: Vec::new(),
            future: Vec::new(),
            is_open: false,
        }
    }

    /// Returns the value.
    pub fn current(&self) -> &T {
        &self.current
    }

    /// Changes the value. All changes up to one that `is_final` are one step. Returns whether the value differs.
    pub fn set(&mut self, value: T, is_final: bool) -> bool {
        let is_new = value != self.current;
        if is_new {
            let before = std::mem::replace(&mut self.current, value);
            if !self.is_open {
                self.past.push(before);
                if self.past.len() > MAX_STEPS {
                    self.past.remove(0);
                }
            }
            self.future.clear();
            self.is_open = true;
        }
        if is_final {
            self.is_open = false;
        }
        is_new
    }

    /// Returns the values that undo and redo would set.
    pub fn neighbours(&self) -> [Option<&T>; 2] {
        [self.past.last(), self.future.last()]
    }

    /// Undoes one step. Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.past.pop() else {
            return false;
        };
        self.future.push(std::mem::replace(&mut self.current, before));
        self.is_open = false;
        true
    }

    /// Redoes the step undone by the last [`Self::undo`]. Returns whether there was one.
    pub fn redo(&mut self) -> bool {
        let Some(after) = self.future.pop() else {
            return false;
        };
        self.past.push(std::mem::replace(&mut self.current, after));
        self.is_open = false;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_taken_back_and_made_again() {
        let mut history = History::new(0);
        assert!(!history.undo() && !history.redo());
        assert!(history.set(1, true) && history.set(2, true));
        assert!(history.undo() && *history.current() == 1);
        assert!(history.redo() && *history.current() == 2 && history.neighbours()[1].is_none());
        assert!(history.undo() && history.undo() && *history.current() == 0 && history.neighbours()[0].is_none());
    }

    #[test]
    fn a_drag_is_one_step() {
        let mut history = History::new(0);
        for value in 1..50 {
            history.set(value, false);
        }
        assert!(!history.set(49, true));
        history.set(60, true);
        assert!(history.undo() && *history.current() == 49);
        assert!(history.undo() && *history.current() == 0);
    }

    #[test]
    fn a_change_forgets_what_was_taken_back() {
        let mut history = History::new(0);
        history.set(1, true);
        history.undo();
        history.set(5, true);
        assert!(history.neighbours()[1].is_none());
        assert!(!history.set(5, true), "the same value is no step");
        assert!(history.undo() && *history.current() == 0);
    }

    #[test]
    fn the_past_is_bounded() {
        let mut history = History::new(0);
        for value in 1..2 * MAX_STEPS {
            history.set(value, true);
        }
        assert_eq!(history.past.len(), MAX_STEPS);
    }
}
