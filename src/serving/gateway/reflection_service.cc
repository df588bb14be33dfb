// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <reflection.pb.h>

#include "serving/gateway/grpc_services.h"

namespace mycel::serving {
namespace {

namespace reflection = grpc::reflection::v1alpha;
using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;

void set_error(reflection::ServerReflectionResponse& reply, GrpcCode code, std::string_view text) {
  reply.mutable_error_response()->set_error_code(static_cast<int>(code));
  reply.mutable_error_response()->set_error_message(std::string(text));
}

// The file and those it needs.
void add_files(const FileDescriptor& file, std::set<std::string>& added,
               reflection::FileDescriptorResponse& reply) {
  if (!added.insert(file.name()).second) return;
  google::protobuf::FileDescriptorProto description;
  file.CopyTo(&description);
  reply.add_file_descriptor_proto(description.SerializeAsString());
  for (int i = 0; i < file.dependency_count(); ++i) add_files(*file.dependency(i), added, reply);
}

void set_files(const FileDescriptor* file, std::string_view what,
               reflection::ServerReflectionResponse& reply) {
  if (file == nullptr)
    return set_error(reply, GrpcCode::NotFound, platform::join(what, " is unknown"));
  std::set<std::string> added;
  add_files(*file, added, *reply.mutable_file_descriptor_response());
}

void list_services(const GrpcMethods& methods, reflection::ListServiceResponse& reply) {
  std::set<std::string> names;
  for (const auto& [path, method] : methods) names.insert(path.substr(1, path.rfind('/') - 1));
  for (const std::string& name : names) reply.add_service()->set_name(name);
}

reflection::ServerReflectionResponse reply_to(const reflection::ServerReflectionRequest& request,
                                              const GrpcMethods& methods) {
  using Request = reflection::ServerReflectionRequest;
  reflection::ServerReflectionResponse reply;
  reply.set_valid_host(request.host());
  *reply.mutable_original_request() = request;
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  switch (request.message_request_case()) {
    case Request::kFileByFilename:
      set_files(pool.FindFileByName(request.file_by_filename()), request.file_by_filename(), reply);
      break;
    case Request::kFileContainingSymbol:
      set_files(pool.FindFileContainingSymbol(request.file_containing_symbol()),
                request.file_containing_symbol(), reply);
      break;
    case Request::kListServices:
      list_services(methods, *reply.mutable_list_services_response());
      break;
    case Request::kFileContainingExtension:
    case Request::kAllExtensionNumbersOfType:
      set_error(reply, GrpcCode::NotFound, "there are no extensions");
      break;
    case Request::MESSAGE_REQUEST_NOT_SET:
      set_error(reply, GrpcCode::InvalidArgument, "nothing is asked");
      break;
  }
  return reply;
}

}  // namespace

void add_reflection(GrpcMethods& methods) {
  GrpcMethod method;
  method.takes_many = true;
  method.on_message = [&methods](const std::shared_ptr<GrpcCall>& call, const std::string& bytes) {
    const auto request = parsed<reflection::ServerReflectionRequest>(bytes);
    if (request == nullptr) return call->finish(unparsable<reflection::ServerReflectionRequest>());
    call->send(reply_to(*request, methods).SerializeAsString());
  };
  methods["/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"] = std::move(method);
}

}  // namespace mycel::serving
