//! The pictures of the README and of docs/guide, drawn from synthetic takes so that they never go stale.

use std::path::Path;

use loopwright::{
    analysis::{Analysis, body::BodyOverrides},
    candidate::{self, Found, SearchSettings},
    pipeline::{self, LoopSettings},
    take::Take,
};
use loopwright_draw::plot;
use loopwright_synth::{WalkSettings, synthesize};

/// All pictures: path below the checkout, and text.
pub(crate) fn pictures() -> Result<Vec<(&'static str, String)>, String> {
    // As recordings are: a T-pose first, then standing, then a walk that is not quite even.
    let recording = WalkSettings {
        seconds: 12.0,
        lead_in_secs: 2.0,
        t_pose_first_frame: true,
        speed_variation: 0.05,
        noise_deg: 0.2,
        ..WalkSettings::default()
    };
    let loop_plot = Drawn::of(&WalkSettings::default())?.make()?;
    let recorded = Drawn::of(&recording)?;
    Ok(vec![
        ("docs/images/loop.svg", loop_plot),
        ("docs/images/inspect.svg", recorded.inspect()),
        ("docs/images/find.svg", recorded.find()?),
    ])
}

/// Writes all pictures.
pub(crate) fn write(checkout: &Path) -> Result<(), String> {
    for (path, text) in pictures()? {
        let path = checkout.join(path);
        let failed = |error| format!("cannot write {}: {error}", path.display());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::write(&path, text).map_err(failed)?;
    }
    Ok(())
}

/// Fails where a picture in the checkout is not what would be written now.
pub(crate) fn check(checkout: &Path) -> Result<(), String> {
    let stale: Vec<&str> = pictures()?
        .into_iter()
        .filter(|(path, text)| std::fs::read_to_string(checkout.join(path)).ok().as_ref() != Some(text))
        .map(|(path, _)| path)
        .collect();
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "stale: {}; `cargo xtask docs` draws them anew",
            stale.join(", ")
        ))
    }
}

/// A synthetic take with its study.
struct Drawn {
    take: Take,
    analysis: Analysis,
}

impl Drawn {
    fn of(settings: &WalkSettings) -> Result<Self, String> {
        let take = synthesize(settings).map_err(|error| error.to_string())?.take;
        let analysis = Analysis::of(&take, &BodyOverrides::default()).map_err(|error| error.to_string())?;
        Ok(Self { take, analysis })
    }

    fn search(&self) -> Result<Found, String> {
        candidate::find(&self.take, &self.analysis, &SearchSettings::default()).map_err(|error| error.to_string())
    }

    fn inspect(&self) -> String {
        plot::inspect(&self.take, &self.analysis)
    }

    fn find(&self) -> Result<String, String> {
        let found = self.search()?;
        Ok(plot::find(
            &self.take,
            &self.analysis,
            &SearchSettings::default(),
            &found,
        ))
    }

    fn make(&self) -> Result<String, String> {
        let found = self.search()?;
        let best = found.best().ok_or("the default walk has no loop")?;
        let settings = LoopSettings::default();
        let made = pipeline::make(&self.take, &self.analysis, &best.cut, best.cycles, &settings)
            .map_err(|error| error.to_string())?;
        Ok(plot::make(&self.take, &self.analysis, &best.cut, &made))
    }
}
