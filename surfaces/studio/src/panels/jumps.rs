//! The cheapest jumps between the loops found.

use eframe::egui::{self, Ui};

use super::row_ui;
use crate::model::{Action, Model, Study};

pub(crate) fn jumps_ui(ui: &mut Ui, model: &Model) {
    if model.opened().is_none() {
        return;
    }
    match &model.studies().jumps {
        None => {
            ui.weak("Working ...");
            model.ask(Action::Study(Study::Jumps));
        }
        Some(Err(error)) => {
            ui.label(error.to_string());
        }
        Some(Ok(jumps)) if jumps.is_empty() => {
            ui.label("There is only one loop: nothing to jump to.");
        }
        Some(Ok(jumps)) => {
            egui::Grid::new("jumps").num_columns(2).striped(true).show(ui, |ui| {
                for jump in jumps {
                    row_ui(
                        ui,
                        &format!("Loop {} to loop {}", jump.from + 1, jump.to + 1),
                        format!(
                            "{:.3}: leave at {:.2} s, enter at {:.2} s",
                            jump.cost, jump.exit_secs, jump.entry_secs
                        ),
                    );
                }
            });
            ui.weak(
                "The cost of a jump in metre-seconds, as `loopwright cost` computes it; a lower cost is less visible.",
            );
        }
    }
}
