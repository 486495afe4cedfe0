//! Springs fitted to tables that a spring made, and to published splits.

use loopwright_controller::{SpeedTable, TableError, TableOf};
use loopwright_core::math::Spring;

const TOP_MPS: f64 = 8.5;
const HALF_LIFE_SECS: f64 = 0.7;
const START_SECS: f64 = 0.15;

/// Returns the speed and way at a time, the way by adding up small steps.
fn truth(secs: f64) -> (f64, f64) {
    let spring = Spring {
        value: 0.0,
        rate: 0.0,
        goal: TOP_MPS,
        half_life_secs: HALF_LIFE_SECS,
    };
    let speed = |at: f64| if at > 0.0 { spring.at(at).value } else { 0.0 };
    const STEPS: usize = 4000;
    let step = secs / STEPS as f64;
    let middle = |index: usize| (index as f64 + 0.5) * step - START_SECS;
    let way = (0..STEPS).map(|index| step * speed(middle(index))).sum();
    (speed(secs - START_SECS), way)
}

#[test]
fn a_table_that_a_spring_made_gives_that_spring() {
    let times = (0..12).map(|row| 0.4 * f64::from(row));
    let speeds = times.clone().map(|secs| (secs, truth(secs).0)).collect();
    let splits = times.map(|secs| (secs, truth(secs).1)).collect();
    for (of, rows) in [(TableOf::Speeds, speeds), (TableOf::Splits, splits)] {
        let fit = SpeedTable::new(of, rows).unwrap().fit();
        assert!((fit.top_speed_mps - TOP_MPS).abs() < 1e-3, "{of:?}: {fit:?}");
        assert!((fit.half_life_secs - HALF_LIFE_SECS).abs() < 1e-3, "{of:?}: {fit:?}");
        assert!((fit.start_secs - START_SECS).abs() < 1e-3, "{of:?}: {fit:?}");
        assert!(fit.error < 1e-4, "{of:?}: {fit:?}");
        // y S / e.
        let peak = 2.0 * core::f64::consts::LN_2 / HALF_LIFE_SECS * TOP_MPS / core::f64::consts::E;
        assert!((fit.peak_acceleration_mps2 - peak).abs() < 0.02, "{of:?}: {fit:?}");
    }
}

#[test]
fn few_rows_start_at_zero() {
    let rows = vec![(1.0, 4.0), (3.0, 7.0)];
    let fit = SpeedTable::new(TableOf::Speeds, rows).unwrap().fit();
    assert_eq!(fit.start_secs, 0.0);
    assert!(fit.error < 1e-6, "{fit:?}");
}

#[test]
fn tables_that_say_nothing_are_refused() {
    let refused = |of, rows: &[(f64, f64)]| SpeedTable::new(of, rows.to_vec()).unwrap_err();
    for (of, rows, error) in [
        (TableOf::Speeds, &[(1.0, 2.0)][..], TableError::Rows { found: 1 }),
        (TableOf::Speeds, &[(0.0, 0.0), (1.0, 0.0)], TableError::Still),
        (TableOf::Speeds, &[(1.0, 2.0), (1.0, 3.0)], TableError::Order { row: 2 }),
        (
            TableOf::Speeds,
            &[(-1.0, 2.0), (1.0, 3.0)],
            TableError::Order { row: 1 },
        ),
        (
            TableOf::Speeds,
            &[(0.0, f64::NAN), (1.0, 3.0)],
            TableError::Order { row: 1 },
        ),
        (TableOf::Splits, &[(1.0, 2.0), (2.0, 1.0)], TableError::Back { row: 2 }),
    ] {
        assert_eq!(refused(of, rows), error);
    }
}

#[test]
fn any_table_that_is_accepted_has_a_finite_fit() {
    let extreme = [1e-300, 1e-9, 1.0, 1e9, 1e300];
    for first in extreme {
        for last in extreme {
            for value in extreme {
                for of in [TableOf::Speeds, TableOf::Splits] {
                    let Ok(table) = SpeedTable::new(of, vec![(0.0, 0.0), (first, value), (first + last, value)]) else {
                        continue;
                    };
                    let fit = table.fit();
                    assert!(fit.half_life_secs > 0.0 && fit.half_life_secs.is_finite(), "{fit:?}");
                }
            }
        }
    }
}
