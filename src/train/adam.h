#pragma once
// The optimiser of the slot trainer.

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace kefu::train {

/// Adam (Kingma & Ba 2015) over one parameter array.
class Adam {
 public:
  Adam(std::vector<float>& parameters, float decay)
      : parameters_(parameters),
        decay_(decay),
        mean_(parameters.size(), 0.0F),
        square_(parameters.size(), 0.0F) {}

  /// Step number `t` on parameters [begin, begin + gradient.size()).
  void step(std::span<const float> gradient, std::size_t begin, float rate, std::size_t t) {
    const float first = rate / (1 - std::pow(kBeta1, static_cast<float>(t)));
    const float second = 1 / (1 - std::pow(kBeta2, static_cast<float>(t)));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      float& mean = mean_[begin + i];
      float& square = square_[begin + i];
      float& parameter = parameters_[begin + i];
      mean = kBeta1 * mean + (1 - kBeta1) * gradient[i];
      square = kBeta2 * square + (1 - kBeta2) * gradient[i] * gradient[i];
      parameter -= first * mean / (std::sqrt(square * second) + 1e-8F) + rate * decay_ * parameter;
    }
  }

 private:
  static constexpr float kBeta1 = 0.9F;
  static constexpr float kBeta2 = 0.999F;

  std::vector<float>& parameters_;
  float decay_;
  std::vector<float> mean_;
  std::vector<float> square_;
};

}  // namespace kefu::train
