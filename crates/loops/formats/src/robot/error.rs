//! Errors of robots and of their motion.

/// Why the description of a robot cannot be used.
#[error_kinds]
pub enum RobotError {
    #[error("not readable as XML: {detail}")]
    Xml { detail: String },
    #[error("the file describes no robot: its root is <{found}>, expected <mujoco> or <robot>")]
    NoRobot { found: String },
    #[error("the robot is in another file, \"{file}\", which this one includes")]
    Includes { file: String },
    #[error("there are no bodies in it")]
    NoBodies,
    #[error("\"{name}\": {attribute}=\"{found}\" is not {expected}")]
    Attribute {
        name: String,
        attribute: &'static str,
        found: String,
        expected: &'static str,
    },
    #[error("the joint \"{name}\" is of the kind {kind}; only hinges and one free base are used")]
    Kind { name: String, kind: String },
    #[error("the class \"{name}\" is not defined")]
    NoClass { name: String },
    #[error("the link \"{name}\" is not described")]
    NoLink { name: String },
    #[error("the links hang from each other in a circle, or from no common one: \"{name}\"")]
    NoTree { name: String },
    #[error("two joints are named \"{name}\"")]
    SameName { name: String },
    #[error("its classes of defaults set more than {limit} attributes, with those that they inherit")]
    Defaults { limit: usize },
    #[error("bodies are nested more deeply than {limit}")]
    TooDeep { limit: usize },
    #[error(
        "the soles of \"{name}\" have only meshes; give it collision shapes (spheres, capsules, boxes or cylinders)"
    )]
    MeshSoles { name: String },
    /// Its joints form no skeleton.
    Skeleton(loopwright_core::motion::SkeletonError),
}

/// Why a motion of a robot cannot be read or written.
#[error_kinds]
pub enum RobotMotionError {
    #[error("{format} files hold the angles of a robot's joints: its description is needed")]
    NoRobot { format: &'static str },
    #[error("the motion is not that of a robot with hinges")]
    NoHinges,
    #[error("line {line}: \"{found}\" is not a number")]
    Number { line: usize, found: String },
    #[error("row {row} has {found} numbers, expected {expected}")]
    Columns { row: usize, found: usize, expected: String },
    #[error("there are no rows of numbers")]
    NoRows,
    #[error("there is no column \"{name}\"")]
    NoColumn { name: String },
    #[error("the robot has no joint \"{name}\", which the file moves")]
    NoJoint { name: String },
    #[error("not readable as JSON: {detail}")]
    Json { detail: String },
    #[error("there is no \"{key}\" of the expected kind")]
    NoKey { key: &'static str },
    #[error("the rows hold joints and feet but no base, so that nothing shows where the robot goes")]
    NoBase,
    #[error("the arrays fit no order of the robot's bodies and joints: they are off by {centimetres:.1} cm at best")]
    OtherRobot { centimetres: f64 },
    #[error(
        "not read: {detail}; a pickle can run any code, so only plain numbers, texts, lists, dicts and arrays of NumPy are"
    )]
    Unsafe { detail: String },
    #[error("the pickle is damaged: {detail}")]
    Pickle { detail: &'static str },
    #[error(
        "{joint} is turned off the axis of its hinge, or moved from its place, in row {row}: files of angles cannot hold that"
    )]
    OffHinge { joint: String, row: usize },
    #[error("its rows state no rate and are read at {fps:.0} per second, and these are at {found:.2}")]
    Rate { found: f64, fps: f64 },
    #[error("row {row} holds a rotation without length, or a number beyond any plausible size")]
    Implausible { row: usize },
}

impl RobotMotionError {
    /// Advises what to try.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoRobot { .. } | Self::NoHinges => "--robot FILE, its MJCF or URDF file",
            Self::Rate { .. } => "an NPZ, JSON or pickle file, or --set output.fps with that rate",
            Self::Unsafe { .. } => "the motion saved again as CSV or NPZ",
            _ => "the --robot file with which the motion was made; docs/guide/robots.md lists the layouts",
        }
    }
}
