//! `loopwright listen`: makes loops of a motion while it arrives.
//!
//! The stream is turned into the text of a BVH file, line by line, whatever it arrives as. At the end of each cycle, `make` runs on the
//! last seconds of it as on a file. At the end it runs on the whole recording, so the last loop is the one that `make` would make of the
//! recorded file.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use loopwright_core::{LoopCandidate, live::Due, pipeline::by_recommendation};
use loopwright_formats::{
    BvhRecording, BvhStream, Format, LineFault, MemoryError, Sidecar, StreamedLine,
    loop_file::{VERSION, facts::Grade},
    read_take,
    vmc::{FIRST_POSES, MAX_STEP_SECS, RATE_RANGE_HZ, VmcCounts},
};
use loopwright_job::{self as job, JobError, PendingLoop, Request, Rows, SearchRequest, Studied, Study};

use super::make;
use crate::{
    args::ListenArgs,
    exit::{Ending, Failure, Result},
    failures, files,
    heard::{Heard, Lost},
    live_source::{Came, LiveSource},
    load, loop_output, memory,
    output::{self, Outputs},
    recipe::Recipe,
    report::{
        self, json,
        listen::{ListenAnswer, LiveLoop},
    },
    signals, talk,
};

/// How often to check whether listening should end while nothing arrives.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Silence after which the sender of packets counts as gone, seconds.
const PACKETS_TIMEOUT_SECS: f64 = 10.0;

/// How many frames pass between checks that there is memory for more.
const FRAMES_PER_LOOK: usize = 64;

/// Invalid lines that are warned about one by one.
const MAX_FAULTS_SAID: usize = 3;

pub fn run(args: &ListenArgs) -> Result<Ending> {
    let mut recorded = Vec::new();
    listen(args, &mut recorded).map_err(|failure| {
        // The failure is answered by one line of JSON.
        let line = report::failure::line(&failure, &recorded);
        failure.in_document(line)
    })
}

/// Listens; once the recorded files are written, lists their names in `recorded`.
fn listen(args: &ListenArgs, recorded: &mut Vec<String>) -> Result<Ending> {
    if let Some(fps) = args.fps.filter(|fps| !RATE_RANGE_HZ.contains(fps)) {
        let (slowest, fastest) = RATE_RANGE_HZ.into_inner();
        return Err(
            failure!("--fps must lie between {slowest} and {fastest}, found {fps:?}")
                .try_this("--fps 30 or --fps 60")
                .wrongly_called(),
        );
    }
    for (flag, secs) in [("seconds", args.seconds), ("timeout", args.timeout)] {
        if let Some(secs) = secs.filter(|secs| !(*secs > 0.0 && secs.is_finite())) {
            return Err(
                failure!("--{flag} must be a positive number of seconds, found {secs:?}")
                    .try_this(format!("--{flag} 60"))
                    .wrongly_called(),
            );
        }
    }
    let recipe = make::with_file(
        &args.sets.0.with(&Recipe {
            take: args.take.clone(),
            ..Recipe::default()
        })?,
        args.recipe.as_deref(),
    )?;
    if recipe.stretch.start.is_some() {
        return Err(Failure::error("the recipe names frames, and none have come yet")
            .try_this("a recipe without start and end under [stretch]"));
    }
    let mut search = SearchRequest::default().tuned(&recipe.search);
    search.cycles = recipe.stretch.cycles;
    // Where the last seconds begin and end is arbitrary, so all of them together are no loop, however well the ends match.
    let search_meanwhile = SearchRequest {
        seconds: Some(search.bounds_secs()),
        ..search.clone()
    };
    let format = output::format_of(&args.output)?;
    if format.capabilities().is_of_robots {
        return Err(
            failure!("cannot write \"{}\": unsupported extension", args.output.display())
                .because("what is heard is no robot's motion"),
        );
    }
    let mut outputs = outputs(args, &recipe, false);
    outputs.check_loop(&args.output)?;
    if let Some(record) = &args.record {
        if output::format_of(record)? != Format::Bvh {
            return Err(failure!("\"{}\" is not named like a BVH file", record.display())
                .because("what is heard is recorded as BVH")
                .try_this("a name that ends in .bvh; `loopwright convert` makes another format of it"));
        }
        if output::is_same(record, &args.output) {
            return Err(
                failure!("\"{}\" cannot be both the loop and what was heard", record.display())
                    .try_this("another name for --record")
                    .wrongly_called(),
            );
        }
        outputs.check(record)?;
        outputs.clear_sidecar(record)?;
    }
    let study = load::study(recipe.take.clone())?;
    signals::end_stream_when_stopped();
    let source = match args.port {
        Some(port) => LiveSource::of_port(port, args.fps)?,
        None => LiveSource::of_input()?,
    };
    if let Some(port) = source.port() {
        note!("listening for VMC at port {port} of this machine; Ctrl-C ends it");
    }
    let mut listening = Listening {
        request: Request {
            recipe: &recipe,
            search: Some(&search),
            rows: &Rows::Recommended,
        },
        search_meanwhile: &search_meanwhile,
        args,
        study: &study,
        format,
        source,
        stream: BvhStream::new(),
        heard: Heard::default(),
        num_faults: 0,
        best: None,
        num_loops: 0,
        write_failed: false,
    };
    let was_stopped = listening.hear()?;
    let ended = listening.end(recorded);
    if was_stopped {
        ended.map(|_| Ending::Stopped).map_err(Failure::stopped)
    } else {
        ended
    }
}

