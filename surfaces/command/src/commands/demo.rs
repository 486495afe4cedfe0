//! `loopwright demo`: the whole workflow on the built-in take.

use std::path::Path;

use loopwright_core::SearchSettings;
use loopwright_formats::{Format, ReadSettings, Sidecar, Source};
use loopwright_job::{Chosen, JobError, Request, SearchRequest, Study, search_rows};
use loopwright_synth::{WalkSettings, synthesize};

use crate::{
    args::DemoArgs,
    commands::synth::{self, TruthFacts},
    exit::{Ending, Failure, Result},
    failures, load, loop_output,
    output::{self, Outputs},
    recipe::Recipe,
    report::{find::FindAnswer, make},
};

pub fn run(args: &DemoArgs) -> Result<Ending> {
    let folder = &args.output;
    let made_folder = !folder.exists();
    output::make_folder(folder)?;
    let result = walk_the_road(folder, args);
    if result.is_err() && made_folder {
        // Only an empty folder is removed; files in it belong to somebody.
        let _ = std::fs::remove_dir(folder);
    }
    result
}

fn walk_the_road(folder: &Path, args: &DemoArgs) -> Result<Ending> {
    let [take_path, loop_path, picture_path] =
        ["walk.bvh", "walk-loop.bvh", "walk-loop.svg"].map(|name| folder.join(name));
    let mut outputs = Outputs::new(args.force);
    outputs.check(&take_path)?;
    outputs.check_loop(&loop_path)?;
    outputs.check(&picture_path)?;
    let synthetic = synthesize(&WalkSettings::default())?;
    synth::add(&mut outputs, &take_path, &synthetic, Format::Bvh)?;

    // The take is written to a file format and read back, like a user's take.
    let written = loopwright_formats::write_take(&synthetic.take, &Source::for_take(&synthetic.take, Format::Bvh))?;
    let file = loopwright_formats::read_take(&written.bytes, "walk", &ReadSettings::default(), &mut Vec::new())
        .map_err(Failure::error)?;
    let recipe = Recipe::default();
    let studied = Study::default()
        .analyse(take_path.display().to_string(), file, Vec::new())
        .map_err(|error| load::cannot_study(&take_path, error))?;
    let in_words = |error: JobError| failures::job(&studied, None, error);
    let settings = SearchSettings::default();
    let rows = search_rows(&studied, &settings, &SearchRequest::default()).map_err(|error| in_words(error.into()))?;
    let chosen = rows
        .found
        .best()
        .cloned()
        .ok_or_else(|| Failure::error("the built-in take has no loop; this is a fault of the program"))?;
    let pending =
        loop_output::made(&studied, Request::of(&recipe), &Chosen::new(1, chosen), Format::Bvh).map_err(in_words)?;
    let picture = loopwright_draw::plot::make(&studied.analysis, &pending.done.made);
    let sidecar = loop_output::add(&mut outputs, pending, &loop_path, &[&picture_path], Vec::new())?;
    outputs.add(&picture_path, picture.as_bytes())?;
    let outputs = outputs.commit()?;
    let answer = DemoAnswer {
        found: FindAnswer::new(&studied, &rows, &settings),
        made: &sidecar,
        truth: TruthFacts::new(&synthetic),
    };
    output::answer("demo", &answer, None, &outputs, args.json, DemoAnswer::human)
}

/// The answer of `demo`: the answers of `find` and `make` for the built-in take, and its ground truth.
#[in_schema]
pub struct DemoAnswer<'a> {
    #[serde(flatten)]
    found: FindAnswer,
    /// The loop that was made.
    #[serde(rename = "loop")]
    #[schemars(with = "crate::schema_words::Loop")]
    made: &'a Sidecar,
    /// What the take was made with.
    truth: TruthFacts,
}

impl DemoAnswer<'_> {
    fn human(&self) -> String {
        let (found, made, truth) = (
            self.found.human(false),
            make::human(self.made, false),
            self.truth.human(),
        );
        format!("{found}\n{made}{truth}")
    }
}
