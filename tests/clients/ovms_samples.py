"""Samples of OpenVINO Model Server (client/python/kserve-api/samples) that any server of the protocol can answer."""
import programs
from programs import Outcome

SAMPLES = {"server_live": "Server Live: True", "server_ready": "Server Ready: True", "server_metadata": "version",
           "model_ready": "Model Ready: True", "model_metadata": "INPUT0"}


def outcomes(python, folder, addresses):
    for protocol in ("http", "grpc"):
        host, port = addresses[protocol].rsplit(":", 1)
        for sample, answer in SAMPLES.items():
            model = ("--model_name", "simple") if sample.startswith("model") else ()
            status, output = programs.run([python, folder / f"{protocol}_{sample}.py", f"--{protocol}_address", host,
                                           f"--{protocol}_port", port, *model])
            yield Outcome("OVMS samples", f"{protocol}_{sample}", status == 0 and answer in output, "",
                          programs.last_lines(output))
