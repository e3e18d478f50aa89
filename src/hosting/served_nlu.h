#pragma once
// An NLU model in service: texts in, intents, scores and slots out.

#include <boost/asio/thread_pool.hpp>

#include "hosting/reaper.h"
#include "hosting/served_model.h"
#include "nlu/nlu_model.h"

namespace kefu::hosting {

/// What all NLU models share. Owned by whoever loads them; outlives them.
struct NluHost {
  std::size_t max_text_code_points = 32'000;
  boost::asio::thread_pool tokenizing{1};  // long texts, which would keep an I/O thread too long
};

/// Blocks while it warms the instances. kInvalidArgument: settings that contradict each other.
Result<ModelRef> serve_nlu(std::shared_ptr<const nlu::NluModel> model, ModelSettings settings, NluHost& host,
                           Reaper& reaper);

}  // namespace kefu::hosting
