"""Many requests at once over kept-alive connections, and what came of them."""
import collections
import http.client
import json
import threading
import time
import urllib.parse


class Traffic:
    """Threads that send one request after another until the `with` ends. `body(i)` gives the i-th body of a
    thread; `headers(i)` its headers. `answers` counts (status, version); `failures` holds what went wrong."""

    def __init__(self, url, path, body, headers=lambda i: {}, threads=6, pause_s=0.0):
        self.address = urllib.parse.urlsplit(url)
        self.path, self.body, self.headers, self.pause_s = path, body, headers, pause_s
        self.answers = collections.Counter()
        self.failures = []
        self.times = []
        self.ending = threading.Event()
        self.lock = threading.Lock()
        self.answered = threading.Condition(self.lock)
        self.threads = [threading.Thread(target=self.run, args=(thread,)) for thread in range(threads)]

    def run(self, thread):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=30)
        i = thread
        while not self.ending.wait(self.pause_s):
            try:
                began = time.monotonic()
                connection.request("POST", self.path, json.dumps(self.body(i)),
                                   {"Content-Type": "application/json", **self.headers(i)})
                response = connection.getresponse()
                answer = json.loads(response.read())
                version = answer.get("model_version") or answer.get("model", {}).get("version")
                with self.lock:
                    self.answers[response.status, version] += 1
                    self.times.append(time.monotonic() - began)
                    self.answered.notify_all()
            except (OSError, http.client.HTTPException, ValueError) as error:
                with self.lock:
                    self.failures.append(repr(error))
                connection.close()
            i += len(self.threads)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.ending.set()
        for thread in self.threads:
            thread.join()

    def statuses(self):
        with self.lock:
            counts = collections.Counter()
            for (status, _), count in self.answers.items():
                counts[status] += count
            return dict(counts)

    def await_answers(self, version, count, seconds=60):
        """Until a version has answered so often."""
        with self.answered:
            assert self.answered.wait_for(lambda: self.counted(version) >= count, seconds), self.failures[:3]

    def count(self, version):
        with self.lock:
            return self.counted(version)

    def counted(self, version):
        """With the lock held."""
        return sum(count for (_, answered), count in self.answers.items() if answered == str(version))
