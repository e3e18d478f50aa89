#include "train/logistic.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <numeric>
#include <random>

#include <Eigen/Core>
#include <lbfgs.h>

namespace kefu::train {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstRows = Eigen::Map<const RowMatrix>;

constexpr int kIterations = 120;

/// Softmax of every row in place; returns the sum of -log p(label).
double softmax_rows(RowMatrix& logits, std::span<const std::uint32_t> labels) {
  double loss = 0;
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    auto row = logits.row(i).array();
    row = (row - row.maxCoeff()).exp();
    row /= row.sum();
    loss -= std::log(std::max(row[labels[static_cast<std::size_t>(i)]], std::numeric_limits<float>::min()));
  }
  return loss;
}

/// The objective for liblbfgs; parameters are weights then biases.
struct Objective {
  const LabelledVectors& data;
  double decay;  // of the mean loss: 1 / (C n)

  double evaluate(const double* parameters, double* gradient) const {
    const auto k = static_cast<Eigen::Index>(data.classes);
    const auto d = static_cast<Eigen::Index>(data.dimensions);
    const auto n = static_cast<Eigen::Index>(data.size());
    using DoubleRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const DoubleRows> weights(parameters, k, d);
    const Eigen::Map<const Eigen::RowVectorXd> bias(parameters + k * d, k);
    const ConstRows x(data.vectors.data(), n, d);
    RowMatrix p = x * weights.cast<float>().transpose();
    p.rowwise() += bias.cast<float>();
    const double loss = softmax_rows(p, data.labels) / static_cast<double>(n);
    for (Eigen::Index i = 0; i < n; ++i) p(i, data.labels[static_cast<std::size_t>(i)]) -= 1;
    const double scale = 1.0 / static_cast<double>(n);
    Eigen::Map<DoubleRows>(gradient, k, d) = (p.transpose() * x).cast<double>() * scale + weights * decay;
    Eigen::Map<Eigen::RowVectorXd>(gradient + k * d, k) = p.colwise().sum().cast<double>() * scale;
    return loss + 0.5 * decay * weights.squaredNorm();
  }

  static double callback(void* self, const double* x, double* g, int /*n*/, double /*step*/) {
    return static_cast<const Objective*>(self)->evaluate(x, g);
  }
};

struct Selected {
  std::vector<float> vectors;
  std::vector<std::uint32_t> labels;
};

template <typename Keep>
Selected select(const LabelledVectors& data, Keep keep) {
  Selected out;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!keep(i)) continue;
    const auto row = data.vectors.subspan(i * data.dimensions, data.dimensions);
    out.vectors.insert(out.vectors.end(), row.begin(), row.end());
    out.labels.push_back(data.labels[i]);
  }
  return out;
}

/// Held-out logits of one fold for each strength of the grid, weakest regularisation last.
std::vector<std::vector<float>> run_fold(const LabelledVectors& data, std::span<const std::uint32_t> folds,
                                         std::uint32_t fold, std::span<const double> grid) {
  const Selected train = select(data, [&](std::size_t i) { return folds[i] != fold; });
  const Selected held = select(data, [&](std::size_t i) { return folds[i] == fold; });
  std::vector<std::vector<float>> logits;
  LogisticModel model;
  for (const double c : grid) {
    model = fit_logistic({train.vectors, train.labels, data.dimensions, data.classes}, c, model);
    logits.push_back(predict_logits(model, held.vectors, data.dimensions));
  }
  return logits;
}

double cross_entropy(std::span<const float> logits, std::span<const std::uint32_t> labels,
                     std::size_t classes, double temperature) {
  RowMatrix scaled =
      ConstRows(logits.data(), static_cast<Eigen::Index>(labels.size()), static_cast<Eigen::Index>(classes)) /
      static_cast<float>(temperature);
  return softmax_rows(scaled, labels) / static_cast<double>(labels.size());
}

double accuracy_of(std::span<const float> logits, std::span<const std::uint32_t> labels,
                   std::size_t classes) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = logits.subspan(i * classes, classes);
    right += static_cast<std::uint32_t>(std::ranges::max_element(row) - row.begin()) == labels[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(std::max<std::size_t>(labels.size(), 1));
}

}  // namespace

