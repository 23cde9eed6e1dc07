// SPDX-License-Identifier: Apache-2.0
// Real robots fall for 5 s with their friction and joint limits, beside MuJoCo on the same file.
//
//   dynamics_real_robots_benchmark urdf/urdf/*.urdf
//
// Ours: default options of simulate() with limits. MuJoCo: its default integrator and step (2 ms),
// stops and dry friction as its soft constraints; visuals and collision shapes are removed from the
// text, because its reader needs the mesh files. Columns: computing time per simulated second, the
// largest position beyond a stop (rad or m), the largest speed of a joint with dry friction in the
// last 0.5 s whose position changed by less than 1e-3 then (creep; rad/s or m/s), the energy that
// is unexplained relative to the largest kinetic energy, and the largest difference of the two
// motions after 0.2 s without friction and limits, MuJoCo then with RK4 and steps of 0.1 ms.

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"

#ifdef DYNAMICS_TEST_MUJOCO
#include "support/load_mujoco.hpp"
#endif

namespace {

constexpr double duration = 5.0, settled = 4.5, smooth_duration = 0.2;

/// Positions and velocities by joint over time, and how they are judged.
struct Judgment {
  double beyond_stops = 0.0, creep = 0.0;
};

Judgment judge(const dynamics::Model& model, const std::vector<std::vector<double>>& q,
               const std::vector<std::vector<double>>& qd, const std::vector<double>& t) {
  Judgment result;
  std::vector<bool> has_friction(model.size(), false);
  for (const dynamics::Body& body : model.bodies())
    has_friction[body.coordinate] = has_friction[body.coordinate] || body.friction > 0.0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const dynamics::Coordinate& joint = model.coordinates()[i];
    double low = HUGE_VAL, high = -HUGE_VAL, speed = 0.0;
    for (std::size_t k = 0; k < t.size(); ++k) {
      result.beyond_stops = dynamics::max_propagating_nan(
          result.beyond_stops, std::max(joint.lower - q[i][k], q[i][k] - joint.upper));
      if (t[k] < settled) continue;
      low = std::min(low, q[i][k]);
      high = std::max(high, q[i][k]);
      speed = dynamics::max_propagating_nan(speed, std::abs(qd[i][k]));
    }
    if (has_friction[i] && high - low < 1e-3)
      result.creep = dynamics::max_propagating_nan(result.creep, speed);
  }
  return result;
}

std::string without_shapes(std::string text) {
  // [^]: any character, also new lines
  for (const char* element : {"visual", "collision", "transmission", "gazebo"}) {
    text = std::regex_replace(
        text, std::regex(fmt::format("<{0}(>|\\s[^>]*[^/]>)[^]*?</{0}>|<{0}\\s*[^>]*/>", element)),
        "");
  }
  return text;
}

#ifdef DYNAMICS_TEST_MUJOCO
/// The file in MuJoCo; joints by name.
class Mujoco {
 public:
  Mujoco(const std::string& text, const dynamics::Model& model) {
    std::string prepared = without_shapes(text);
    prepared.insert(prepared.rfind("</robot>"),
                    "<mujoco><compiler balanceinertia='false' inertiafromgeom='false' "
                    "boundmass='2e-15' boundinertia='2e-15'/></mujoco>");
    model_ = dynamics::test::load_mujoco("robot.urdf", prepared);
    data_.reset(mj_makeData(model_.get()));
    for (const dynamics::Coordinate& joint : model.coordinates()) {
      const int id = mj_name2id(model_.get(), mjOBJ_JOINT, joint.name.c_str());
      if (id < 0) throw std::runtime_error("MuJoCo has no joint " + joint.name);
      position_.push_back(model_->jnt_qposadr[id]);
      velocity_.push_back(model_->jnt_dofadr[id]);
    }
    if (position_.size() != static_cast<std::size_t>(model_->nv))
      throw std::runtime_error("MuJoCo has other joints (mimic joints are not coupled)");
  }

