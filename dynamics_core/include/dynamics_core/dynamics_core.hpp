// SPDX-License-Identifier: Apache-2.0
#pragma once

// All of the library:
//
//   #include <dynamics_core/dynamics_core.hpp>
//
//   const dynamics::Model model = dynamics::model_from_urdf_file("arm.urdf");
//   dynamics::Workspace workspace(model);
//   std::vector<double> q(model.size()), qd(model.size()), qdd(model.size()), tau(model.size());
//   dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau);  // tau holds the arm at rest

#include "dynamics_core/batch.hpp"
#include "dynamics_core/check.hpp"
#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/control_laws.hpp"
#include "dynamics_core/controllers.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/description.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/integrators.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/marker_shapes.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/pose.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/real_time_simulation.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/regressor.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/sensors.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/study.hpp"
#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/trajectory_efforts.hpp"
#include "dynamics_core/version.hpp"
#include "dynamics_core/view.hpp"
#include "dynamics_core/workspace.hpp"
