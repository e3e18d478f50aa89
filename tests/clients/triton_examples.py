"""The Python examples of Triton's client repository (src/python/examples): programs that check the answers."""
import dataclasses

import kefu_server
import programs
from kefu_server import TRITON_PORTS, are_free
from programs import Outcome

SHARED_MEMORY = "no shared memory: a request of texts is a few kB"
SEQUENCES = "no sequences: requests of one conversation need not meet on one instance"
DECOUPLED = "one reply a request, no decoupled models"
REFUSALS = "is not offered", "UNIMPLEMENTED", "unknown model"


@dataclasses.dataclass(frozen=True)
class Example:
    name: str
    protocol: str
    options: tuple = ()
    by_design: str = ""  # why it is to be refused, if it is
    models: int = 0  # the index must have exactly so many; 0: it does not look
    fixed_ports: bool = False  # asks localhost on Triton's ports, whatever it is told

    @property
    def calls(self):
        return " ".join([self.name, *self.options])


def both(name, *options, **more):
    return [Example(f"simple_{protocol}_{name}", protocol, options, **more) for protocol in ("http", "grpc")]


def either(name, option, **more):
    """Examples that take the protocol as an option."""
    return [Example(name, protocol, (option, protocol), **more) for protocol in ("http", "grpc")]


EXAMPLES = [
    *both("infer_client"),
    *[Example("simple_http_infer_client", "http", (f"--{way}-compression-algorithm", coding))
      for way in ("request", "response") for coding in ("gzip", "deflate")],
    *[Example("simple_grpc_infer_client", "grpc", ("-C", coding)) for coding in ("gzip", "deflate")],
    Example("simple_grpc_infer_client", "grpc", ("-t", "5")),
    *both("async_infer_client"),
    *both("aio_infer_client"),
    *both("string_infer_client"),
    *both("health_metadata"),
    Example("simple_http_model_control", "http", models=7),
    Example("simple_grpc_model_control", "grpc", models=8),
    Example("simple_grpc_keepalive_client", "grpc"),
    Example("simple_grpc_keepalive_client", "grpc", ("--grpc-keepalive-time", "1000",
                                                     "--grpc-keepalive-permit-without-calls",
                                                     "--grpc-http2-max-pings-without-data", "0")),
    Example("simple_grpc_custom_args_client", "grpc"),
    *[Example(f"grpc_explicit_{kind}_content_client", "grpc") for kind in ("int", "int8", "byte")],
    *either("memory_growth_test", "-i", fixed_ports=True),
    *either("reuse_infer_objects_client", "-i", by_design=SHARED_MEMORY),
    *both("shm_client", by_design=SHARED_MEMORY),
    *both("shm_string_client", by_design=SHARED_MEMORY),
    *both("sequence_sync_infer_client", by_design=SEQUENCES),
    Example("simple_grpc_sequence_stream_infer_client", "grpc", by_design=SEQUENCES),
    Example("simple_grpc_aio_sequence_stream_infer_client", "grpc", by_design=SEQUENCES),
    Example("simple_grpc_custom_repeat", "grpc", by_design=DECOUPLED),
]

# Left out: *image*, grpc_client (they need models of pictures) and simple_*_cudashm_client (a GPU beside the client).


def ask(python, folder, example, addresses):
    script = folder / f"{example.name}.py"
    url = () if example.fixed_ports else ("-u", addresses[example.protocol])
    status, output = programs.run([python, script, *example.options, *url])
    says_pass = "PASS" in output or "PASS" not in script.read_text()  # some end with status 0 without it
    by_design = example.by_design if any(sign in output for sign in REFUSALS) else ""
    words = f"{programs.last_lines(output, 1)}\nstatus {status}{'' if says_pass else ', without its PASS'}"
    return Outcome("tritonclient", example.calls, status == 0 and says_pass, by_design, words.strip())


def outcomes(python, folder, addresses, arguments):
    """Runs them against the server at `addresses`, and those that want a server of their own against one with
    `arguments`; these are left out if `arguments` is None."""
    for example in EXAMPLES:
        if not example.models and not example.fixed_ports:
            yield ask(python, folder, example, addresses)
        elif arguments is None:
            continue
        elif example.fixed_ports and not are_free(TRITON_PORTS):
            yield Outcome("tritonclient", example.calls, False, words="ports 8000 and 8001 are in use here")
        else:
            ports = TRITON_PORTS if example.fixed_ports else (0, 0)
            models = example.models or len(kefu_server.MODELS)
            with kefu_server.serving(arguments, models, *ports) as (http, grpc):
                yield ask(python, folder, example, {"http": http, "grpc": grpc})
