//! The columns of a catalog: one definition for the row, its order in files, and what each column means.

use crate::{
    CatalogError,
    cell::{Cell, CellKind, Value},
};

/// A column of a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, which ends in its unit.
    pub name: &'static str,
    /// The type of its values.
    pub kind: CellKind,
    /// Whether values may be unknown.
    pub may_be_null: bool,
    /// What it means, in one sentence.
    pub about: &'static str,
}

macro_rules! columns {
    ($(#[doc = $about:literal] $name:ident: $type:ty,)*) => {
        /// A loop in a catalog: where it comes from, what it is, how good it is, and where it was written.
        ///
        /// Positions and directions have +Y up and +Z forward, whatever the file uses. What is not known is null. The same figures stand in the
        /// sidecar of the loop; docs/formats/catalog.md lists all columns.
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(default)]
        pub struct LoopRow {
            $(#[doc = $about] pub $name: $type,)*
        }

        /// All columns, in the order in which files have them.
        pub const COLUMNS: &[Column] = &[$(Column {
            name: stringify!($name),
            kind: <$type as Value>::KIND,
            may_be_null: <$type as Value>::MAY_BE_NULL,
            about: $about.trim_ascii(),
        },)*];

        impl LoopRow {
            /// Returns its values, in the order of the columns.
            pub(crate) fn cells(&self) -> Vec<Cell> {
                vec![$(self.$name.to_cell(),)*]
            }

            /// Creates row number `row`, from 1. `cell` returns a value by the name of its column; `None` if the file lacks the column.
            /// Errors: a value has another type than its column.
            pub(crate) fn from_cells(
                row: usize,
                mut cell: impl FnMut(&str, CellKind) -> Option<Cell>,
            ) -> Result<Self, CatalogError> {
                Ok(Self {
                    $($name: match cell(stringify!($name), <$type as Value>::KIND) {
                        Some(cell) => Value::from_cell(cell).ok_or(CatalogError::Value {
                            row,
                            column: stringify!($name),
                            expected: <$type as Value>::KIND.expected(),
                        })?,
                        None => Default::default(),
                    },)*
                })
            }
        }
    };
}

columns! {
    /// The take, as it was named or found.
    path: String,
    /// SHA-256 of the take's file, 64 hexadecimal digits.
    take_sha256: String,
    /// SHA-256 of the names, the order and the offsets of the joints, to a tenth of a millimetre: loops of one value share a skeleton.
    skeleton_sha256: String,
    /// The animation in the file; null if the format allows only one.
    animation: Option<String>,
    /// Frames of the take.
    frames: u64,
    /// Frames per second of the take.
    fps: f64,
    /// Joints of the take.
    joints: u64,
    /// Row of `loopwright find` that the loop was made from, from 1.
    row: u64,
    /// Frame of the take at which the loop starts, from 0.
    start_frame: f64,
    /// Frame of the take whose pose matches the pose at the start.
    end_frame: f64,
    /// What the body does: still, idle, walk, turning_walk, run, backward, strafe, turn_in_place, jump, one_shot or other.
    kind: String,
    /// Length of the loop as written.
    period_secs: f64,
    /// Cycles of the motion in the loop.
    cycles: u64,
    /// Unique samples of one period.
    samples: u64,
    /// Whether the second half of the loop is the mirror image of the first.
    mirrored: bool,
    /// What was done with the root motion: constant, linear, path, in-place, stationary or keep.
    root_motion: String,
    /// Whether the character stays where it is: its root does not move in the file.
    in_place: bool,
    /// Velocity of the root to its left; the six columns from here on are the twist, constant and in the axes of the root.
    linear_x_mps: f64,
    /// Velocity of the root upwards.
    linear_y_mps: f64,
    /// Velocity of the root forward.
    linear_z_mps: f64,
    /// Angular velocity of the root about its axis to the left.
    angular_x_radps: f64,
    /// Angular velocity of the root about its upward axis, to the left positive.
    angular_y_radps: f64,
    /// Angular velocity of the root about its forward axis.
    angular_z_radps: f64,
    /// Speed over the ground.
    speed_mps: f64,
    /// Rate of turn, left positive.
    turn_rate_dps: f64,
    /// Rate of climb.
    climb_mps: f64,
    /// Radius of the path; null for a straight one.
    radius_m: Option<f64>,
    /// Contacts of the feet: joint, start and length in seconds, with colons between them and semicolons between contacts.
    contacts: String,
    /// Share of the cycle at which the longest contact of the first foot, the left one if sides are known, begins.
    first_contact_phase: Option<f64>,
    /// Whether feet were locked to the ground during their contacts.
    feet_held: bool,
    /// The grade: good, review or bad.
    grade: Option<String>,
    /// The reason for the grade.
    reason: Option<String>,
    /// The joint whose step over the seam shows most.
    seam_joint: Option<String>,
    /// Its step as a share of the largest one that does not show.
    seam_step_ratio: Option<f64>,
    /// Jump in position over the seam.
    seam_step_mm: Option<f64>,
    /// Jump in rotation over the seam.
    seam_step_deg: Option<f64>,
    /// Change of velocity over the seam beyond the change around it.
    seam_velocity_step_mps: Option<f64>,
    /// Change of the rate of turn over the seam beyond the change around it.
    seam_velocity_step_dps: Option<f64>,
    /// Pose gap at the seam in degrees, largest over joints.
    pose_gap_deg: Option<f64>,
    /// Pose gap at the seam in millimetres, largest over joints.
    pose_gap_mm: Option<f64>,
    /// What the closure left of the velocity gap of rotations.
    velocity_gap_dps: Option<f64>,
    /// What the closure left of the velocity gap of positions.
    velocity_gap_mmps: Option<f64>,
    /// Difference between the acceleration at the seam and that of the take there, divided by that of the motion.
    seam_acceleration_error_ratio: Option<f64>,
    /// Acceleration at the seam divided by the 99th percentile of the loop's own.
    seam_acceleration_ratio: Option<f64>,
    /// Rank of the seam's acceleration among all windows of the loop.
    seam_rank_percent: Option<f64>,
    /// The same rank in the take, at the frames of the seam.
    take_rank_percent: Option<f64>,
    /// Mean distance of joints from the take.
    displacement_mm: Option<f64>,
    /// Mean rotation of joints away from the take.
    displacement_deg: Option<f64>,
    /// Mean speed of feet over the ground while they stand.
    foot_slide_cmps: Option<f64>,
    /// Largest distance that a foot moves over the ground while it stands.
    foot_slide_mm: Option<f64>,
    /// Cost of the jump from the end to the start.
    seam_cost_metre_secs: Option<f64>,
    /// That cost divided by the median cost of random jumps in the take.
    cost_ratio: Option<f64>,
    /// How little the root motion of a period changes around the loop, 0 to 1.
    steadiness: Option<f64>,
    /// Mean speed of the body divided by the take's pace.
    activity_ratio: Option<f64>,
    /// Name of the closure method.
    closure: String,
    /// Length of the correction after the start.
    blend_start_secs: f64,
    /// Length of the correction before the end.
    blend_end_secs: f64,
    /// The engine that it was written for; null if none was named.
    engine: Option<String>,
    /// SHA-256 of the recipe that makes the loop again, as `--save-recipe` writes it.
    recipe_sha256: String,
    /// The licence or the copyright that the file states (glTF), or that was given; null if unknown.
    licence: Option<String>,
    /// The loop's file, as it was written; its sidecar has the same name with .json behind it.
    output: String,
    /// SHA-256 of the loop's file.
    output_sha256: Option<String>,
}

#[cfg(test)]
#[path = "../../formats/src/tests/schema.rs"]
mod schema;

#[test]
fn the_schema_of_answers_defines_a_row_by_the_columns() {
    schema::assert_current(schema::ANSWERS, |answers| {
        let mut definitions = schema::Definitions::new();
        definitions.add::<LoopRow>("catalog_row");
        schema::put(answers, definitions.finish());
    });
}
