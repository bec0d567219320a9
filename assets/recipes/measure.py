# How long does it take? Several runs, each in a fresh process; the first one only warms up and is not counted.
def _measure(folder, command, before, seconds):
    import os, signal, statistics, subprocess, time

    end = time.monotonic() + seconds
    times = []
    for number in range(8):
        left = end - time.monotonic()
        if left < 0.5 or (len(times) >= 3 and left < 2 * max(times)):
            break
        begin = time.perf_counter()
        run = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            _, errors = run.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            print(f"=> too slow: {left:.0f} seconds were not enough for run {number + 1}")
            return
        finally:
            try:
                os.killpg(run.pid, signal.SIGKILL)
            except OSError:
                pass
            run.wait()
        if run.returncode != 0:
            # Indented: what it printed is never a line that says what was measured.
            for line in errors.decode("utf-8", "replace")[-2000:].splitlines():
                print("    " + line)
            print(f"=> failed: exit {run.returncode}")
            return
        if number > 0:
            times.append(time.perf_counter() - begin)
            print(f"run {number}: {times[-1]:.4f} s", flush=True)
    if len(times) < 3:
        print("=> too slow: fewer than three runs fitted into the time")
        return

    def told(all):
        return f"median {statistics.median(all):.4f} s, from {min(all):.4f} to {max(all):.4f} s, {len(all)} runs"

    if before:
        print(f"before: {told(before)}")
        print(f"after: {told(times)}")
    else:
        print(told(times))
    print("=> seconds: " + " ".join(f"{time:.6f}" for time in times))