  void start(const std::vector<double>& q0, bool smooth) {
    mj_resetData(model_.get(), data_.get());
    for (std::size_t i = 0; i < q0.size(); ++i) data_->qpos[position_[i]] = q0[i];
    model_->opt.disableflags = smooth ? mjDSBL_CONSTRAINT : mjDSBL_CONTACT;
    if (smooth) {
      std::fill_n(model_->dof_damping, model_->nv, 0.0);
      model_->opt.integrator = mjINT_RK4;
      model_->opt.timestep = 1e-4;
    }
  }
  void step() { mj_step(model_.get(), data_.get()); }
  double time() const { return data_->time; }
  double q(std::size_t i) const { return data_->qpos[position_[i]]; }
  double qd(std::size_t i) const { return data_->qvel[velocity_[i]]; }

 private:
  dynamics::test::MujocoModelPointer model_;
  dynamics::test::MujocoDataPointer data_;
  std::vector<int> position_, velocity_;
};

std::string beside_mujoco(const std::string& text, const dynamics::Model& model,
                          const dynamics::Recording& run) {
  Mujoco mujoco(text, model);
  std::vector<double> t;
  std::vector<std::vector<double>> q(model.size()), qd(model.size());
  mujoco.start(run.settings.q0, false);
  const auto start = std::chrono::steady_clock::now();
  while (mujoco.time() < duration) {
    mujoco.step();
    t.push_back(mujoco.time());
    for (std::size_t i = 0; i < model.size(); ++i) {
      q[i].push_back(mujoco.q(i));
      qd[i].push_back(mujoco.qd(i));
    }
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const Judgment judgment = judge(model, q, qd, t);

  dynamics::SimulationOptions options;
  options.duration = options.sample = smooth_duration;
  options.friction = false;
  const dynamics::Recording smooth = dynamics::simulate(model, options);
  mujoco.start(run.settings.q0, true);
  while (mujoco.time() < smooth_duration - 5e-5) mujoco.step();
  double difference = 0.0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    difference =
        dynamics::max_propagating_nan(difference, std::abs(mujoco.q(i) - smooth.q[i].back()));
  }
  return fmt::format("{:10.2f} {:9.1e} {:9.1e} {:11.1e}", 1e3 * wall.count() / duration,
                     judgment.beyond_stops, judgment.creep, difference);
}
#else
std::string beside_mujoco(const std::string&, const dynamics::Model&, const dynamics::Recording&) {
  return "MuJoCo is not installed";
}
#endif

void compare(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  const dynamics::Model model = dynamics::model_from_urdf(text.str());
  dynamics::SimulationOptions options;
  options.duration = duration;
  options.limits = true;
  const dynamics::Recording run = dynamics::simulate(model, options);
  if (!run.statistics.completed) throw std::runtime_error(run.statistics.ending);
  const Judgment judgment = judge(model, run.q, run.qd, run.t);
  std::string peer;
  try {
    peer = beside_mujoco(text.str(), model, run);
  } catch (const std::exception& error) {
    peer = std::string(error.what()).substr(0, 60);
  }
  fmt::print("{:<20} {:3} {:10.2f} {:9.1e} {:9.1e} {:9.1e}   {}\n",
             file.substr(file.find_last_of('/') + 1), model.size(),
             1e3 * run.statistics.wall_seconds / duration, judgment.beyond_stops, judgment.creep,
             run.statistics.energy_drift, peer);
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("{:<20} {:3} {:>10} {:>9} {:>9} {:>9}   {:>10} {:>9} {:>9} {:>11}\n", "robot", "n",
             "ms per s", "stops", "creep", "energy", "MuJoCo: ms", "stops", "creep", "difference");
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    try {
      compare(argv[i]);
    } catch (const std::exception& error) {
      fmt::print("{}: {}\n", argv[i], error.what());
      ++failures;
    }
  }
  return failures == 0 ? 0 : 1;
}
