/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays a fuzz target's corpus in every build, with any compiler: the empty
 * input, then every file of the folders that are given as arguments. What a
 * fuzzer once found stays found. A fault ends the program, as in the fuzzer.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input gets a block of exactly its size, so that a sanitizer sees the
 * first byte read behind it. */
static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data;
    long size;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0 ||
        (size = ftell(file)) < 0) {
        fprintf(stderr, "cannot read %s\n", path);
        return EXIT_FAILURE;
    }
    rewind(file);
    data = malloc(size > 0 ? (size_t)size : 1);
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "cannot read %s\n", path);
        return EXIT_FAILURE;
    }
    fclose(file);
    (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return EXIT_SUCCESS;
}

static int replay_folder(const char *folder, int *count)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int r = EXIT_SUCCESS;

    if (dir == NULL) {
        fprintf(stderr, "cannot read %s\n", folder);
        return EXIT_FAILURE;
    }
    while (r == EXIT_SUCCESS && (entry = readdir(dir)) != NULL) {
        char path[4096];

        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        r = replay_file(path);
        (*count)++;
    }
    closedir(dir);
    return r;
}

int main(int argc, char **argv)
{
    static const uint8_t nothing[1] = { 0 };
    int count = 0;
    int r = EXIT_SUCCESS;
    int i;

    (void)LLVMFuzzerTestOneInput(nothing, 0);
    for (i = 1; i < argc && r == EXIT_SUCCESS; i++) {
        r = replay_folder(argv[i], &count);
    }
    printf("%d inputs replayed\n", count);
    return r == EXIT_SUCCESS && count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
