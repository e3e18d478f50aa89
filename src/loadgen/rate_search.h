#pragma once
// The highest rate that a server sustains, by trial. A value: whoever has it runs the probes.

#include <optional>
#include <vector>

namespace kefu::loadgen {

/// Doubles the rate until a probe fails (halves it until one passes), bisects between the two until they are
/// within 2 %, and confirms the lower one by another probe. If that fails, the rate that had passed before it
/// takes its place.
class RateSearch {
 public:
  /// `first`: the rate to try first, above 0.
  explicit RateSearch(double first) : rate_(first) {}

  /// The rate to probe next; not to be asked once is_done().
  double rate() const { return rate_; }

  /// Whether next() serves to confirm what has been found.
  bool is_confirming() const { return confirming_; }

  /// What the probe of rate() showed.
  void tell(bool passed);

  bool is_done() const { return done_; }

  /// Once is_done(): the highest rate that passed twice; none if there is none of a request a second or more,
  /// or the server was too fickle to find one.
  std::optional<double> found() const { return found_; }

 private:
  void choose();

  double rate_;
  std::vector<double> passed_;  // ascending
  std::optional<double> failed_;
  bool confirming_ = false;
  bool done_ = false;
  int probes_ = 0;
  std::optional<double> found_;
};

}  // namespace kefu::loadgen
