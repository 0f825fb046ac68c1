// SPDX-License-Identifier: Apache-2.0
// matrix SIZE [singular]: powers and determinant of a matrix of numbers modulo a prime, read from standard input.
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <std::uint64_t Prime> class Modular {
public:
    Modular(std::uint64_t value = 0) : value_(value % Prime) {}
    std::uint64_t value() const { return value_; }
    Modular operator+(Modular other) const { return Modular(value_ + other.value_); }
    Modular operator-(Modular other) const { return Modular(value_ + Prime - other.value_); }
    Modular operator*(Modular other) const { return Modular(value_ * other.value_); }
    Modular inverse() const
    {
        if (value_ == 0)
            throw std::domain_error("zero has no inverse");
        Modular result(1), base(*this);
        for (std::uint64_t power = Prime - 2; power != 0; power >>= 1) {
            if (power & 1)
                result = result * base;
            base = base * base;
        }
        return result;
    }

private:
    std::uint64_t value_;
};

template <typename Number> class Matrix {
public:
    explicit Matrix(std::size_t size) : size_(size), cells_(size * size) {}
    Number &at(std::size_t row, std::size_t column) { return cells_[row * size_ + column]; }
    const Number &at(std::size_t row, std::size_t column) const { return cells_[row * size_ + column]; }
    Matrix operator*(const Matrix &other) const
    {
        Matrix product(size_);
        for (std::size_t i = 0; i < size_; i++)
            for (std::size_t k = 0; k < size_; k++)
                for (std::size_t j = 0; j < size_; j++)
                    product.at(i, j) = product.at(i, j) + at(i, k) * other.at(k, j);
        return product;
    }
    // By elimination; throws where a pivot is missing.
    Number determinant() const
    {
        Matrix left(*this);
        Number result(1);
        for (std::size_t column = 0; column < size_; column++) {
            const Number inverse = left.at(column, column).inverse();
            result = result * left.at(column, column);
            for (std::size_t row = column + 1; row < size_; row++) {
                const Number factor = left.at(row, column) * inverse;
                for (std::size_t j = column; j < size_; j++)
                    left.at(row, j) = left.at(row, j) - factor * left.at(column, j);
            }
        }
        return result;
    }

private:
    std::size_t size_;
    std::vector<Number> cells_;
};

using Number = Modular<998244353>;

} // namespace

int main(int argc, char **argv)
{
    const std::size_t size = argc > 1 ? std::stoul(argv[1]) : 8;
    const bool singular = argc > 2 && std::string(argv[2]) == "singular";
    Matrix<Number> matrix(size);
    for (std::size_t row = 0; row < size; row++) {
        for (std::size_t column = 0; column < size; column++) {
            std::uint64_t value = 0;
            if (!(std::cin >> value)) {
                std::cerr << "matrix: too few numbers\n";
                return 2;
            }
            matrix.at(row, column) = Number(singular && row + 1 == size ? matrix.at(0, column).value() : value);
        }
    }
    Matrix<Number> power = matrix;
    for (int step = 2; step <= 8; step++) {
        power = power * matrix;
        std::cout << "power " << step << ": " << power.at(0, size - 1).value() << '\n';
    }
    try {
        std::cout << "determinant " << matrix.determinant().value() << '\n';
    } catch (const std::domain_error &error) {
        std::cout << "no determinant: " << error.what() << '\n';
    }
    return 0;
}
