/* Settings of mawk for this suite: its own regular expressions and random numbers, no commands run
 * through pipes, no traps of floating-point exceptions. */
#ifndef MAWK_CONFIG_H
#define MAWK_CONFIG_H

#define SIZE_T_STDDEF_H 1
#define SYSTEM_NAME "none"

#define HAVE_ERRNO_H 1
#define HAVE_FCNTL_H 1
#define HAVE_ISNAN 1
#define HAVE_UNISTD_H 1

#define LOCAL_REGEXP 1
#define NO_INIT_SRAND 1
#define DECL_ENVIRON 1

#define GCC_NORETURN __attribute__((noreturn))
#define GCC_PRINTFLIKE(fmt, var) __attribute__((format(printf, fmt, var)))
#define GCC_SCANFLIKE(fmt, var) __attribute__((format(scanf, fmt, var)))
#define GCC_UNUSED __attribute__((unused))
#define OPT_TRACE 0

#endif
