#include "serve/metrics_endpoint.h"

#include "serve/metrics_families.h"

namespace kefu::serve {
namespace {

std::string metrics_text(const Services& services, CpuMeter& cpu) {
  metrics::Exposition out;
  const std::vector<hosting::VersionStatus> versions = services.models.versions();
  std::vector<WatchedModel> watched;
  for (const hosting::VersionStatus& version : versions) {
    if (version.model)
      watched.push_back({version, version.model->statistics(), version.model->record().snapshot()});
  }
  write_triton_families(out, watched);
  write_model_families(out, watched);
  write_state_families(out, versions);
  write_release_families(out, services.releases);
  write_entrance_families(out, services.entrance.snapshot());
  out.family("kefu_server_ready", "gauge", "1 while readiness probes are answered with yes.");
  out.sample({}, std::uint64_t{services.models.ready() && !services.draining() ? 1U : 0U});
  write_process_families(out, cpu);
  return std::move(out).text();
}

}  // namespace

Handler make_metrics_endpoint(const Services& services) {
  return
      [services, cpu = std::make_shared<CpuMeter>()](const RequestPtr& /*request*/, const Respond& respond) {
        respond([&services, &cpu] {
          HttpResponse response;
          response.content_type = "text/plain; version=0.0.4; charset=utf-8";
          response.body = metrics_text(services, *cpu);
          return response;
        });
      };
}

}  // namespace kefu::serve
