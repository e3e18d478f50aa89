#include "base/version.h"

namespace kefu {

std::string_view version() {
  return KEFU_VERSION;
}

}  // namespace kefu
