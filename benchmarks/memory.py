"""Memory of processes that run SavedModels, next to TensorFlow's.

    python benchmarks/memory.py ./troupe MODEL...

A model is loaded and its first signature run for some seconds on inputs of zeros. Printed
are the weights, as the checkpoint's variables take them once, and the most memory that each
process had resident, in MB of 10^6 bytes; in brackets what of it is the process's own, not
pages of files, which other processes share. Of TensorFlow's process the memory before the
model is loaded, of Python and its libraries, is left out.
"""

import os
import subprocess
import sys
import time

OF_TENSORFLOW = """
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np, tensorflow as tf

def memory():
    fields = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    return [int(fields[k].split()[0]) * 1024 for k in ("VmHWM", "RssAnon")]

before = memory()
model = tf.saved_model.load(sys.argv[1])
f = model.signatures["serving_default"] if "serving_default" in model.signatures else next(iter(model.signatures.values()))
inputs = {k: np.zeros([d or 1 for d in s.shape], s.dtype.as_numpy_dtype) for k, s in f.structured_input_signature[1].items()}
weights = {v.path if hasattr(v, "path") else id(v): v for v in f.variables}
size = sum(int(np.prod(v.shape)) * v.dtype.size for v in weights.values())
for _ in range(20):
    f(**{k: tf.constant(x) for k, x in inputs.items()})
after = memory()
print(size, after[0] - before[0], after[1] - before[1])
"""


def own(command):
    """Runs a command and returns the most memory resident, and of its own, that it had."""
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = anonymous = 0
    while p.poll() is None:
        try:
            with open(f"/proc/{p.pid}/status") as f:
                fields = dict(line.split(":", 1) for line in f if ":" in line)
            peak = max(peak, int(fields["VmHWM"].split()[0]) * 1024)
            anonymous = max(anonymous, int(fields["RssAnon"].split()[0]) * 1024)
        except (OSError, KeyError):
            pass
        time.sleep(0.005)
    if p.returncode != 0:
        sys.exit(p.stderr.read().decode())
    return peak, anonymous


def main():
    troupe, models = sys.argv[1], sys.argv[2:]
    for model in models:
        line = subprocess.run([sys.executable, "-c", OF_TENSORFLOW, model], capture_output=True, text=True)
        if line.returncode != 0:
            sys.exit(line.stderr)
        size, peak, anonymous = (int(x) for x in line.stdout.split()[-3:])
        row = [f"weights {size / 1e6:.0f}", f"tensorflow {peak / 1e6:.0f} ({anonymous / 1e6:.0f})"]
        for flags in [], ["--map-files"]:
            peak, anonymous = own([troupe, "bench", model, *flags])
            row.append(f"troupe {' '.join(flags)} {peak / 1e6:.0f} ({anonymous / 1e6:.0f})")
        print(os.path.basename(model.rstrip("/")), "; ".join(row), flush=True)


if __name__ == "__main__":
    main()
