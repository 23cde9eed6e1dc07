// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <dynamics_core/error.hpp>
#include <dynamics_msgs/msg/result_code.hpp>
#include <exception>
#include <stdexcept>
#include <string>

namespace dynamics_ros {

using dynamics_msgs::msg::ResultCode;

/// Something wrong with a request: a code of ResultCode and what to say about it.
class Fault : public std::runtime_error {
 public:
  Fault(std::int32_t code, const std::string& message) : std::runtime_error(message), code_(code) {}
  std::int32_t code() const noexcept { return code_; }

 private:
  std::int32_t code_;
};

inline ResultCode result(std::int32_t code, const std::string& message) {
  ResultCode made;
  made.code = code;
  made.message = message;
  return made;
}

/// Runs `answer`; what it throws becomes the result.
template <class Answer>
ResultCode guarded(Answer&& answer) noexcept {
  try {
    answer();
    return result(ResultCode::SUCCESS, "");
  } catch (const Fault& fault) {
    return result(fault.code(), fault.what());
  } catch (const dynamics::StateError& error) {
    return result(ResultCode::NO_SOLUTION, error.what());
  } catch (const dynamics::ModelError& error) {  // of a payload's model
    return result(ResultCode::NO_SOLUTION, error.what());
  } catch (const dynamics::Error& error) {
    return result(ResultCode::INVALID_VALUE, error.what());
  } catch (const std::exception& error) {
    return result(ResultCode::INTERNAL_ERROR, error.what());
  }
}

/// The same for a whole response: a fault leaves nothing in it but the result.
template <class Response, class Answer>
void respond(Response& response, Answer&& answer) {
  Response made;
  made.result = guarded([&] { answer(made); });
  if (made.result.code == ResultCode::SUCCESS) {
    response = std::move(made);
  } else {
    response = Response();
    response.result = std::move(made.result);
  }
}

}  // namespace dynamics_ros
