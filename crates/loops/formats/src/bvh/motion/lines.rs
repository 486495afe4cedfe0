//! Checks whether the lines of the rows agree with the hierarchy.
//!
//! Rows may span several lines, and lines may hold several rows; but a row with a value too many or too few must be detected.

#[derive(Clone)]
pub(super) struct Line {
    /// Position of its first value.
    pub offset: usize,
    /// The row of its first value, counted from 0.
    pub row: usize,
    pub num_values: usize,
}

/// The relation of lines and rows, over the lines that hold declared rows.
#[derive(Default)]
pub(super) struct Lines {
    width: usize,
    num_wanted: usize,
    /// Start of the current line and values before it.
    line: Option<(usize, usize)>,
    first: Option<Line>,
    pub row_start: Option<Line>,
    /// The first line that holds parts of two rows: the line on which the completed row starts.
    pub first_across: Option<Line>,
    all_alike: bool,
    num_lines: u64,
    num_exact: u64,
    num_before: usize,
}

impl Lines {
    pub(super) fn new(width: usize, num_wanted: usize) -> Self {
        Self {
            width,
            num_wanted,
            all_alike: true,
            ..Self::default()
        }
    }

    pub(super) fn start_value(&mut self, offset: usize) {
        if self.line.is_none() {
            self.line = Some((offset, self.num_before));
        }
    }

    /// Processes the line that has just ended; `num_found` is the total number of values so far.
    pub(super) fn end_line(&mut self, num_found: usize) {
        self.num_before = num_found;
        let Some((offset, before)) = self.line.take() else {
            return;
        };
        if before >= self.num_wanted {
            return;
        }
        let line = Line {
            offset,
            row: before / self.width,
            num_values: num_found - before,
        };
        let starts_row = before.is_multiple_of(self.width);
        if starts_row {
            self.row_start = Some(line.clone());
        }
        let ends_row = num_found.is_multiple_of(self.width);
        let within_one_row = line.row == (num_found - 1) / self.width;
        let whole_rows = starts_row && ends_row;
        if self.first_across.is_none() && !within_one_row && !whole_rows {
            self.first_across = self
                .row_start
                .clone()
                .filter(|_| !starts_row)
                .or_else(|| Some(line.clone()));
        }
        self.num_lines += 1;
        self.num_exact += u64::from(line.num_values == self.width);
        match &self.first {
            None => self.first = Some(line),
            Some(first) => self.all_alike &= first.num_values == line.num_values,
        }
    }

    /// Returns the first row whose width differs from the hierarchy's, if the lines show one.
    ///
    /// Lines of equal width are rows, unless the number of values is exactly the declared one and the lines do not match. Lines
    /// that hold parts of two rows are accepted only if no line looks like a row.
    pub(super) fn misfit(&self, num_found: usize, num_wanted: usize, num_declared: u64) -> Option<&Line> {
        let first = self.first.as_ref()?;
        let alike = self.all_alike && self.num_lines > 1 && first.num_values != self.width;
        if alike && (num_found != num_wanted || self.num_lines.abs_diff(num_declared) <= 1) {
            return Some(first);
        }
        self.first_across
            .as_ref()
            .filter(|_| num_found != num_wanted || self.num_exact > 0)
    }
}
