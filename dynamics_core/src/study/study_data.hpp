// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "dynamics_core/study.hpp"
#include "study/evaluate.hpp"
#include "study/keep.hpp"
#include "study/plan.hpp"
#include "study/sampling.hpp"

namespace dynamics {

struct Study::Data {
  Data(std::string_view text, const std::string& file, study::Inputs& inputs);
  /// Evaluates case `number`; `samples` gets the recording if there is one.
  void evaluate(std::uint64_t number, StudyRow& row, std::optional<Recording>* samples) const;
  std::vector<double> draw(std::uint64_t number) const;

  std::string text;
  study::Plan plan;
  study::Nominal nominal;
  study::UnitPoints points;
  study::Results results;
  std::vector<std::string> parameters;
  std::uint64_t fingerprint = 0;
  std::size_t worst = 0;

 private:
  Data(std::string_view text, study::PlanAndRobot read, study::Inputs& inputs);
};

}  // namespace dynamics
