#pragma once
// So much of something as there may be in use at once.

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace kefu::runtime {

/// Thread-safe; outlives its permits.
class Budget {
 public:
  /// Holds a part, and gives it back when it ends. Movable.
  class Permit {
   public:
    Permit() = default;
    Permit(Permit&& other) noexcept : from_(std::exchange(other.from_, nullptr)), amount_(other.amount_) {}
    Permit& operator=(Permit&& other) noexcept {
      std::swap(from_, other.from_);
      std::swap(amount_, other.amount_);
      return *this;
    }
    ~Permit() {
      if (from_ != nullptr) from_->used_.fetch_sub(amount_, std::memory_order_relaxed);
    }

   private:
    friend class Budget;
    Permit(Budget* from, std::size_t amount) : from_(from), amount_(amount) {}

    Budget* from_ = nullptr;
    std::size_t amount_ = 0;
  };

  explicit Budget(std::size_t limit) : limit_(limit) {}

  /// None if there is not enough left.
  std::optional<Permit> take(std::size_t amount) {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (amount > limit_ - used) return std::nullopt;
    } while (!used_.compare_exchange_weak(used, used + amount, std::memory_order_relaxed));
    return Permit(this, amount);
  }

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t limit() const { return limit_; }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_ = 0;  // at most limit_
};

using Permit = Budget::Permit;

}  // namespace kefu::runtime