LogisticModel fit_logistic(const LabelledVectors& data, double c, const LogisticModel& start) {
  const std::size_t weights = data.classes * data.dimensions;
  std::vector<double> parameters(weights + data.classes, 0.0);
  if (!start.weights.empty()) {
    std::copy(start.weights.begin(), start.weights.end(), parameters.begin());
    std::copy(start.bias.begin(), start.bias.end(),
              parameters.begin() + static_cast<std::ptrdiff_t>(weights));
  }
  Objective objective{data, 1.0 / (c * static_cast<double>(data.size()))};
  lbfgs_parameter_t settings;
  lbfgs_parameter_init(&settings);
  settings.max_iterations = kIterations;
  settings.epsilon = 1e-4;
  settings.past = 3;
  settings.delta = 1e-5;
  double value = 0;
  // Every outcome leaves the best parameters so far; the rounding of float products may end the line search
  // early.
  lbfgs(static_cast<int>(parameters.size()), parameters.data(), &value, Objective::callback, nullptr,
        &objective, &settings);
  LogisticModel model;
  model.weights.assign(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(weights));
  model.bias.assign(parameters.begin() + static_cast<std::ptrdiff_t>(weights), parameters.end());
  return model;
}

std::vector<float> predict_logits(const LogisticModel& model, std::span<const float> vectors,
                                  std::size_t dimensions) {
  const auto k = static_cast<Eigen::Index>(model.bias.size());
  const auto d = static_cast<Eigen::Index>(dimensions);
  const auto n = static_cast<Eigen::Index>(vectors.size() / dimensions);
  std::vector<float> out(static_cast<std::size_t>(n * k));
  Eigen::Map<RowMatrix> logits(out.data(), n, k);
  logits.noalias() = ConstRows(vectors.data(), n, d) * ConstRows(model.weights.data(), k, d).transpose();
  logits.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(model.bias.data(), k);
  return out;
}

std::vector<std::uint32_t> make_folds(std::span<const std::uint32_t> labels, std::size_t classes,
                                      std::uint32_t folds, std::uint64_t seed) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  std::vector<std::uint32_t> next(classes, 0);
  for (std::size_t c = 0; c < classes; ++c) next[c] = static_cast<std::uint32_t>(c) % folds;
  std::vector<std::uint32_t> assigned(labels.size());
  for (const std::size_t i : order) assigned[i] = next[labels[i]]++ % folds;
  return assigned;
}

CrossValidation cross_validate(const LabelledVectors& data, std::span<const std::uint32_t> folds,
                               std::span<const double> grid) {
  const std::uint32_t count = *std::ranges::max_element(folds) + 1;
  std::vector<std::future<std::vector<std::vector<float>>>> runs;
  std::vector<std::vector<float>> logits(grid.size(), std::vector<float>(data.size() * data.classes));
  const std::uint32_t at_once = 2;
  for (std::uint32_t fold = 0; fold < count; fold += at_once) {
    runs.clear();
    const std::uint32_t end = std::min(count, fold + at_once);
    for (std::uint32_t f = fold; f < end; ++f)
      runs.push_back(std::async(std::launch::async, run_fold, data, folds, f, grid));
    for (std::uint32_t f = fold; f < end; ++f) {
      const auto held = runs[f - fold].get();
      std::size_t row = 0;
      for (std::size_t i = 0; i < data.size(); ++i) {
        if (folds[i] != f) continue;
        for (std::size_t g = 0; g < grid.size(); ++g) {
          std::copy_n(held[g].begin() + static_cast<std::ptrdiff_t>(row * data.classes), data.classes,
                      logits[g].begin() + static_cast<std::ptrdiff_t>(i * data.classes));
        }
        ++row;
      }
    }
  }
  CrossValidation best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < grid.size(); ++g) {
    const double temperature = fit_temperature(logits[g], data.labels, data.classes);
    const double loss = cross_entropy(logits[g], data.labels, data.classes, temperature);
    if (loss >= least) continue;
    least = loss;
    best = {grid[g], accuracy_of(logits[g], data.labels, data.classes), {}};
    best.logits = std::move(logits[g]);
  }
  return best;
}

double fit_temperature(std::span<const float> logits, std::span<const std::uint32_t> labels,
                       std::size_t classes) {
  // Golden-section search over log temperature: the loss has one minimum there.
  constexpr double kRatio = 0.6180339887498949;
  double low = std::log(0.05);
  double high = std::log(20.0);
  const auto loss = [&](double x) { return cross_entropy(logits, labels, classes, std::exp(x)); };
  double a = high - kRatio * (high - low);
  double b = low + kRatio * (high - low);
  double loss_a = loss(a);
  double loss_b = loss(b);
  while (high - low > 0.005) {
    if (loss_a < loss_b) {
      high = b;
      b = std::exchange(a, b - kRatio * (b - low));
      loss_b = std::exchange(loss_a, loss(a));
    } else {
      low = a;
      a = std::exchange(b, a + kRatio * (high - a));
      loss_a = std::exchange(loss_b, loss(b));
    }
  }
  return std::exp((low + high) / 2);
}

}  // namespace kefu::train
