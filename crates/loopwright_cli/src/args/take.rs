//! Flags of the commands that read, write and show takes.

use std::path::PathBuf;

use clap::Args;

use loopwright_formats::Target;

use crate::{
    recipe::{StudyArgs, TakeArgs},
    words::choice,
};

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The take (BVH, FBX, GLB or glTF).
    pub(crate) take: PathBuf,
    /// Show when each foot stands, as bars over time.
    #[arg(long)]
    pub(crate) contacts: bool,
    /// Draw a plot of it into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(long, requires = "plot")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The take to read (BVH, FBX, GLB or glTF).
    pub(crate) input: PathBuf,
    /// The file to write; its name says which format: .bvh, .fbx, .glb or .gltf.
    pub(crate) output: PathBuf,
    /// The client that will read it: says so where it cannot, and writes BVH in the space it takes for granted.
    #[arg(long = "for", value_name = "CLIENT", value_parser = choice::<Target>())]
    pub(crate) target: Option<Target>,
    /// Exchange left and right, as in a mirror; of a loop its sidecar as well.
    #[arg(long)]
    pub(crate) mirror: bool,
    /// Which joints are images of each other where names do not tell: a file with lines such as LeftArm = RightArm.
    #[arg(long, value_name = "FILE", requires = "mirror")]
    pub(crate) mirror_map: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SynthArgs {
    /// The take to write (.bvh, .glb or .gltf); its truth goes to `<OUT>.truth.json`.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Where all randomness comes from; the same seed gives the same bytes.
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
    /// Length, seconds.
    #[arg(long, value_name = "S")]
    pub(crate) seconds: Option<f64>,
    /// Frames per second.
    #[arg(long, value_name = "R")]
    pub(crate) fps: Option<f64>,
    /// Seconds of one cycle, two steps.
    #[arg(long, value_name = "S")]
    pub(crate) period: Option<f64>,
    /// Forward speed, metres per second; 0 steps in place.
    #[arg(long, value_name = "MPS")]
    pub(crate) speed: Option<f64>,
    /// Turn rate, degrees per second, left positive.
    #[arg(long, value_name = "DPS", allow_negative_numbers = true)]
    pub(crate) turn: Option<f64>,
    /// Climb, metres per second.
    #[arg(long, value_name = "MPS", allow_negative_numbers = true)]
    pub(crate) climb: Option<f64>,
    /// Share by which stance and swing grow over the take.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) drift: Option<f64>,
    /// Metres by which the body rises over the take.
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) rise: Option<f64>,
    /// Share by which rate and speed vary.
    #[arg(long, value_name = "SHARE")]
    pub(crate) variation: Option<f64>,
    /// Sensor noise, degrees.
    #[arg(long, value_name = "DEG")]
    pub(crate) noise: Option<f64>,
    /// Seconds of standing before the walk sets out.
    #[arg(long, value_name = "S")]
    pub(crate) lead_in: Option<f64>,
    /// Put a T-pose into the first frame, as many recordings have it.
    #[arg(long)]
    pub(crate) t_pose: bool,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Folder to write to, made where it is missing.
    #[arg(short, long, value_name = "FOLDER", default_value = "loopwright-demo")]
    pub(crate) output: PathBuf,
    /// Overwrite files of an earlier run.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}
