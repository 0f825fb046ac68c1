/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rsynth: reads English text aloud, to 16-bit samples at 10 kHz; or says what it would read, or
 * holds one phoneme.
 */
#include "rsynth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 1 << 24, MAX_SOUNDS = 64 };

struct options {
    struct voice voice;
    int transcribe;        /* phonemes instead of sound */
    int print;             /* the transcription, to standard output */
    int hold;              /* phoneme to be held, or -1 */
    int repeat;
    const char *text_path, *sound_path;
};

/* Where samples go, and what is known of them. */
struct output {
    FILE *file;
    const char *path;
    struct synthesiser synthesiser;
    uint64_t energy;
    uint32_t a, b;         /* Adler-32 (RFC 1950) of the samples' bytes */
    int peak;
    double pitch_sum;      /* of the frames with voice */
    long voiced;
};

struct totals {
    long phrases, phonemes, stressed, segments, frames;
    long sound[MAX_SOUNDS];
    uint64_t checksum;
};

static _Noreturn void stop(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("rsynth: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

static _Noreturn void usage(const char *complaint)
{
    stop(2, "%s\n"
         "usage: rsynth [-p PITCH] [-s SPEED] [-v] [-r TIMES] TEXT SOUND\n"
         "       rsynth [-p PITCH] -h PHONEME SOUND\n"
         "       rsynth -t [-v] [-r TIMES] TEXT\n"
         "  -p PITCH    of the voice in Hz, 50 to 400 (default 110)\n"
         "  -s SPEED    in percent, 50 to 300 (default 100)\n"
         "  -h PHONEME  one second of this phoneme\n"
         "  -t          phonemes only, no sound\n"
         "  -v          print the phonemes of each phrase\n"
         "  -r TIMES    read the text so often", complaint);
}

static int number_after(int argc, char **argv, int *index, long low, long high)
{
    char *end;
    long value;

    if (*index + 1 >= argc)
        usage("an option needs a number after it");
    value = strtol(argv[++*index], &end, 10);
    if (*end != '\0' || end == argv[*index] || value < low || value > high)
        usage("an option's number is out of range");
    return (int)value;
}

static void read_options(struct options *options, int argc, char **argv)
{
    const char *paths[2];
    int count = 0;

    *options = (struct options){{110.0, 100}, 0, 0, -1, 1, NULL, NULL};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-p") == 0)
            options->voice.pitch = number_after(argc, argv, &i, 50, 400);
        else if (strcmp(argv[i], "-s") == 0)
            options->voice.speed = number_after(argc, argv, &i, 50, 300);
        else if (strcmp(argv[i], "-r") == 0)
            options->repeat = number_after(argc, argv, &i, 1, 10000);
        else if (strcmp(argv[i], "-t") == 0)
            options->transcribe = 1;
        else if (strcmp(argv[i], "-v") == 0)
            options->print = 1;
        else if (strcmp(argv[i], "-h") == 0 && i + 1 < argc) {
            options->hold = find_phoneme(argv[++i]);
            if (options->hold < 0)
                usage("unknown phoneme");
        } else if (argv[i][0] == '-')
            usage("unknown option");
        else if (count == 2)
            usage("too many files");
        else
            paths[count++] = argv[i];
    }
    if (count != (options->transcribe || options->hold >= 0 ? 1 : 2))
        usage("wrong number of files");
    options->text_path = options->hold >= 0 ? NULL : paths[0];
    options->sound_path = options->transcribe ? NULL : paths[count - 1];
}

static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    size_t room = 65536, n;
    char *text = malloc(room);

    if (file == NULL)
        stop(2, "cannot open %s: %s", path, strerror(errno));
    *length = 0;
    while (text != NULL && (n = fread(text + *length, 1, room - *length, file)) > 0) {
        *length += n;
        if (*length > MAX_TEXT)
            stop(2, "%s: more than %d bytes", path, MAX_TEXT);
        if (*length == room) {
            room *= 2;
            text = realloc(text, room);
        }
    }
    if (text == NULL)
        stop(2, "not enough memory");
    if (ferror(file))
        stop(2, "cannot read %s", path);
    fclose(file);
    return text;
}

static void write_samples(struct output *output, const int16_t *samples)
{
    unsigned char bytes[2 * FRAME];

    for (int i = 0; i < FRAME; i++) {
        int sample = samples[i], size = sample < 0 ? -sample : sample;
        bytes[2 * i] = (unsigned char)sample;
        bytes[2 * i + 1] = (unsigned char)((unsigned)sample >> 8);
        if (size > output->peak)
            output->peak = size;
        output->energy += (uint64_t)(int64_t)(sample * sample);
    }
    for (int i = 0; i < 2 * FRAME; i++) {
        output->a += bytes[i];
        output->b += output->a;
    }
    output->a %= 65521;
    output->b %= 65521;
    if (fwrite(bytes, 1, sizeof bytes, output->file) != sizeof bytes)
        stop(2, "cannot write %s: %s", output->path, strerror(errno));
}

