"""mosec with a worker that answers what it is given: one process, batches of 32."""
import json

from mosec import Server, Worker


class Identity(Worker):
    def deserialize(self, data):
        return json.loads(data)

    def serialize(self, data):
        return json.dumps(data).encode()

    def forward(self, data):
        return [{"model_name": "null", "outputs": [{**one["inputs"][0], "name": "OUTPUT0"}]} for one in data]


if __name__ == "__main__":
    server = Server()
    server.append_worker(Identity, num=1, max_batch_size=32, max_wait_time=1)
    server.run()
