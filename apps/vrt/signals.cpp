#include "apps/vrt/signals.h"

#include <array>
#include <csignal>

namespace vrt::cli {
namespace {

std::atomic<bool> stop = false;
std::atomic<int> received = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "signal handlers need it");

constexpr std::array kStops = {SIGINT, SIGTERM, SIGHUP};
/// The write that they come with fails as well, and says more.
constexpr std::array kFailedWrites = {SIGPIPE, SIGXFSZ};

void request_stop(int signal) {
  received = signal;
  stop = true;
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

StopOnSignal::StopOnSignal() {
  // SA_RESETHAND: the second one ends the process even if the run does not come to an end.
  for (const int signal : kStops) handle(signal, request_stop, SA_RESTART | static_cast<int>(SA_RESETHAND));
  for (const int signal : kFailedWrites) handle(signal, SIG_IGN, 0);
}

StopOnSignal::~StopOnSignal() {
  for (const int signal : kStops) handle(signal, SIG_DFL, 0);
  for (const int signal : kFailedWrites) handle(signal, SIG_DFL, 0);
}

const std::atomic<bool>* StopOnSignal::flag() const noexcept { return &stop; }
int StopOnSignal::signal() const noexcept { return received; }

}  // namespace vrt::cli
