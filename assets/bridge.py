"""Process 1 of a kernel's container: starts the kernel, carries what it says and prints over its own standard streams.

Standard library only, Python 3.8 and later. What the program prints travels in frames, so that it can't be taken for a
frame; every frame carries a mark that the program is not told, and the program can't reach these streams where the
system allows to forbid it. Before it takes any code it looks whether the container is as closed as it was asked to be.
When its standard input ends, sayso is gone: it ends, and the container with all that is in it. It decides nothing.
"""

import errno
import fcntl
import os
import select
import signal
import socket
import sys
import time

CONTROL_FD, TEXT_FD = 90, 91
PIECE = 65536
FIONREAD = 0x541B
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


# --- frames: length, kind, then each field with its length ---------------------------------------------------------


def _read_exactly(count):
    parts = []
    while count:
        part = os.read(0, min(count, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _receive():
    size = int.from_bytes(_read_exactly(4), "big")
    body = _read_exactly(size)
    fields, at = [], 1
    while at < size:
        end = at + 4 + int.from_bytes(body[at:at + 4], "big")
        fields.append(body[at + 4:end])
        at = end
    return body[:1], fields


def _send(kind, *fields):
    body = [kind]
    for field in (MARK,) + fields:
        body.append(len(field).to_bytes(4, "big"))
        body.append(field)
    body = b"".join(body)
    data = memoryview(len(body).to_bytes(4, "big") + body)
    while data:
        try:
            data = data[os.write(1, data):]
        except BlockingIOError:
            select.select([], [1], [])
        except OSError:
            os._exit(0)


def _number(number):
    return str(number).encode()


# --- what the container is ----------------------------------------------------------------------------------------


def _holes():
    """What the container allows that it should not, in words; None when it is closed."""
    status = {}
    with open("/proc/self/status") as file:
        for line in file:
            name, _, value = line.partition(":")
            status[name] = value.strip()
    if int(status.get("CapEff", "0"), 16) or int(status.get("CapPrm", "0"), 16):
        return "its processes have capabilities"
    if status.get("NoNewPrivs", "1") != "1":
        return "its processes can gain privileges"
    try:
        with open("/proc/net/route") as file:
            if sys.argv[1:] != ["open"] and len(file.readlines()) > 1:
                return "it has a network"
    except OSError:
        pass
    try:
        os.close(os.open("/.sayso", os.O_CREAT | os.O_WRONLY | os.O_EXCL))
        return "its root can be written"
    except OSError:
        pass
    return None


def _close_to_others():
    """Processes of the same user may not look into this one, nor open its standard streams."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    except Exception:
        pass  # the mark on each frame has to suffice


# --- what it uses -------------------------------------------------------------------------------------------------


def _processes():
    """Every process but this one: id, clock ticks used (children that were waited for included), pages resident."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or name == "1":
            continue
        try:
            with open("/proc/%s/stat" % name) as file:
                rest = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if rest[0] not in "ZX":
            found.append((int(name), sum(map(int, rest[11:15])), int(rest[21])))
    return found


def _ticks(processes):
    used = os.times()
    waited_for = int((used.children_user + used.children_system) * TICKS)
    return waited_for + sum(ticks for _, ticks, _ in processes)


def _out_of_memory():
    """How often the system ended a process here because memory ran out."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            with open(path) as file:
                for line in file:
                    if line.startswith("oom_kill "):
                        return int(line.split()[1])
        except (OSError, ValueError):
            pass
    return 0


class _Use:
    def __init__(self):
        processes = _processes()
        self.ticks = _ticks(processes)
        self.peak, self.seen = 0, set()
        self.look(processes)

    def look(self, processes=None):
        processes = _processes() if processes is None else processes
        self.seen.update(pid for pid, _, _ in processes)
        self.peak = max([self.peak] + [pages * PAGE for _, _, pages in processes])
        rss = sum(pages for _, _, pages in processes) * PAGE
        return rss, max(0, _ticks(processes) - self.ticks) * 1000000 // TICKS

    def fields(self):
        _, cpu = self.look()
        return _number(cpu), _number(self.peak), _number(len(self.seen))


# --- the kernel ---------------------------------------------------------------------------------------------------


class _Kernel:
    def __init__(self, text, start, folder):
        self.control, theirs = socket.socketpair()
        out, out_theirs = os.pipe()
        err, err_theirs = os.pipe()
        self.pipes = {out: b"1", err: b"2"}
        text_fd = _file_with(text)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _become_kernel((out_theirs, err_theirs, theirs.fileno(), text_fd), start, folder)
            except BaseException as error:
                os.write(2, ("the kernel could not be started: %s\n" % error).encode())
            os._exit(127)
        for fd in (out_theirs, err_theirs, text_fd):
            os.close(fd)
        theirs.close()
        self.listening = [self.control]
        for fd in self.pipes:
            os.set_blocking(fd, False)
            try:
                fcntl.fcntl(fd, 1031, 256 * 1024)  # F_SETPIPE_SZ
            except OSError:
                pass

    def drain(self):
        """What was printed up to now, and no more: a program that goes on printing does not hold this up."""
        for fd in list(self.pipes):
            try:
                held = int.from_bytes(fcntl.ioctl(fd, FIONREAD, b"\0\0\0\0"), sys.byteorder)
            except OSError:
                held = 0
            while held > 0:
                held -= self.read(fd) or held

    def read(self, fd):
        try:
            data = os.read(fd, PIECE)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            self.pipes.pop(fd, None)
            os.close(fd)
            return 0
        _send(b"O", self.pipes[fd], data)
        return len(data)

    def cut_off(self):
        """It does not listen any more. Mostly it is about to end; one that lives on is of no use."""
        self.listening = []
        signal.signal(signal.SIGALRM, lambda number, frame: self.signal(signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, 0.2)

    def signal(self, number):
        try:
            os.killpg(self.pid, number)
        except OSError:
            pass

    def nudge(self):
        try:
            os.kill(self.pid, signal.SIGURG)
        except OSError:
            pass


def _file_with(text):
    try:
        fd = os.memfd_create("kernel", 0)
    except (AttributeError, OSError):
        fd = os.open("/tmp", os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(fd, text)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _become_kernel(fds, start, folder):
    os.setsid()
    for number in (signal.SIGPIPE, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    # Moved away from the numbers that they will get.
    out, err, control, text = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in fds]
    null = os.open("/dev/null", os.O_RDONLY)
    for fd, number in ((null, 0), (out, 1), (err, 2), (control, CONTROL_FD), (text, TEXT_FD)):
        os.dup2(fd, number, True)
    os.closerange(3, CONTROL_FD)
    os.closerange(TEXT_FD + 1, 1024)
    os.makedirs(os.environ.get("HOME", "/tmp"), exist_ok=True)
    os.chdir(folder)
    python = sys.executable or "python3"
    os.execv(python, [python, "-I", "-c", start, str(CONTROL_FD)])


def _end_strays(kernel):
    """Ends what a block left behind."""
    for _ in range(50):
        strays = [pid for pid, _, _ in _processes() if pid != kernel.pid]
        if not strays:
            return
        for pid in strays:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        _reap(kernel.pid)
        time.sleep(0.002)


def _reap(kernel):
    """Waits for whoever has ended; how the kernel ended, if it did."""
    ended = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        if pid == kernel:
            ended = status


# --- the loop -----------------------------------------------------------------------------------------------------


def _main():
    global MARK
    kind, fields = _receive()
    MARK, text, start, folder = fields
    _close_to_others()
    hole = _holes()
    if hole is not None:
        _send(b"N", hole.encode())
        return
    kills = _out_of_memory()
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    kernel = _Kernel(text, start.decode(), os.fsdecode(folder))
    use = _Use()
    watched, pause, look_at = False, 0.05, 0.0
    # Python notices an interrupt right before a wait only after the wait: another signal without effect ends the wait.
    nudges = []
    _send(b"P")
    while True:
        due = ([look_at] if watched else []) + nudges
        timeout = max(0.0, min(due) - time.monotonic()) if due else None
        ready = select.select([0, wake] + kernel.listening + list(kernel.pipes), [], [], timeout)[0]
        for fd in ready:
            if fd in kernel.pipes:
                kernel.read(fd)
        if kernel.control in ready:
            try:
                data = kernel.control.recv(PIECE)
            except OSError:
                data = b""
            kernel.drain()
            if data:
                _send(b"C", data)
            else:
                kernel.cut_off()
        if wake in ready:
            try:
                os.read(wake, 4096)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EINTR):
                    raise
        ended = _reap(kernel.pid) if wake in ready or kernel.control in ready else None
        if ended is not None:
            kernel.drain()
            code, number = (-1, -os.WTERMSIG(ended)) if os.WIFSIGNALED(ended) else (os.WEXITSTATUS(ended), 0)
            oom = b"1" if _out_of_memory() > kills else b"0"
            _send(b"X", _number(code), _number(-number), oom, *use.fields())
            return
        if 0 in ready:
            kind, fields = _receive()
            if kind == b"C":
                try:
                    kernel.control.sendall(fields[0])
                except OSError:
                    pass  # it is ending, which is reported
            elif kind == b"B":
                use, watched, pause, look_at = _Use(), True, 0.05, time.monotonic() + 0.05
            elif kind == b"I":
                kernel.signal(signal.SIGINT)
                nudges = [time.monotonic() + after for after in (0.04, 0.2, 0.6)]
            elif kind == b"E":
                watched = False
                used = use.fields()
                _end_strays(kernel)
                kernel.drain()
                _send(b"F", *used)
        while nudges and time.monotonic() >= nudges[0]:
            nudges.pop(0)
            kernel.nudge()
        if watched and time.monotonic() >= look_at:
            pause = min(pause * 1.5, 0.5)
            look_at = time.monotonic() + pause
            rss, cpu = use.look()
            _send(b"U", _number(rss), _number(cpu))


_main()
