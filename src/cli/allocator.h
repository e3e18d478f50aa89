#pragma once
// glibc's allocator, set up for a server.

namespace kefu::cli {

/// Before there are threads. May start the program again, as the same process with the same arguments,
/// because glibc reads some of its settings from the environment only, and then does not return. Whoever sets
/// them in GLIBC_TUNABLES is heeded.
void tune_allocator();

}  // namespace kefu::cli
