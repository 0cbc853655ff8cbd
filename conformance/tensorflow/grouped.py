"""Groups by operation and cause what `troupe conformance` says of rows of nodes.json.

    troupe conformance --json nodes | python grouped.py nodes/nodes.json [--examples 1] [--width 300]

A group is an operation and a detail with its numbers left out; the largest come
first, each with the rows of its first cases.
"""
import argparse
import collections
import json
import re
import sys


def cause(detail):
    detail = re.sub(r"\[node .*", "", detail.split("\n")[0])
    detail = re.sub(r"\(off by .*?\)|; \d+ of \d+ elements differ", "", detail)
    return re.sub(r"[-+]?(\d[\d.e+-]*|nan|inf)j?", "0", re.sub(r"\[[\d ,?-]*\]|(?i:dt_|\b)(float|double|half|bfloat16|u?int\d+|complex\d+)\b", "0", detail))[:150]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("rows")
    p.add_argument("--examples", type=int, default=1)
    p.add_argument("--width", type=int, default=300)
    args = p.parse_args()
    rows, groups, ops = json.load(open(args.rows)), collections.defaultdict(list), set()
    for line in sys.stdin:
        if not line.startswith("{"):
            continue
        r = json.loads(line)
        if r["verdict"] != "passed":
            row = rows[int(r["case"].rsplit("/", 1)[1])]
            groups[row["op"], r["verdict"], cause(r["detail"])].append((r, row))
            ops.add(row["op"])
    for (op, verdict, _), cases in sorted(groups.items(), key=lambda g: (g[0][0], -len(g[1]))):
        print(f"{len(cases)} {verdict} {op}")
        for r, row in cases[:args.examples]:
            print("   ", r["detail"].split("\n")[0][:args.width])
            print("   ", r["case"], json.dumps(row.get("attrs")), "known" if row.get("known") else "")
            for i in row["inputs"]:
                v = i.get("variable") or i.get("list") or i
                print("       ", i["dtype"].removeprefix("DT_"), v["shape"], (v["value"] or "")[:args.width])
    print(f"{sum(map(len, groups.values()))} of {len(rows)} cases of {len(ops)} operations, {len(groups)} causes")


if __name__ == "__main__":
    main()
