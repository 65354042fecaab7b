"""The bench's questions for python-dateutil: rrulestr(rule, dtstart=…).between or .after. Lines as for libical.c."""
import sys
import time
from datetime import datetime, timedelta

from dateutil.rrule import rrulestr


def query(rule, start, now, window):
    rules = rrulestr(rule, dtstart=start)
    if window:
        return len(rules.between(now, now + timedelta(seconds=window), inc=True))
    return rules.after(now, inc=True) is not None


for line in sys.stdin:
    name, years, start, now, rule, window = line.rstrip("\n").split("\t")
    if "RSCALE" in rule:
        continue
    start, now = (datetime.strptime(text, "%Y%m%dT%H%M%S") for text in (start, now))
    times, rounds = [], 1
    while len(times) < 5:
        begin = time.perf_counter()
        for _ in range(rounds):
            assert query(rule, start, now, int(window))
        elapsed = time.perf_counter() - begin
        if elapsed < 0.02:
            rounds *= 2
        else:
            times.append(elapsed * 1e6 / rounds)
    print(name, years, "dateutil", sorted(times)[2], sep="\t")
