/* Sections by string: recognised by content, whatever their address. */
#include "check.h"

enum { ROUNDS = 5 };

static uint64_t count_of(const char *name) {
    const char *path[1];
    xtimer_section_info_t info;
    path[0] = name;
    CHECK_OK(xtimer_section_info(path, 1, false, &info));
    return info.count;
}

int main(void) {
    char name[200], category[200], text[200];
    xtimer_section_info_t info;
    const char *path[1];
    int i, round;

    /* One address, many contents: more than are remembered, of every length across the limits. */
    for (round = 0; round < ROUNDS; ++round)
        for (i = 1; i < 150; ++i) {
            memset(name, 'a' + i % 26, (size_t)i);
            name[i] = 0;
            memset(category, 'c', (size_t)(i % 60));
            category[i % 60] = 0;
            CHECK_OK(xtimer_end(xtimer_begin(name, category)));
            CHECK_OK(xtimer_end(xtimer_begin(name, category)));
        }
    for (i = 1; i < 150; ++i) {
        memset(name, 'a' + i % 26, (size_t)i);
        name[i] = 0;
        CHECK(count_of(name) == 2 * ROUNDS);
        path[0] = name;
        CHECK_OK(xtimer_section_info(path, 1, false, &info));
        CHECK(strlen(info.category) == (size_t)(i % 60));
    }

    /* A prefix, and what a prefix is of, at the address of the other. */
    CHECK_OK(xtimer_clear());
    strcpy(text, "prefixes");
    CHECK_OK(xtimer_end(xtimer_begin(text, NULL)));
    CHECK_OK(xtimer_end(xtimer_begin(text, NULL)));
    text[6] = 0;
    CHECK_OK(xtimer_end(xtimer_begin(text, NULL)));
    strcpy(text, "prefixes and more");
    CHECK_OK(xtimer_end(xtimer_begin(text, NULL)));
    CHECK(count_of("prefixes") == 2 && count_of("prefix") == 1);
    CHECK(count_of("prefixes and more") == 1);

    /* The same name and another category: the latest stands. */
    strcpy(category, "first");
    CHECK_OK(xtimer_end(xtimer_begin("n", category)));
    CHECK_OK(xtimer_end(xtimer_begin("n", category)));
    strcpy(category, "other");
    CHECK_OK(xtimer_end(xtimer_begin("n", category)));
    path[0] = "n";
    CHECK_OK(xtimer_section_info(path, 1, false, &info));
    CHECK(info.count == 3 && strcmp(info.category, "other") == 0);

    /* A remembered address whose text turned bad. */
    strcpy(text, "good");
    CHECK_OK(xtimer_end(xtimer_begin(text, NULL)));
    CHECK_OK(xtimer_end(xtimer_begin(text, NULL)));
    text[1] = '\xff';
    CHECK(xtimer_begin(text, NULL) == 0);
    CHECK_ERROR("g\\xffod");

    /* The empty name is a name, and one call may be remembered under several parents. */
    for (i = 0; i < 6; ++i) {
        xtimer_token_t outer = xtimer_begin(i % 3 == 0 ? "p" : i % 3 == 1 ? "q" : "r", NULL);
        CHECK_OK(xtimer_end(xtimer_begin("", "")));
        CHECK_OK(xtimer_end(outer));
    }
    for (i = 0; i < 3; ++i) {
        const char *nested[] = {"p", ""};
        nested[0] = i == 0 ? "p" : i == 1 ? "q" : "r";
        CHECK_OK(xtimer_section_info(nested, 2, false, &info));
        CHECK(info.count == 2);
    }
    return 0;
}
