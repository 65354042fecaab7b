"""Random bytes and mutated requests over sockets: fuzz.py PORT PID SECONDS TOKEN

Fails when the server dies, no longer answers, answers 500, or grows without end. The seed is printed.
"""

import collections
import os
import random
import select
import socket
import sys
import time

port, pid, seconds, token = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
seed = int(os.environ.get("FUZZ_SEED", "1"))
chance = random.Random(seed)

DEVICE = "11111111-1111-4111-8111-111111111111"


def request(method, path, headers, body=b""):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def corpus():
    user = [f"Authorization: Bearer {token}", "Content-Type: application/json"]
    for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/", "/%00", "/tick?now=1"):
        yield request("GET", path, [])
    yield request("POST", "/tick", ["x-cron-secret: secret"], b"{}")
    yield request("POST", "/tick", ["Authorization: Bearer secret"], b'{"now":"2026-03-02T05:00:00Z"}')
    yield request("POST", "/rpc/register_device", user,
                  f'{{"device_id":"{DEVICE}","bundle_id":"a","locale":"ko"}}'.encode())
    yield request("POST", "/rpc/register_activity", user, f'{{"run_id":"{DEVICE}","activity_id":"a"}}'.encode())
    yield request("POST", "/rpc/report_activity", user, f'{{"run_id":"{DEVICE}","state":"opened"}}'.encode())
    yield request("POST", "/rpc/unregister_device", user, f'{{"device_id":"{DEVICE}"}}'.encode())
    yield (b"POST /tick HTTP/1.1\r\nHost: h\r\nx-cron-secret: secret\r\nTransfer-Encoding: chunked\r\n\r\n"
           b"2\r\n{}\r\n0\r\n\r\n")


CORPUS = list(corpus())
ODD = [b"\0", b"\r\n", b"\n", b"\xff\xfe", b"%", b"{", b"[" * 2000, b'"', b"\\u0000", b"9" * 400, b": ", b"Content-Length: -1\r\n",
       b"Transfer-Encoding: chunked\r\n", b"Expect: 100-continue\r\n", b"HTTP/9.9", b"A" * 20000, b".", b"==", b"\xc3\x28"]


def mutated(text):
    text = bytearray(text)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(text) + 1)
        kind = chance.randrange(6)
        if kind == 0 and text:
            text[min(at, len(text) - 1)] = chance.randrange(256)
        elif kind == 1:
            text[at:at] = chance.choice(ODD)
        elif kind == 2:
            del text[at:at + chance.randint(1, 40)]
        elif kind == 3:
            text[at:at] = text[at:at + chance.randint(1, 200)]
        elif kind == 4:
            text[at:at] = chance.randbytes(chance.randint(1, 30))
        else:
            del text[at:]
    return bytes(text)


def sample():
    kind = chance.randrange(10)
    if kind == 0:
        return chance.randbytes(chance.randint(0, 3000))
    if kind == 1:
        return chance.choice(CORPUS)
    return mutated(chance.choice(CORPUS))


def ask(data, patience, halves=True):
    """The answer's status; None where there is none."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        try:
            for start in range(0, len(data), 4096):
                link.sendall(data[start:start + 4096])
            if halves and chance.random() < 0.5:
                link.shutdown(socket.SHUT_WR)
            answer = b""
            # An unfinished request gets no answer: leaving early is a case of its own.
            while select.select([link], [], [], patience)[0]:
                piece = link.recv(65536)
                if not piece:
                    break
                answer += piece
        except OSError:
            return None
    return int(answer[9:12]) if answer[:5] == b"HTTP/" and answer[9:12].isdigit() else None


def memory():
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def descriptors():
    return len(os.listdir(f"/proc/{pid}/fd"))


def alive():
    return ask(request("GET", "/healthz", []), 20, halves=False) == 200


for _ in range(200):
    ask(sample(), 0.3)
before, opened = memory(), descriptors()
counts, until, asked = collections.Counter(), time.monotonic() + seconds, 0
failures = []
while time.monotonic() < until and not failures:
    data = sample()
    status = ask(data, 0.3)
    counts[status] += 1
    asked += 1
    if status == 500:
        failures.append(f"500 for {data[:300]!r}")
    if asked % 200 == 0 and not alive():
        failures.append(f"no answer to /healthz after {data[:300]!r}")
time.sleep(1)
after, left = memory(), descriptors()
if after > before + 64 * 1024:
    failures.append(f"memory grew from {before} to {after} kB")
if left > opened + 20:
    failures.append(f"descriptors grew from {opened} to {left}")
print(f"seed {seed}: {asked} requests, statuses {dict(sorted(counts.items(), key=str))}, "
      f"memory {before} -> {after} kB, descriptors {opened} -> {left}")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
