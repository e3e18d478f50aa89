#include "nlu/tag_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <immintrin.h>

namespace kefu::nlu {
namespace {

constexpr float kNever = -1e9F;
constexpr std::size_t kFloats = sizeof(__m256) / sizeof(float);
constexpr std::size_t kLanes = 4 * kFloats;  // tags that a step keeps in registers

std::size_t whole_blocks(std::size_t tags) {
  return (tags + kLanes - 1) / kLanes * kLanes;
}

/// `to` = the sum of all from[i] combined with row i of the matrix, in blocks of lanes; even and odd rows
/// apart, so that one sum's latency is the other's time. Eigen's product of a row and a small matrix takes
/// five times as long, and there is none of maxima.
template <typename Combine, typename Sum>
void step(std::span<const float> from, const std::vector<float>& matrix, std::span<float> to, float initial,
          const Combine& combine, const Sum& sum) {
  for (std::size_t block = 0; block < to.size(); block += kLanes) {
    __m256 even[kLanes / kFloats];
    __m256 odd[kLanes / kFloats];
    for (std::size_t k = 0; k < std::size(even); ++k) even[k] = odd[k] = _mm256_set1_ps(initial);
    const auto add_row = [&](std::size_t i, auto& sums) {
      const __m256 factor = _mm256_set1_ps(from[i]);
      const float* row = &matrix[i * to.size() + block];
      for (std::size_t k = 0; k < std::size(sums); ++k)
        sums[k] = sum(sums[k], combine(factor, _mm256_loadu_ps(row + k * kFloats)));
    };
    for (std::size_t i = 0; i + 1 < from.size(); i += 2) {
      add_row(i, even);
      add_row(i + 1, odd);
    }
    if (from.size() % 2 == 1) add_row(from.size() - 1, even);
    for (std::size_t k = 0; k < std::size(even); ++k)
      _mm256_storeu_ps(&to[block + k * kFloats], sum(even[k], odd[k]));
  }
}

/// The product of a row vector and a matrix.
void multiply(std::span<const float> from, const std::vector<float>& matrix, std::span<float> to) {
  const auto product = [](__m256 a, __m256 b) { return _mm256_mul_ps(a, b); };
  const auto sum = [](__m256 a, __m256 b) { return _mm256_add_ps(a, b); };
  step(from, matrix, to, 0, product, sum);
}

/// The same with sums for products and maxima for sums.
void multiply_tropical(std::span<const float> from, const std::vector<float>& matrix, std::span<float> to) {
  const auto product = [](__m256 a, __m256 b) { return _mm256_add_ps(a, b); };
  const auto sum = [](__m256 a, __m256 b) { return _mm256_max_ps(a, b); };
  step(from, matrix, to, -std::numeric_limits<float>::infinity(), product, sum);
}

/// While it lives, numbers too small for a normal float are zero: each would cost the CPU a hundred cycles,
/// and the probabilities of tags that cannot be are often that small.
class TinyIsZero {
 public:
  TinyIsZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero); }
  ~TinyIsZero() { _mm_setcsr(before_); }
  TinyIsZero(const TinyIsZero&) = delete;
  TinyIsZero& operator=(const TinyIsZero&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kDenormalsAreZero = 0x0040;
  unsigned before_;
};

}  // namespace

TagChain::TagChain(std::span<const float> start, std::span<const float> transition)
    : start_(start.size(), kNever),
      narrow_(whole_blocks(after_any())),
      wide_(whole_blocks(tags())),
      score_(tags() * narrow_, kNever),
      weight_(tags() * narrow_),
      weight_to_(after_any() * wide_),
      score_on_{std::vector<float>(types()), std::vector<float>(types())},
      weight_on_(score_on_) {
  for (std::size_t a = 0; a < tags(); ++a) {
    const std::size_t from = place(a);
    if (!is_inside(a)) start_[from] = start[a];
    for (std::size_t b = 0; b < tags(); ++b) {
      if (!may_follow(a, b)) continue;
      const float score = transition[a * tags() + b];
      const float weight = std::exp(score);
      const std::size_t to = place(b);
      if (is_inside(b)) {
        (is_inside(a) ? score_on_.after_inside : score_on_.after_begin)[to - after_any()] = score;
        (is_inside(a) ? weight_on_.after_inside : weight_on_.after_begin)[to - after_any()] = weight;
      } else {
        score_[from * narrow_ + to] = score;
        weight_[from * narrow_ + to] = weight_to_[to * wide_ + from] = weight;
      }
    }
  }
}

