/* A register model of the BCM283x GPIO block, loaded by LD_PRELOAD under a program that maps /dev/gpiomem.
 *
 * Source of the register semantics: BCM2835 ARM Peripherals, chapter 6 (register view, table 6-1): GPFSELn 0x00,
 * GPSETn 0x1c, GPCLRn 0x28, GPLEVn 0x34. GPSET and GPCLR act on the bits written as 1 and read as nothing; the output
 * latch exists for pins that are inputs too, and GPLEV shows it once the pin is an output.
 *
 * How no access is missed: the program gets a page it may not touch, so each access faults.
 *   x86-64:  the page is opened, the one instruction single-stepped (trap flag), the page closed again.
 *   aarch64: user space has no single step, so the faulting load or store is decoded and carried out here; one that is
 *            not known ends the program with a message.
 * Elsewhere this file does not compile, and says why.
 *
 * Environment:
 *   GPIO_MODEL_REGISTERS  file that holds the block; it outlives the program, as pins outlive a process
 *   GPIO_MODEL_LOG        file that every write is appended to: "<ns> <byte offset, hex> <value, hex>"
 *                         (ns: CLOCK_MONOTONIC), in the order of the writes
 *   GPIO_MODEL_CHIP       bcm2837 (default; a Pi 3) or bcm2711 (a Pi 4, which has other pull registers)
 *   GPIO_MODEL_DENY       if set, /dev/gpiomem and /dev/mem may not be opened, as for a user outside group gpio
 * One thread at a time touches the pins; that is all the tests need.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "the GPIO register model knows x86-64 and aarch64: on others it cannot see single register accesses"
#endif

enum {
    BLOCK_BYTES = 4096,
    PINS = 54,
    FSEL = 0x00 / 4,
    SET = 0x1c / 4,
    CLR = 0x28 / 4,
    LEV = 0x34 / 4,
    PULL_2711_LAST = 0xf0 / 4, /* RPi.GPIO reads "gpio" here on chips older than the BCM2711 */
    LATCH = 0xf00 / 4,         /* ours: beyond the block's registers */
};
#define NOT_A_2711 0x6770696fu

static int block_fd = -1;
static int log_fd = -1;
static volatile uint32_t *registers; /* our own view, always open */
static uint8_t *guarded;             /* the program's view, always closed but for one instruction */

static void fail(const char *message) {
    static const char head[] = "GPIO register model: ";
    if (write(2, head, sizeof head - 1) < 0 || write(2, message, strlen(message)) < 0 || write(2, "\n", 1) < 0) {
    }
    _exit(70);
}

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) fail(name);
    return found;
}

/* ---- the block ---- */

static int is_output(int pin) { return (registers[FSEL + pin / 10] >> (pin % 10 * 3) & 7) == 1; }

static void follow_latch(void) {
    for (int bank = 0; bank < 2; bank++) {
        uint32_t level = 0;
        for (int bit = 0; bit < 32 && bank * 32 + bit < PINS; bit++)
            if (is_output(bank * 32 + bit)) level |= registers[LATCH + bank] & 1u << bit;
        registers[LEV + bank] = level;
    }
}

static char *hexadecimal(char *at, uint32_t value, int digits) {
    for (int i = digits - 1; i >= 0; i--) *at++ = "0123456789abcdef"[value >> (4 * i) & 15];
    return at;
}

/* Runs in a signal handler: no stdio. */
static void note(int index, uint32_t value) {
    if (log_fd < 0) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    char digits[24], line[64], *at = line;
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    int count = 0;
    do digits[count++] = (char)('0' + ns % 10);
    while (ns /= 10);
    while (count) *at++ = digits[--count];
    *at++ = ' ';
    at = hexadecimal(at, (uint32_t)index * 4, 3);
    *at++ = ' ';
    at = hexadecimal(at, value, 8);
    *at++ = '\n';
    if (write(log_fd, line, (size_t)(at - line)) != at - line) fail("the log cannot be written");
}

static void written(int index, uint32_t value) {
    note(index, value);
    if (index == SET || index == SET + 1) {
        registers[LATCH + index - SET] |= value;
        registers[index] = 0;
    } else if (index == CLR || index == CLR + 1) {
        registers[LATCH + index - CLR] &= ~value;
        registers[index] = 0;
    }
    follow_latch();
}

/* ---- catching accesses ---- */

static int fault_index(siginfo_t *info) {
    uintptr_t address = (uintptr_t)info->si_addr;
    if (!guarded || address < (uintptr_t)guarded || address >= (uintptr_t)guarded + BLOCK_BYTES) return -1;
    if (address % 4) fail("an access that is not to a whole register");
    return (int)((address - (uintptr_t)guarded) / 4);
}

#if defined(__x86_64__)

enum { TRAP_FLAG = 0x100, FAULT_WAS_WRITE = 2 };
static volatile int pending = -1;
static volatile int pending_write;

static void on_fault(int number, siginfo_t *info, void *context) {
    greg_t *cpu = ((ucontext_t *)context)->uc_mcontext.gregs;
    int index = fault_index(info);
    if (index < 0) {
        signal(number, SIG_DFL); /* not ours: the instruction faults again and ends the program as usual */
        return;
    }
    if (pending >= 0) fail("two accesses at a time");
    pending = index;
    pending_write = (cpu[REG_ERR] & FAULT_WAS_WRITE) != 0;
    mprotect(guarded, BLOCK_BYTES, PROT_READ | PROT_WRITE);
    cpu[REG_EFL] |= TRAP_FLAG;
}

