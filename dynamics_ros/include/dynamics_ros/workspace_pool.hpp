// SPDX-License-Identifier: Apache-2.0
#pragma once

// Workspaces of one model for any number of threads: each call takes one and gives it back.

#include <dynamics_core/model/model.hpp>
#include <dynamics_core/rigid/workspace.hpp>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace dynamics_ros {

class WorkspacePool {
 public:
  explicit WorkspacePool(dynamics::Model model) : model_(std::move(model)) {}

  /// A workspace that goes back to its pool at the end of its scope; the pool must outlive it.
  class Loan {
   public:
    Loan(WorkspacePool& pool, std::unique_ptr<dynamics::Workspace> workspace)
        : pool_(pool), workspace_(std::move(workspace)) {}
    ~Loan() { pool_.give_back(std::move(workspace_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    dynamics::Workspace& operator*() { return *workspace_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<dynamics::Workspace> workspace_;
  };

  Loan take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto workspace = std::move(free_.back());
        free_.pop_back();
        return {*this, std::move(workspace)};
      }
    }
    return {*this, std::make_unique<dynamics::Workspace>(model_)};
  }

 private:
  void give_back(std::unique_ptr<dynamics::Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

  dynamics::Model model_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<dynamics::Workspace>> free_;
};

}  // namespace dynamics_ros
