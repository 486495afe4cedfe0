/* Runs a command in which one system call of those that change files fails: faults N ERRNO LASTS COMMAND...
 *
 * Counted are opens for writing, writes, syncs, truncations, renames and links, over all threads; the N-th answers ERRNO instead
 * of being done. With 1 for LASTS so do all later ones, as on a full disk, but renames, which take no space there; they are not
 * counted then. Unlinks are left alone: a run that cannot remove its own files cannot leave the old state. With ENOMEM for ERRNO
 * the calls that take memory are counted instead.
 *
 * A tracer rather than a preloaded library, because the command makes some of these calls without the C library.
 *
 * Exits with the command's status, or 128 + signal. "faults: CALL" goes to the file that FAULTS_LOG names, once the call failed. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Name of a call that is counted, or NULL. Talk on stdout and stderr is not. */
static const char *counted(const struct user_regs_struct *regs)
{
    const int writes = O_WRONLY | O_RDWR;
    switch (regs->orig_rax) {
    case SYS_open: return regs->rsi & writes ? "open" : NULL;
    case SYS_openat: return regs->rdx & writes ? "open" : NULL;
    case SYS_creat: return "open";
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_copy_file_range:
    case SYS_sendfile: return regs->rdi > 2 ? "write" : NULL;
    case SYS_fsync:
    case SYS_fdatasync: return "sync";
    case SYS_ftruncate:
    case SYS_fallocate: return "resize";
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2: return "rename";
    case SYS_link:
    case SYS_linkat: return "link";
    default: return NULL;
    }
}

/* The same for calls that take memory. */
static const char *counted_memory(const struct user_regs_struct *regs)
{
    switch (regs->orig_rax) {
    case SYS_mmap: return regs->r10 & MAP_ANONYMOUS ? "mmap" : NULL;
    case SYS_mremap: return "mremap";
    case SYS_brk: return regs->rdi ? "brk" : NULL;
    default: return NULL;
    }
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: faults N ERRNO 0|1 COMMAND...\n");
        return 2;
    }
    const long wanted = atol(argv[1]);
    const int error = atoi(argv[2]), lasts = atoi(argv[3]);
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execvp(argv[4], argv + 4);
        _exit(127);
    }
    int status;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)
        || ptrace(PTRACE_SETOPTIONS, child, NULL,
                  PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0) {
        fprintf(stderr, "faults: cannot trace\n");
        return 77;
    }
    ptrace(PTRACE_SYSCALL, child, NULL, NULL);

    long count = 0;
    const char *failing = NULL;
    /* Threads whose call was refused and has not answered yet. */
    static char refused[1 << 22];
    for (;;) {
        const pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0)
            return 2;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread == child)
                return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        int deliver = 0;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info info;
            struct user_regs_struct regs;
            ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
            ptrace(PTRACE_GETREGS, thread, NULL, &regs);
            if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
                const char *name = error == ENOMEM ? counted_memory(&regs) : counted(&regs);
                if (name && lasts && strcmp(name, "rename") == 0)
                    name = NULL;
                if (name && (++count == wanted || (lasts && failing))) {
                    const char *log = getenv("FAULTS_LOG");
                    FILE *file = log && !failing ? fopen(log, "w") : NULL;
                    if (file) {
                        fprintf(file, "%s\n", name);
                        fclose(file);
                    }
                    failing = name;
                    /* A break that did not move is told by where it is. */
                    refused[thread] = regs.orig_rax == SYS_brk ? 2 : 1;
                    regs.orig_rax = -1;
                    ptrace(PTRACE_SETREGS, thread, NULL, &regs);
                }
            } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && refused[thread]) {
                regs.rax = refused[thread] == 2 ? 0 : -error;
                refused[thread] = 0;
                ptrace(PTRACE_SETREGS, thread, NULL, &regs);
            }
        } else if (WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP) {
            deliver = WSTOPSIG(status);
        }
        ptrace(PTRACE_SYSCALL, thread, NULL, deliver);
    }
}
