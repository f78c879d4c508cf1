// Draws shapes. Slowly.

#include <vector>
#include "shape.hpp"
import std;

#pragma once
#define VERSION "1.0"

using std::string;
using namespace std;
namespace fs = std::filesystem;

namespace draw {

/// A point in the plane.
struct Point {
    int x = 0;
    Point operator+(const Point& other) const;
    bool operator==(const Point&) const = default;
    explicit operator bool() const { return x; }
};

namespace detail { void helper(); }
namespace {
void anonymous() {}
}

enum class Colour : unsigned char { Red, Green };

template <typename T>
concept Drawable = requires(T t) { t.draw(); };

/**
 * @brief Holds shapes.
 */
template <typename T, int N = 3>
class Canvas final : public Base<T>, private Other {
public:
    using value_type = T;
    static constexpr int SIZE = N;

    Canvas();
    explicit Canvas(int size) : size_(size) {}
    ~Canvas() override;
    Canvas(const Canvas&) = delete;

    /// Draws it.
    template <class U>
    auto draw(const U& shape, int times = 1) const noexcept -> bool;
    virtual void clear() = 0;
    T& operator[](std::size_t i) { return items_[i]; }
    void operator()(int) {}

    class Layer {
    public:
        void show();
    };
    friend void swap(Canvas& a, Canvas& b);

protected:
    void resize(int);

private:
    void hidden();
    int size_;
};

template <typename T, int N>
auto Canvas<T, N>::draw(const U& shape, int times) const noexcept -> bool { return true; }

inline constexpr double PI = 3.14;
using Points = std::vector<Point>;
typedef Point* PointPtr;

}  // namespace draw

namespace a::b::c {
int nested(int größe) { return größe; }
}

draw::Point draw::Point::operator+(const Point& other) const { return *this; }
bool operator<(const draw::Point& a, const draw::Point& b);
std::ostream& operator<<(std::ostream& out, const draw::Point& p);
int operator""_km(unsigned long long v);

template <>
struct std::hash<draw::Point> {
    size_t operator()(const draw::Point& p) const;
};

extern "C" {
int c_api(void);
}
extern "C" int c_one(void) { return 1; }

static void quiet() {}
auto lambda = [](int x) { return x; };
consteval int square(int x) { return x * x; }
