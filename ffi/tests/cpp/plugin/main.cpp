// A plugin times sections, is unloaded, and is loaded again: names and numbers stay, the next load
// begins with call sites of its own.
#include "../../c/check.h"
#include "xtimer.hpp"

#include <dlfcn.h>
#include <thread>

static std::uint64_t count_of(const std::string &name) {
    for (const auto &section : xtimer::sections())
        if (section.path.back() == name) return section.count;
    return 0;
}

int main() {
    for (std::uint64_t load = 1; load <= 20; ++load) {
        void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
        if (!plugin) std::fprintf(stderr, "%s\n", dlerror());
        CHECK(plugin != nullptr);
        const auto work = reinterpret_cast<void (*)()>(dlsym(plugin, "work"));
        CHECK(work != nullptr);
        work();
        std::thread(work).join();
        CHECK(dlclose(plugin) == 0);
        // Really gone: nothing of the header keeps it.
        CHECK(dlopen("./plugin.so", RTLD_NOW | RTLD_NOLOAD) == nullptr);
        CHECK(count_of("plugin") == 2 * load && count_of("by name") == 20 * load);
        CHECK(count_of("inline in a plugin") == 2 * load);
        CHECK(count_of("work") == 2 * load && count_of("counted") == 2 * load);
    }
    CHECK(xtimer::report().find("by name") != std::string::npos);
    return 0;
}
