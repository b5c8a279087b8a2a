// Internal: what the stand-in for TensorRT keeps book of, and how a test reads it and makes calls fail. The functions are exported by the
// stand-in of the main library; the parser's stand-in finds them there through `Ledger`.
#pragma once

#include <NvInferRuntime.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace stand_in {

/// Objects that live and the calls that are to fail. One for each stand-in library, used from any thread.
class Ledger {
 public:
  /// Whether a call is to fail; says its planned reason to the logger as an error.
  bool fails(const std::string& call) {
    std::string reason;
    nvinfer1::ILogger* logger = nullptr;
    {
      const std::lock_guard lock(mutex_);
      ++calls_[call];
      const auto found = failures_.find(call);
      if (found == failures_.end()) return false;
      reason = found->second;
      logger = logger_;
    }
    if (logger != nullptr && !reason.empty()) logger->log(nvinfer1::ILogger::Severity::kERROR, reason.c_str());
    return true;
  }

  void fail(const std::string& call, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    failures_[call] = reason;
  }

  /// All that is made uses the first logger; another one afterwards is a fault, as it is with TensorRT.
  void use_logger(nvinfer1::ILogger* logger) {
    const std::lock_guard lock(mutex_);
    if (logger_ != nullptr && logger != logger_) note_fault("a second logger was given");
    logger_ = logger;
  }

  void say(nvinfer1::ILogger::Severity severity, const std::string& text) {
    nvinfer1::ILogger* logger = nullptr;
    {
      const std::lock_guard lock(mutex_);
      logger = logger_;
    }
    if (logger != nullptr) logger->log(severity, text.c_str());
  }

  void born() {
    const std::lock_guard lock(mutex_);
    ++live_;
  }
  /// A thing is destroyed whose children number `children`.
  void died(const std::string& kind, int children) {
    say(nvinfer1::ILogger::Severity::kVERBOSE, "destroyed a " + kind);
    const std::lock_guard lock(mutex_);
    --live_;
    if (children != 0) note_fault("a " + kind + " was destroyed before what it made");
  }

  void note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    notes_ += text + "\n";
  }

  void reset() {
    const std::lock_guard lock(mutex_);
    failures_.clear();
    calls_.clear();
    notes_.clear();
    fault_.clear();
  }

  std::int64_t live() {
    const std::lock_guard lock(mutex_);
    return live_;
  }
  std::int64_t calls(const std::string& call) {
    const std::lock_guard lock(mutex_);
    return calls_[call];
  }
  /// Of all calls but those that ask for the version.
  std::int64_t all_calls() {
    const std::lock_guard lock(mutex_);
    std::int64_t sum = 0;
    for (const auto& [call, count] : calls_) sum += count;
    return sum;
  }
  std::string notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  std::string fault() {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  void note_fault(const std::string& text) {
    if (fault_.empty()) fault_ = text;
  }

  std::mutex mutex_;
  std::map<std::string, std::string> failures_;
  std::map<std::string, std::int64_t> calls_;
  std::string notes_;
  std::string fault_;
  std::int64_t live_ = 0;
  nvinfer1::ILogger* logger_ = nullptr;
};

/// Something that TensorRT made: counted, and asked at its end whether what it made itself has gone.
class Counted {
 public:
  Counted(Ledger& ledger, const char* kind, const Counted* parent) : ledger_(&ledger), kind_(kind), parent_(parent) {
    ledger_->born();
    if (parent_ != nullptr) ++parent_->children_;
  }
  ~Counted() {
    if (parent_ != nullptr) --parent_->children_;
    ledger_->died(kind_, children_);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  [[nodiscard]] Ledger& ledger() const { return *ledger_; }

 private:
  Ledger* ledger_;
  const char* kind_;
  const Counted* parent_;
  mutable std::atomic<int> children_{0};
};

}  // namespace stand_in

/// Exported by the stand-in of the main library under this name.
using StandInLedger = stand_in::Ledger* (*)();
#define VRT_STANDIN_LEDGER_NAME "stand_in_ledger"