static void on_step(int number, siginfo_t *info, void *context) {
    (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    if (pending < 0) {
        signal(number, SIG_DFL);
        return;
    }
    mprotect(guarded, BLOCK_BYTES, PROT_NONE);
    if (pending_write) written(pending, registers[pending]);
    pending = -1;
}

#else /* aarch64 */

static void on_fault(int number, siginfo_t *info, void *context) {
    mcontext_t *cpu = &((ucontext_t *)context)->uc_mcontext;
    int index = fault_index(info);
    if (index < 0) {
        signal(number, SIG_DFL);
        return;
    }
    uint32_t code = *(uint32_t *)cpu->pc;
    int target = code & 31, base = code >> 5 & 31, is_load = code >> 22 & 1;
    int unsigned_offset = (code & 0xff800000u) == 0xb9000000u;
    int unscaled = (code & 0xffa00c00u) == 0xb8000000u && !(code >> 23 & 1);
    int post_or_pre = (code & 0xffa00400u) == 0xb8000400u && !(code >> 23 & 1);
    int by_register = (code & 0xffa00c00u) == 0xb8200800u && !(code >> 23 & 1);
    if (!unsigned_offset && !unscaled && !post_or_pre && !by_register) {
        char message[] = "an aarch64 instruction it does not know: 00000000";
        hexadecimal(message + sizeof message - 9, code, 8);
        fail(message);
    }
    if (is_load) {
        if (target != 31) cpu->regs[target] = registers[index];
    } else {
        uint32_t value = target == 31 ? 0 : (uint32_t)cpu->regs[target];
        registers[index] = value;
        written(index, value);
    }
    if (post_or_pre) {
        int64_t step = (int64_t)(code >> 12 & 0x1ff);
        if (step & 0x100) step -= 0x200;
        if (base == 31)
            cpu->sp += (uint64_t)step;
        else
            cpu->regs[base] += (uint64_t)step;
    }
    cpu->pc += 4;
}

#endif

static void catch_accesses(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_flags = SA_SIGINFO;
    sigfillset(&action.sa_mask);
    action.sa_sigaction = on_fault;
    sigaction(SIGSEGV, &action, NULL);
#if defined(__x86_64__)
    action.sa_sigaction = on_step;
    sigaction(SIGTRAP, &action, NULL);
#endif
}

/* ---- what the program is shown ---- */

static int is_2711(void) {
    const char *chip = getenv("GPIO_MODEL_CHIP");
    return chip && !strcmp(chip, "bcm2711");
}

static FILE *shown_file(const char *path, const char *mode) {
    static char pi_3[] = {0x00, (char)0xa0, 0x20, (char)0x82}, pi_4[] = {0x00, (char)0xc0, 0x31, 0x11};
    if (!strcmp(path, "/proc/device-tree/system/linux,revision"))
        return fmemopen(is_2711() ? pi_4 : pi_3, sizeof pi_3, mode);
    return NULL;
}

FILE *fopen(const char *path, const char *mode) {
    static FILE *(*real)(const char *, const char *);
    if (!real) real = next("fopen");
    FILE *shown = shown_file(path, mode);
    return shown ? shown : real(path, mode);
}

FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

static int opened(const char *path, int flags, mode_t mode) {
    static int (*real)(const char *, int, ...);
    if (!real) real = next("open");
    if (getenv("GPIO_MODEL_DENY") && (!strcmp(path, "/dev/gpiomem") || !strcmp(path, "/dev/mem"))) {
        errno = EACCES;
        return -1;
    }
    if (strcmp(path, "/dev/gpiomem")) return real(path, flags, mode);
    const char *block = getenv("GPIO_MODEL_REGISTERS"), *log = getenv("GPIO_MODEL_LOG");
    if (!block || !log) fail("GPIO_MODEL_REGISTERS and GPIO_MODEL_LOG must be set");
    block_fd = real(block, O_RDWR | O_CREAT, 0600);
    log_fd = real(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (block_fd < 0 || log_fd < 0 || ftruncate(block_fd, BLOCK_BYTES)) fail("its files cannot be opened");
    return block_fd;
}

#define MODE_ARGUMENT(flags, mode)  \
    mode_t mode = 0;                \
    if ((flags) & O_CREAT) {        \
        va_list rest;               \
        va_start(rest, flags);      \
        mode = va_arg(rest, mode_t); \
        va_end(rest);               \
    }

int open(const char *path, int flags, ...) {
    MODE_ARGUMENT(flags, mode)
    return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE_ARGUMENT(flags, mode)
    return opened(path, flags, mode);
}

/* What `open` becomes in programs compiled with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags) { return opened(path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(path, flags, 0); }

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (!real) real = next("mmap");
    if (fd < 0 || fd != block_fd) return real(address, length, protection, flags, fd, offset);
    if (length != BLOCK_BYTES || offset != 0) fail("a mapping that is not the whole block");
    registers = real(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void *closed = real(NULL, BLOCK_BYTES, PROT_NONE, MAP_SHARED, fd, 0);
    if (registers == MAP_FAILED || closed == MAP_FAILED) fail("the block cannot be mapped");
    registers[PULL_2711_LAST] = is_2711() ? 0 : NOT_A_2711;
    follow_latch();
    guarded = closed;
    catch_accesses();
    return closed;
}

int munmap(void *address, size_t length) {
    static int (*real)(void *, size_t);
    if (!real) real = next("munmap");
    if (guarded && address == (void *)guarded) guarded = NULL;
    return real(address, length);
}
