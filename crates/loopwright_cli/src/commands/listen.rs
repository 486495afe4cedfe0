//! `loopwright listen`: loops of a motion that still comes.
//!
//! What comes is text of a BVH file, line by line, whatever it came as. At the end of each cycle the last seconds of it go the road of
//! `make`, as a file would; the whole goes it at the end. So the last loop is that of the recording.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use loopwright::live::{Due, Listener};
use loopwright::{LoopCandidate, pipeline::by_recommendation};
use loopwright_formats::loop_file::facts::Grade;
use loopwright_formats::{BvhRecording, BvhStream, Format, LineFault, MemoryError, Sidecar, StreamedLine, read_take};
use loopwright_job::{self as job, JobError, PendingLoop, Request, Rows, SearchRequest, Studied, Study};

use super::make;
use crate::args::ListenArgs;
use crate::exit::{Ending, Failure};
use crate::live_source::{Came, LiveSource};
use crate::output::{self, Outputs};
use crate::recipe::Recipe;
use crate::report::listen::{ListenAnswer, LiveLoop};
use crate::{failures, files, load, loop_output, memory, report, signals, talk};

/// How often it is looked whether the listening ends, while nothing comes.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Silence after which a sender of packets is gone, seconds.
const PACKETS_TIMEOUT_SECS: f64 = 10.0;

/// Longest time of lost rows that is bridged by repeating the last one, seconds.
const BRIDGED_SECS: f64 = 0.25;

/// A recording that is shorter than this is given up where another follows, seconds: nothing in it repeats.
const SHORTEST_SECS: f64 = 1.0;

/// Every so many frames it is looked whether there is memory for more.
const FRAMES_PER_LOOK: usize = 64;

/// Lines that are no rows, of which each is warned about.
const MAX_FAULTS_SAID: usize = 3;

pub(crate) fn run(args: ListenArgs) -> Result<Ending, Failure> {
    failures::check_rate(args.fps)?;
    for (flag, secs) in [("seconds", args.seconds), ("timeout", args.timeout)] {
        if let Some(secs) = secs.filter(|secs| !(*secs > 0.0 && secs.is_finite())) {
            return Err(
                Failure::error(format!("--{flag} must be a positive number of seconds, found {secs:?}"))
                    .try_this(format!("--{flag} 60"))
                    .wrongly_called(),
            );
        }
    }
    let flags = Recipe {
        take: args.take.clone(),
        ..Recipe::default()
    };
    let recipe = make::with_file(&args.sets.0.with(&flags)?, args.recipe.as_deref())?;
    if recipe.stretch.start.is_some() {
        return Err(Failure::error("the recipe names frames, and none have come yet")
            .try_this("a recipe without start and end under [stretch]"));
    }
    let mut search = SearchRequest::default().tuned(&recipe.search);
    search.cycles = recipe.stretch.cycles;
    // Where the last seconds begin and end says nothing, so their whole is no loop, whatever its ends are like.
    let search_meanwhile = SearchRequest {
        seconds: Some(search.bounds_secs()),
        ..search.clone()
    };
    let format = output::format_of(&args.output)?;
    let mut outputs = Outputs::new(args.force);
    protect(&mut outputs, &args, &recipe);
    for path in [&args.output, &output::sidecar_path(&args.output)] {
        outputs.check(path)?;
    }
    if let Some(record) = &args.record {
        if output::format_of(record)? != Format::Bvh {
            return Err(
                Failure::error(format!("\"{}\" is not named like a BVH file", record.display()))
                    .because("what is heard is recorded as BVH")
                    .try_this("a name that ends in .bvh; `loopwright convert` makes another format of it"),
            );
        }
        outputs.check(record)?;
        outputs.clear_sidecar(record)?;
    }
    let study = load::study(recipe.take.clone())?;
    let source = match args.port {
        Some(port) => {
            let (source, port) = LiveSource::of_port(port, args.fps)?;
            talk::note(&format!(
                "listening for VMC at port {port} of this machine; Ctrl-C ends it"
            ));
            source
        }
        None => LiveSource::of_input()?,
    };
    signals::end_stream_when_stopped();
    let mut listening = Listening {
        request: Request {
            recipe: &recipe,
            search: Some(&search),
            rows: &Rows::Recommended,
        },
        search_meanwhile: &search_meanwhile,
        args: &args,
        study: &study,
        format,
        stream: BvhStream::new(),
        listener: None,
        parts: Vec::new(),
        part_began_at: 0,
        num_lost: 0,
        num_faults: 0,
        best: None,
        num_loops: 0,
        write_failed: false,
    };
    let was_stopped = listening.hear(source)?;
    let ending = listening.end()?;
    Ok(if was_stopped { Ending::Stopped } else { ending })
}

