/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fft: Fourier transforms of sums of sinusoids (three numbers of a file make a wave) or of
 * overlapping frames of a recording, forward and back. Every result is checked against what is
 * known of it; the program ends with status 1 if one is wrong.
 */
#include "jobs.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 1000000, MAX_SAMPLES = 1 << 25 };

static uint64_t checksum = 0xcbf29ce484222325;

void mix(uint64_t value)
{
    checksum = (checksum ^ value) * 0x100000001b3;
    checksum ^= checksum >> 29;
}

void mix_spectrum(const struct complex_number *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t re, im;
        memcpy(&re, &x[k].re, sizeof re);
        memcpy(&im, &x[k].im, sizeof im);
        mix(re ^ (im << 32 | im >> 32));
    }
}

_Noreturn void stop(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("fft: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

static _Noreturn void usage(const char *complaint)
{
    stop(2, "%s\n"
         "usage: fft -w [-n SIZE] [-c WAVES] [-r ROUNDS] [-v] NUMBERS\n"
         "       fft -s [-n SIZE] [-g PERCENT] [-r ROUNDS] SAMPLES\n"
         "  -w          signals made of the waves that a list of integers describes\n"
         "  -s          frames of signed 16-bit samples, little-endian\n"
         "  -n SIZE     of a transform, 4 to 1048576 (default 1024); -s needs a power of two\n"
         "  -c WAVES    in a signal, 1 to 1000 (default 8)\n"
         "  -r ROUNDS   number of signals, or of passes over the samples (default 1)\n"
         "  -g PERCENT  clear bins below this share of the frame's peak, 1 to 50\n"
         "  -v          print the spectra", complaint);
}

static size_t number_after(int argc, char **argv, int *index, long low, long high)
{
    char *end;
    long value;

    if (*index + 1 >= argc)
        usage("an option needs a number after it");
    value = strtol(argv[++*index], &end, 10);
    if (*end != '\0' || end == argv[*index] || value < low || value > high)
        usage("an option's number is out of range");
    return (size_t)value;
}

static int read_options(struct options *options, int argc, char **argv)
{
    int job = 0;

    *options = (struct options){1024, 8, 1, 0, 0, NULL};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-w") == 0 || strcmp(argv[i], "-s") == 0)
            job = argv[i][1];
        else if (strcmp(argv[i], "-n") == 0)
            options->size = number_after(argc, argv, &i, MIN_SIZE, MAX_SIZE);
        else if (strcmp(argv[i], "-c") == 0)
            options->waves = number_after(argc, argv, &i, 1, 1000);
        else if (strcmp(argv[i], "-r") == 0)
            options->rounds = number_after(argc, argv, &i, 1, 10000);
        else if (strcmp(argv[i], "-g") == 0)
            options->gate = (int)number_after(argc, argv, &i, 1, 50);
        else if (strcmp(argv[i], "-v") == 0)
            options->verbose = 1;
        else if (argv[i][0] == '-')
            usage("unknown option");
        else if (options->path == NULL)
            options->path = argv[i];
        else
            usage("more than one file");
    }
    if (job == 0)
        usage("neither -w nor -s");
    if (options->path == NULL)
        usage("no file");
    return job;
}

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        stop(2, "cannot open %s: %s", path, strerror(errno));
    return file;
}

static void *grow(void *memory, size_t size)
{
    void *grown = realloc(memory, size);
    if (grown == NULL)
        stop(2, "not enough memory");
    return grown;
}

static uint32_t *read_numbers(const char *path, size_t *count)
{
    FILE *file = open_file(path);
    size_t room = 0;
    uint32_t *numbers = NULL;
    char line[64];

    *count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *end;
        unsigned long value = strtoul(line, &end, 10);
        if (!isdigit((unsigned char)line[0]) || *end != '\n' || value > 0xffffffff)
            stop(2, "%s: line %zu is not an integer of 32 bits", path, *count + 1);
        if (*count == MAX_NUMBERS)
            stop(2, "%s: more than %d numbers", path, MAX_NUMBERS);
        if (*count == room) {
            room = 2 * room + 1024;
            numbers = grow(numbers, room * sizeof *numbers);
        }
        numbers[(*count)++] = (uint32_t)value;
    }
    if (ferror(file))
        stop(2, "cannot read %s", path);
    fclose(file);
    return numbers;
}

static int16_t *read_samples(const char *path, size_t *count)
{
    unsigned char buffer[4096];
    FILE *file = open_file(path);
    int16_t *samples = NULL;
    size_t room = 0, n;

    *count = 0;
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0) {
        if (n % 2 != 0)
            stop(2, "%s: half a sample at the end", path);
        if (*count + n / 2 > MAX_SAMPLES)
            stop(2, "%s: more than %d samples", path, MAX_SAMPLES);
        if (*count + n / 2 > room) {
            room = 2 * room + sizeof buffer;
            samples = grow(samples, room * sizeof *samples);
        }
        for (size_t i = 0; i < n / 2; i++) {
            int value = buffer[2 * i] | buffer[2 * i + 1] << 8;
            samples[*count + i] = (int16_t)(value < 0x8000 ? value : value - 0x10000);
        }
        *count += n / 2;
    }
    if (ferror(file))
        stop(2, "cannot read %s", path);
    fclose(file);
    return samples;
}

int main(int argc, char **argv)
{
    struct options options;
    size_t count;

    if (read_options(&options, argc, argv) == 'w') {
        uint32_t *numbers = read_numbers(options.path, &count);
        analyse_waves(&options, numbers, count);
        free(numbers);
    } else {
        int16_t *samples = read_samples(options.path, &count);
        analyse_frames(&options, samples, count);
        free(samples);
    }
    printf("checksum %016" PRIx64 "\n", checksum);
    return fflush(stdout) != 0;
}
