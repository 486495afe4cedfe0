//! Plots that commands draw in addition to their answers: the output file and its format.

use std::path::{Path, PathBuf};

use crate::{
    exit::{Failure, Result},
    files,
    output::Outputs,
};

/// A requested plot.
pub struct PlotFile {
    path: PathBuf,
    /// A PNG; otherwise an SVG.
    is_png: bool,
}

impl PlotFile {
    /// The requested plot, if any. Errors: the extension is not `.svg` or `.png`, or the file cannot be written.
    pub fn asked_for(path: Option<&Path>, outputs: &Outputs) -> Result<Option<Self>> {
        let Some(path) = path else {
            return Ok(None);
        };
        let is_png = match files::lowercase_extension(path).as_deref() {
            Some("svg") => false,
            Some("png") => true,
            _ => {
                return Err(failure!("cannot draw \"{}\": plots are SVG or PNG", path.display())
                    .try_this("--plot with a name that ends in .svg or .png"));
            }
        };
        outputs.check(path)?;
        Ok(Some(Self {
            path: path.to_owned(),
            is_png,
        }))
    }

    pub fn add(&self, outputs: &mut Outputs, svg: &str) -> Result<()> {
        if !self.is_png {
            return outputs.add(&self.path, svg.as_bytes());
        }
        outputs.add(
            &self.path,
            &loopwright_draw::plot::png(svg)
                .map_err(|error| Failure::cannot("draw", &self.path, error).try_this("a name that ends in .svg"))?,
        )
    }
}