fn protect(outputs: &mut Outputs, args: &ListenArgs, recipe: &Recipe) {
    if let Some(recipe) = &args.recipe {
        outputs.protect_as("recipe", recipe);
    }
    if let Some(rig) = &recipe.take.rig {
        outputs.protect_as("rig", rig);
    }
}

/// The loop that is in the file now.
struct Best {
    cycle: usize,
    rank: Rank,
    sidecar: Sidecar,
    outputs: Vec<String>,
}

/// By what loops are compared.
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

    /// Whether another loop would be recommended before it: by its grade, then as loops of one take are.
    fn is_below(&self, other: &Self) -> bool {
        // The parts of an outcome that only a loop shows which was made in full are missing in others.
        let is_partial = |each: &Self| {
            each.candidate
                .outcome
                .is_none_or(|outcome| outcome.foot_slide_mps.is_none())
        };
        let grade = |each: &Self| each.grade.unwrap_or(Grade::Bad);
        (grade(other).cmp(&grade(self)))
            .then(is_partial(other).cmp(&is_partial(self)))
            .then_with(|| by_recommendation(&other.candidate, &self.candidate))
            .is_lt()
    }
}

/// What was heard so far, and made of it.
struct Listening<'a> {
    args: &'a ListenArgs,
    study: &'a Study,
    request: Request<'a>,
    /// The search of the last seconds.
    search_meanwhile: &'a SearchRequest,
    format: Format,
    stream: BvhStream,
    listener: Option<Listener>,
    /// Recordings: a new one begins where what comes does not continue.
    parts: Vec<BvhRecording>,
    /// The first frame of the last of them.
    part_began_at: usize,
    /// Rows in a row that were lost, and lines so far that were none.
    num_lost: usize,
    num_faults: usize,
    best: Option<Best>,
    num_loops: usize,
    write_failed: bool,
}

