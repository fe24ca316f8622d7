// XTIMER_REPORT: the report is there after an uncaught exception, SIGTERM, and exit, and counts what was
// open; the process ends as it would have.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <xtimer.hpp>

#include "../c/check.h"

namespace {

const char *const path = "report.json";

void step(int how) {
    XTIMER_SCOPE("step", "compute");
    { XTIMER_SCOPE("load", "io"); }
    if (how == 0) throw std::runtime_error("on purpose");
    if (how == 1) std::raise(SIGTERM);
    if (how == 2) std::exit(3);
}

// How a child ends that times for the first time, so that it reads the environment.
int ended(int how) {
    std::remove(path);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        // What terminate says of the exception is no part of this test's output.
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(99);
        step(how);
        _exit(98);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

std::string report() {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Of the first section.
bool is_open(const std::string &json) {
    const std::size_t open = json.find("\"open\": ");
    CHECK(open != std::string::npos && json.find("\"load\"") != std::string::npos);
    return json.compare(open, 9, "\"open\": 1") == 0;
}

} // namespace

int main() {
    CHECK(setenv("XTIMER_REPORT", path, 1) == 0);
    int status = ended(0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK(is_open(report()));
    status = ended(1);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    CHECK(is_open(report()));
    status = ended(2);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    CHECK(!report().empty());
    return 0;
}
