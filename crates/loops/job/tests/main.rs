//! Verdicts on loops whose faults are known, in one program: a module for each subject.

mod verdict;
