#include "train/logistic.h"

#include <random>

#include <gtest/gtest.h>

namespace kefu::train {
namespace {

/// Three classes around the corners of a triangle, 40 points each.
struct Triangle {
  DenseRows rows{120, 2};
  std::vector<std::uint32_t> labels;

  explicit Triangle(float noise) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0, noise);
    constexpr float kCorners[3][2] = {{1, 0}, {-1, 1}, {-1, -1}};
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const auto label = static_cast<std::uint32_t>(i % 3);
      labels.push_back(label);
      rows(i, 0) = kCorners[label][0] + normal(random);
      rows(i, 1) = kCorners[label][1] + normal(random);
    }
  }
};

TEST(Logistic, SeparatesClassesThatAreApart) {
  const Triangle data(0.1F);
  const LogisticModel model = fit_logistic<DenseRows>({data.rows, data.labels, 3}, 10.0);
  EXPECT_EQ(accuracy(model.logits(data.rows), data.labels), 1.0);
}

TEST(Logistic, GradientVanishesAtTheOptimum) {
  const Triangle data(1.0F);
  constexpr double kC = 0.5;
  const LogisticModel model = fit_logistic<DenseRows>({data.rows, data.labels, 3}, kC);
  DenseRows p = model.logits(data.rows);
  for (Eigen::Index i = 0; i < p.rows(); ++i) {
    p.row(i) = (p.row(i).array() - p.row(i).maxCoeff()).exp();
    p.row(i) /= p.row(i).sum();
    p(i, data.labels[static_cast<std::size_t>(i)]) -= 1;
  }
  const DenseRows gradient = static_cast<float>(kC) * data.rows.transpose() * p + model.weights;
  EXPECT_LT(gradient.cwiseAbs().maxCoeff(), 0.05F);
}

TEST(Logistic, SparseRowsGiveTheSameModel) {
  const Triangle data(0.5F);
  const SparseRows sparse = data.rows.sparseView();
  const LogisticModel a = fit_logistic<DenseRows>({data.rows, data.labels, 3}, 1.0);
  const LogisticModel b = fit_logistic<SparseRows>({sparse, data.labels, 3}, 1.0);
  EXPECT_LT((a.weights - b.weights).cwiseAbs().maxCoeff(), 1e-2F);
}

TEST(Logistic, FoldsHoldEveryClassEvenly) {
  const Triangle data(0.5F);
  const auto folds = make_folds(data.labels, 3, 5, 1);
  std::vector<std::vector<int>> counts(5, std::vector<int>(3, 0));
  for (std::size_t i = 0; i < folds.size(); ++i) ++counts[folds[i]][data.labels[i]];
  for (const auto& fold : counts) EXPECT_EQ(fold, (std::vector<int>{8, 8, 8}));
  EXPECT_EQ(folds, make_folds(data.labels, 3, 5, 1));
  EXPECT_NE(folds, make_folds(data.labels, 3, 5, 2));
}

TEST(Logistic, HeldOutLogitsKnowNothingOfTheirRow) {
  // Labels without any pattern: a model that had seen a row would do better than chance on it.
  Triangle data(3.0F);
  std::mt19937 random(3);
  for (auto& label : data.labels) label = static_cast<std::uint32_t>(random() % 3);
  const auto folds = make_folds(data.labels, 3, 5, 1);
  constexpr std::array kGrid{0.01, 1.0};
  const CrossValidation held = cross_validate<DenseRows>({data.rows, data.labels, 3}, folds, kGrid);
  EXPECT_EQ(held.logits.rows(), 120);
  EXPECT_LT(accuracy(held.logits, data.labels), 0.5);
}

TEST(Logistic, TemperatureUndoesScaling) {
  const Triangle data(1.0F);
  const DenseRows logits = fit_logistic<DenseRows>({data.rows, data.labels, 3}, 100.0).logits(data.rows);
  const double plain = fit_temperature(logits, data.labels);
  const DenseRows scaled = logits * 3;
  EXPECT_NEAR(fit_temperature(scaled, data.labels), 3 * plain, 0.05 * plain);
  EXPECT_NEAR(cross_entropy(scaled, data.labels, 3 * plain), cross_entropy(logits, data.labels, plain), 1e-6);
}

}  // namespace
}  // namespace kefu::train
