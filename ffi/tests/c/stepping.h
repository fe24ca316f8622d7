/* A handler after each instruction, by the trap flag. Where there can be none, CANNOT_STEP is defined and
 * the program has a main that says so. */
#ifndef STEPPING_H
#define STEPPING_H

#include "check.h"

#if UNDER_THREAD_SANITIZER
#define CANNOT_STEP
int main(void) {
    puts("there is no handler at each instruction here");
    return 0;
}
#elif !defined(__x86_64__) || !defined(__linux__)
#define CANNOT_STEP
int main(void) {
    puts("needs the trap flag of x86_64");
    return 77;
}
#else

/* The stack pointer is moved first: the compiler may use what lies below it. */
#define STEPPING(operation)                                                                        \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" operation                              \
                     " (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::: "memory", "cc")

#endif
#endif
