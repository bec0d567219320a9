# Which change to the file breaks the net? Tried out in copies of the folder; nothing in the folder itself is changed.
# Every change is left out once, then every change is tried alone, and the net runs on each.
def _which_hunk(folder, file, net, hunks, seconds):
    import os, shutil, signal, subprocess, tempfile, time

    skipped = {".git", ".hg", "node_modules", "target", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache"}
    linked = ("node_modules", ".venv", "venv")
    end = time.monotonic() + seconds
    with open(os.path.join(folder, file), encoding="utf-8", newline="") as source:
        *whole, last = source.read().split("\n")
    now = [line + "\n" for line in whole] + ([last] if last else [])

    def size():
        files = total = 0
        for place, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if name not in skipped]
            for name in names:
                files += 1
                total += os.lstat(os.path.join(place, name)).st_size
                if files > 20_000 or total > 256 << 20:
                    return False
        return True

    def text(undone):
        lines = list(now)
        for number in sorted(undone, reverse=True):
            start, stop, old = hunks[number]
            lines[start:stop] = old
        return "".join(lines)

    def holds(undone):
        """Whether the net holds without these changes; None when the time is up."""
        left = end - time.monotonic()
        if left < 1:
            return None
        with tempfile.TemporaryDirectory(prefix="sayso-hunks-", ignore_cleanup_errors=True) as place:
            copy = os.path.join(place, "copy")
            shutil.copytree(folder, copy, symlinks=True, ignore=lambda _, names: skipped.intersection(names))
            for name in linked:
                if os.path.isdir(os.path.join(folder, name)):
                    os.symlink(os.path.join(folder, name), os.path.join(copy, name))
            changed = os.path.join(copy, file)
            os.unlink(changed)  # it may be a link to the file itself
            with open(changed, "w", encoding="utf-8", newline="") as target:
                target.write(text(undone))
            shutil.copymode(os.path.join(folder, file), changed)
            settings = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", CARGO_TARGET_DIR=os.path.join(place, "target"))
            net_run = subprocess.Popen(
                ["bash", "-c", net], cwd=copy, env=settings, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )
            try:
                return net_run.wait(timeout=max(1, end - time.monotonic())) == 0
            except subprocess.TimeoutExpired:
                return None
            finally:
                try:
                    os.killpg(net_run.pid, signal.SIGKILL)
                except OSError:
                    pass
                net_run.wait()

    def called(number):
        start, stop, old = hunks[number]
        lines = f"line {start + 1}" if stop <= start + 1 else f"lines {start + 1}-{stop}"
        return f"hunk {number + 1} of {len(hunks)} ({lines})"

    word = {True: "holds", False: "breaks", None: "was not tried, the time is up"}
    everything = range(len(hunks))
    if not size():
        print("=> this folder is too large to be copied: which hunk it is can't be told")
        return
    before = holds(everything)
    print(f"without all hunks the net {word[before]}", flush=True)
    if not before:
        print("=> in a copy of this folder the net does not hold even without the change: which hunk it is can't be told")
        return
    without, alone = {}, {}
    for number in everything:
        without[number] = holds([number])
        print(f"{called(number)}: without it the net {word[without[number]]}", flush=True)
    for number in everything:
        alone[number] = holds([other for other in everything if other != number])
        print(f"{called(number)}: with it alone the net {word[alone[number]]}", flush=True)
    cause = [number for number in everything if without[number]]
    suspects = [number for number in everything if alone[number] is False]
    for number in cause or suspects:
        print(f"=> {called(number)} breaks the net{'' if cause else ' when it is there alone'}")
    if not cause and not suspects:
        print("=> no hunk breaks the net by itself: they do it together")


