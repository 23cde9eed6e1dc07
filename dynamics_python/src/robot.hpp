// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot: its description, its model (rigid, with flexible links or with closed loops) and a pool
// of scratch memory. Immutable; several threads may use it at once.

#include <Eigen/Core>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/workspace.hpp"

namespace dynamics::python {

/// What a robot is made from: pickled, and compared by ==.
struct RobotSource {
  std::string text;       ///< URDF, or a DH table in YAML
  bool is_table = false;  ///< text is a DH table
  std::string name;       ///< name or path, as given by the user, for messages
  bool rigid = false;     ///< flexible links are treated as rigid
  std::optional<Eigen::Vector3d> gravity = std::nullopt;  ///< instead of that of the description
  std::optional<Payload> payload = std::nullopt;
};
bool operator==(const RobotSource& a, const RobotSource& b);

class Robot;

/// Scratch memory of one call. Parts are made when they are first needed.
class Scratch {
 public:
  explicit Scratch(const Robot& robot) : robot_(&robot) {}
  ~Scratch() { leave_threads_of_parent(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Workspace& workspace();
  DerivativeWorkspace& derivatives();
  Kinematics& kinematics();
  FlexibleWorkspace& flexible();
  MechanismWorkspace& mechanism();
  /// `threads`: 0: one per processor.
  BatchWorkspace& batch(std::size_t threads);

  Eigen::MatrixXd matrices[3];     ///< column-major results
  std::vector<double> vectors[6];  ///< states of all joints

 private:
  struct Batch {
    std::size_t threads;
    std::unique_ptr<BatchWorkspace> workspace;
  };

  void leave_threads_of_parent();

  const Robot* robot_;
  std::optional<Workspace> workspace_;
  std::optional<DerivativeWorkspace> derivatives_;
  std::optional<Kinematics> kinematics_;
  std::optional<FlexibleWorkspace> flexible_;
  std::optional<MechanismWorkspace> mechanism_;
  std::vector<Batch> batches_;
  int process_ = 0;  ///< that has the threads of batches_
};

class Robot {
 public:
  explicit Robot(RobotSource source);

  const RobotSource& source() const { return source_; }
  const Model& model() const { return *model_; }  ///< of closed loops: the tree
  const std::optional<FlexibleModel>& flexible() const { return flexible_; }
  const std::optional<Mechanism>& mechanism() const { return mechanism_; }
  const std::optional<DhTable>& table() const { return table_; }

  std::size_t size() const { return size_; }             ///< of a state: see names()
  std::size_t joints() const { return model_->size(); }  ///< all joints of the tree
  /// At least size() and joints() zeros.
  const double* zeros() const { return zeros_.data(); }
  /// Joints, then amplitudes of flexible links; of closed loops: the independent joints.
  std::vector<std::string> names() const;
  /// Start of a simulation: that of the table, else the nearest to zero within the limits.
  std::vector<double> start_position() const;
  std::vector<double> start_velocity() const;
  std::vector<std::string> warnings() const;
  /// Empty for a table that no URDF can express.
  std::string urdf() const;

  /// Scratch memory of a call, returned to the pool at its end.
  class Lease {
   public:
    explicit Lease(const Robot& robot) : robot_(&robot), scratch_(robot.take()) {}
    ~Lease() { robot_->give_back(std::move(scratch_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Scratch& operator*() const { return *scratch_; }
    Scratch* operator->() const { return scratch_.get(); }

   private:
    const Robot* robot_;
    std::unique_ptr<Scratch> scratch_;
  };

 private:
  friend class Lease;
  std::unique_ptr<Scratch> take() const;
  void give_back(std::unique_ptr<Scratch> scratch) const noexcept;

  RobotSource source_;
  std::optional<DhTable> table_;
  std::optional<Model> model_;
  std::optional<FlexibleModel> flexible_;
  std::optional<Mechanism> mechanism_;
  std::size_t size_ = 0;
  std::vector<double> zeros_;

  /// The scratch memory that was used last, without a lock; the others are in idle_.
  struct Pool {
    Pool() = default;
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    std::atomic<Scratch*> last = nullptr;
    std::mutex mutex;
    std::vector<std::unique_ptr<Scratch>> idle;
  };
  std::unique_ptr<Pool> pool_ = std::make_unique<Pool>();
};

/// A robot from a built-in name, else a file (URDF, or DH table by .yaml, .yml), else the text of
/// a URDF, which starts with "<". Throws ArgumentError for other strings.
RobotSource find_source(const std::string& argument);

/// Contents of a file. Throws ParseError with the path if it cannot be read.
std::string read_file(const std::string& path);

}  // namespace dynamics::python
