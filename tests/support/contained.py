"""The exporter as its container has it: `python contained.py STATE serve ...` runs as user 65532, without any capability, and
can write nothing but the folder STATE.
"""

import os
import sys

USER = 65532
NOBODY = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--bounding-set=-all", "--no-new-privs"]
READ_ONLY = """
mount --make-rprivate / && mount --bind "$0" "$0" || exit 99
for at in $(findmnt --noheadings --raw --output TARGET | sort --unique); do
  [ "$at" = "$0" ] || mount -o remount,bind,ro "$(printf %b "$at")"
done
exec "$@"
"""

if __name__ == "__main__":
    state, *arguments = sys.argv[1:]
    exporter = [sys.executable, "-m", "sglang_exporter", *arguments]
    os.execvp("unshare", ["unshare", "--mount", "sh", "-c", READ_ONLY, state, *NOBODY, *exporter])  # noqa: S606
