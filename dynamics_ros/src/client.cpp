// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/client.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <rclcpp/rclcpp.hpp>
#include <thread>
#include <tuple>
#include <vector>

#include "dynamics_ros/service_queue.hpp"

namespace dynamics_ros {
namespace {

using Clock = std::chrono::steady_clock;
using namespace dynamics_msgs::srv;  // NOLINT(google-build-using-namespace): the list below

constexpr auto look_around = std::chrono::milliseconds(50);  // for services that come and go
// A service is seen before the middleware has connected both ways, and what is sent meanwhile gets
// lost. Until a first answer has come requests are repeated, at growing intervals; no service minds
// being asked twice.
constexpr auto first_repetition = std::chrono::milliseconds(300);
constexpr double longest_timeout = 1e6;  // (s), so that time points do not overflow

const char* service_name(const InverseDynamics*) { return "inverse_dynamics"; }
const char* service_name(const CheckModel*) { return "check_model"; }
const char* service_name(const CheckTorqueLimits*) { return "check_torque_limits"; }
const char* service_name(const ForwardDynamics*) { return "forward_dynamics"; }
const char* service_name(const GetDynamicsTerms*) { return "get_dynamics_terms"; }
const char* service_name(const GetModel*) { return "get_model"; }
const char* service_name(const ScaleTrajectory*) { return "scale_trajectory"; }
const char* service_name(const SetPayload*) { return "set_payload"; }

/// A call from its request to its result. All but the constructor is guarded by the engine's mutex,
/// except that the callback is called without it, by who takes the call off the list.
class Call {
 public:
  explicit Call(Clock::time_point deadline) : deadline_(deadline) {}
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Clock::time_point deadline() const { return deadline_; }
  /// Sends the request where it is time to and the service is there.
  virtual void send(Clock::time_point now) = 0;
  virtual bool sent() const = 0;
  /// When to look at it again.
  virtual Clock::time_point due(Clock::time_point now) const = 0;
  /// Waits for no answer any more; whether one has come.
  virtual void end(bool answered) = 0;
  virtual void fail(std::int32_t code, const std::string& why) = 0;
  virtual std::string service() const = 0;

 private:
  Clock::time_point deadline_;
};

}  // namespace

class DynamicsClient::Engine {
 public:
  Engine(rclcpp::Node& node, Options options)
      : options_(std::move(options)),
        context_(node.get_node_base_interface()->get_context()),
        group_(node.create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false)),
        executor_(executor_options(context_)) {
    std::apply([&](auto&... channel) { (make(node, channel), ...); }, channels_);
    executor_.add_callback_group(group_, node.get_node_base_interface());
    thread_ = std::thread([this] { run(); });
  }

