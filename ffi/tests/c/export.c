/* Reports and JSON: the buffer's contract, descriptors, files. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *text = malloc(1 << 20);
    CHECK(file != NULL && text != NULL);
    *size = fread(text, 1, (1 << 20) - 1, file);
    text[*size] = 0;
    fclose(file);
    return text;
}

static void check_buffer(xtimer_status_t (*export)(char *, size_t, size_t *)) {
    size_t needed = 0, again = 0, i;
    char *buffer;
    CHECK_STATUS(export(NULL, 0, &needed), XTIMER_STATUS_TOO_SMALL);
    buffer = malloc(needed + 8);
    CHECK(buffer != NULL && needed > 20);
    memset(buffer, '#', needed + 8);
    CHECK_STATUS(export(buffer, needed - 1, &again), XTIMER_STATUS_TOO_SMALL);
    CHECK(again == needed);
    for (i = 0; i < needed + 8; ++i) CHECK(buffer[i] == '#');
    again = 0;
    CHECK_OK(export(buffer, needed, &again));
    CHECK(again == needed && strlen(buffer) == needed - 1);
    for (i = needed; i < needed + 8; ++i) CHECK(buffer[i] == '#');
    free(buffer);
}

static unsigned mode_of(const char *path) {
    struct stat found;
    CHECK(lstat(path, &found) == 0);
    return (unsigned)found.st_mode;
}

/* What is there already keeps its kind and permissions. */
static void check_targets(void) {
    char name[256], part[100];
    unsigned i;
    FILE *file;
    int reader;

    CHECK_OK(xtimer_save_json("private.json", NULL));
    CHECK(chmod("private.json", 0600) == 0 && symlink("private.json", "link.json") == 0);
    CHECK_OK(xtimer_save_json("link.json", NULL));
    CHECK(S_ISLNK(mode_of("link.json")) && (mode_of("private.json") & 0777) == 0600);
    CHECK(chmod("private.json", 0400) == 0);
    CHECK_STATUS(xtimer_save_json("link.json", NULL),
                 geteuid() == 0 ? XTIMER_STATUS_OK : XTIMER_STATUS_IO);
    CHECK((mode_of("private.json") & 0777) == 0400);
    CHECK(remove("link.json") == 0 && remove("private.json") == 0);

    CHECK(mkfifo("fifo", 0600) == 0);
    CHECK_STATUS(xtimer_save_json("fifo", NULL), XTIMER_STATUS_IO); /* nobody reads */
    reader = open("fifo", O_RDONLY | O_NONBLOCK);
    CHECK(reader >= 0);
    CHECK_OK(xtimer_save_json("fifo", NULL));
    CHECK(read(reader, name, 1) == 1 && name[0] == '{' && S_ISFIFO(mode_of("fifo")));
    close(reader);
    CHECK(remove("fifo") == 0);
    CHECK_OK(xtimer_save_json("/dev/null", NULL));
    CHECK(S_ISCHR(mode_of("/dev/null")));

    /* Left behind by a process of the same number; a name as long as they get. */
    for (i = 0; i < 64; ++i) {
        snprintf(part, sizeof part, "stale.json.%ld-%u.part", (long)getpid(), i);
        file = fopen(part, "w");
        CHECK(file != NULL && fclose(file) == 0);
    }
    CHECK_OK(xtimer_save_json("stale.json", NULL));
    for (i = 0; i < 64; ++i) {
        snprintf(part, sizeof part, "stale.json.%ld-%u.part", (long)getpid(), i);
        CHECK(remove(part) == 0);
    }
    memset(name, 'n', 255);
    name[255] = 0;
    CHECK_OK(xtimer_save_json(name, NULL));
    CHECK(remove("stale.json") == 0 && remove(name) == 0);
}

/* Cancelled before it writes: the writes are whole, and the thread ends after them. */
static void *write_cancelled(void *data) {
    pthread_cancel(pthread_self());
    CHECK_OK(xtimer_json_fd(*(const int *)data));
    CHECK_OK(xtimer_save_json("cancelled.json", NULL));
    pthread_testcancel();
    return NULL;
}

