/* base/outfile: a file gets its name when it is whole; until then the old one stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/outfile.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/weir-outfile-XXXXXX";

static char *at(const char *name)
{
    static char path[4][PATH_MAX];
    static int i;
    i = (i + 1) % 4;
    snprintf(path[i], PATH_MAX, "%s/%s", folder, name);
    return path[i];
}

static void assert_text(const char *path, const char *want)
{
    char text[64] = {0};
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, sizeof text - 1, f), strlen(want));
    fclose(f);
    assert_string_equal(text, want);
}

static int n_files(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    for (struct dirent *f; (f = readdir(d));)
        unlinkat(dirfd(d), f->d_name, 0);
    closedir(d);
    return rmdir(folder);
}

static void name_appears_at_commit(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(outfile_write(at("a"), "old", 3, &e), 0);
    struct outfile *o = outfile_open(at("a"), &e);
    fputs("new text", outfile_stream(o));
    fflush(outfile_stream(o));
    assert_text(at("a"), "old");
    assert_int_equal(outfile_commit(o, &e), 0);
    assert_text(at("a"), "new text");
    assert_int_equal(n_files(), 1);
}

static void abandoned_file_leaves_the_old_one(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(outfile_write(at("a"), "old", 3, &e), 0);
    struct outfile *o = outfile_open(at("a"), &e);
    assert_int_equal(write(outfile_fd(o), "new", 3), 3);
    outfile_abandon(o);
    assert_text(at("a"), "old");
    o = outfile_open(at("b"), &e);
    outfile_abandon(o);
    assert_int_equal(outfile_check(at("b"), &e), 0);
    assert_int_equal(n_files(), 1);
}

/* A file-size limit stands for a full disk; the process that meets it must not be this one. */
static void full_disk_leaves_the_old_one(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(outfile_write(at("a"), "old", 3, &e), 0);
    pid_t pid = fork();
    if (!pid) {
        static char big[100000];
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){50000, 50000});
        _exit(outfile_write(at("a"), big, sizeof big, &e) == -1 && strstr(e.msg, "cannot write") ? 7 : 0);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_text(at("a"), "old");
    assert_int_equal(n_files(), 1);
}

static void mode_of_the_old_file_stays(void **state)
{
    (void)state;
    struct err e;
    struct stat st;
    assert_int_equal(outfile_write(at("a"), "old", 3, &e), 0);
    chmod(at("a"), 0640);
    assert_int_equal(outfile_write(at("a"), "new", 3, &e), 0);
    stat(at("a"), &st);
    assert_int_equal(st.st_mode & 07777, 0640);
}

static void link_is_followed(void **state)
{
    (void)state;
    struct err e;
    struct stat st;
    assert_int_equal(outfile_write(at("a"), "old", 3, &e), 0);
    assert_int_equal(symlink("a", at("l")), 0);
    assert_int_equal(outfile_write(at("l"), "new", 3, &e), 0);
    lstat(at("l"), &st);
    assert_true(S_ISLNK(st.st_mode));
    assert_text(at("a"), "new");
    assert_int_equal(symlink("nowhere", at("d")), 0);
    assert_null(outfile_open(at("d"), &e));
    assert_non_null(strstr(e.msg, "dangling symbolic link"));
}

static void device_is_written_in_place(void **state)
{
    (void)state;
    struct err e;
    struct stat st;
    assert_int_equal(outfile_write("/dev/null", "x", 1, &e), 0);
    stat("/dev/null", &st);
    assert_true(S_ISCHR(st.st_mode));
    if (!access("/dev/full", W_OK)) {
        assert_int_equal(outfile_write("/dev/full", "x", 1, &e), -1);
        assert_non_null(strstr(e.msg, "cannot write: No space"));
    }
}

static void impossible_names_are_refused(void **state)
{
    (void)state;
    struct err e;
    const char *bad[] = {"", folder, "/nonexistent/x.json", "/tmp/"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(outfile_open(bad[i], &e));
        assert_true(*e.msg);
    }
}

/* The name is resolved when the file is opened. */
static void change_of_folder_does_not_matter(void **state)
{
    (void)state;
    struct err e;
    char old[PATH_MAX];
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(chdir(folder), 0);
    struct outfile *o = outfile_open("a", &e);
    assert_int_equal(chdir("/"), 0);
    fputs("here", outfile_stream(o));
    assert_int_equal(outfile_commit(o, &e), 0);
    assert_text(at("a"), "here");
    assert_int_equal(chdir(old), 0);
}

int main(void)
{
#define IN_FOLDER(t) cmocka_unit_test_setup_teardown(t, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(name_appears_at_commit),
        IN_FOLDER(abandoned_file_leaves_the_old_one),
        IN_FOLDER(full_disk_leaves_the_old_one),
        IN_FOLDER(mode_of_the_old_file_stays),
        IN_FOLDER(link_is_followed),
        IN_FOLDER(device_is_written_in_place),
        IN_FOLDER(impossible_names_are_refused),
        IN_FOLDER(change_of_folder_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