std::size_t TagChain::tag_at(std::size_t place) const {
  if (place >= after_any()) return 2 * (place - types());
  return place == 0 ? 0 : 2 * place - 1;
}

/// Emissions [units, tags], each tag's at its place; kNever beyond.
TagChain::Lattice TagChain::in_places(std::span<const float> emissions) const {
  const auto units = static_cast<Eigen::Index>(emissions.size() / tags());
  Lattice out = Lattice::Constant(units, static_cast<Eigen::Index>(wide_), kNever);
  for (Eigen::Index u = 0; u < units; ++u) {
    const float* from = &emissions[static_cast<std::size_t>(u) * tags()];
    float* to = out.row(u).data();
    to[0] = from[0];
    for (std::size_t k = 0; k < types(); ++k) {
      to[1 + k] = from[1 + 2 * k];
      to[after_any() + k] = from[2 + 2 * k];
    }
  }
  return out;
}

/// The place from which the best way to `place` comes, given the scores of the unit before.
std::size_t TagChain::best_before(const float* scores, std::size_t place) const {
  if (place >= after_any()) {
    const std::size_t type = place - after_any();
    const float after_begin = scores[1 + type] + score_on_.after_begin[type];
    return after_begin >= scores[place] + score_on_.after_inside[type] ? 1 + type : place;
  }
  std::size_t best = 0;
  float most = -std::numeric_limits<float>::infinity();
  for (std::size_t from = 0; from < tags(); ++from) {
    const float score = scores[from] + score_[from * narrow_ + place];
    if (score > most) {
      most = score;
      best = from;
    }
  }
  return best;
}

std::vector<std::size_t> TagChain::best_path(std::span<const float> emissions) const {
  if (emissions.empty()) return {};
  const Lattice scores = in_places(emissions);
  Lattice best = Lattice::Constant(scores.rows(), scores.cols(), kNever);  // of the ways to each tag
  best.row(0).head(std::ssize(start_)) =
      Eigen::Map<const Eigen::RowVectorXf>(start_.data(), std::ssize(start_));
  best.row(0) += scores.row(0);
  for (Eigen::Index u = 1; u < scores.rows(); ++u) {
    const float* before = best.row(u - 1).data();
    float* now = best.row(u).data();
    multiply_tropical({before, tags()}, score_, {now, narrow_});
    for (std::size_t k = 0; k < types(); ++k) {
      now[after_any() + k] = std::max(before[1 + k] + score_on_.after_begin[k],
                                      before[after_any() + k] + score_on_.after_inside[k]);
    }
    best.row(u) += scores.row(u);
  }
  // Only the way that was taken needs to know where it came from.
  std::vector<std::size_t> path(static_cast<std::size_t>(best.rows()));
  const float* last = best.row(best.rows() - 1).data();
  auto place = static_cast<std::size_t>(std::max_element(last, last + tags()) - last);
  path.back() = tag_at(place);
  for (std::size_t u = path.size() - 1; u > 0; --u) {
    place = best_before(best.row(static_cast<Eigen::Index>(u) - 1).data(), place);
    path[u - 1] = tag_at(place);
  }
  return path;
}

