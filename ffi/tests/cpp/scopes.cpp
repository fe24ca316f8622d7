// Scopes: their ends, exceptions, call sites, readable function names.
#include "../c/check.h"
#include "xtimer.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace {

std::uint64_t count_of(const std::vector<std::string> &path) {
    for (const auto &section : xtimer::sections(false))
        if (section.path == path) return section.count;
    return 0;
}

void throws() {
    XTIMER_SCOPE("throws");
    xtimer::scope inner{"inner"};
    throw std::runtime_error("on purpose");
}

int *anonymous(int (*)(int)) {
    XTIMER_FUNCTION();
    return nullptr;
}

} // namespace

namespace outer {
template <typename T> struct box {
    T get(const std::vector<T> &values) const noexcept {
        XTIMER_FUNCTION("compute");
        return values.front();
    }
    bool operator()(int) {
        XTIMER_FUNCTION();
        return true;
    }
    explicit operator bool() const {
        XTIMER_FUNCTION();
        return true;
    }
    bool operator<(const box &) const {
        XTIMER_FUNCTION();
        return true;
    }
};
template <typename T> std::enable_if_t<(sizeof(T) > 1), T> constrained(T value) {
    XTIMER_FUNCTION();
    return value;
}
} // namespace outer

static bool ends_with_any(const std::string &name, std::initializer_list<const char *> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](const std::string end) {
        return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    });
}

int main() {
    // Two on one line, and one nested in the other.
    { XTIMER_SCOPE("one"); XTIMER_SCOPE("two", "io"); }
    CHECK(count_of({"one", "two"}) == 1);
    CHECK(xtimer::category_total("io") >= xtimer::seconds(0));

    // Whatever the program calls its own names, the macros hide none of them.
    {
        static constexpr const char *text = "named text", *here = "here", *signature = "mine";
        { XTIMER_SCOPE(text, here); }
        { XTIMER_SCOPE(signature); }
        { XTIMER_SCOPE(here); }
        CHECK(count_of({"named text"}) == 1 && count_of({"mine"}) == 1 && count_of({"here"}) == 1);
    }

    // A scope that is the whole body of a loop; a call site is entered many times.
    for (int i = 0; i < 100; ++i) {
        XTIMER_SCOPE("loop");
    }
    CHECK(count_of({"loop"}) == 100);

    // Exceptions record what they leave.
    for (int i = 0; i < 3; ++i) {
        try {
            throws();
        } catch (const std::runtime_error &) {
        }
    }
    CHECK(count_of({"throws"}) == 3 && count_of({"throws", "inner"}) == 3);
    CHECK(xtimer::current_path().is_top());

    // Ended early, once.
    {
        xtimer::scope early{"early"};
        CHECK(early.is_open() && early.stop() && !early.is_open());
        CHECK(early.stop());
        XTIMER_SCOPE("beside");
    }
    CHECK(count_of({"early"}) == 1 && count_of({"beside"}) == 1);
    {
        xtimer::scope left{"left"};
        xtimer::scope open{"open"};
        const auto status = left.stop();
        CHECK(!status && status.code() == XTIMER_STATUS_UNCLOSED);
        CHECK(status.message() == "'left' exited while 'open' was still active.");
    }
    // Another thread cannot end it, and takes nothing from the one that can.
    {
        xtimer::scope ours{"ours"};
        std::thread([&ours] {
            const auto status = ours.stop();
            CHECK(!status && status.code() == XTIMER_STATUS_OTHER_CONTEXT && ours.is_open());
        }).join();
        CHECK(count_of({"ours"}) == 0);
        CHECK(ours.stop() && !ours.is_open());
    }
    CHECK(count_of({"ours"}) == 1);

    // Counted, beneath, by string.
    std::size_t index = 3;
    { xtimer::scope step{xtimer::counted{"step", index}, "compute"}; }
    CHECK(count_of({"step[3]"}) == 1);
    xtimer::path here;
    {
        XTIMER_SCOPE("parent");
        here = xtimer::current_path();
    }
    std::thread([here] {
        xtimer::scope worker{xtimer::beneath{here}, xtimer::counted{std::string("worker"), -2}};
        XTIMER_SCOPE("inside");
    }).join();
    CHECK(count_of({"parent", "worker[-2]", "inside"}) == 1);
    { xtimer::scope named{std::string("a ") + "string", "x"}; }
    CHECK(count_of({"a string"}) == 1);

    // Functions by their qualified names.
    anonymous(nullptr);
    outer::box<int> box;
    box.get({1});
    box(1);
    CHECK(bool(box) && box < box);
    outer::constrained(1);
    [](int) { XTIMER_FUNCTION(); }(1);
    CHECK(count_of({"outer::constrained"}) == 1);
    int found = 0;
    for (const auto &section : xtimer::sections()) {
        const std::string &name = section.path.back();
        CHECK(name.find(" [with") == std::string::npos && name.find("std::") == std::string::npos);
        found += ends_with_any(name, {"::anonymous", "box<T>::get", "box<int>::get",
                                      "::operator()", "::operator bool", "::operator<",
                                      "main::<lambda>"});
        if (ends_with_any(name, {"::get"})) CHECK(section.category == "compute");
    }
    // A compiler may call a lambda by the operator of its class.
    CHECK(found == 6);
    return 0;
}
