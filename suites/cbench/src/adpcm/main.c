/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adpcm: compresses raw 16-bit PCM (little-endian, interleaved) to a quarter with IMA ADPCM, and
 * back.
 *
 * A compressed file starts with "IMAB", the number of channels, a zero and the frames of a block
 * (two bytes). Each block starts with its number of frames (two bytes) and with each channel's
 * predicted sample (two bytes), index and a zero, so that it can be decoded by itself; then come
 * the codes. With -n there are the codes only. All numbers are little-endian.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adpcm.h"

enum { MAX_FRAMES = 4096, MAX_SAMPLES = MAX_FRAMES * ADPCM_MAX_CHANNELS, FILE_HEADER = 8, STATE = 4 };

static const unsigned char magic[4] = {'I', 'M', 'A', 'B'};

enum action { NO_ACTION, ENCODE, DECODE, ROUND_TRIP };

struct options {
    enum action action;
    unsigned channels;
    size_t frames;  /* of a block */
    int headers;
};

/* What a run over a file did. */
struct report {
    uint64_t frames, bytes;
    struct checksum checksum;
    unsigned channels;
    struct adpcm_state states[ADPCM_MAX_CHANNELS];
};

static int usage(const char *complaint, const char *what)
{
    fprintf(stderr, "adpcm: %s%s\n", complaint, what);
    fputs("usage: adpcm -e|-d [-n] [-c CHANNELS] [-b FRAMES] IN OUT\n"
          "       adpcm -r [-n] [-c CHANNELS] [-b FRAMES] IN OUT BACK\n"
          "  -e, -d       encode, decode\n"
          "  -r           encode IN to OUT, decode OUT to BACK and compare BACK with IN\n"
          "  -c CHANNELS  1 or 2 (default 1; when decoding, the file says it)\n"
          "  -b FRAMES    frames of a block, 1 to 4096 (default 512)\n"
          "  -n           write and expect codes only, no headers\n", stderr);
    return 2;
}

static int complain(const char *what, const char *path)
{
    fprintf(stderr, "adpcm: cannot %s %s: %s\n", what, path, strerror(errno));
    return 0;
}

static int damaged(const char *path, const char *why)
{
    fprintf(stderr, "adpcm: %s: %s\n", path, why);
    return 0;
}

