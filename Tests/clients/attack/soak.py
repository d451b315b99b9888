"""Runs all attacks at once from several addresses, together with clients at other addresses whose
replies are compared.
"""

import collections
import random
import threading
import time

import client
from harness import MB, Attack, digest_of
from registry import ATTACKS


def run(bench, seconds, chosen):
    """Returns the exit status of the program."""
    server = bench.shared()
    bench.is_quick = True
    usual = server.memory
    names = [name for name, function in ATTACKS.items()
             # Attacks with a separate server stop or reload it.
             if function.server is None and name in chosen and name not in ('hangup-flood', 'many-connections')]
    end = time.monotonic() + seconds
    faults = collections.Counter()
    lock = threading.Lock()
    running = {}
    bench.watch.start(server.port, server.pid, server.group, 4 * bench.memory)
    bench.witness.start(server.port, bench.expected, bench.timeout + 6, '127.0.0.2', 0.05)
    times, wrong, counts = [], [], collections.Counter()

    def attack(seed):
        generator = random.Random(seed)
        while time.monotonic() < end and server.is_alive:
            name = generator.choice(names)
            one = Attack(bench, server, name)
            one.end = min(end, time.monotonic() + 30)
            with lock:
                running[seed] = name
            try:
                ATTACKS[name](one)
            except Exception:
                pass
            one.close()

    def ask(number):
        requests = list(bench.expected.items())
        turn = number
        while time.monotonic() < end and server.is_alive:
            name, (request, digest) = requests[turn % len(requests)]
            turn += 1
            answer = client.ask(server.port, source=f'127.0.1.{number + 1}',
                                timeout=bench.timeout + 6, **request)
            with lock:
                times.append(answer.seconds)
                if answer.error:
                    counts[answer.error] += 1
                elif answer.is_refused:
                    counts['refused'] += 1
                elif digest_of(answer) == digest:
                    counts['right'] += 1
                else:
                    counts['wrong'] += 1
                    wrong.append(f'{name}: {answer.word} {answer.body[:80]!r}')
            time.sleep(0.1)

    threads = [threading.Thread(target=attack, args=(seed,), daemon=True) for seed in range(6)]
    threads += [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(4)]
    for thread in threads:
        thread.start()
    report = time.monotonic()
    most = 0
    while time.monotonic() < end and server.is_alive:
        time.sleep(0.2)
        memory = server.memory
        if memory > max(most, bench.memory):
            most = memory
            with lock:
                print(f'{end - time.monotonic():.0f} s left, {memory / MB:.0f} MB: '
                      f'{", ".join(sorted(running.values()))}', flush=True)
        if time.monotonic() - report > 30:
            report = time.monotonic()
            with lock:
                print(f'{time.strftime("%H:%M:%S")} {end - report:.0f} s left, {server.memory / MB:.0f} MB, '
                      f'{server.given_up} threads given up, {dict(counts)}; '
                      f'{", ".join(sorted(set(running.values())))}', flush=True)
    if not server.is_alive:
        with lock:
            print(f'ended during {", ".join(sorted(set(running.values())))}', flush=True)
    limit = time.monotonic() + bench.timeout + 30
    for thread in threads:
        thread.join(max(0, limit - time.monotonic()))
    others, found, more = bench.witness.stop()
    counts.update(others)
    times += more
    wrong += [text for text in found if 'no answer' not in text and 'closed' not in text]
    after = bench.right(server, bench.timeout + 10) if server.is_alive else 'the server ended'
    longest, delay, peak, health, asked = bench.watch.stop()
    times.sort()
    amount = sum(counts.values())
    lost = amount - counts['right'] - counts['wrong'] - counts['refused']
    print(f'{amount} answers to others: {counts["wrong"]} wrong, {counts["refused"]} refused, '
          f'{lost} lost; half under {times[len(times) // 2] * 1000:.0f} ms, 99 of 100 under '
          f'{times[int(len(times) * 0.99)] * 1000:.0f} ms')
    print(f'/health: {asked} times, the longest {longest * 1000:.0f} ms, {len(health)} failed; '
          f'memory {usual / MB:.0f} > {peak / MB:.0f} > {server.memory / MB:.0f} MB')
    if counts['wrong']:
        faults[f'wrong answers: {wrong[0] if wrong else ""}'] += 1
    if lost:
        faults[f'{lost} answers are missing'] += 1
    if health:
        faults[f'/health: {health[0]}'] += 1
    if longest > 1 + delay:
        faults[f'/health took {longest:.1f} s'] += 1
    if peak > bench.memory:
        faults[f'{peak / MB:.0f} MB of memory ({peak.parts})'] += 1
    if server.killed:
        faults[f'the kernel ended {server.killed} processes for their memory'] += 1
    if after:
        faults[f'afterwards: {after}'] += 1
    seconds, fault = bench.finish()
    if fault:
        faults[fault] += 1
    for text in faults:
        print(f'fault: {text}')
    return 1 if faults else 0