  ~Engine() {
    stopping_ = true;
    executor_.cancel();
    thread_.join();
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Options& options() const { return options_; }

  template <class Service>
  void start(typename Service::Request request, Callback<Service> callback,
             std::optional<Timeout> timeout) {
    const double seconds =
        std::clamp((timeout ? *timeout : options_.timeout).count(), 0.0, longest_timeout);
    const auto now = Clock::now();
    const auto deadline = now + std::chrono::duration_cast<Clock::duration>(Timeout(seconds));
    auto made = std::make_shared<ServiceCall<Service>>(*this, std::move(request),
                                                       std::move(callback), deadline);
    std::unique_lock lock(mutex_);
    if (stopping_ || ended_) {
      lock.unlock();
      made->fail(call_code::shut_down, made->service() + ": ROS is shut down");
      return;
    }
    calls_.push_back(made);
    made->send(now);
    const bool wake = made->due(now) < wake_;
    lock.unlock();
    if (wake) executor_.cancel();  // so that the thread looks at this deadline too
  }

 private:
  template <class Service>
  struct Channel {
    typename rclcpp::Client<Service>::SharedPtr client;
    bool proven = false;  ///< an answer has come, and none was missed since
  };

  template <class Service>
  class ServiceCall final : public Call, public std::enable_shared_from_this<ServiceCall<Service>> {
   public:
    ServiceCall(Engine& engine, typename Service::Request request, Callback<Service> callback,
                Clock::time_point deadline)
        : Call(deadline),
          engine_(engine),
          channel_(std::get<Channel<Service>>(engine.channels_)),
          request_(std::make_shared<typename Service::Request>(std::move(request))),
          callback_(std::move(callback)) {}

    bool sent() const override { return !numbers_.empty(); }

    Clock::time_point due(Clock::time_point now) const override {
      if (!sent()) return std::min(deadline(), now + look_around);
      return channel_.proven ? deadline() : std::min(deadline(), repetition_);
    }

    void send(Clock::time_point now) override {
      if (sent() && (channel_.proven || now < repetition_)) return;
      if (!channel_.client->service_is_ready()) return;
      const auto self = this->shared_from_this();
      const auto received = [self](typename rclcpp::Client<Service>::SharedFuture future) {
        if (self->engine_.take_off(self)) {
          self->callback_(Result<Service>(std::move(*future.get())));
        }
      };
      try {
        numbers_.push_back(channel_.client->async_send_request(request_, received).request_id);
      } catch (const rclcpp::exceptions::RCLError&) {
        return;  // ROS is shutting down, or it will be tried again
      }
      interval_ = numbers_.size() == 1 ? Clock::duration(first_repetition) : 2 * interval_;
      repetition_ = now + interval_;
    }

    void end(bool answered) override {
      for (const std::int64_t number : numbers_) channel_.client->remove_pending_request(number);
      if (sent()) channel_.proven = answered;
    }

    void fail(std::int32_t code, const std::string& why) override {
      callback_(Result<Service>(code, why));
    }

    std::string service() const override { return channel_.client->get_service_name(); }

   private:
    Engine& engine_;
    Channel<Service>& channel_;
    std::shared_ptr<typename Service::Request> request_;
    Callback<Service> callback_;
    std::vector<std::int64_t> numbers_;  // of the requests sent
    Clock::time_point repetition_;
    Clock::duration interval_ = first_repetition;
  };

  static rclcpp::ExecutorOptions executor_options(const rclcpp::Context::SharedPtr& context) {
    rclcpp::ExecutorOptions options;
    options.context = context;
    return options;
  }

  template <class Service>
  void make(rclcpp::Node& node, Channel<Service>& channel) {
    const auto* tag = static_cast<const Service*>(nullptr);
    channel.client = node.create_client<Service>(options_.node + "/" + service_name(tag),
                                                 service_queue(), group_);
  }

  /// True for the one who is to tell the result.
  bool take_off(const std::shared_ptr<Call>& call) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(calls_.begin(), calls_.end(), call);
    if (found == calls_.end()) return false;
    calls_.erase(found);
    call->end(true);
    return true;
  }

  void run() {
    try {
      while (!stopping_ && rclcpp::ok(context_)) executor_.spin_once(look_at_calls());
    } catch (const rclcpp::exceptions::RCLError&) {
      if (rclcpp::ok(context_)) throw;  // else ROS was shut down meanwhile
    }
    std::list<std::shared_ptr<Call>> left;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      left.swap(calls_);
      for (const auto& call : left) call->end(false);
    }
    for (const auto& call : left) {
      call->fail(call_code::shut_down, call->service() + ": ended before it was answered");
    }
  }

  /// Sends what waits for its service, ends what has waited too long; how long to sleep.
  std::chrono::nanoseconds look_at_calls() {
    std::list<std::shared_ptr<Call>> late;
    const auto now = Clock::now();
    auto wake = now + std::chrono::seconds(1);
    {
      const std::lock_guard lock(mutex_);
      for (auto call = calls_.begin(); call != calls_.end();) {
        const auto next = std::next(call);
        if ((*call)->deadline() <= now) {
          (*call)->end(false);
          late.splice(late.end(), calls_, call);
        } else {
          (*call)->send(now);
          wake = std::min(wake, (*call)->due(now));
        }
        call = next;
      }
      wake_ = wake;
    }
    for (const auto& call : late) {
      if (call->sent()) {
        call->fail(call_code::timed_out, call->service() + ": no answer in time");
      } else {
        call->fail(call_code::no_service, call->service() + ": nobody offers this service");
      }
    }
    return std::max(std::chrono::nanoseconds(1), std::chrono::nanoseconds(wake - Clock::now()));
  }

  Options options_;
  rclcpp::Context::SharedPtr context_;
  rclcpp::CallbackGroup::SharedPtr group_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::tuple<Channel<InverseDynamics>, Channel<CheckModel>, Channel<CheckTorqueLimits>,
             Channel<ForwardDynamics>, Channel<GetDynamicsTerms>, Channel<GetModel>,
             Channel<ScaleTrajectory>, Channel<SetPayload>>
      channels_;
  std::mutex mutex_;  // guards the calls, and the two below them
  std::list<std::shared_ptr<Call>> calls_;
  bool ended_ = false;
  Clock::time_point wake_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

