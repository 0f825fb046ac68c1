/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From targets to frames, after Holmes, Mattingly and Shearme ("Speech synthesis by rule", 1964):
 * of two neighbours the one of the higher rank determines the value at the boundary and how long
 * the transitions on both sides of it last.
 */
#include "rsynth.h"

/* What a parameter is at a boundary, and the frames of the transition before and after it. */
struct joint {
    double value[PARAMETERS];
    double before, after;      /* of formants */
};

static int is_amplitude(int p)
{
    return p <= AF || p >= A2;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void join(const struct segment *left, const struct segment *right, struct joint *joint)
{
    int left_rules = left->element->rank > right->element->rank;
    int equal = left->element->rank == right->element->rank;
    const struct element *strong = left_rules ? left->element : right->element;
    const struct element *weak = left_rules ? right->element : left->element;
    double inside = equal ? 6.0 : 3.0, outside = equal ? 6.0 : 8.0;

    joint->before = smaller(left_rules ? inside : outside, left->frames);
    joint->after = smaller(left_rules ? outside : inside, right->frames);
    for (int p = 0; p < PARAMETERS; p++) {
        double share = equal ? 0.5 : is_amplitude(p) ? 1.0 : 0.65;
        joint->value[p] = share * strong->target[p] + (1.0 - share) * weak->target[p];
    }
}

/* A ramp from 1 at the boundary to 0 after `length` frames. */
static double ramp(double distance, double length)
{
    return distance < length ? 1.0 - distance / length : 0.0;
}

static void fill(const struct segment *segment, const struct joint *start, const struct joint *end, int at,
                 struct frame *frame)
{
    double passed = at + 0.5, left = segment->frames - passed;
    double rise = ramp(passed, start->after), fall = ramp(left, end->before);
    double quick_rise = ramp(passed, smaller(start->after, 2.0)), quick_fall = ramp(left, smaller(end->before, 2.0));

    for (int p = 0; p < PARAMETERS; p++) {
        double target = segment->element->target[p];
        frame->value[p] = target + (is_amplitude(p) ? quick_rise : rise) * (start->value[p] - target)
                        + (is_amplitude(p) ? quick_fall : fall) * (end->value[p] - target);
    }
}

/* Pitch goes in straight lines between the middles of those segments that have one. */
static double next_pitch(const struct segment *segments, size_t count, size_t from, int at, double pitch)
{
    double distance = -at - 0.5;

    for (size_t i = from; i < count; i++) {
        double middle = distance + segments[i].frames / 2.0;
        if (segments[i].pitch > 0.0 && middle > 0.0)
            return pitch <= 0.0 ? segments[i].pitch : pitch + (segments[i].pitch - pitch) / (middle + 1.0);
        distance += segments[i].frames;
    }
    return pitch;
}

void track(const struct segment *segments, size_t count, void (*sink)(void *context, const struct frame *frame),
           void *context)
{
    struct joint start, end;
    struct frame frame;

    join(&segments[0], &segments[0], &start);
    frame.pitch = 0.0;
    for (size_t i = 0; i < count; i++) {
        join(&segments[i], &segments[i + 1 < count ? i + 1 : i], &end);
        for (int at = 0; at < segments[i].frames; at++) {
            fill(&segments[i], &start, &end, at, &frame);
            frame.pitch = next_pitch(segments, count, i, at, frame.pitch);
            sink(context, &frame);
        }
        start = end;
    }
}
