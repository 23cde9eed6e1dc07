// SPDX-License-Identifier: Apache-2.0
#pragma once

// RunTransforms: the poses of the links of a recorded robot in their parent links, as /tf has them.
//
//   RunTransforms transforms(run);
//   for (std::size_t k = 0; k < run.size(); ++k) {
//     transforms.compute(k);
//     const Pose& first = transforms.edges()[0].pose;  // child in parent
//   }

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/plant.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/workspace.hpp"

namespace dynamics {

class RunTransforms {
 public:
  /// A joint of the URDF, or the base in the world if the base moves.
  struct Edge {
    std::string parent, child;
    bool moving;  ///< false: the pose is the same in all samples
    Pose pose;    ///< of the child in the parent
  };

  explicit RunTransforms(const Recording& run);

  /// Sets the poses of all edges in a sample.
  void compute(std::size_t sample);
  std::span<const Edge> edges() const { return edges_; }
  /// The frame in which the end effector's pose is recorded.
  const std::string& root() const { return root_; }

 private:
  void compute_frames(std::size_t sample);
  /// The pose of the base in the world that gives the end effector its recorded pose.
  Pose base_pose(std::size_t sample) const;
  bool base_moves();

  const Recording& run_;
  Workspace workspace_;
  std::unique_ptr<Plant> flexible_;  ///< null: a rigid robot
  std::vector<double> q_;            ///< joints, then amplitudes
  std::vector<Pose> frames_;         ///< in the base frame
  std::vector<Edge> edges_;
  std::vector<std::size_t> parents_, children_;  ///< frames of the edges of joints
  std::string root_;
};

}  // namespace dynamics
