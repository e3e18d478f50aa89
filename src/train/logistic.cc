#include "train/logistic.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include <lbfgs.h>

namespace kefu::train {
namespace {

using DoubleRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int kIterations = 120;
constexpr double kTie = 0.25;  // standard errors that a simpler model may lose and still be chosen

/// Softmax of every row in place; `visit(-log p(label))` is called for each.
template <typename Visit>
void softmax_rows(DenseRows& logits, std::span<const std::uint32_t> labels, const Visit& visit) {
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    auto row = logits.row(i).array();
    row = (row - row.maxCoeff()).exp();
    row /= row.sum();
    visit(-std::log(std::max(row[labels[static_cast<std::size_t>(i)]], std::numeric_limits<float>::min())));
  }
}

struct Loss {
  double mean = 0;
  double error = 0;  // standard error of the mean
};

Loss held_out_loss(DenseRows logits, std::span<const std::uint32_t> labels, double temperature) {
  logits /= static_cast<float>(temperature);
  double sum = 0;
  double squares = 0;
  softmax_rows(logits, labels, [&](float loss) {
    sum += static_cast<double>(loss);
    squares += static_cast<double>(loss) * static_cast<double>(loss);
  });
  const auto n = static_cast<double>(std::max<std::size_t>(labels.size(), 1));
  const double variance = squares / n - sum / n * (sum / n);
  return {sum / n, std::sqrt(std::max(variance, 0.0) / n)};
}

/// The objective for liblbfgs; parameters are weights then biases.
template <typename Rows>
struct Objective {
  const Labelled<Rows>& data;
  double decay;  // of the mean loss: 1 / (c n)

  double evaluate(const double* parameters, double* gradient) const {
    const auto k = static_cast<Eigen::Index>(data.classes);
    const Eigen::Index d = data.rows.cols();
    const Eigen::Index n = data.rows.rows();
    const Eigen::Map<const DoubleRows> weights(parameters, d, k);
    const Eigen::Map<const Eigen::RowVectorXd> bias(parameters + d * k, k);
    DenseRows p = LogisticModel{weights.cast<float>(), bias.cast<float>()}.logits(data.rows);
    double loss = 0;
    softmax_rows(p, data.labels, [&](float one) { loss += static_cast<double>(one); });
    loss /= static_cast<double>(n);
    for (Eigen::Index i = 0; i < n; ++i) p(i, data.labels[static_cast<std::size_t>(i)]) -= 1;
    const double scale = 1.0 / static_cast<double>(n);
    const DenseRows slope = data.rows.transpose() * p;
    Eigen::Map<DoubleRows>(gradient, d, k) = slope.template cast<double>() * scale + weights * decay;
    Eigen::Map<Eigen::RowVectorXd>(gradient + d * k, k) = p.colwise().sum().template cast<double>() * scale;
    return loss + 0.5 * decay * weights.squaredNorm();
  }

  static double callback(void* self, const double* x, double* g, int /*n*/, double /*step*/) {
    return static_cast<const Objective*>(self)->evaluate(x, g);
  }
};

/// Numbers of the rows of one fold, or of all others.
std::vector<Eigen::Index> rows_of(std::span<const std::uint32_t> folds, std::uint32_t fold, bool inside) {
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if ((folds[i] == fold) == inside) rows.push_back(static_cast<Eigen::Index>(i));
  }
  return rows;
}

/// The named rows of a matrix, as the product with a matrix of ones.
template <typename Rows>
Rows pick(const Rows& from, const std::vector<Eigen::Index>& rows) {
  SparseRows choice(static_cast<Eigen::Index>(rows.size()), from.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) choice.insert(static_cast<Eigen::Index>(i), rows[i]) = 1;
  return choice * from;
}

/// Held-out logits of one fold for each strength of the grid, weakest strength first.
template <typename Rows>
std::vector<DenseRows> run_fold(const Labelled<Rows>& data, std::span<const std::uint32_t> folds,
                                std::uint32_t fold, std::span<const double> grid) {
  const auto others = rows_of(folds, fold, false);
  const Rows train = pick(data.rows, others);
  const Rows held = pick(data.rows, rows_of(folds, fold, true));
  std::vector<std::uint32_t> labels;
  for (const Eigen::Index row : others) labels.push_back(data.labels[static_cast<std::size_t>(row)]);
  std::vector<DenseRows> logits;
  LogisticModel model;
  for (const double c : grid) {
    model = fit_logistic<Rows>({train, labels, data.classes}, c, model);
    logits.push_back(model.logits(held));
  }
  return logits;
}

}  // namespace

