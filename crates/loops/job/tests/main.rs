//! Verdicts on loops whose faults are known, and the road of loops, in one program: a module for each subject.

mod road;
mod verdict;
