#include "train/neighbor_trainer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

namespace kefu::train {
namespace {

constexpr Eigen::Index kExactRows = 1000;  // up to here one cluster
constexpr int kMeansRounds = 10;
constexpr Eigen::Index kSample = 1000;     // rows whose neighbours are counted
constexpr Eigen::Index kRowsAtOnce = 256;  // of a product

/// Calls use(i, products) with the products of each `step`-th row i and all columns of `other`.
template <typename Use>
void for_products(const DenseRows& rows, Eigen::Index step, const DenseRows& other, const Use& use) {
  for (Eigen::Index at = 0; at < rows.rows(); at += kRowsAtOnce * step) {
    const Eigen::Index count = std::min(kRowsAtOnce, (rows.rows() - at + step - 1) / step);
    const DenseRows block = rows(Eigen::seqN(at, count, step), Eigen::all);
    const DenseRows products = block * other.transpose();
    for (Eigen::Index i = 0; i < count; ++i) use(at + i * step, products.row(i));
  }
}

std::vector<Eigen::Index> assign(const DenseRows& rows, const DenseRows& centers) {
  std::vector<Eigen::Index> clusters(static_cast<std::size_t>(rows.rows()));
  for_products(rows, 1, centers, [&](Eigen::Index i, const auto& cosines) {
    cosines.maxCoeff(&clusters[static_cast<std::size_t>(i)]);
  });
  return clusters;
}

/// The centres that have rows, and the rows' clusters among them.
struct Grouping {
  DenseRows centers;
  std::vector<Eigen::Index> clusters;
};

/// Equal rows may leave clusters without any: a probe would be lost on them.
Grouping without_empty(const DenseRows& centers, std::vector<Eigen::Index> clusters) {
  std::vector<Eigen::Index> kept = clusters;
  std::ranges::sort(kept);
  const auto rest = std::ranges::unique(kept);
  kept.erase(rest.begin(), rest.end());
  for (Eigen::Index& cluster : clusters) cluster = std::ranges::lower_bound(kept, cluster) - kept.begin();
  return {centers(kept, Eigen::all), std::move(clusters)};
}

Grouping group(const DenseRows& rows, Eigen::Index count, std::uint64_t seed) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  DenseRows centers = rows(std::vector(order.begin(), order.begin() + count), Eigen::all);
  for (int iteration = 0; count > 1 && iteration < kMeansRounds; ++iteration) {
    const auto clusters = assign(rows, centers);
    DenseRows sums = DenseRows::Zero(count, rows.cols());
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      sums.row(clusters[static_cast<std::size_t>(i)]) += rows.row(i);
    for (Eigen::Index c = 0; c < count; ++c) {
      if (sums.row(c).squaredNorm() > 0) centers.row(c) = sums.row(c).normalized();  // else it stays
    }
  }
  return without_empty(centers, assign(rows, centers));
}

/// The positions of the largest values, the position `except` left out.
std::vector<Eigen::Index> nearest_others(const Eigen::RowVectorXf& cosines, Eigen::Index except) {
  std::vector<Eigen::Index> order;
  for (Eigen::Index j = 0; j < cosines.size(); ++j) {
    if (j != except) order.push_back(j);
  }
  const std::size_t count = std::min(nlu::NeighborIndex::kNeighbors, order.size());
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>(),
                           [&](Eigen::Index j) { return cosines[j]; });
  order.resize(count);
  return order;
}

/// The number of clusters that hold the share kRecall of the nearest others of a sample of the rows.
std::size_t choose_probes(const DenseRows& rows, const DenseRows& centers,
                          const std::vector<Eigen::Index>& clusters) {
  const Eigen::Index step = std::max<Eigen::Index>(1, rows.rows() / kSample);
  std::vector<Eigen::Index> ranks;  // of each neighbour's cluster among those of the row
  for_products(rows, step, rows, [&](Eigen::Index i, const auto& cosines) {
    const Eigen::RowVectorXf near = rows.row(i) * centers.transpose();
    for (const Eigen::Index j : nearest_others(cosines, i)) {
      const float own = near[clusters[static_cast<std::size_t>(j)]];
      ranks.push_back((near.array() > own).count());
    }
  });
  std::ranges::sort(ranks);
  const double at = std::ceil(kRecall * static_cast<double>(ranks.size()));
  return static_cast<std::size_t>(ranks[static_cast<std::size_t>(std::max(at - 1, 0.0))]) + 1;
}

}  // namespace

nlu::NeighborIndex index_neighbors(DenseRows rows, std::uint64_t seed) {
  const auto dimensions = static_cast<std::size_t>(rows.cols());
  if (rows.rows() == 0) return {{}, dimensions, {}};
  rows.rowwise().normalize();
  const bool is_exact = rows.rows() <= kExactRows;
  const auto count =
      is_exact ? 1 : static_cast<Eigen::Index>(2 * std::sqrt(static_cast<double>(rows.rows())));
  const auto [centers, clusters] = group(rows, count, seed);
  nlu::Clusters out{{centers.data(), centers.data() + centers.size()},
                    std::vector<std::uint32_t>(static_cast<std::size_t>(centers.rows()), 0),
                    is_exact ? 1 : choose_probes(rows, centers, clusters)};
  std::vector<Eigen::Index> order(clusters.size());
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const auto cluster_of = [&all = clusters](Eigen::Index i) { return all[static_cast<std::size_t>(i)]; };
  std::ranges::stable_sort(order, {}, cluster_of);
  for (const Eigen::Index cluster : clusters) ++out.sizes[static_cast<std::size_t>(cluster)];
  const DenseRows grouped = rows(order, Eigen::all);
  return {{grouped.data(), static_cast<std::size_t>(grouped.size())}, dimensions, out};
}

}  // namespace kefu::train
