// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/flexible_model_data.hpp"

namespace dynamics {

FlexibleModel::FlexibleModel(const Model& model, const FlexibleOptions& options) {
  auto data = std::make_shared<Data>(model, options);
  build_flexible_tree(*data);
  data_ = std::move(data);
}

bool FlexibleModel::has_modes(const Model& model) {
  const auto& links = model.description().links;
  return std::any_of(links.begin(), links.end(), [](const LinkDescription& link) {
    return link.flexible && (link.flexible->modes_y > 0 || link.flexible->modes_z > 0);
  });
}

const Model& FlexibleModel::rigid() const& { return data_->rigid; }
const FlexibleOptions& FlexibleModel::options() const& { return data_->options; }
std::size_t FlexibleModel::size() const { return joint_count() + amplitude_count(); }
std::size_t FlexibleModel::joint_count() const { return data_->rigid.size(); }
std::size_t FlexibleModel::amplitude_count() const { return data_->amplitude_names.size(); }
std::span<const FlexibleLink> FlexibleModel::links() const& { return data_->links; }
std::span<const Note> FlexibleModel::notes() const& { return data_->notes; }
const flexible::Tree& FlexibleModel::tree() const& { return data_->tree; }
std::span<const std::string> FlexibleModel::amplitude_names() const& {
  return data_->amplitude_names;
}
const BeamBasis& FlexibleModel::basis(std::size_t link) const& { return *data_->bases.at(link); }
std::span<const std::size_t> FlexibleModel::block_order() const& { return data_->block_order; }

std::vector<std::string> FlexibleModel::coordinate_names() const {
  std::vector<std::string> names = data_->rigid.coordinate_names();
  names.insert(names.end(), data_->amplitude_names.begin(), data_->amplitude_names.end());
  return names;
}

std::size_t FlexibleModel::link(std::string_view name) const {
  std::string list;
  for (std::size_t i = 0; i < data_->links.size(); ++i) {
    if (data_->links[i].name == name) return i;
    list += (i == 0 ? "" : ", ") + data_->links[i].name;
  }
  throw ArgumentError("'" + data_->rigid.name() + "' has no flexible link '" + std::string(name) +
                      "'; its flexible links are " + list);
}

}  // namespace dynamics
