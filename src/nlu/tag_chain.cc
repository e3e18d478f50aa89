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
using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// `to` = combine(… combine(initial, from[0], row 0 of the matrix) …, from[n - 1], row n - 1), in blocks of
/// lanes. Eigen's product of a row and a small matrix takes three times as long, and there is none of maxima.
template <typename Combine>
void step(std::span<const float> from, const std::vector<float>& matrix, std::span<float> to, float initial,
          const Combine& combine) {
  for (std::size_t block = 0; block < to.size(); block += kLanes) {
    __m256 sums[kLanes / kFloats];
    for (__m256& sum : sums) sum = _mm256_set1_ps(initial);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const __m256 factor = _mm256_set1_ps(from[i]);
      const float* row = &matrix[i * to.size() + block];
      for (std::size_t k = 0; k < std::size(sums); ++k)
        sums[k] = combine(sums[k], factor, _mm256_loadu_ps(row + k * kFloats));
    }
    for (std::size_t k = 0; k < std::size(sums); ++k) _mm256_storeu_ps(&to[block + k * kFloats], sums[k]);
  }
}

/// The product of a row vector and a matrix.
void multiply(std::span<const float> from, const std::vector<float>& matrix, std::span<float> to) {
  step(from, matrix, to, 0,
       [](__m256 sum, __m256 factor, __m256 row) { return _mm256_fmadd_ps(factor, row, sum); });
}

}  // namespace

TagChain::TagChain(std::span<const float> start, std::span<const float> transition)
    : start_(start.begin(), start.end()),
      stride_((start.size() + kLanes - 1) / kLanes * kLanes),
      score_(tags() * stride_, kNever),
      weight_(tags() * stride_),
      weight_to_(tags() * stride_) {
  for (std::size_t a = 0; a < tags(); ++a) {
    if (is_inside(a)) start_[a] = kNever;
    for (std::size_t b = 0; b < tags(); ++b) {
      if (!may_follow(a, b)) continue;
      const float score = transition[a * tags() + b];
      score_[a * stride_ + b] = score;
      weight_[a * stride_ + b] = weight_to_[b * stride_ + a] = std::exp(score);
    }
  }
}

std::vector<std::size_t> TagChain::best_path(std::span<const float> emissions) const {
  if (emissions.empty()) return {};
  const std::size_t units = emissions.size() / tags();
  std::vector<float> best(units * stride_, kNever);  // score of the best way to each tag
  for (std::size_t t = 0; t < tags(); ++t) best[t] = start_[t] + emissions[t];
  for (std::size_t u = 1; u < units; ++u) {
    const std::span next(&best[u * stride_], stride_);
    step({next.data() - stride_, tags()}, score_, next, -std::numeric_limits<float>::infinity(),
         [](__m256 most, __m256 before, __m256 row) {
           return _mm256_max_ps(most, _mm256_add_ps(before, row));
         });
    for (std::size_t t = 0; t < tags(); ++t) next[t] += emissions[u * tags() + t];
  }
  // Only the way that was taken needs to know where it came from.
  std::vector<std::size_t> path(units);
  const float* last = &best[(units - 1) * stride_];
  path[units - 1] = static_cast<std::size_t>(std::max_element(last, last + tags()) - last);
  for (std::size_t u = units - 1; u > 0; --u) {
    float most = -std::numeric_limits<float>::infinity();
    for (std::size_t a = 0; a < tags(); ++a) {
      const float score = best[(u - 1) * stride_ + a] + score_[a * stride_ + path[u]];
      if (score > most) {
        most = score;
        path[u - 1] = a;
      }
    }
  }
  return path;
}

double TagChain::marginals(std::span<const float> emissions, std::vector<float>& out, float* pairs) const {
  out.assign(emissions.size(), 0.0F);
  if (emissions.empty()) return 0;
  const auto columns = static_cast<Eigen::Index>(tags());
  const auto units = static_cast<Eigen::Index>(emissions.size()) / columns;
  const Eigen::Map<const RowMatrix> scores(emissions.data(), units, columns);
  const auto row = [this](RowMatrix& matrix, Eigen::Index u, std::size_t size) {
    return std::span(matrix.data() + u * static_cast<Eigen::Index>(stride_), size);
  };
  // Probabilities scaled to sum 1 at every unit (Rabiner 1989, V.A); the shifts keep exp() in range.
  const Eigen::VectorXf shift = scores.rowwise().maxCoeff();
  RowMatrix observed = RowMatrix::Zero(units, static_cast<Eigen::Index>(stride_));
  observed.leftCols(columns) = (scores.colwise() - shift).array().exp();
  RowMatrix alpha = RowMatrix::Zero(units, observed.cols());
  alpha.row(0).head(columns) = Eigen::Map<const Eigen::ArrayXf>(start_.data(), columns).exp();
  double total = 0;
  for (Eigen::Index u = 0; u < units; ++u) {
    if (u > 0) multiply(row(alpha, u - 1, tags()), weight_, row(alpha, u, stride_));
    alpha.row(u).array() *= observed.row(u).array();
    const float scale = std::max(alpha.row(u).sum(), std::numeric_limits<float>::min());
    alpha.row(u) /= scale;
    observed.row(u) /= scale;
    total += std::log(static_cast<double>(scale)) + shift[u];
  }
  RowMatrix beta = RowMatrix::Ones(units, observed.cols());
  RowMatrix ahead(1, observed.cols());
  for (Eigen::Index u = units - 1; u > 0; --u) {
    ahead = observed.row(u).cwiseProduct(beta.row(u));
    multiply(row(ahead, 0, tags()), weight_to_, row(beta, u - 1, stride_));
    for (Eigen::Index a = 0; pairs != nullptr && a < columns; ++a) {
      Eigen::Map<Eigen::RowVectorXf>(pairs + a * columns, columns) +=
          alpha(u - 1, a) * ahead.leftCols(columns).cwiseProduct(Eigen::Map<const Eigen::RowVectorXf>(
                                weight_.data() + a * static_cast<Eigen::Index>(stride_), columns));
    }
  }
  Eigen::Map<RowMatrix>(out.data(), units, columns) = alpha.cwiseProduct(beta).leftCols(columns);
  return total;
}

}  // namespace kefu::nlu