impl Listening<'_> {
    /// Hears a stream to its end; returns whether it was stopped at the keyboard.
    fn hear(&mut self, mut source: LiveSource) -> Result<bool, Failure> {
        let is_of_packets = self.args.port.is_some();
        let mut last_came = Instant::now();
        let was_stopped = loop {
            if signals::stream_was_ended() {
                break true;
            }
            match source.next(LOOK_EVERY)? {
                Came::Text(text, came) => {
                    last_came = came;
                    if self.take(&text, came)? {
                        break false;
                    }
                }
                Came::Cut(why) => {
                    talk::warn(&format!("{why}: no loop reaches across, and a new recording begins"));
                    self.cut();
                }
                Came::Nothing => {}
                Came::End => break false,
            }
            let has_begun = self.listener.is_some();
            let timeout = (self.args.timeout).or((is_of_packets && has_begun).then_some(PACKETS_TIMEOUT_SECS));
            if let Some(secs) = timeout.filter(|secs| last_came.elapsed().as_secs_f64() > *secs) {
                talk::note(&format!("nothing came for {secs} s: the stream ends"));
                break false;
            }
        };
        if was_stopped {
            talk::note("stopped: the last loop is made of the whole; Ctrl-C again ends at once");
        }
        if self.stream.is_within_a_line() {
            talk::note("the stream ended within a line, which is left out");
        }
        if self.num_faults > MAX_FAULTS_SAID {
            talk::warn(&format!(
                "{} lines were no rows; the row before each stands in its place",
                self.num_faults
            ));
        }
        if let Some((counts, lost)) = source.counts() {
            warn_of_packets(counts, lost);
        }
        Ok(was_stopped)
    }

    /// Takes the next bytes; returns whether the stream ends with them. Errors: they are no BVH.
    fn take(&mut self, text: &[u8], came: Instant) -> Result<bool, Failure> {
        self.stream.push(text);
        loop {
            let mut warnings = Vec::new();
            let line = self.stream.next_line(&mut warnings);
            talk::warn_all(&warnings);
            let wrong = |error| Failure::error(format!("cannot read the stream: {error}"));
            let due = match line.map_err(|error| wrong(error).try_this("a BVH file, a row on each line"))? {
                None => return Ok(false),
                Some(StreamedLine::Head) => {
                    let Some(head) = self.stream.head().map(Arc::clone) else {
                        continue;
                    };
                    self.listener = Some(Listener::new(head.skeleton(), head.frame_time_secs()));
                    self.parts.push(BvhRecording::new(head));
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
                Some(StreamedLine::Frame { text, rotations }) => {
                    self.num_lost = 0;
                    let (Some(part), Some(listener)) = (self.parts.last_mut(), &mut self.listener) else {
                        continue;
                    };
                    part.push(text);
                    listener.push(rotations)
                }
            };
            if let Some(due) = due {
                self.try_loop(&due, came);
            }
            if self.is_full() {
                return Ok(true);
            }
        }
    }

    /// A row is lost: the one before stands in its place, for a moment.
    fn lose(&mut self, fault: &LineFault) {
        self.num_faults += 1;
        if self.num_faults <= MAX_FAULTS_SAID {
            talk::warn(&format!("{fault}; the row before stands in its place"));
        }
        self.num_lost += 1;
        let (Some(part), Some(listener)) = (self.parts.last_mut(), &mut self.listener) else {
            return;
        };
        let most = (BRIDGED_SECS / part.head().frame_time_secs()).ceil();
        if self.num_lost as f64 <= most && part.num_frames() > 0 {
            part.repeat_last();
            // It has its own row in the recording, so it is a frame here, too.
            listener.repeat_last();
        } else if part.num_frames() > 0 {
            talk::warn("too many rows are lost: no loop reaches across, and a new recording begins");
            self.cut();
        }
    }

    /// What comes next does not continue what came.
    fn cut(&mut self) {
        let (Some(part), Some(listener)) = (self.parts.last(), &mut self.listener) else {
            return;
        };
        let head = Arc::clone(part.head());
        if (part.num_frames() as f64) * head.frame_time_secs() < SHORTEST_SECS {
            self.parts.pop();
        }
        self.parts.push(BvhRecording::new(head));
        listener.cut();
        self.part_began_at = listener.num_frames();
    }

    /// Whether no more is heard: as long as was asked for, or as much as there is memory for.
    fn is_full(&self) -> bool {
        let (Some(part), Some(listener)) = (self.parts.last(), &self.listener) else {
            return false;
        };
        let secs = listener.num_frames() as f64 * part.head().frame_time_secs();
        if self.args.seconds.is_some_and(|most| secs >= most) {
            return true;
        }
        if !part.num_frames().is_multiple_of(FRAMES_PER_LOOK) {
            return false;
        }
        match self.check_room(part) {
            Ok(()) => false,
            Err(error) => {
                talk::warn(&format!(
                    "there is no memory for a longer recording, which ends after {secs:.0} s: {error}; try {}",
                    memory::hint(error.limit)
                ));
                true
            }
        }
    }

    /// Errors: no loop of a longer recording could be made.
    fn check_room(&self, part: &BvhRecording) -> Result<(), MemoryError> {
        let all: u64 = self.parts.iter().map(BvhRecording::num_bytes).sum();
        let limits = memory::limits().for_file(part.num_bytes());
        let joints = part.head().skeleton().num_joints();
        limits.check_search(part.num_frames() + FRAMES_PER_LOOK, joints, joints)?;
        limits.check_room(2 * all)
    }

    /// Makes a loop of the last seconds, and writes it where it is better than all before.
    fn try_loop(&mut self, due: &Due, came: Instant) {
        let frames = due.frames.start - self.part_began_at..due.frames.end - self.part_began_at;
        let file = self.parts.last().map(|part| part.file(frames)).unwrap_or_default();
        let Some(pending) = self.loop_of_window(&file) else {
            if let Some(listener) = &mut self.listener {
                listener.found_nothing();
            }
            return;
        };
        self.num_loops += 1;
        let rank = Rank::of(&pending);
        let of_frames = [due.frames.start, due.frames.end];
        let period_secs = pending.file.sidecar.candidate.period_secs;
        let mut live = LiveLoop::new(due.cycle, due.frames.end, of_frames, period_secs, rank.grade);
        live.has_rhythm = due.period_secs.is_some();
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
                // The next one may be written, and the last one says why where it is not.
                Err(failure) if !self.write_failed => {
                    talk::warn(failure.what());
                    self.write_failed = true;
                }
                Err(_) => {}
            }
        }
        live.ready_secs = came.elapsed().as_secs_f64();
        match self.args.json {
            // Who closed the pipe wants no more lines, and still the loop.
            true => drop(output::print(&live.line())),
            false => talk::note(&live.human()),
        }
    }

    /// The recommended loop of the last seconds; `None` where there is none, or only one in which a pose jumps.
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
        let request = Request {
            search: Some(self.search_meanwhile),
            ..self.request
        };
        let pending = self.loop_of(&studied, request, &mut Vec::new()).ok()?;
        (pending.done.made.candidate.num_jumps == 0).then_some(pending)
    }

    /// Writes a loop of the last seconds in place of the one before.
    fn write_live(&self, pending: PendingLoop, [first, end]: [usize; 2]) -> Result<(Sidecar, Vec<String>), Failure> {
        let beside = output::sidecar_path(&self.args.output);
        // What is replaced is our own from the second time on.
        let mut outputs = Outputs::new(self.args.force || self.best.is_some()).passing();
        protect(&mut outputs, self.args, self.request.recipe);
        let said = format!(
            "made while the motion still came, of frames {first} to {} of the stream; its own frames are counted from the first of these",
            end - 1
        );
        let sidecar = loop_output::add(&mut outputs, pending, &[&self.args.output, &beside], vec![said])?;
        Ok((sidecar, outputs.commit()?))
    }

    /// The name of what is heard, as the take of its loops.
    fn name(&self) -> PathBuf {
        self.args.record.clone().unwrap_or_else(|| PathBuf::from(files::STREAM))
    }

    /// The names of so many recordings: `walk.bvh`, then `walk-2.bvh` and so on, where no other file has that name.
    fn names(&self, count: usize) -> Vec<PathBuf> {
        let name = self.name();
        let later = |number: usize| name.with_file_name(format!("{}-{number}.bvh", files::stem(&name)));
        let is_free = |path: &PathBuf| self.args.force || path.symlink_metadata().is_err();
        let all = core::iter::once(name.clone());
        match self.args.record {
            Some(_) => all.chain((2..).map(later).filter(is_free)).take(count).collect(),
            None => all.cycle().take(count).collect(),
        }
    }

    /// Makes the last loop of the whole, and writes it and what was heard.
    fn end(self) -> Result<Ending, Failure> {
        let has_frames = |part: &&BvhRecording| part.num_frames() > 0;
        let parts: Vec<&BvhRecording> = self.parts.iter().filter(has_frames).collect();
        if parts.is_empty() {
            return Err(Failure::nothing("no pose came").try_this(match self.args.port {
                Some(port) => format!("a sender of VMC that sends to port {port} of this machine"),
                None => "a BVH file through a pipe, a row on each line".to_owned(),
            }));
        }
        let mut outputs = Outputs::new(self.args.force);
        protect(&mut outputs, self.args, self.request.recipe);
        let names = self.names(parts.len());
        let (mut best, mut failure) = (None::<(usize, Rank, Studied, PendingLoop)>, None);
        for (number, (part, name)) in parts.iter().zip(&names).enumerate() {
            let file = part.file(0..part.num_frames());
            if self.args.record.is_some() {
                outputs.add(name, &file)?;
                outputs.clear_sidecar(name)?;
            }
            match self.loop_of_recording(name, file) {
                Ok((studied, pending)) => {
                    let rank = Rank::of(&pending);
                    if best.as_ref().is_none_or(|(_, best, ..)| best.is_below(&rank)) {
                        best = Some((number, rank, studied, pending));
                    }
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        // What was heard cannot be heard again.
        let recorded = outputs.commit()?;
        let num_frames = self.listener.as_ref().map_or(0, Listener::num_frames);
        let counts = [num_frames, self.num_loops];
        let Some((number, _, studied, pending)) = best else {
            let failure = failure.unwrap_or_else(|| Failure::nothing("no loop found in what was heard"));
            let Some(live) = self.best else {
                return Err(failure);
            };
            talk::warn(&format!("{}; the loop of cycle {} stays", failure.what(), live.cycle));
            let written = [live.outputs, recorded].concat();
            return answer(self.args, counts, false, &live.sidecar, &written);
        };
        if parts.len() > 1 {
            talk::note(&format!(
                "of {} recordings, the loop of number {} is the best",
                parts.len(),
                number + 1
            ));
        }
        talk::warn_all(&pending.warnings);
        if let Some(decision) = &pending.done.decision {
            talk::note(&decision.to_string());
        }
        let beside = output::sidecar_path(&self.args.output);
        // The loops that were made meanwhile are replaced, and nothing else that was not to be.
        let mut of_loop = Outputs::new(self.args.force || self.best.is_some());
        protect(&mut of_loop, self.args, self.request.recipe);
        for name in names.iter().filter(|_| self.args.record.is_some()) {
            of_loop.protect(name);
        }
        let named: [&Path; 2] = [&self.args.output, &beside];
        let sidecar = loop_output::add(&mut of_loop, pending, &named, loop_output::in_words(&studied.warnings))?;
        let written = [of_loop.commit()?, recorded].concat();
        answer(self.args, counts, true, &sidecar, &written)
    }

    /// The loop of a recording, as `make` makes it of that file.
    fn loop_of_recording(&self, name: &Path, file: Vec<u8>) -> Result<(Studied, PendingLoop), Failure> {
        let studied = load::load_bytes(name, file, self.study)?;
        let mut warnings = Vec::new();
        let made = self.loop_of(&studied, self.request, &mut warnings);
        talk::warn_all(&warnings);
        let pending = made.map_err(|error| failures::job(&studied, self.request.search, error))?;
        Ok((studied, pending))
    }

    /// The recommended loop of a take.
    fn loop_of(
        &self,
        studied: &Studied,
        request: Request<'_>,
        warnings: &mut Vec<job::Warning>,
    ) -> Result<PendingLoop, JobError> {
        let mut chosen = job::choose(studied, request, warnings)?;
        let first = chosen.swap_remove(0)?;
        let made = job::make(studied, request, &first)?;
        job::write(studied, request, made, self.format)
    }
}

/// Prints the last answer.
fn answer(
    args: &ListenArgs,
    counts: [usize; 2],
    is_of_recording: bool,
    sidecar: &Sidecar,
    outputs: &[String],
) -> Result<Ending, Failure> {
    output::print(&match args.json {
        true => ListenAnswer::new(counts, is_of_recording, sidecar, outputs).line(),
        false => report::make::human(sidecar, args.verbose),
    })?;
    Ok(match sidecar.quality.grade {
        Some(Grade::Bad) => Ending::Negative,
        _ => Ending::Done,
    })
}

fn warn_of_packets(counts: &loopwright_formats::vmc::VmcCounts, lost: u64) {
    let mut said = Vec::new();
    if let Some(why) = counts.refused_because.filter(|_| counts.packets_refused > 0) {
        said.push(format!(
            "{} packets were none of Open Sound Control: {why}",
            counts.packets_refused
        ));
    }
    if counts.values_refused > 0 {
        said.push(format!(
            "{} messages had values that are missing, not finite, or no rotation, and were left out",
            counts.values_refused
        ));
    }
    if counts.late_poses > 0 {
        said.push(format!(
            "{} poses came twice or late, and were left out",
            counts.late_poses
        ));
    }
    if !counts.other_bones.is_empty() {
        said.push(format!(
            "bones that the body does not have were left out: {}",
            counts.other_bones.join(", ")
        ));
    }
    if counts.clock_stands_still {
        said.push("the sender's clock stands still; poses have the times at which they came".to_owned());
    }
    if counts.bones_stretch {
        said.push("bones change their lengths all the time; they keep those that they had first".to_owned());
    }
    if lost > 0 {
        said.push(format!(
            "{lost} packets were lost, because loops took longer to make than they to come"
        ));
    }
    talk::warn_all(said);
}
