//! Processes many inputs in parallel, and returns answers in the order of the inputs, whatever the number of threads.

use std::{
    collections::BTreeMap,
    marker::PhantomData,
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use crate::{memory, parallel::locked};

/// Stack of a worker, bytes: as large as the main thread's on Linux, since skeletons and scenes are trees of any depth.
const STACK_BYTES: usize = 8 << 20;

/// Inputs per thread that may be in memory, including the one in progress: a slow one would otherwise hold up all others, since names are
/// given in order.
const IN_FLIGHT: usize = 3;

/// Threads in addition to those that study: two inputs may wait for the disk at once.
const FINISHING: usize = 2;

/// An input this large, as a share of the work per thread, starts before all others: started last, it would keep one thread busy while the
/// others wait.
const LARGE_SHARE: u64 = 4;

/// The number of threads for `--jobs`, which share the memory of the run.
pub fn jobs(asked: Option<NonZeroUsize>, inputs: usize) -> usize {
    let jobs = asked
        .unwrap_or_else(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
        .get()
        .min(inputs.max(1));
    memory::share_among(jobs);
    jobs
}

/// The work on one input, in three steps.
///
/// A panic in the first or last step is that input's answer ([`Self::fault`]), so that the others go on.
pub trait Work: Sync {
    type Input: Sync;
    type Studied: Send;
    type Answer: Send;

    /// The size of an input: larger ones take longer.
    fn size(&self, _: &Self::Input) -> u64 {
        0
    }

    /// Does the long part, on any thread.
    fn study(&self, input: &Self::Input) -> Self::Studied;

    /// Does a quick part that depends on earlier inputs, such as giving unique names; called in the order of the inputs.
    fn settle(&self, input: &Self::Input, studied: &mut Self::Studied);

    /// Does the rest, such as writing files, on any thread.
    fn finish(&self, input: &Self::Input, studied: Self::Studied) -> Self::Answer;

    /// The answer for an input on which the program itself panicked.
    fn fault(&self, input: &Self::Input) -> Self::Answer;
}

/// Work with a single step per input.
struct Alone<I, A, W, F> {
    work: W,
    fault: F,
    of: PhantomData<fn(I) -> A>,
}

impl<I: Sync, A: Send, W: Fn(&I) -> A + Sync, F: Fn(&I) -> A + Sync> Work for Alone<I, A, W, F> {
    type Input = I;
    type Studied = A;
    type Answer = A;

    fn study(&self, input: &I) -> A {
        (self.work)(input)
    }

    fn settle(&self, _: &I, _: &mut A) {}

    fn finish(&self, _: &I, studied: A) -> A {
        studied
    }

    fn fault(&self, input: &I) -> A {
        (self.fault)(input)
    }
}

/// Runs independent work on all inputs, `jobs` at a time; `fault` is the answer for an input on which the program itself panicked, and
/// `take` receives the answers in the order of the inputs.
pub fn each<I: Sync, A: Send>(
    inputs: &[I],
    jobs: usize,
    work: impl Fn(&I) -> A + Sync,
    fault: impl Fn(&I) -> A + Sync,
    take: impl FnMut(&I, A),
) {
    let of = PhantomData;
    run(&Alone { work, fault, of }, inputs, jobs, take);
}

/// State that the threads share.
struct Shared<S, A> {
    state: Mutex<State<S, A>>,
    /// Signalled at every change of the state.
    changed: Condvar,
}

impl<S, A> Shared<S, A> {
    fn locked(&self) -> MutexGuard<'_, State<S, A>> {
        locked(&self.state)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<S, A>>) -> MutexGuard<'a, State<S, A>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

struct State<S, A> {
    /// Large inputs to study before the others, the largest last.
    first: Vec<usize>,
    /// The next of the other inputs to study, and the next to settle.
    next: usize,
    settled: usize,
    /// Number of inputs being studied now.
    studying: usize,
    /// Inputs that are studied but not settled; `None` if the program panicked on one.
    studied: BTreeMap<usize, Option<S>>,
    answers: BTreeMap<usize, A>,
    taken: usize,
}

/// Does the work on all inputs, studying `jobs` of them at once; some more threads finish studied inputs while others wait for the disk.
/// `take` receives the answers in the order of the inputs, on the calling thread.
pub fn run<W: Work>(work: &W, inputs: &[W::Input], jobs: usize, mut take: impl FnMut(&W::Input, W::Answer)) {
    let first = large(work, inputs, jobs);
    let shared = Shared {
        state: Mutex::new(State {
            first: first.clone(),
            next: 0,
            settled: 0,
            studying: 0,
            studied: BTreeMap::new(),
            answers: BTreeMap::new(),
            taken: 0,
        }),
        changed: Condvar::new(),
    };
    let limits = Limits {
        studying: jobs,
        in_flight: jobs.saturating_mul(IN_FLIGHT),
    };
    let in_order = (inputs, &first[..]);
    thread::scope(|scope| {
        let worker = || worker(work, in_order, limits, &shared);
        let mut started = 0;
        for _ in 0..jobs.saturating_add(FINISHING) {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            started += usize::from(builder.spawn_scoped(scope, worker).is_ok());
        }
        if started == 0 {
            // If the system gives no thread, all the work is done here first, and answers wait.
            let alone = Limits {
                studying: 1,
                in_flight: usize::MAX,
            };
            self::worker(work, in_order, alone, &shared);
        }
        for (index, input) in inputs.iter().enumerate() {
            let mut now = shared.locked();
            let answer = loop {
                if let Some(answer) = now.answers.remove(&index) {
                    break answer;
                }
                now = shared.wait(now);
            };
            now.taken += 1;
            drop(now);
            shared.changed.notify_all();
            take(input, answer);
        }
    });
}

/// Returns large inputs, fewer than there are threads, the largest last: each is in memory until all before it are settled.
fn large<W: Work>(work: &W, inputs: &[W::Input], jobs: usize) -> Vec<usize> {
    let sizes: Vec<u64> = if jobs > 1 {
        inputs.iter().map(|input| work.size(input)).collect()
    } else {
        Vec::new()
    };
    let of_thread = sizes.iter().fold(0, |sum: u64, &size| sum.saturating_add(size)) / jobs.max(1) as u64;
    let mut large: Vec<usize> = (0..sizes.len())
        .filter(|&index| sizes[index] > of_thread / LARGE_SHARE)
        .collect();
    large.sort_by_key(|&index| sizes[index]);
    large.split_off(large.len().saturating_sub(jobs.saturating_sub(1)))
}

/// Limits on the number of inputs at any time.
#[derive(Clone, Copy)]
struct Limits {
    /// Being studied.
    studying: usize,
    /// In memory.
    in_flight: usize,
}

/// Processes inputs in order, except some that are studied before the others.
fn worker<W: Work>(
    work: &W,
    (inputs, first): (&[W::Input], &[usize]),
    limits: Limits,
    shared: &Shared<W::Studied, W::Answer>,
) {
    let mut now = shared.locked();
    while now.settled < inputs.len() {
        while first.contains(&now.next) {
            now.next += 1;
        }
        let index = now.settled;
        if let Some(mut studied) = now.studied.remove(&index) {
            let input = &inputs[index];
            let is_settled = studied
                .as_mut()
                .is_none_or(|studied| catch_unwind(AssertUnwindSafe(|| work.settle(input, studied))).is_ok());
            now.settled += 1;
            drop(now);
            shared.changed.notify_all();
            let answer = studied
                .filter(|_| is_settled)
                .and_then(|studied| catch_unwind(AssertUnwindSafe(|| work.finish(input, studied))).ok())
                .unwrap_or_else(|| work.fault(input));
            now = shared.locked();
            now.answers.insert(index, answer);
            shared.changed.notify_all();
        } else if now.studying < limits.studying
            && (!now.first.is_empty() || now.next < inputs.len() && now.next - now.taken < limits.in_flight)
        {
            let index = now.first.pop().unwrap_or(now.next);
            if index == now.next {
                now.next += 1;
            }
            now.studying += 1;
            drop(now);
            let studied = catch_unwind(AssertUnwindSafe(|| work.study(&inputs[index]))).ok();
            now = shared.locked();
            now.studying -= 1;
            now.studied.insert(index, studied);
            shared.changed.notify_all();
        } else {
            now = shared.wait(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    /// Numbers its inputs while settling them; fails on some.
    #[derive(Default)]
    struct Counting {
        settled: AtomicUsize,
        /// Inputs in memory now, and the most so far.
        in_flight: AtomicUsize,
        most: AtomicUsize,
        /// Inputs that are studied now, and the most so far.
        studying: AtomicUsize,
        most_studying: AtomicUsize,
    }

    impl Work for Counting {
        type Input = u64;
        type Studied = (u64, usize);
        type Answer = Option<(u64, usize)>;

        fn size(&self, input: &u64) -> u64 {
            *input
        }

        fn study(&self, input: &u64) -> (u64, usize) {
            let now = 1 + self.in_flight.fetch_add(1, Ordering::SeqCst);
            self.most.fetch_max(now, Ordering::SeqCst);
            let now = 1 + self.studying.fetch_add(1, Ordering::SeqCst);
            self.most_studying.fetch_max(now, Ordering::SeqCst);
            // The first take takes far longer than those behind it.
            thread::sleep(Duration::from_micros(2000 / (1 + input)));
            self.studying.fetch_sub(1, Ordering::SeqCst);
            assert_ne!(input % 10, 7, "a fault of the program");
            (input * input, 0)
        }

        fn settle(&self, _: &u64, studied: &mut (u64, usize)) {
            studied.1 = self.settled.fetch_add(1, Ordering::SeqCst);
        }

        fn finish(&self, input: &u64, studied: (u64, usize)) -> Self::Answer {
            assert_ne!(input % 10, 8, "a fault of the program");
            Some(studied)
        }

        fn fault(&self, _: &u64) -> Self::Answer {
            None
        }
    }

    #[test]
    fn answers_are_the_same_for_any_number_of_threads() {
        let inputs: Vec<u64> = (0..100).collect();
        let answers = |jobs: usize| {
            let work = Counting::default();
            let mut answers = Vec::new();
            run(&work, &inputs, jobs, |&input, answer| {
                work.in_flight.fetch_sub(1, Ordering::SeqCst);
                answers.push((input, answer));
            });
            // An input that was taken is counted until its answer is handed over.
            // Large inputs that go ahead are fewer than threads.
            assert!(work.most.load(Ordering::SeqCst) <= jobs * IN_FLIGHT + jobs, "{jobs}");
            assert!(work.most_studying.load(Ordering::SeqCst) <= jobs);
            answers
        };
        let one = answers(1);
        assert_eq!(one.len(), 100);
        for (input, answer) in &one {
            // Inputs that end in 7 are not settled, so every later one has a smaller number.
            let number = *input as usize - (*input as usize + 2) / 10;
            let wanted = (input % 10 < 7 || input % 10 == 9).then_some((input * input, number));
            assert_eq!(*answer, wanted, "{input}");
        }
        assert_eq!(answers(3), one);
        assert_eq!(answers(16), one);
    }

    #[test]
    fn inputs_that_would_hold_up_all_others_go_ahead() {
        let ahead = |inputs: &[u64], jobs| large(&Counting::default(), inputs, jobs);
        let inputs = [1, 1, 1, 5, 1, 9, 1];
        assert_eq!(ahead(&inputs, 1), [0; 0]);
        assert_eq!(ahead(&inputs, 2), [5]);
        assert_eq!(ahead(&inputs, 3), [3, 5]);
        assert_eq!(ahead(&[1; 8], 2), [0; 0]);
    }

    #[test]
    fn nothing_to_do_is_done() {
        run(&Counting::default(), &[], 4, |_, _| panic!("there is no answer"));
    }
}