static unsigned load_le16(const unsigned char *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static void store_le16(unsigned char *p, unsigned value)
{
    p[0] = (unsigned char)value;
    p[1] = (unsigned char)(value >> 8);
}

static int16_t load_sample(const unsigned char *p)
{
    int value = (int)load_le16(p);
    return (int16_t)(value < 0x8000 ? value : value - 0x10000);
}

static void load_samples(const unsigned char *bytes, size_t n, int16_t *samples)
{
    for (size_t i = 0; i < n; i++)
        samples[i] = load_sample(bytes + 2 * i);
}

static void store_samples(const int16_t *samples, size_t n, unsigned char *bytes)
{
    for (size_t i = 0; i < n; i++)
        store_le16(bytes + 2 * i, (unsigned)samples[i]);
}

static int put(FILE *out, const char *path, const unsigned char *data, size_t length, struct report *report)
{
    checksum_add(&report->checksum, data, length);
    report->bytes += length;
    return fwrite(data, 1, length, out) == length ? 1 : complain("write", path);
}

/* Number of frames and the channels' states, as a block's header. */
static size_t make_block_header(const struct report *report, size_t frames, unsigned char *header)
{
    store_le16(header, (unsigned)frames);
    for (unsigned c = 0; c < report->channels; c++) {
        unsigned char *p = header + 2 + STATE * c;
        store_le16(p, (unsigned)report->states[c].predicted);
        p[2] = (unsigned char)report->states[c].index;
        p[3] = 0;
    }
    return 2 + STATE * report->channels;
}

static int encode_file(const struct options *options, FILE *in, FILE *out, const char *in_path,
                       const char *out_path, struct report *report)
{
    static unsigned char bytes[2 * MAX_SAMPLES], codes[MAX_SAMPLES / 2];
    static int16_t samples[MAX_SAMPLES];
    size_t frame = 2 * options->channels, n;

    report->channels = options->channels;
    if (options->headers) {
        unsigned char header[FILE_HEADER];
        memcpy(header, magic, sizeof magic);
        header[4] = (unsigned char)options->channels;
        header[5] = 0;
        store_le16(header + 6, (unsigned)options->frames);
        if (!put(out, out_path, header, sizeof header, report))
            return 0;
    }
    while ((n = fread(bytes, 1, frame * options->frames, in)) > 0) {
        size_t frames = n / frame;
        if (n % frame != 0)
            return damaged(in_path, "not a whole number of frames");
        load_samples(bytes, frames * options->channels, samples);
        if (options->headers) {
            unsigned char header[2 + STATE * ADPCM_MAX_CHANNELS];
            if (!put(out, out_path, header, make_block_header(report, frames, header), report))
                return 0;
        }
        size_t length = adpcm_encode(report->states, options->channels, samples, frames, codes);
        if (!put(out, out_path, codes, length, report))
            return 0;
        report->frames += frames;
    }
    return ferror(in) ? complain("read", in_path) : 1;
}

/* Reads a block's header; the number of frames, 0 at the end of the file, -1 if it is damaged. */
static long read_block_header(FILE *in, const char *path, size_t limit, struct report *report)
{
    unsigned char header[2 + STATE * ADPCM_MAX_CHANNELS];
    size_t length = 2 + STATE * report->channels;
    size_t n = fread(header, 1, length, in);

    if (n == 0)
        return 0;
    unsigned frames = load_le16(header);
    int good = n == length && frames >= 1 && frames <= limit;
    for (unsigned c = 0; good && c < report->channels; c++) {
        const unsigned char *p = header + 2 + STATE * c;
        report->states[c].predicted = load_sample(p);
        report->states[c].index = p[2];
        good = p[2] < ADPCM_STEPS && p[3] == 0;
    }
    if (!good)
        damaged(path, "bad block header");
    return good ? (long)frames : -1;
}

static int decode_file(const struct options *options, FILE *in, FILE *out, const char *in_path,
                       const char *out_path, struct report *report)
{
    static unsigned char bytes[2 * MAX_SAMPLES], codes[MAX_SAMPLES / 2];
    static int16_t samples[MAX_SAMPLES];
    size_t limit = options->frames;

    report->channels = options->channels;
    if (options->headers) {
        unsigned char header[FILE_HEADER];
        if (fread(header, 1, sizeof header, in) != sizeof header || memcmp(header, magic, sizeof magic) != 0)
            return damaged(in_path, "not a compressed file");
        report->channels = header[4];
        limit = load_le16(header + 6);
        if (report->channels < 1 || report->channels > ADPCM_MAX_CHANNELS || limit < 1 || limit > MAX_FRAMES)
            return damaged(in_path, "bad file header");
    }
    for (;;) {
        size_t frames, length;
        if (options->headers) {
            long announced = read_block_header(in, in_path, limit, report);
            if (announced <= 0)
                return ferror(in) ? complain("read", in_path) : announced == 0;
            frames = (size_t)announced;
            length = (frames * report->channels + 1) / 2;
            if (fread(codes, 1, length, in) != length)
                return damaged(in_path, "the last block is cut off");
        } else {
            length = fread(codes, 1, limit * report->channels / 2, in);
            frames = 2 * length / report->channels;
            if (length == 0)
                return ferror(in) ? complain("read", in_path) : 1;
        }
        adpcm_decode(report->states, report->channels, codes, frames, samples);
        store_samples(samples, frames * report->channels, bytes);
        if (!put(out, out_path, bytes, 2 * frames * report->channels, report))
            return 0;
        report->frames += frames;
    }
}

static int run(const struct options *options, int decode, const char *in_path, const char *out_path)
{
    struct report report = {0, 0, {0, 0}, 0, {{0, 0}, {0, 0}}};
    FILE *in = fopen(in_path, "rb");
    if (in == NULL)
        return complain("open", in_path);
    FILE *out = fopen(out_path, "wb");
    if (out == NULL) {
        fclose(in);
        return complain("create", out_path);
    }
    checksum_start(&report.checksum);
    int good = (decode ? decode_file : encode_file)(options, in, out, in_path, out_path, &report);
    fclose(in);
    if (fclose(out) != 0 && good)
        good = complain("write", out_path);
    if (!good)
        return 0;
    printf("%s %s: %" PRIu64 " frames, %" PRIu64 " bytes, adler32 %08" PRIX32 "\n",
           decode ? "decoded" : "encoded", out_path, report.frames, report.bytes,
           checksum_value(&report.checksum));
    for (unsigned c = 0; c < report.channels; c++)
        printf("  channel %u ends at %d, step %d\n", c + 1, report.states[c].predicted,
               report.states[c].index);
    return 1;
}

/* Compares as many samples as the original has; a copy without headers may have one more. */
static int compare_files(const char *original_path, const char *copy_path, struct comparison *comparison)
{
    static unsigned char bytes[2][2 * MAX_SAMPLES];
    static int16_t samples[2][MAX_SAMPLES];
    int good = 1;
    size_t n;
    FILE *original = fopen(original_path, "rb");
    if (original == NULL)
        return complain("open", original_path);
    FILE *copy = fopen(copy_path, "rb");
    if (copy == NULL) {
        fclose(original);
        return complain("open", copy_path);
    }
    while (good && (n = fread(bytes[0], 1, sizeof bytes[0], original)) > 0) {
        good = fread(bytes[1], 1, n, copy) == n || damaged(copy_path, "shorter than the original");
        if (good) {
            load_samples(bytes[0], n / 2, samples[0]);
            load_samples(bytes[1], n / 2, samples[1]);
            compare_samples(comparison, samples[0], samples[1], n / 2);
        }
    }
    fclose(original);
    fclose(copy);
    return good;
}

static int compare(const char *original_path, const char *copy_path)
{
    struct comparison c = {0, 0, 0, 0};
    if (!compare_files(original_path, copy_path, &c))
        return 0;
    printf("%s against %s: %" PRIu64 " samples, signal %" PRIu64 ", noise %" PRIu64
           ", largest difference %d\n", copy_path, original_path, c.samples, c.signal, c.noise, c.largest);
    if (c.noise == 0) {
        puts("signal-to-noise ratio: no noise");
    } else if (c.signal == 0) {
        puts("signal-to-noise ratio: no signal");
    } else {
        long ratio = hundredths_of_db(c.signal, c.noise);
        long size = labs(ratio);
        printf("signal-to-noise ratio: %s%ld.%02ld dB\n", ratio < 0 ? "-" : "", size / 100, size % 100);
    }
    return 1;
}

static int parse_number(const char *text, long high, long *value)
{
    char *end;
    *value = strtol(text, &end, 10);
    return end != text && *end == '\0' && *value >= 1 && *value <= high;
}

int main(int argc, char **argv)
{
    struct options options = {NO_ACTION, 1, 512, 1};
    long number;
    int option;

    opterr = 0;
    while ((option = getopt(argc, argv, "b:c:denr")) != -1)
        switch (option) {
        case 'b':
            if (!parse_number(optarg, MAX_FRAMES, &number))
                return usage("bad number of frames ", optarg);
            options.frames = (size_t)number;
            break;
        case 'c':
            if (!parse_number(optarg, ADPCM_MAX_CHANNELS, &number))
                return usage("bad number of channels ", optarg);
            options.channels = (unsigned)number;
            break;
        case 'd':
        case 'e':
        case 'r':
            if (options.action != NO_ACTION)
                return usage("more than one of -d, -e and -r", "");
            options.action = option == 'd' ? DECODE : option == 'e' ? ENCODE : ROUND_TRIP;
            break;
        case 'n':
            options.headers = 0;
            break;
        default:
            return usage("unknown option or missing argument", "");
        }
    if (options.action == NO_ACTION)
        return usage("nothing to do", "");
    if (argc - optind != (options.action == ROUND_TRIP ? 3 : 2))
        return usage("wrong number of files", "");
    if (!options.headers)
        options.frames += options.frames % 2; /* with one channel, a block must end with a byte */

    if (!adpcm_self_test())
        return 1;
    char **paths = argv + optind;
    if (!run(&options, options.action == DECODE, paths[0], paths[1]))
        return 1;
    if (options.action == ROUND_TRIP
        && (!run(&options, 1, paths[1], paths[2]) || !compare(paths[0], paths[2])))
        return 1;
    return fflush(stdout) != 0;
}
