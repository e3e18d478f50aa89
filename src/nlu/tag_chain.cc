#include "nlu/tag_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

namespace kefu::nlu {
namespace {

constexpr float kNever = -1e9F;
constexpr std::size_t kLanes = 32;  // tags that Viterbi's step keeps in registers
using Lanes = Eigen::Array<float, kLanes, 1>;
using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

TagChain::TagChain(std::span<const float> start, std::span<const float> transition)
    : start_(start.begin(), start.end()),
      weight_(transition.size()),
      stride_((start.size() + kLanes - 1) / kLanes * kLanes) {
  score_.assign(tags() * stride_, kNever);
  for (std::size_t a = 0; a < tags(); ++a) {
    if (is_inside(a)) start_[a] = kNever;
    for (std::size_t b = 0; b < tags(); ++b) {
      if (!may_follow(a, b)) continue;
      score_[a * stride_ + b] = transition[a * tags() + b];
      weight_[a * tags() + b] = std::exp(transition[a * tags() + b]);
    }
  }
}

std::vector<std::size_t> TagChain::best_path(std::span<const float> emissions) const {
  if (emissions.empty()) return {};
  const std::size_t units = emissions.size() / tags();
  std::vector<float> best(units * stride_, kNever);  // score of the best way to each tag
  for (std::size_t t = 0; t < tags(); ++t) best[t] = start_[t] + emissions[t];
  for (std::size_t u = 1; u < units; ++u) {
    const float* last = &best[(u - 1) * stride_];
    for (std::size_t block = 0; block < stride_; block += kLanes) {
      Lanes most = Lanes::Constant(-std::numeric_limits<float>::infinity());
      for (std::size_t a = 0; a < tags(); ++a)
        most = most.max(last[a] + Eigen::Map<const Lanes>(&score_[a * stride_ + block]));
      std::ranges::copy(most, &best[u * stride_ + block]);
    }
    for (std::size_t t = 0; t < tags(); ++t) best[u * stride_ + t] += emissions[u * tags() + t];
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
  const auto tags = static_cast<Eigen::Index>(this->tags());
  const auto units = static_cast<Eigen::Index>(emissions.size()) / tags;
  const Eigen::Map<const RowMatrix> scores(emissions.data(), units, tags);
  const Eigen::Map<const RowMatrix> weight(weight_.data(), tags, tags);
  const Eigen::Map<const Eigen::RowVectorXf> start(start_.data(), tags);
  // Probabilities scaled to sum 1 at every unit (Rabiner 1989, V.A); the shifts keep exp() in range.
  const Eigen::VectorXf shift = scores.rowwise().maxCoeff();
  RowMatrix observed = (scores.colwise() - shift).array().exp();
  RowMatrix alpha(units, tags);
  double total = 0;
  for (Eigen::Index u = 0; u < units; ++u) {
    if (u == 0) {
      alpha.row(u) = start.array().exp();
    } else {
      alpha.row(u).noalias() = alpha.row(u - 1) * weight;
    }
    alpha.row(u).array() *= observed.row(u).array();
    const float scale = std::max(alpha.row(u).sum(), std::numeric_limits<float>::min());
    alpha.row(u) /= scale;
    observed.row(u) /= scale;
    total += std::log(static_cast<double>(scale)) + shift[u];
  }
  RowMatrix beta = RowMatrix::Ones(units, tags);
  Eigen::VectorXf ahead(tags);
  for (Eigen::Index u = units - 1; u > 0; --u) {
    ahead = observed.row(u).cwiseProduct(beta.row(u)).transpose();
    beta.row(u - 1).transpose().noalias() = weight * ahead;
    if (pairs == nullptr) continue;
    const Eigen::VectorXf here = alpha.row(u - 1).transpose();
    Eigen::Map<RowMatrix>(pairs, tags, tags) += (here * ahead.transpose()).cwiseProduct(weight);
  }
  Eigen::Map<RowMatrix>(out.data(), units, tags) = alpha.cwiseProduct(beta);
  return total;
}

}  // namespace kefu::nlu