template <typename Rows>
LogisticModel fit_logistic(const Labelled<Rows>& data, double c, const LogisticModel& start) {
  const auto k = static_cast<Eigen::Index>(data.classes);
  const Eigen::Index d = data.rows.cols();
  std::vector<double> parameters(static_cast<std::size_t>((d + 1) * k), 0.0);
  Eigen::Map<DoubleRows> weights(parameters.data(), d, k);
  Eigen::Map<Eigen::RowVectorXd> bias(parameters.data() + d * k, k);
  if (start.weights.size() > 0) {
    weights = start.weights.cast<double>();
    bias = start.bias.cast<double>();
  }
  Objective<Rows> objective{data, 1.0 / (c * static_cast<double>(data.rows.rows()))};
  lbfgs_parameter_t settings;
  lbfgs_parameter_init(&settings);
  settings.max_iterations = kIterations;
  settings.epsilon = 1e-4;
  settings.past = 3;
  settings.delta = 1e-5;
  double value = 0;
  // Every outcome leaves the best parameters so far; the rounding of float products may end the line search
  // early.
  lbfgs(static_cast<int>(parameters.size()), parameters.data(), &value, Objective<Rows>::callback, nullptr,
        &objective, &settings);
  return {weights.cast<float>(), bias.cast<float>()};
}

template LogisticModel fit_logistic(const Labelled<DenseRows>&, double, const LogisticModel&);
template LogisticModel fit_logistic(const Labelled<SparseRows>&, double, const LogisticModel&);

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

template <typename Rows>
CrossValidation cross_validate(const Labelled<Rows>& data, std::span<const std::uint32_t> folds,
                               std::span<const double> grid) {
  const std::uint32_t count = *std::ranges::max_element(folds) + 1;
  constexpr std::uint32_t kAtOnce = 2;
  std::vector<DenseRows> logits(grid.size(), DenseRows(data.rows.rows(), data.classes));
  for (std::uint32_t first = 0; first < count; first += kAtOnce) {
    const std::uint32_t end = std::min(count, first + kAtOnce);
    std::vector<std::future<std::vector<DenseRows>>> runs;
    for (std::uint32_t fold = first; fold < end; ++fold)
      runs.push_back(std::async(std::launch::async, run_fold<Rows>, data, folds, fold, grid));
    for (std::uint32_t fold = first; fold < end; ++fold) {
      const auto held = runs[fold - first].get();
      const auto rows = rows_of(folds, fold, true);
      for (std::size_t g = 0; g < grid.size(); ++g) {
        for (std::size_t i = 0; i < rows.size(); ++i)
          logits[g].row(rows[i]) = held[g].row(static_cast<Eigen::Index>(i));
      }
    }
  }
  std::vector<Loss> losses;
  for (const DenseRows& held : logits)
    losses.push_back(held_out_loss(held, data.labels, fit_temperature(held, data.labels)));
  const Loss& least = *std::ranges::min_element(losses, {}, &Loss::mean);
  const double enough = least.mean + kTie * least.error;
  const auto chosen = std::ranges::find_if(losses, [&](const Loss& loss) { return loss.mean <= enough; });
  const auto g = static_cast<std::size_t>(chosen - losses.begin());
  return {grid[g], std::move(logits[g])};
}

template CrossValidation cross_validate(const Labelled<DenseRows>&, std::span<const std::uint32_t>,
                                        std::span<const double>);
template CrossValidation cross_validate(const Labelled<SparseRows>&, std::span<const std::uint32_t>,
                                        std::span<const double>);

double cross_entropy(const DenseRows& logits, std::span<const std::uint32_t> labels, double temperature) {
  return held_out_loss(logits, labels, temperature).mean;
}

double fit_temperature(const DenseRows& logits, std::span<const std::uint32_t> labels) {
  // Golden-section search over log temperature: the loss has one minimum there.
  constexpr double kRatio = 0.6180339887498949;
  double low = std::log(0.05);
  double high = std::log(20.0);
  const auto loss = [&](double x) { return cross_entropy(logits, labels, std::exp(x)); };
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

double accuracy(const DenseRows& logits, std::span<const std::uint32_t> labels) {
  std::size_t right = 0;
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    Eigen::Index best = 0;
    logits.row(i).maxCoeff(&best);
    right += static_cast<std::uint32_t>(best) == labels[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(std::max<std::size_t>(labels.size(), 1));
}

}  // namespace kefu::train
