#include "serve/mailbox.h"

#include <boost/asio/post.hpp>

namespace kefu::serve {

void Mailbox::put(std::shared_ptr<Addressee> to, Reply reply) {
  if (context_->get_executor().running_in_this_thread()) return to->resume(std::move(reply));
  {
    const std::lock_guard lock(mutex_);
    letters_.push_back({std::move(to), std::move(reply)});
    if (letters_.size() > 1) return;  // whoever put the first one sees to the wake-up
  }
  runtime::Wakeups::defer(shared_from_this());
}

void Mailbox::wake() {
  // Weak: what waits in the context's queue must not keep the context.
  boost::asio::post(*context_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->deliver();
  });
}

void Mailbox::deliver() {
  std::vector<Letter> letters;
  {
    const std::lock_guard lock(mutex_);
    letters.swap(letters_);
  }
  for (Letter& letter : letters) letter.to->resume(std::move(letter.reply));
}

}  // namespace kefu::serve