/// Adds the expected steps: from the tags of each unit but the last to those of each but the first.
void TagChain::add_steps(const Lattice& alpha, const Lattice& ahead, float* pairs) const {
  const Eigen::Index steps = alpha.rows() - 1;
  const Lattice together = alpha.topRows(steps).transpose() * ahead.bottomRows(steps);
  for (std::size_t a = 0; a < tags(); ++a) {
    const auto& on = is_inside(a) ? weight_on_.after_inside : weight_on_.after_begin;
    for (std::size_t b = 0; b < tags(); ++b) {
      if (!may_follow(a, b)) continue;
      const std::size_t from = place(a);
      const std::size_t to = place(b);
      const float weight = is_inside(b) ? on[to - after_any()] : weight_[from * narrow_ + to];
      pairs[a * tags() + b] +=
          weight * together(static_cast<Eigen::Index>(from), static_cast<Eigen::Index>(to));
    }
  }
}

/// Sets alpha to the probabilities of each unit's tags given the units up to it, which sum to 1 (Rabiner
/// 1989, V.A), and `scores` to their exponentials on the same scale. Returns the log partition sum.
double TagChain::forward(Lattice& scores, Lattice& alpha) const {
  alpha.row(0).head(std::ssize(start_)) =
      Eigen::Map<const Eigen::RowVectorXf>(start_.data(), std::ssize(start_)).array().exp();
  double total = 0;
  for (Eigen::Index u = 0; u < scores.rows(); ++u) {
    const float shift = scores.row(u).maxCoeff();  // keeps exp() in range
    scores.row(u) = (scores.row(u).array() - shift).exp();
    if (u > 0) {
      const float* before = alpha.row(u - 1).data();
      float* now = alpha.row(u).data();
      multiply({before, tags()}, weight_, {now, narrow_});
      for (std::size_t k = 0; k < types(); ++k) {
        now[after_any() + k] =
            before[1 + k] * weight_on_.after_begin[k] + before[after_any() + k] * weight_on_.after_inside[k];
      }
    }
    alpha.row(u).array() *= scores.row(u).array();
    const float scale = std::max(alpha.row(u).sum(), std::numeric_limits<float>::min());
    alpha.row(u) /= scale;
    scores.row(u) /= scale;
    total += std::log(static_cast<double>(scale)) + static_cast<double>(shift);
  }
  return total;
}

/// Sets beta to what follows each unit's tags, given what forward() left in `observed`, which becomes its
/// product with beta: what a step to a tag leads to.
void TagChain::backward(Lattice& observed, Lattice& beta) const {
  for (Eigen::Index u = beta.rows() - 1; u > 0; --u) {
    observed.row(u).array() *= beta.row(u).array();
    const float* after = observed.row(u).data();
    float* now = beta.row(u - 1).data();
    multiply({after, after_any()}, weight_to_, {now, wide_});
    for (std::size_t k = 0; k < types(); ++k) {
      now[1 + k] += after[after_any() + k] * weight_on_.after_begin[k];
      now[after_any() + k] += after[after_any() + k] * weight_on_.after_inside[k];
    }
  }
}

double TagChain::marginals(std::span<const float> emissions, std::vector<float>& out, float* pairs) const {
  out.assign(emissions.size(), 0.0F);
  if (emissions.empty()) return 0;
  const TinyIsZero tiny_is_zero;
  Lattice observed = in_places(emissions);
  Lattice alpha = Lattice::Zero(observed.rows(), observed.cols());
  const double total = forward(observed, alpha);
  Lattice beta = Lattice::Ones(observed.rows(), observed.cols());
  backward(observed, beta);
  if (pairs != nullptr) add_steps(alpha, observed, pairs);
  alpha.array() *= beta.array();
  for (std::size_t u = 0; u < static_cast<std::size_t>(alpha.rows()); ++u) {
    for (std::size_t t = 0; t < tags(); ++t)
      out[u * tags() + t] = alpha(static_cast<Eigen::Index>(u), static_cast<Eigen::Index>(place(t)));
  }
  return total;
}

}  // namespace kefu::nlu
