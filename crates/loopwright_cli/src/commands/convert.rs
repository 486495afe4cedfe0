//! `loopwright convert`: reads a take and writes it again.

use loopwright_formats::SpaceSettings;

use crate::{
    args::ConvertArgs,
    exit::{Ending, Failure},
    load,
    output::Outputs,
    talk,
};

pub(crate) fn run(args: &ConvertArgs) -> Result<Ending, Failure> {
    let mut outputs = Outputs::new(args.force);
    outputs.spare(&args.input, &args.output)?;
    outputs.check(&args.output)?;
    require_bvh(&args.output)?;
    let space = SpaceSettings {
        up: args.reading.up,
        unit: args.reading.unit,
    };
    let mut warnings = Vec::new();
    let file = load::read_take(&args.input, &space, &mut warnings)?;
    for warning in &warnings {
        talk::warn(&warning.to_string());
    }
    let written = loopwright_formats::write_take(&file.take, &file.source).map_err(Failure::error)?;
    for warning in &written.warnings {
        talk::warn(&warning.to_string());
    }
    outputs.add(&args.output, written.text.as_bytes())?;
    outputs.commit()?;
    Ok(Ending::Done)
}

/// Refuses a name whose extension promises another format.
pub(crate) fn require_bvh(path: &std::path::Path) -> Result<(), Failure> {
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("bvh") => Ok(()),
        _ => Err(
            Failure::error(format!("cannot write \"{}\": only BVH is written", path.display()))
                .try_this("a name that ends in .bvh"),
        ),
    }
}
