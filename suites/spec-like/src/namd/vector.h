/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of three components. */
#ifndef NAMD_VECTOR_H
#define NAMD_VECTOR_H

struct Vector {
    double x = 0.0, y = 0.0, z = 0.0;

    Vector &operator+=(const Vector &other)
    {
        x += other.x;
        y += other.y;
        z += other.z;
        return *this;
    }

    Vector &operator-=(const Vector &other)
    {
        x -= other.x;
        y -= other.y;
        z -= other.z;
        return *this;
    }

    Vector &operator*=(double factor)
    {
        x *= factor;
        y *= factor;
        z *= factor;
        return *this;
    }
};

inline Vector operator+(Vector left, const Vector &right)
{
    return left += right;
}

inline Vector operator-(Vector left, const Vector &right)
{
    return left -= right;
}

inline Vector operator*(Vector vector, double factor)
{
    return vector *= factor;
}

inline double dot(const Vector &left, const Vector &right)
{
    return left.x * right.x + left.y * right.y + left.z * right.z;
}

inline double square(const Vector &vector)
{
    return dot(vector, vector);
}

#endif