/// Returns outputs that replace no input; files of this run are replaced if there are any.
fn outputs(args: &ListenArgs, recipe: &Recipe, has_written: bool) -> Outputs {
    let mut outputs = Outputs::new(args.force || has_written);
    outputs.protect_as("recipe", &args.recipe);
    outputs.protect_character(recipe.take.rig.as_deref(), recipe.take.map.as_deref());
    outputs
}

/// The loop that is in the output file now.
struct Best {
    cycle: usize,
    rank: Rank,
    sidecar: Sidecar,
    outputs: Vec<String>,
}

/// The grounds on which loops are compared.
struct Rank {
    grade: Option<Grade>,
    candidate: LoopCandidate,
}

impl Rank {
    fn of(pending: &PendingLoop) -> Self {
        Self {
            grade: pending.file.sidecar.quality.grade,
            candidate: pending.done.made.candidate.clone(),
        }
    }

    /// Whether another loop would be recommended over this one: first by its grade, then as among the loops of one take.
    fn is_below(&self, other: &Self) -> bool {
        // Some parts of an outcome are measured only on a loop that was made in full, and are missing in others.
        let is_partial = |each: &Self| {
            each.candidate
                .outcome
                .is_none_or(|outcome| outcome.foot_slide_mps.is_none())
        };
        let grade = |each: &Self| each.grade.unwrap_or(Grade::Bad);
        grade(other)
            .cmp(&grade(self))
            .then(is_partial(other).cmp(&is_partial(self)))
            .then_with(|| by_recommendation(&other.candidate, &self.candidate))
            .is_lt()
    }
}

/// The stream so far, and the loops made from it.
struct Listening<'a> {
    args: &'a ListenArgs,
    study: &'a Study,
    request: Request<'a>,
    /// The search settings for the last seconds.
    search_meanwhile: &'a SearchRequest,
    format: Format,
    source: LiveSource,
    stream: BvhStream,
    heard: Heard,
    /// Number of invalid lines so far.
    num_faults: usize,
    best: Option<Best>,
    num_loops: usize,
    write_failed: bool,
}

