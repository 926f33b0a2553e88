#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `ascope info --json` of a capture against an independent count of its files.

    recount.py CAPTURE INFO.json        exit status 1 and a line for each difference

Standard library only; nothing of the program's code or tables is used. Only files that the program says it read are counted, each by itself.
"""
import collections, csv, json, os, sqlite3, sys
from urllib.parse import quote

csv.field_size_limit(1 << 30)


def trace(path):
    events = json.load(open(path, encoding="utf-8-sig", errors="replace"))
    events = events["traceEvents"] if isinstance(events, dict) else events
    return collections.Counter(e.get("ph") for e in events)


def rows(path):
    with open(path, newline="", encoding="utf-8-sig", errors="replace") as f:
        return max(sum(1 for row in csv.reader(f) if row) - 1, 0)


def database(path):
    db = sqlite3.connect("file:%s?mode=ro&immutable=1" % quote(path), uri=True)
    tables = {r[0] for r in db.execute("select name from sqlite_master where type='table'")}
    count = lambda t: db.execute("select count(*) from " + t).fetchone()[0] if t in tables else 0
    return sum(count(t) for t in ("TASK", "CANN_API", "PYTORCH_API", "COMMUNICATION_OP", "COMMUNICATION_TASK_INFO", "MSTX_EVENTS"))


def main(root, info):
    info = json.load(open(info, encoding="utf-8"))
    wrong = []
    phases = collections.Counter()
    database_events = 0
    for f in info["accepted"]:
        path = root if os.path.isfile(root) else os.path.join(root, f["path"])
        if f["kind"] == "trace":
            c = trace(path)
            phases.update(c)
            if f["records"] != sum(c.values()):
                wrong.append("%s: %d events, not %d" % (path, sum(c.values()), f["records"]))
        elif path.endswith(".csv"):
            dropped = sum(d["count"] for r in info["ranks"] for t in r["tables"] if t["kind"] == f["kind"] for d in t["dropped"])
            if rows(path) not in range(f["records"], f["records"] + dropped + 1):
                wrong.append("%s: %d rows, not %d" % (path, rows(path), f["records"]))
        elif f["kind"] in ("pytorch_db", "msprof_db", "mindspore_db"):
            database_events += database(path)
    totals = info["totals"]
    said = collections.Counter(totals["events_by_phase"])
    if sum(said.values()) != totals["kept"] + totals["dropped"]:
        wrong.append("%d events are not %d kept + %d dropped" % (sum(said.values()), totals["kept"], totals["dropped"]))
    if phases and phases != said and not database_events:
        wrong.append("events by phase: %s, not %s" % (dict(phases), dict(said)))
    if database_events and not phases and said["X"] < database_events * 0.5:
        wrong.append("%d rows in the event tables, %d events" % (database_events, said["X"]))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]) if len(sys.argv) == 3 else __doc__)