int main(void) {
    xtimer_config_t config = check_config();
    xtimer_export_options_t options = {false, 2};
    char text[8192];
    size_t needed = 0, size = 0;
    char *file;
    int fd, ends[2];
    struct dirent *entry;
    DIR *folder;
    pthread_t thread;
    void *result;

    CHECK_OK(xtimer_configure(&config));
    CHECK_OK(xtimer_report(text, sizeof text, &needed));
    CHECK(needed == 1 && text[0] == 0);

    CHECK_OK(xtimer_record_ns("load \"quoted\"\n", "io", 1500000));
    CHECK_OK(xtimer_end(xtimer_begin_counted("step", 1, NULL)));
    CHECK_OK(xtimer_end(xtimer_begin_counted("step", 2, NULL)));
    check_buffer(xtimer_report);
    check_buffer(xtimer_export_json);

    CHECK_OK(xtimer_report(text, sizeof text, NULL));
    CHECK(strstr(text, "1.500 ms") != NULL && strstr(text, "step[1]") == NULL);
    CHECK_OK(xtimer_report_with(&options, text, sizeof text, NULL));
    CHECK(strstr(text, "step[1]") != NULL);
    CHECK_OK(xtimer_export_json(text, sizeof text, NULL));
    CHECK(strchr(text, '\n') == NULL && strstr(text, "load \\\"quoted\\\"\\n") != NULL);
    CHECK(strstr(text, "step[1]") == NULL);
    CHECK_OK(xtimer_export_json_with(&options, text, sizeof text, &needed));
    CHECK(strstr(text, "\n  \"sections\"") != NULL && strstr(text, "step[1]") != NULL);

    /* Saved: whole, ended by a newline, nothing left beside it, an older one replaced. */
    CHECK_OK(xtimer_save_json("saved.json", &options));
    file = read_file("saved.json", &size);
    CHECK(size == needed && file[size - 1] == '\n');
    CHECK(memcmp(file, text, needed - 1) == 0);
    free(file);
    CHECK_OK(xtimer_save_json("saved.json", NULL));
    file = read_file("saved.json", &size);
    CHECK(size < needed && file[size - 1] == '\n');
    free(file);
    CHECK_STATUS(xtimer_save_json(".", NULL), XTIMER_STATUS_IO); /* a folder stays a folder */
    folder = opendir(".");
    CHECK(folder != NULL);
    while ((entry = readdir(folder)) != NULL) CHECK(strstr(entry->d_name, ".part") == NULL);
    closedir(folder);

    /* A descriptor gets the same, and a newline. */
    fd = open("fd.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(fd >= 0);
    errno = 5;
    CHECK_OK(xtimer_report_fd(fd));
    CHECK_OK(xtimer_json_fd(fd));
    CHECK(errno == 5);
    close(fd);
    file = read_file("fd.txt", &size);
    CHECK_OK(xtimer_report(text, sizeof text, &needed));
    CHECK(strncmp(file, text, needed - 1) == 0 && file[needed - 1] == '\n');
    CHECK(file[needed] == '{' && file[size - 2] == '}' && file[size - 1] == '\n');
    free(file);
    fd = open("fd.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(fd >= 0);
    CHECK_OK(xtimer_json_fd_with(&options, fd));
    CHECK_OK(xtimer_report_fd_with(&options, fd));
    close(fd);
    file = read_file("fd.txt", &size);
    CHECK_OK(xtimer_export_json_with(&options, text, sizeof text, &needed));
    CHECK(strncmp(file, text, needed - 1) == 0 && file[needed - 1] == '\n');
    CHECK(strstr(file + needed, "step[2]") != NULL);
    free(file);

    check_targets();
    fd = open("/dev/null", O_WRONLY);
    CHECK(fd >= 0 && pthread_create(&thread, NULL, write_cancelled, &fd) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(remove("cancelled.json") == 0);
    close(fd);

    /* A descriptor that takes nothing. */
    CHECK(pipe(ends) == 0);
    close(ends[1]);
    CHECK_STATUS(xtimer_json_fd(ends[0]), XTIMER_STATUS_IO);
    CHECK_ERROR("descriptor");
    close(ends[0]);
    CHECK(remove("saved.json") == 0 && remove("fd.txt") == 0);
    return 0;
}