impl Listening<'_> {
    /// Reads the stream to its end; returns whether it was stopped at the keyboard. Errors: it fails before its first frame.
    fn hear(&mut self) -> Result<bool> {
        while !signals::stream_was_ended() {
            match self.hear_next() {
                Ok(false) => {}
                Ok(true) => break,
                // A live stream cannot be read again, so the frames that arrived are kept.
                Err(failure) if self.heard.has_frames() => {
                    warning!("{}; the stream ends there", failure.what());
                    break;
                }
                Err(failure) => return Err(failure),
            }
        }
        let was_stopped = signals::stream_ends();
        if was_stopped && self.heard.has_frames() {
            talk::note("stopped: the last loop is made of the whole; Ctrl-C again ends at once");
        }
        if self.num_faults > MAX_FAULTS_SAID {
            warning!("{} lines were no rows", self.num_faults);
        }
        if let Some((counts, lost)) = self.source.counts() {
            warn_of_packets(counts, lost);
        }
        Ok(was_stopped)
    }

    /// Reads the next piece of the stream; returns whether the stream ends with it. Errors: it cannot be read.
    fn hear_next(&mut self) -> Result<bool> {
        match self.source.next(LOOK_EVERY)? {
            Came::Text(text, came) => return self.take(&text, came),
            Came::Cut(why) => {
                warning!("{why}: no loop reaches across, and a new recording begins");
                self.stream = BvhStream::new();
            }
            Came::Silence(since) => {
                let is_of_packets = self.source.port().is_some();
                let usual = (is_of_packets && self.heard.has_frames()).then_some(PACKETS_TIMEOUT_SECS);
                if let Some(secs) = self.args.timeout.or(usual).filter(|secs| since.as_secs_f64() > *secs) {
                    note!("no motion came for {secs} s: the stream ends");
                    return Ok(true);
                }
            }
            Came::End => {
                if self.stream.is_within_a_line() {
                    talk::note("the stream ended within a line, which is left out");
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds bytes to the stream; returns whether the stream ends with them. Errors: they are no BVH.
    fn take(&mut self, text: &[u8], came: Instant) -> Result<bool> {
        self.stream.push(text);
        loop {
            let mut warnings = Vec::new();
            let line = self.stream.next_line(&mut warnings);
            talk::warn_all(&warnings);
            let due = match line.map_err(|error| {
                failure!("cannot read the stream: {error}").try_this("a BVH file, a row on each line")
            })? {
                None => return Ok(false),
                Some(StreamedLine::Head) => {
                    if let Some(head) = self.stream.head().map(Arc::clone) {
                        self.heard.begin(head);
                    }
                    continue;
                }
                Some(StreamedLine::OtherFile) => {
                    talk::warn("another file begins in the stream, which ends with that");
                    return Ok(true);
                }
                Some(StreamedLine::Refused(fault)) => {
                    self.lose(&fault);
                    None
                }
                Some(StreamedLine::Frame { text, rotations }) => self.heard.push(text, rotations),
            };
            if let Some(due) = due {
                self.try_loop(&due, came);
            }
            if self.is_full() {
                return Ok(true);
            }
        }
    }

    /// Handles an invalid line: its row is lost.
    fn lose(&mut self, fault: &LineFault) {
        self.num_faults += 1;
        let lost = self.heard.lose();
        if self.num_faults <= MAX_FAULTS_SAID {
            let instead = match lost {
                Lost::Bridged => "; the row before stands in its place",
                _ => "",
            };
            warning!("{fault}{instead}");
        }
        if lost == Lost::Ends {
            talk::warn("too many rows are lost: no loop reaches across, and a new recording begins");
        }
    }

    /// Whether listening ends: the requested duration is reached, or memory is full.
    fn is_full(&self) -> bool {
        let secs = self.heard.secs();
        if self.args.seconds.is_some_and(|most| secs >= most) {
            return true;
        }
        let Some(part) = self
            .heard
            .last()
            .filter(|_| self.heard.num_frames().is_multiple_of(FRAMES_PER_LOOK))
        else {
            return false;
        };
        match self.check_room(part) {
            Ok(()) => false,
            Err(error) => {
                warning!(
                    "there is no memory for a longer recording, which ends after {secs:.0} s: {error}; try {}",
                    memory::hint(error.limit)
                );
                true
            }
        }
    }

    /// Errors: a longer recording would leave no memory to make a loop of it.
    ///
    /// Memory holds all recordings at most twice: each is copied into the bytes of a file when it is searched or written.
    fn check_room(&self, part: &BvhRecording) -> Result<(), MemoryError> {
        let limits = memory::limits().for_file(part.num_bytes());
        let joints = part.head().skeleton().num_joints();
        limits.check_search(part.num_frames() + FRAMES_PER_LOOK, joints, joints)?;
        limits.check_room(2 * self.heard.num_bytes())
    }

    /// Makes a loop of the last seconds, and writes it if it is better than all before.
    fn try_loop(&mut self, due: &Due, came: Instant) {
        let file = self
            .heard
            .last()
            .map(|part| part.file(due.frames.clone()))
            .unwrap_or_default();
        let Some(pending) = self.loop_of_window(&file) else {
            self.heard.found_nothing();
            return;
        };
        self.num_loops += 1;
        let rank = Rank::of(&pending);
        let of_frames = [due.frames.start, due.frames.end].map(|frame| self.heard.num_before() + frame);
        let mut live = LiveLoop {
            format: "loopwright-live",
            version: VERSION,
            cycle: due.cycle,
            has_rhythm: due.period_secs.is_some(),
            frames: of_frames[1],
            of_frames,
            period_secs: pending.file.sidecar.candidate.period_secs,
            grade: rank.grade.map(|grade| grade.to_string()),
            is_written: false,
            ready_secs: 0.0,
            outputs: Vec::new(),
        };
        if self.best.as_ref().is_none_or(|best| best.rank.is_below(&rank)) {
            match self.write_live(pending, of_frames) {
                Ok((sidecar, outputs)) => {
                    live.is_written = true;
                    live.outputs.clone_from(&outputs);
                    self.best = Some(Best {
                        cycle: due.cycle,
                        rank,
                        sidecar,
                        outputs,
                    });
                }
                // Only the first failure is warned about: a later loop may still be written, and the one at the end reports its own.
                Err(failure) if !self.write_failed => {
                    talk::warn(failure.what());
                    self.write_failed = true;
                }
                Err(_) => {}
            }
        }
        live.ready_secs = came.elapsed().as_secs_f64();
        if self.args.json {
            // A reader that closed the pipe wants no more lines, but still wants the loop.
            drop(output::print(&live.line()));
        } else {
            talk::note(&live.human());
        }
    }

    /// Returns the recommended loop of the last seconds; `None` if there is none, or only one in which a pose jumps.
    fn loop_of_window(&self, file: &[u8]) -> Option<PendingLoop> {
        let name = self.name();
        let mut soft = Vec::new();
        let read = read_take(
            file,
            &files::stem(&name),
            &self.study.reading(memory::limits()),
            &mut soft,
        )
        .ok()?;
        let studied = self.study.analyse(name.display().to_string(), read, soft).ok()?;
        let pending = self
            .loop_of(
                &studied,
                Request {
                    search: Some(self.search_meanwhile),
                    ..self.request
                },
                &mut Vec::new(),
            )
            .ok()?;
        (pending.done.made.candidate.num_jumps == 0).then_some(pending)
    }

    /// Writes a loop of the last seconds over the one before.
    fn write_live(&self, pending: PendingLoop, [first, end]: [usize; 2]) -> Result<(Sidecar, Vec<String>)> {
        // From the second loop on, the replaced file is our own.
        let mut outputs = outputs(self.args, self.request.recipe, self.best.is_some()).passing();
        let said = format!(
            "made while the motion still came, of frames {first} to {} of the stream; its own frames are counted from the first of these",
            end - 1
        );
        Ok((
            loop_output::add(&mut outputs, pending, &self.args.output, &[], vec![said])?,
            outputs.commit()?,
        ))
    }

    /// The name of the recording, as the take of its loops.
    fn name(&self) -> PathBuf {
        self.args.record.clone().unwrap_or_else(|| PathBuf::from(files::STREAM))
    }

    /// Writes all recordings: the first as `walk.bvh`, then `walk-2.bvh` and so on, skipping names that are taken. Returns their names.
    fn record(&self, parts: &[&BvhRecording], recorded: &mut Vec<String>) -> Result<Vec<PathBuf>> {
        let name = self.name();
        if self.args.record.is_none() {
            return Ok(vec![name; parts.len()]);
        }
        let mut outputs = outputs(self.args, self.request.recipe, false);
        let is_taken = |path: &Path| path.symlink_metadata().is_ok() && outputs.check(path).is_err();
        // The name that was asked for is checked already.
        let is_free = |path: &PathBuf| {
            !output::is_same(path, &self.args.output)
                && !is_taken(path)
                && (*path == name || !is_taken(&path.with_added_extension(files::SIDECAR)))
        };
        let names: Vec<PathBuf> = core::iter::once(name.clone())
            .chain((2_usize..).map(|number| name.with_file_name(format!("{}-{number}.bvh", files::stem(&name)))))
            .filter(is_free)
            .take(parts.len())
            .collect();
        for (part, name) in parts.iter().zip(&names) {
            outputs.add(name, &part.file(0..part.num_frames()))?;
            outputs.clear_sidecar(name)?;
        }
        *recorded = outputs.commit()?;
        Ok(names)
    }

    /// Words why there is nothing to make a loop of.
    fn nothing_came(&self) -> Failure {
        if self.stream.is_within_head() {
            return Failure::nothing("the stream ended within its header")
                .because("the last line of a header is \"Frame Time: SECONDS\", and a newline ends it")
                .try_this("a BVH file with the frame time on one line, whose lines end with newlines");
        }
        let failure = Failure::nothing("no pose came");
        match (self.source.port(), self.source.counts()) {
            (Some(_), Some((counts, _))) if counts.unused_poses() > 0 => Failure::nothing(
                "poses came, and no recording could begin with them",
            )
            .try_this(
                "a sender whose body is calibrated, and whose poses come at an even rate, with its clock in seconds",
            ),
            (Some(port), _) => failure.try_this(format!("a sender of VMC that sends to port {port} of this machine")),
            (None, _) => failure.try_this("a BVH file through a pipe, a row on each line"),
        }
    }

    /// Writes the recordings, then makes and writes the last loop, from the whole.
    fn end(self, recorded: &mut Vec<String>) -> Result<Ending> {
        let parts = self.heard.recordings();
        if parts.is_empty() {
            return Err(self.nothing_came());
        }
        // A live stream cannot be read again, while a search may be interrupted: the recordings are written first.
        let names = self.record(&parts, recorded)?;
        let (mut best, mut failure) = (None::<(usize, Rank, Studied, PendingLoop)>, None);
        for (number, (part, name)) in parts.iter().zip(&names).enumerate() {
            match self.loop_of_recording(name, part.file(0..part.num_frames())) {
                Ok((studied, pending)) => {
                    let rank = Rank::of(&pending);
                    if best.as_ref().is_none_or(|(_, best, ..)| best.is_below(&rank)) {
                        best = Some((number, rank, studied, pending));
                    }
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        let counts = [self.heard.num_frames(), self.num_loops];
        let Some((number, _, studied, pending)) = best else {
            let failure = failure.unwrap_or_else(|| Failure::nothing("no loop found in what was heard"));
            let Some(live) = self.best else {
                return Err(failure);
            };
            warning!("{}; the loop of cycle {} stays", failure.what(), live.cycle);
            return answer(
                self.args,
                counts,
                false,
                &live.sidecar,
                &[&live.outputs[..], &recorded[..]].concat(),
            );
        };
        if parts.len() > 1 {
            note!(
                "of {} recordings, the loop of number {} is the best",
                parts.len(),
                number + 1
            );
        }
        loop_output::say(&pending);
        // Loops that were made meanwhile may be replaced, other existing files only with --force.
        let mut of_loop = outputs(self.args, self.request.recipe, self.best.is_some());
        for name in names.iter().filter(|_| self.args.record.is_some()) {
            of_loop.protect(name);
        }
        let sidecar = loop_output::add(
            &mut of_loop,
            pending,
            &self.args.output,
            &[],
            loop_output::in_words(&studied.warnings),
        )?;
        answer(
            self.args,
            counts,
            true,
            &sidecar,
            &[&of_loop.commit()?[..], &recorded[..]].concat(),
        )
    }

    /// Makes the loop of a recording as `make` does from its file.
    fn loop_of_recording(&self, name: &Path, file: Vec<u8>) -> Result<(Studied, PendingLoop)> {
        let studied = load::load_bytes(name, file, self.study)?;
        let mut warnings = Vec::new();
        let made = self.loop_of(&studied, self.request, &mut warnings);
        talk::warn_all(&warnings);
        let pending = made.map_err(|error| failures::job(&studied, self.request.search, error))?;
        Ok((studied, pending))
    }

    /// Makes the recommended loop of a take.
    fn loop_of(
        &self,
        studied: &Studied,
        request: Request,
        warnings: &mut Vec<job::Warning>,
    ) -> Result<PendingLoop, JobError> {
        let mut chosen = job::choose(studied, request, warnings)?;
        loop_output::made(studied, request, &chosen.swap_remove(0)?, self.format)
    }
}

/// Prints the final answer: `is_of_recording` if the loop is that of a whole recording, not one that was made meanwhile.
fn answer(
    args: &ListenArgs,
    [frames, live_loops]: [usize; 2],
    is_of_recording: bool,
    sidecar: &Sidecar,
    outputs: &[String],
) -> Result<Ending> {
    output::print(&if args.json {
        let answer = ListenAnswer {
            frames,
            live_loops,
            is_of_recording,
            sidecar,
        };
        json::line("listen", answer, None, outputs)
    } else {
        report::make::human(sidecar, args.verbose)
    })?;
    Ok(Ending::of_grade(sidecar.quality.grade))
}

/// Warns of bad packets.
fn warn_of_packets(counts: &VmcCounts, lost: u64) {
    if let Some(why) = counts.refused_because {
        let refused = counts.packets_refused;
        warning!("{refused} packets were none of Open Sound Control: {why}");
    }
    let apart = format!(
        "poses were left out: a recording begins with {FIRST_POSES}, each within {MAX_STEP_SECS} s of the one before by the sender's clock"
    );
    for (count, what) in [
        (
            counts.values_refused,
            "messages had values that are missing, not finite, too large, or no rotation, and were left out",
        ),
        (counts.late_poses, "poses came twice or late, and were left out"),
        (
            counts.poses_without_body,
            "poses came while the sender had no calibrated, tracked body, and were left out",
        ),
        (counts.poses_without_hips, "poses had no hips, and were left out"),
        (counts.poses_apart, &apart),
        (
            lost,
            "packets were lost, because loops took longer to make than they to come",
        ),
    ] {
        if count > 0 {
            warning!("{count} {what}");
        }
    }
    if !counts.other_bones.is_empty() {
        warning!(
            "bones that the body does not have were left out: {}",
            counts.other_bones.join(", ")
        );
    }
    if counts.clock_stands_still {
        talk::warn("the sender's clock stands still; poses have the times at which they came");
    }
    if counts.bones_stretch {
        talk::warn("bones change their lengths all the time; they keep those that a recording began with");
    }
}