static void take_frame(void *context, const struct frame *frame)
{
    struct output *output = context;
    int16_t samples[FRAME];

    for (int p = F1; p <= FZ; p++)
        if (!(frame->value[p] > 20.0 && frame->value[p] < RATE / 2.0))
            stop(1, "a formant, bandwidth or zero of %g Hz", frame->value[p]);
    if (frame->value[AV] > 0.0) {
        output->pitch_sum += frame->pitch;
        output->voiced++;
    }
    synthesise(&output->synthesiser, frame, samples);
    write_samples(output, samples);
}

static void print_phrase(const struct phrase *phrase)
{
    for (size_t i = 0; i < phrase->count; i++)
        printf("%s%s%s", i == 0 ? "" : phrase->phone[i].starts ? " | " : " ", phonemes[phrase->phone[i].sound].name,
               phrase->phone[i].stress ? "1" : "");
    printf(" %c\n", phrase->end);
}

static void count_phrase(struct totals *totals, const struct phrase *phrase)
{
    totals->phrases++;
    totals->phonemes += (long)phrase->count;
    for (size_t i = 0; i < phrase->count; i++) {
        const struct phone *phone = &phrase->phone[i];
        totals->sound[phone->sound]++;
        totals->stressed += phone->stress;
        totals->checksum = (totals->checksum ^ (uint64_t)(phone->sound * 4 + phone->stress * 2 + phone->starts))
                         * 0x100000001b3;
    }
}

static void speak(const struct phrase *phrase, const struct options *options, struct output *output,
                  struct totals *totals)
{
    static struct segment segments[MAX_SEGMENTS];
    size_t count = plan_phrase(phrase, &options->voice, segments);

    totals->segments += (long)count;
    for (size_t i = 0; i < count; i++)
        totals->frames += segments[i].frames;
    track(segments, count, take_frame, output);
}

static void read_aloud(const struct options *options, const char *text, size_t length, struct output *output,
                       struct totals *totals)
{
    struct reader reader = {text, length, 0, 0, 0};
    struct phrase phrase;

    for (int round = 0; round < options->repeat; round++) {
        reader.at = 0;
        while (next_phrase(&reader, &phrase)) {
            count_phrase(totals, &phrase);
            if (options->print)
                print_phrase(&phrase);
            if (!options->transcribe)
                speak(&phrase, options, output, totals);
        }
    }
    printf("%ld words, %ld numbers, %ld phrases, %ld phonemes, %ld stressed\n", reader.words, reader.numbers,
           totals->phrases, totals->phonemes, totals->stressed);
    printf("%ld rules tried, %ld applied, phonemes %016" PRIx64 "\n", rules_tried, rules_applied, totals->checksum);
    for (int i = 0; i < phoneme_count; i++)
        printf("%s %ld%c", phonemes[i].name, totals->sound[i], i % 10 == 9 || i + 1 == phoneme_count ? '\n' : ' ');
}

/* A second of one phoneme's last element, at a steady pitch. */
static void hold(const struct options *options, struct output *output, struct totals *totals)
{
    const struct phoneme *phoneme = &phonemes[options->hold];
    struct segment segment = {&phoneme->element[phoneme->elements - 1], RATE / FRAME, options->voice.pitch};

    totals->segments = 1;
    totals->frames = segment.frames;
    track(&segment, 1, take_frame, output);
}

static void report(const struct output *output, const struct totals *totals)
{
    const struct synthesiser *synthesiser = &output->synthesiser;

    if (synthesiser->samples != totals->frames * FRAME)
        stop(1, "%ld samples of %ld frames", synthesiser->samples, totals->frames);
    printf("%ld segments, %ld frames, %ld samples, %ld pulses\n", totals->segments, totals->frames,
           synthesiser->samples, synthesiser->pulses);
    if (output->voiced > 0)
        printf("%ld frames with voice, at %.3f Hz\n", output->voiced, output->pitch_sum / (double)output->voiced);
    printf("energy %" PRIu64 ", peak %d, %ld clipped, adler32 %08" PRIx32 "\n", output->energy, output->peak,
           synthesiser->clipped, output->b << 16 | output->a);
}

int main(int argc, char **argv)
{
    struct options options;
    static struct output output;
    static struct totals totals;
    char *text = NULL;
    size_t length = 0;

    read_options(&options, argc, argv);
    if (phoneme_count > MAX_SOUNDS || !prepare_rules())
        return 1;
    totals.checksum = 0xcbf29ce484222325;
    if (options.sound_path != NULL) {
        output.path = options.sound_path;
        output.a = 1;
        start_synthesiser(&output.synthesiser, 20061);
    }
    if (options.text_path != NULL)
        text = read_text(options.text_path, &length);
    if (options.sound_path != NULL) {
        output.file = fopen(options.sound_path, "wb");
        if (output.file == NULL)
            stop(2, "cannot create %s: %s", options.sound_path, strerror(errno));
    }
    if (options.hold >= 0)
        hold(&options, &output, &totals);
    else
        read_aloud(&options, text, length, &output, &totals);
    if (options.sound_path != NULL) {
        if (fclose(output.file) != 0)
            stop(2, "cannot write %s: %s", output.path, strerror(errno));
        report(&output, &totals);
    }
    free(text);
    return fflush(stdout) != 0;
}
