//! `loopwright demo`: the whole workflow on the built-in take.

use std::path::Path;

use loopwright::{Analysis, LoopSettings, SearchSettings, pipeline::Retry};
use loopwright_formats::{Format, LoopWriteSettings, ReadSettings, Source};
use loopwright_synth::{WalkSettings, synthesize};

use crate::{
    args::DemoArgs,
    commands::synth,
    exit::{Ending, Failure},
    load::{self, Loaded},
    making::{self, Making},
    output::{self, Outputs},
    report::{demo::DemoAnswer, find::FindAnswer, synth::TruthFacts},
    search,
};

pub(crate) fn run(args: &DemoArgs) -> Result<Ending, Failure> {
    let folder = &args.output;
    let made_folder = !folder.exists();
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::error(format!("cannot make the folder \"{}\": {error}", folder.display()))
            .try_this("another folder with -o")
    })?;
    let result = walk_the_road(folder, args);
    if result.is_err() && made_folder {
        // Only an empty folder is removed; files in it belong to somebody.
        let _ = std::fs::remove_dir(folder);
    }
    result
}

fn walk_the_road(folder: &Path, args: &DemoArgs) -> Result<Ending, Failure> {
    let [take_path, loop_path, picture_path] =
        ["walk.bvh", "walk-loop.bvh", "walk-loop.svg"].map(|name| folder.join(name));
    let sidecar_path = output::sidecar_path(&loop_path);
    let mut outputs = Outputs::new(args.force);
    for path in [&take_path, &loop_path, &sidecar_path, &picture_path] {
        outputs.check(path)?;
    }
    let synthetic = synthesize(&WalkSettings::default()).map_err(Failure::error)?;
    synth::add(&mut outputs, &take_path, &synthetic, Format::Bvh)?;

    // The take is written to a file format and read back, like a user's take.
    let written = loopwright_formats::write_take(&synthetic.take, &Source::for_take(&synthetic.take, Format::Bvh))
        .map_err(Failure::error)?;
    let file = loopwright_formats::read_take(&written.bytes, "walk", &ReadSettings::default(), &mut Vec::new())
        .map_err(Failure::error)?;
    let analysis = Analysis::new(&file.take).map_err(load::body_failure)?;
    let loaded = Loaded {
        path: take_path.clone(),
        file,
        analysis,
        smooth_hz: None,
        character: None,
        warnings: Vec::new(),
    };
    let settings = SearchSettings::default();
    let hunt = search::hunt(&loaded, &settings, false)?;
    let found = &hunt.found;
    let chosen = found
        .best()
        .ok_or_else(|| Failure::error("the built-in take has no loop; this is a fault of the program"))?;
    let looping = LoopSettings::default();
    let writing = LoopWriteSettings::default();
    let form = (&loaded.file.source, &writing);
    let Making {
        made, mut file, soft, ..
    } = making::make(&loaded, (chosen, Retry::default()), &looping, form)?;
    file.sidecar.warnings = soft;
    file.sidecar.outputs = [&loop_path, &sidecar_path, &picture_path]
        .map(|path| path.display().to_string())
        .to_vec();
    let bytes = file.bytes().into_owned();
    outputs.add(&loop_path, &bytes)?;
    file.sidecar.state_file(&bytes);
    outputs.add(
        &sidecar_path,
        file.sidecar.to_json().map_err(Failure::error)?.as_bytes(),
    )?;
    outputs.add(
        &picture_path,
        loopwright_draw::plot::make(&loaded.analysis, &made).as_bytes(),
    )?;
    let outputs = outputs.commit()?;
    let answer = DemoAnswer {
        found: FindAnswer::of(&loaded, &hunt, &settings),
        made: &file.sidecar,
        truth: TruthFacts::of(&synthetic),
    };
    output::print(&if args.json {
        answer.json(&outputs)
    } else {
        answer.human()
    })?;
    Ok(Ending::Done)
}
