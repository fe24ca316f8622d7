/* The shared library has a name of its own, which a program linked by a path to it asks for. */
#define _GNU_SOURCE
#include "check.h"

#ifdef __linux__
#include <dlfcn.h>
#include <link.h>

static int names(struct dl_phdr_info *info, size_t size, void *count) {
    const char *end = strrchr(info->dlpi_name, '/');
    const char *strings = NULL;
    const ElfW(Dyn) *entry;
    ElfW(Xword) name = 0;
    struct link_map *map;
    void *library;
    (void)size;
    if (end == NULL || strcmp(end, "/libxtimer.so") != 0) return 0;
    library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    CHECK(library != NULL && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0);
    for (entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) strings = (const char *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_SONAME) name = entry->d_un.d_val;
    }
    CHECK(name != 0 && strings != NULL);
    CHECK(strcmp(strings + name, "libxtimer.so") == 0);
    ++*(int *)count;
    dlclose(library);
    return 0;
}
#endif

int main(void) {
    int count = 0;
    CHECK(xtimer_version()[0] != 0);
#ifdef __linux__
    dl_iterate_phdr(names, &count);
#endif
    CHECK(count <= 1); /* none where it is linked statically */
    return 0;
}