DynamicsClient::DynamicsClient(rclcpp::Node& node) : DynamicsClient(node, Options()) {}
DynamicsClient::DynamicsClient(rclcpp::Node& node, Options options)
    : engine_(std::make_unique<Engine>(node, std::move(options))) {}
DynamicsClient::~DynamicsClient() = default;

template <class Service>
void DynamicsClient::async_call(typename Service::Request request, Callback<Service> callback,
                                std::optional<Timeout> timeout) {
  engine_->start<Service>(std::move(request), std::move(callback), timeout);
}

template void DynamicsClient::async_call<InverseDynamics>(InverseDynamics::Request,
                                                          Callback<InverseDynamics>,
                                                          std::optional<Timeout>);
template void DynamicsClient::async_call<CheckModel>(CheckModel::Request, Callback<CheckModel>,
                                                     std::optional<Timeout>);
template void DynamicsClient::async_call<CheckTorqueLimits>(CheckTorqueLimits::Request,
                                                            Callback<CheckTorqueLimits>,
                                                            std::optional<Timeout>);
template void DynamicsClient::async_call<ForwardDynamics>(ForwardDynamics::Request,
                                                          Callback<ForwardDynamics>,
                                                          std::optional<Timeout>);
template void DynamicsClient::async_call<GetDynamicsTerms>(GetDynamicsTerms::Request,
                                                           Callback<GetDynamicsTerms>,
                                                           std::optional<Timeout>);
template void DynamicsClient::async_call<GetModel>(GetModel::Request, Callback<GetModel>,
                                                   std::optional<Timeout>);
template void DynamicsClient::async_call<ScaleTrajectory>(ScaleTrajectory::Request,
                                                          Callback<ScaleTrajectory>,
                                                          std::optional<Timeout>);
template void DynamicsClient::async_call<SetPayload>(SetPayload::Request, Callback<SetPayload>,
                                                     std::optional<Timeout>);

DynamicsClient::Result<GetModel> DynamicsClient::wait_for_model(std::optional<Timeout> timeout) {
  const Timeout whole = timeout ? *timeout : engine_->options().timeout;
  const auto start = Clock::now();
  while (true) {
    const Timeout left = whole - (Clock::now() - start);
    auto answer = call<GetModel>(GetModel::Request(), std::max(left, Timeout(0.0)));
    const bool waiting = answer.code() == dynamics_msgs::msg::ResultCode::NO_MODEL;
    if (!waiting || left <= Timeout(look_around)) return answer;
    std::this_thread::sleep_for(look_around);  // the description is still on its way
  }
}

DynamicsClient::Result<InverseDynamics> DynamicsClient::inverse_dynamics(
    Trajectory trajectory, std::optional<Timeout> timeout) {
  InverseDynamics::Request request;
  request.trajectory = std::move(trajectory);
  return call<InverseDynamics>(std::move(request), timeout);
}

}  // namespace dynamics_ros
