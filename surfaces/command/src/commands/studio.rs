//! `loopwright studio`: starts the studio, which is a separate program.

use std::{env, ffi::OsString, io::ErrorKind, path::PathBuf, process::Command};

use crate::{
    args::StudioArgs,
    exit::{Ending, Failure, Result},
    files,
};

/// The name of the program.
const PROGRAM: &str = "loopwright-studio";

pub fn run(args: &StudioArgs) -> Result<Ending> {
    for file in &args.files {
        files::check_is_there(file)?;
    }
    let beside = env::current_exe().ok().and_then(|own| {
        let beside = own.with_file_name(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
        beside.is_file().then_some(beside)
    });
    // Without a folder, the program is searched for on the PATH.
    let program = beside.unwrap_or_else(|| PathBuf::from(PROGRAM));
    // A file may be named like a flag.
    let files = args.files.iter().map(|file| match file.as_os_str().as_encoded_bytes() {
        [b'-', ..] => PathBuf::from(".").join(file).into_os_string(),
        _ => file.clone().into_os_string(),
    });
    match Command::new(&program).args(files.collect::<Vec<OsString>>()).status() {
        Ok(status) if status.success() => Ok(Ending::Done),
        Ok(status) => Err(failure!("the studio ended with {status}")
            .try_this("LIBGL_ALWAYS_SOFTWARE=1 before the command, where the window cannot be drawn")),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure::error("the studio is not installed")
            .because(format!("there is no {PROGRAM} beside this program or on the PATH"))
            .try_this("`cargo install --path surfaces/studio` in a checkout of loopwright")),
        Err(error) => Err(Failure::cannot("start", &program, error)),
    }
}
