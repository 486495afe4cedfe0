//! `loopwright completions`, `man`, `recipe` and `schema`: what flags and recipes may say, from their one definition.

use std::io::Write;

use crate::{
    args::{CompletionsArgs, ManArgs, NoArgs, RecipeArgs, full_command},
    exit::{Ending, Result},
    output::{self, Outputs},
    project, recipe,
};

const NAME: &str = "loopwright";

/// `loopwright completions`: prints the script that completes commands and flags in a shell.
pub fn completions(args: &CompletionsArgs) -> Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut full_command(), NAME, &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Done)
}

/// `loopwright man`: writes a page for each command into a folder.
pub fn man(args: &ManArgs) -> Result<Ending> {
    let folder = &args.output;
    output::make_folder(folder)?;
    let mut command = full_command().disable_help_subcommand(true);
    command.build();
    let mut outputs = Outputs::new(args.force);
    let subcommands = command
        .get_subcommands()
        .flat_map(|command| core::iter::once(command).chain(command.get_subcommands()));
    let pages = subcommands.map(|command| {
        // As `git-log`, with the words of the command.
        let name = command.get_display_name().unwrap_or(command.get_name());
        (name.to_owned(), command)
    });
    for (name, command) in core::iter::once((NAME.to_owned(), &command)).chain(pages) {
        let failed = |error: std::io::Error| failure!("cannot write the page of {name}: {error}");
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(command.clone()).title(name.to_uppercase());
        rendered.render(&mut page).map_err(failed)?;
        page.flush().map_err(failed)?;
        outputs.add(&folder.join(format!("{name}.1")), &page)?;
    }
    for written in outputs.commit()? {
        output::print(&format!("{written}\n"))?;
    }
    Ok(Ending::Done)
}

/// `loopwright recipe`: what a recipe may say, from the descriptions of its keys.
pub fn recipe(args: &RecipeArgs) -> Result<Ending> {
    output::print(&recipe::default_recipe(args.key.as_deref())?)?;
    Ok(Ending::Done)
}

/// `loopwright schema`: what a recipe and `loopwright.toml` may say, by the descriptions of its keys.
pub fn schema(_: &NoArgs) -> Result<Ending> {
    output::print(&project::schema())?;
    Ok(Ending::Done)
}
