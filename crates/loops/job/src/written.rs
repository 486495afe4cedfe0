//! Makes the bytes of a loop from a take, in one call.

use loopwright_core::LoopClip;
use loopwright_formats::{LoadedTake, Sidecar};

use crate::{
    choose::{Request, Rows, choose},
    error::{JobError, StudyError},
    make::make,
    recipe::Recipe,
    search::SearchRequest,
    stored::{StoredLoop, StoredLoopError},
    study::Study,
    write::write,
};

/// A loop with its file, and the facts beside it.
#[derive(Clone, Debug)]
pub struct WrittenLoop {
    /// Name of the take, and of the loop when it is read again.
    pub name: String,
    /// The loop with a moving root, even if the file keeps it in place, as many packs do; [`StoredLoop::played`] returns it as
    /// played.
    pub clip: LoopClip,
    /// The bytes of its file.
    pub bytes: Vec<u8>,
    /// The content of the sidecar, including grade and warnings.
    pub sidecar: Sidecar,
}

/// Why a take gives no loop.
#[error_sum]
pub enum WrittenLoopError {
    /// The take cannot be studied.
    Study(StudyError),
    /// There is no loop, or it cannot be made or written.
    Job(JobError),
}

/// Makes the recommended loop of a take, or of the stretch that the recipe names, and writes it in the take's format, as
/// `loopwright make` does without flags.
///
/// Errors: [`WrittenLoopError`]. [`Study`], [`choose`], [`make`] and [`write()`] are the steps.
pub fn make_loop(file: LoadedTake, recipe: &Recipe) -> Result<WrittenLoop, WrittenLoopError> {
    let name = file.take.name().to_owned();
    let studied = Study::new(recipe.take.clone(), None)?.analyse(&name, file, Vec::new())?;
    let search = SearchRequest::default();
    let request = Request {
        recipe,
        search: Some(&search),
        rows: &Rows::Recommended,
    };
    let mut warnings = studied.warnings.clone();
    let chosen = choose(&studied, request, &mut warnings)?.remove(0)?;
    let made = make(&studied, request, &chosen)?;
    let written = write(&studied, request, made, studied.goes_into().source.format())?;
    let clip = written.done.made.from_start().into_owned();
    let (bytes, sidecar) = written.named(Vec::new(), warnings.iter().map(ToString::to_string).collect());
    Ok(WrittenLoop {
        name,
        clip,
        bytes,
        sidecar,
    })
}

impl WrittenLoop {
    /// Returns the loop as read from its file, to be mirrored, blended, or put onto a character. Errors: [`StoredLoopError`].
    pub fn stored(&self) -> Result<StoredLoop, StoredLoopError> {
        StoredLoop::read(&self.name, &self.bytes, self.sidecar.clone())
    }
}
