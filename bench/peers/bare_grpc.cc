// The least that a gRPC server with callbacks does: answers ModelInfer with the message in a file.
//   bare_grpc PORT FILE
#include <fstream>
#include <iostream>
#include <sstream>

#include <grpcpp/grpcpp.h>
#include <inference.grpc.pb.h>

namespace {

class BareService final : public inference::GRPCInferenceService::CallbackService {
 public:
  explicit BareService(const std::string& message) { answer_.ParseFromString(message); }

  grpc::ServerUnaryReactor* ModelInfer(grpc::CallbackServerContext* context,
                                       const inference::ModelInferRequest* /*request*/,
                                       inference::ModelInferResponse* response) override {
    *response = answer_;
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  inference::ModelInferResponse answer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::stringstream message;
  message << std::ifstream(argv[2], std::ios::binary).rdbuf();
  BareService service(message.str());
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(std::string("127.0.0.1:") + argv[1], grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  std::cout << "http://127.0.0.1:" << port << std::endl;
  server->Wait();
}
