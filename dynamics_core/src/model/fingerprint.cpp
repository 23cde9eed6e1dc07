// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>

#include "model/model_data.hpp"

namespace dynamics {
namespace {

/// A 64-bit hash of numbers (FNV-1a over words).
class Hash {
 public:
  Hash& add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3U;
    value_ ^= value_ >> 32U;  // the upper half depends on all bits, the lower one now too
    return *this;
  }
  Hash& add(double number) { return add(std::bit_cast<std::uint64_t>(number + 0.0)); }  // -0 is 0
  template <std::size_t n>
  Hash& add(const double (&numbers)[n]) {
    for (const double number : numbers) add(number);
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace

void set_fingerprints(Model::Data& data) {
  Hash motion;
  for (std::size_t i = 0; i < data.tree.size(); ++i) {
    const TreeBody& body = data.tree[i];
    const Body& joint = data.bodies[i];
    motion.add(static_cast<std::uint64_t>(body.parent)).add(std::uint64_t{body.prismatic});
    motion.add(body.cos_alpha).add(body.sin_alpha).add(body.cos_beta).add(body.sin_beta);
    motion.add(body.offset).add(body.position);
    motion.add(joint.coordinate).add(joint.multiplier).add(joint.offset);
  }
  for (const Frame& frame : data.frames) {
    motion.add(static_cast<std::uint64_t>(frame.body));
    for (const double number : frame.pose.rotation.reshaped()) motion.add(number);
    for (const double number : frame.pose.translation) motion.add(number);
  }
  data.motion_fingerprint = motion.value();
  Hash inertia = motion;
  for (const TreeBody& body : data.tree) {
    inertia.add(body.mass).add(body.first_moment).add(body.inertia).add(body.rotor_inertia);
  }
  data.inertia_fingerprint = inertia.value();
}

}  // namespace dynamics
