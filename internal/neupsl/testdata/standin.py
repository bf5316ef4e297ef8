"""Stands in for the server of pslpython, with a linear softmax for a model: what docs/psl-compatibility.md says of it."""

import json
import math
import mmap
import os
import socket
import struct
import sys

OLD = False  # speaks the dialect of PSL 2.4


class Model:
    def init(self, request):
        options = request["options"]
        self.application = request["application"]
        self.classes = int(options["class-size"])
        with open(request["shared_memory_path"], "rb+") as file:
            self.shared = mmap.mmap(file.fileno(), 0)
        self.data = []
        with open(os.path.join(options["relative-dir"], options["entity-data-map-path"])) as file:
            for line in file:
                self.data.append([float(v) for v in line.split("\t")[1:]])
        self.weights = [[0.0] * len(self.data[0]) for _ in range(self.classes)]
        saved = os.path.join(options["relative-dir"], options["save-path"])
        if self.application == "inference":
            with open(saved) as file:
                self.weights = json.load(file)

    def rows(self):
        self.shared.seek(0)
        (n,) = struct.unpack(">i", self.shared.read(4))
        return list(struct.unpack(f">{n}i", self.shared.read(4 * n)))

    def probabilities(self, row):
        logits = [sum(w * u for w, u in zip(ws, self.data[row])) for ws in self.weights]
        top = max(logits)
        powers = [math.exp(z - top) for z in logits]
        return [p / sum(powers) for p in powers]

    def predict(self, request):
        out = [p for row in self.rows() for p in self.probabilities(row)]
        if request["options"].get("breaks") == "nan":
            out[0] = math.nan
        self.shared.seek(0)
        self.shared.write(struct.pack(f">i{len(out)}f", len(out), *out))

    def fit(self, request):
        if request["options"].get("breaks") == "fit":
            raise ValueError("no fit today")
        if request["options"].get("breaks") == "exit":
            print("I was asked to go", file=sys.stderr)
            os._exit(7)
        rows = self.rows()
        n = len(rows) * self.classes
        gradients = struct.unpack(f">{n}f", self.shared.read(4 * n))
        rate = float(request["options"]["learning-rate"])
        for k, row in enumerate(rows):
            p = self.probabilities(row)
            g = gradients[k * self.classes : (k + 1) * self.classes]
            mean = sum(a * b for a, b in zip(p, g))
            for c in range(self.classes):
                for j, u in enumerate(self.data[row]):
                    self.weights[c][j] -= rate * p[c] * (g[c] - mean) * u

    def save(self, request):
        options = request["options"]
        with open(os.path.join(options["relative-dir"], options["save-path"]), "w") as file:
            json.dump(self.weights, file)

    def note(self, task, request):
        options = request.get("options", {})
        if "log" in options:
            with open(os.path.join(options["relative-dir"], options["log"]), "a") as file:
                file.write(task + "\n")

    def eval(self, request):
        return 0.0

    def close(self, request):
        self.shared.close()

    def is_epoch_complete(self, request):
        return True

    def nothing(self, request):
        return None

    next_batch = train_mode = eval_mode = epoch_start = epoch_end = nothing
    predict_learn = predict


NEW = {"train_mode", "eval_mode", "next_batch", "epoch_start", "epoch_end", "is_epoch_complete"}
TASKS = {"init", "predict", "fit", "eval", "save", "close"}


def main(port, old):
    tasks = TASKS | ({"predict_learn"} if old else NEW)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(1)
    connection, _ = listener.accept()
    model = Model()
    for line in connection.makefile():
        request = json.loads(line)
        task = request["task"]
        try:
            if task not in tasks:
                raise ValueError(f"Unknown task: '{task}'.")
            result = getattr(model, task)(request)
            model.note(task, request)
            reply = {"status": "success", "task": task, "result": result}
        except Exception as error:
            reply = {"status": "failed", "message": f"Server encountered an error: '{error}'"}
        connection.sendall((json.dumps(reply) + "\n").encode())
        if task == "close" or reply["status"] != "success":
            break


if __name__ == "__main__":
    main(int(sys.argv[1]), False)
