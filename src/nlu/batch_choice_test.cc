#include "nlu/batch_choice.h"

#include <gmock/gmock.h>

namespace kefu::nlu {
namespace {

using ::testing::ElementsAre;

constexpr BatchLimits kLimits{.rows = 4, .padded_tokens = 400};

/// Requests of one window each, in order of arrival.
std::vector<BatchCandidate> waiting(std::initializer_list<std::size_t> lengths) {
  std::vector<BatchCandidate> candidates;
  for (const std::size_t length : lengths) candidates.push_back({candidates.size(), 1, length});
  return candidates;
}

TEST(ChooseBatch, TakesTheOldestAndItsNearestInLength) {
  EXPECT_THAT(choose_batch(waiting({20, 90, 22, 19, 60, 20}), kLimits), ElementsAre(0, 5, 3, 2));
}

TEST(ChooseBatch, OfEqualLengthsTheOlderGoesFirst) {
  EXPECT_THAT(choose_batch(waiting({20, 20, 20, 20, 20, 20}), kLimits), ElementsAre(0, 1, 2, 3));
}

TEST(ChooseBatch, ARowThatPadsMoreThanARunCostsWaits) {
  EXPECT_THAT(choose_batch(waiting({10, 29}), kLimits), ElementsAre(0, 1));
  EXPECT_THAT(choose_batch(waiting({10, 31}), kLimits), ElementsAre(0));
  EXPECT_THAT(choose_batch(waiting({10, 10, 10, 19}), kLimits), ElementsAre(0, 1, 2));
}

TEST(ChooseBatch, LateArrivalsDoNotOvertake) {
  std::vector<std::size_t> lengths(16, 90);
  lengths[0] = 20;
  lengths.push_back(20);
  std::vector<BatchCandidate> candidates;
  for (const std::size_t length : lengths) candidates.push_back({candidates.size(), 1, length});
  EXPECT_THAT(choose_batch(candidates, kLimits), ElementsAre(0));
}

TEST(ChooseBatch, TheOldestGoesWhateverItsSize) {
  EXPECT_THAT(choose_batch({{7, 9, 500}, {8, 1, 500}}, kLimits), ElementsAre(7));
}

TEST(ChooseBatch, KeepsToTheTokensOfARun) {
  EXPECT_THAT(choose_batch(waiting({150, 150, 150}), kLimits), ElementsAre(0, 1));
}

}  // namespace
}  // namespace kefu::nlu
