/* SPDX-License-Identifier: Apache-2.0 */
/* Angles in degrees, radians, degrees-minutes-seconds, and as fractions of a turn in 32 bits. */
#include "basicmath.h"

double radians_of_degrees(double degrees)
{
    return degrees * (PI / 180.0);
}

double degrees_of_radians(double radians)
{
    return radians * (180.0 / PI);
}

struct sexagesimal split_degrees(double degrees)
{
    struct sexagesimal angle;
    double size = degrees < 0.0 ? -degrees : degrees;
    uint64_t hundredths = (uint64_t)(size * 360000.0 + 0.5);

    angle.negative = degrees < 0.0;
    angle.degrees = (uint32_t)(hundredths / 360000);
    angle.minutes = (uint32_t)(hundredths / 6000 % 60);
    angle.hundredths = (uint32_t)(hundredths % 6000);
    return angle;
}

double join_degrees(const struct sexagesimal *angle)
{
    double size = angle->degrees + (angle->minutes + angle->hundredths / 6000.0) / 60.0;
    return angle->negative ? -size : size;
}

uint32_t binary_angle(double degrees)
{
    double turns = degrees / 360.0;
    int64_t whole = (int64_t)turns;
    double part = (turns - (double)whole) * 4294967296.0;

    return (uint32_t)(int64_t)(part < 0.0 ? part - 0.5 : part + 0.5);
}

double degrees_of_binary(uint32_t angle)
{
    return angle * (360.0 / 4294967296.0);
}
