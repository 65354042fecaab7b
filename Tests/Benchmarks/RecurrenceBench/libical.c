/* The bench's questions for libical: icalrecurrencetype_from_string, icalrecur_iterator_new, …_set_start, …_next.
 * A line is: name, years, start, rule, seconds of the window (0: the next occurrence). libical refuses set_start where
 * COUNT is given; there the plain iteration from the start is measured. */
#include <libical/ical.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static int query(const char *rule, const char *start_text, const char *now_text, int window)
{
    struct icalrecurrencetype recurrence = icalrecurrencetype_from_string(rule);
    struct icaltimetype start = icaltime_from_string(start_text);
    struct icaltimetype now = icaltime_from_string(now_text);
    struct icaltimetype end = icaltime_from_string(now_text);
    icaltime_adjust(&end, 0, 0, 0, window);
    icalrecur_iterator *iterator = icalrecur_iterator_new(recurrence, start);
    icalrecur_iterator_set_start(iterator, now);
    int found = 0;
    for (;;) {
        struct icaltimetype next = icalrecur_iterator_next(iterator);
        if (icaltime_is_null_time(next) || (window && icaltime_compare(next, end) >= 0)) break;
        if (icaltime_compare(next, now) < 0) continue;
        found++;
        if (!window) break;
    }
    icalrecur_iterator_free(iterator);
    return found;
}

static int ascending(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

int main(void)
{
    char line[512], name[16], start[32], now[32], rule[256];
    int years, window;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%15[^\t]\t%d\t%31[^\t]\t%31[^\t]\t%255[^\t]\t%d", name, &years, start, now, rule, &window) != 6) return 65;
        double times[5];
        for (int batch = 0, rounds = 1; batch < 5;) {
            int found = 0;
            double begin = seconds();
            for (int round = 0; round < rounds; round++) found += query(rule, start, now, window);
            double elapsed = seconds() - begin;
            if (found < rounds) { fprintf(stderr, "libical finds nothing: %s", line); return 1; }
            if (elapsed < 0.02 && rounds < 1 << 22) rounds *= 2;
            else times[batch++] = elapsed * 1e6 / rounds;
        }
        qsort(times, 5, sizeof *times, ascending);
        printf("%s\t%d\tlibical\t%f\n", name, years, times[2]);
    }
    return 0;
}
