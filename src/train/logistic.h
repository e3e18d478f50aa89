#pragma once
// Multinomial logistic regression on dense or sparse rows, by L-BFGS (liblbfgs).

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace kefu::train {

using DenseRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRows = Eigen::SparseMatrix<float, Eigen::RowMajor>;

/// Rows of features with a class each; borrowed. Rows is DenseRows or SparseRows.
template <typename Rows>
struct Labelled {
  const Rows& rows;
  std::span<const std::uint32_t> labels;
  std::size_t classes = 0;
};

struct LogisticModel {
  DenseRows weights;  // [features, classes]
  Eigen::RowVectorXf bias;

  /// Logits [n, classes].
  template <typename Rows>
  DenseRows logits(const Rows& rows) const {
    DenseRows out = rows * weights;
    out.rowwise() += bias;
    return out;
  }
};

/// Minimises c * sum of cross-entropies + |weights|^2 / 2, starting at `start` if it is not empty.
/// Deterministic.
template <typename Rows>
LogisticModel fit_logistic(const Labelled<Rows>& data, double c, const LogisticModel& start = {});

/// A fold for each example, stratified by class and shuffled by `seed`.
std::vector<std::uint32_t> make_folds(std::span<const std::uint32_t> labels, std::size_t classes,
                                      std::uint32_t folds, std::uint64_t seed);

/// Cross-validation over `grid`, ascending: the smallest strength whose held-out loss is the least but for a
/// quarter of its standard error (a milder form of the rule of Breiman et al. 1984), and its held-out logits:
/// of models as good, the simplest carries farthest, to other languages above all.
struct CrossValidation {
  double c = 1;
  DenseRows logits;  // [n, classes], each row by a model that has not seen it
};
template <typename Rows>
CrossValidation cross_validate(const Labelled<Rows>& data, std::span<const std::uint32_t> folds,
                               std::span<const double> grid);

/// Mean cross-entropy of softmax(logits / temperature).
double cross_entropy(const DenseRows& logits, std::span<const std::uint32_t> labels, double temperature);

/// The temperature that minimises cross_entropy().
double fit_temperature(const DenseRows& logits, std::span<const std::uint32_t> labels);

/// Share of rows whose highest logit is the label's.
double accuracy(const DenseRows& logits, std::span<const std::uint32_t> labels);

}  // namespace kefu::train
