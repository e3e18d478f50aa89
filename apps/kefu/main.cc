#include "cli/cli.h"

int main(int argc, char** argv) {
  return kefu::cli::run(argc, argv);
}
