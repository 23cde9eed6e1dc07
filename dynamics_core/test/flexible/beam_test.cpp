// SPDX-License-Identifier: Apache-2.0
// A single beam compared with beam theory: shapes, natural frequencies, static deflection,
// spinning; invalid beams.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/view.hpp"
#include "sample_beams.hpp"
#include "support/compare.hpp"

namespace dynamics {
namespace {

using test::idx;
using test::one_beam;

constexpr double length = 2.0, density = 3.0, rigidity = 500.0;
const double unit_frequency = std::sqrt(rigidity / density) / (length * length);

FlexibleModel beam_model(int modes, JointType type, const std::shared_ptr<const BeamBasis>& basis,
                         double tip_mass = 0.0, double hub_inertia = 0.0,
                         const Eigen::Vector3d& gravity = Eigen::Vector3d::Zero()) {
  BeamDescription given = test::beam(length, density, rigidity, modes);
  given.tip_mass = tip_mass;
  given.hub_inertia.z() = hub_inertia;
  ModelOptions options;
  options.gravity = gravity;
  FlexibleOptions flexible;
  flexible.basis = basis;
  return FlexibleModel(Model(one_beam(given, type), options), flexible);
}

// --- shapes

TEST(BeamBasis, ClampedFreeShapesMatchFormula) {
  const auto basis = clamped_free_basis();
  const double roots[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
  for (int mode = 0; mode < 3; ++mode) {
    const double m = clamped_free_root(mode);
    EXPECT_NEAR(m, roots[mode], 2e-15 * m);
    const double sigma = (std::sin(m) + std::sinh(m)) / (std::cos(m) + std::cosh(m));
    for (double x = 0.0; x <= length; x += 0.1) {
      const double z = m * x / length;
      const double expected =
          std::sin(z) - std::sinh(z) - sigma * (std::cos(z) - std::cosh(z));  // Eq. (43)
      EXPECT_NEAR(basis->at(mode, x, length).value, expected, 1e-12);
    }
  }
}

TEST(BeamBasis, HighModesAreAccurateAtRootAndTip) {
  // direct evaluation of the formula loses all digits from mode 12 on
  for (const int mode : {5, 12, 30, 60}) {
    const auto tip = clamped_free_basis()->at(mode, length, length);
    const auto root = clamped_free_basis()->at(mode, 0.0, length);
    EXPECT_NEAR(std::abs(tip.value), 2.0, 1e-6) << mode;  // sigma is 1 to 7 digits from here on
    EXPECT_NEAR(tip.curvature * std::pow(length / clamped_free_root(mode), 2), 0.0, 1e-12) << mode;
    EXPECT_NEAR(root.value, 0.0, 1e-14);
    EXPECT_NEAR(root.slope, 0.0, 1e-12);
  }
}

TEST(BeamBasis, SlopesAndCurvaturesMatchFiniteDifferences) {
  for (const auto& basis : {clamped_free_basis(), polynomial_basis()}) {
    for (int mode = 0; mode < 6; ++mode) {
      for (const double x : {0.1, 0.7, 1.3, 1.9}) {
        const double h = 1e-5;
        const auto before = basis->at(mode, x - h, length), after = basis->at(mode, x + h, length);
        const auto at = basis->at(mode, x, length);
        const double scale = std::pow(clamped_free_root(mode), 2) * 5.0;
        EXPECT_NEAR((after.value - before.value) / (2.0 * h), at.slope, 1e-8 * scale);
        EXPECT_NEAR((after.slope - before.slope) / (2.0 * h), at.curvature, 1e-7 * scale);
      }
    }
  }
  EXPECT_EQ(polynomial_basis()->at(3, length, length).value, 1.0);
  EXPECT_THROW(beam_basis("sine"), ArgumentError);
}

// --- natural frequencies

/// Roots of a beam's characteristic equation: w = A cos + B sin + C cosh + D sinh with
/// w(0) = 0, w''(0) + hub b^4 w'(0) = 0 (or w'(0) = 0), w''(1) = 0, w'''(1) + tip b^4 w(1) = 0.
double characteristic(double b, double tip, std::optional<double> hub) {
  const double c = std::cos(b), s = std::sin(b), ch = std::cosh(b), sh = std::sinh(b);
  const double b3 = b * b * b, load = tip * b3 * b;
  Eigen::Matrix4d rows;
  rows.row(0) << 1.0, 0.0, 1.0, 0.0;
  if (hub) {
    const double h = *hub * b3 * b * b;
    rows.row(1) << -b * b, h, b * b, h;
  } else {
    rows.row(1) << 0.0, 1.0, 0.0, 1.0;
  }
  rows.row(2) << -c, -s, ch, sh;
  rows.row(3) << b3 * s + load * c, -b3 * c + load * s, b3 * sh + load * ch, b3 * ch + load * sh;
  return rows.determinant() / ch;
}

std::vector<double> roots(double tip, std::optional<double> hub, std::size_t count) {
  std::vector<double> found;
  const double step = 0.01;
  for (double b = 0.3; found.size() < count; b += step) {
    double low = b, high = b + step;
    const bool positive = characteristic(low, tip, hub) > 0.0;
    if ((characteristic(high, tip, hub) > 0.0) == positive) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      ((characteristic(middle, tip, hub) > 0.0) == positive ? low : high) = middle;
    }
    found.push_back(low);
  }
  return found;
}

TEST(BeamTheory, ReferenceMatchesTextbookRoots) {
  EXPECT_NEAR(roots(0.0, std::nullopt, 2)[1], 4.694091132974175, 1e-10);
  EXPECT_NEAR(roots(0.0, 0.0, 2)[0], 3.926602312047919, 1e-10);  // tan b = tanh b
  EXPECT_NEAR(roots(0.0, 0.0, 2)[1], 7.068582745628732, 1e-10);
  EXPECT_NEAR(roots(1.0, std::nullopt, 1)[0], 1.247917, 1e-5);  // tip mass equal to the beam's
}

struct FrequencyCase {
  const char* name;
  bool pinned;
  double tip, hub;  ///< over the beam's mass; over density length^3
  double clamped_free_bar, polynomial_bar;
};

/// Relative errors of the first two elastic frequencies.
Eigen::Vector2d frequency_errors(const FrequencyCase& c, int modes,
                                 const std::shared_ptr<const BeamBasis>& basis) {
  const auto expected = roots(c.tip, c.pinned ? std::optional(c.hub) : std::nullopt, 2);
  const FlexibleModel model =
      beam_model(modes, c.pinned ? JointType::continuous : JointType::fixed, basis,
                 c.tip * density * length, c.hub * density * std::pow(length, 3));
  const std::vector<double> q(model.size(), 0.0);
  const NaturalModes found = natural_modes(model, q, Joints::free);
  const Eigen::Index rigid = c.pinned ? 1 : 0;
  if (c.pinned) {
    EXPECT_LT(std::abs(found.frequencies[0]), 1e-5 * unit_frequency);
  }
  Eigen::Vector2d errors;
  for (Eigen::Index i = 0; i < 2; ++i) {
    const double exact = unit_frequency * expected[static_cast<std::size_t>(i)] *
                         expected[static_cast<std::size_t>(i)];
    errors[i] = found.frequencies[rigid + i] / exact - 1.0;
  }
  return errors;
}

class BeamFrequencies : public testing::TestWithParam<FrequencyCase> {};

TEST_P(BeamFrequencies, ConvergeFromAboveWithNumberOfModes) {
  const FrequencyCase& c = GetParam();
  for (const auto& basis : {clamped_free_basis(), polynomial_basis()}) {
    Eigen::Vector2d last = Eigen::Vector2d::Constant(10.0);
    std::printf("%-28s %-12s", c.name, basis->name().c_str());
    for (int modes = 2; modes <= 6; ++modes) {
      const Eigen::Vector2d errors = frequency_errors(c, modes, basis);
      std::printf("  %8.1e %8.1e", errors[0], errors[1]);
      for (Eigen::Index i = 0; i < 2; ++i) {
        // Rayleigh-Ritz: upper bounds that do not increase with more modes
        EXPECT_GT(errors[i], -1e-9);
        EXPECT_LE(errors[i], last[i] + 1e-9);
      }
      last = errors;
    }
    std::printf("\n");
    const double bar = basis->name() == "polynomial" ? c.polynomial_bar : c.clamped_free_bar;
    EXPECT_LT(max_abs(last), bar) << basis->name();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Beams, BeamFrequencies,
    testing::Values(FrequencyCase{"ClampedFree", false, 0.0, 0.0, 1e-9, 3e-5},
                    FrequencyCase{"ClampedWithTipMass", false, 0.5, 0.0, 1e-3, 1e-5},
                    FrequencyCase{"PinnedFree", true, 0.0, 0.0, 5e-5, 4e-4},
                    FrequencyCase{"PinnedWithTipMass", true, 0.5, 0.0, 4e-3, 5e-5},
                    FrequencyCase{"PinnedWithHub", true, 0.0, 0.1, 1e-7, 3e-5},
                    FrequencyCase{"PinnedWithHubAndTipMass", true, 0.5, 0.1, 1e-3, 1e-5}),
    [](const auto& given) { return given.param.name; });

TEST(BeamTheory, ClampedJointGivesCantilever) {
  const FlexibleModel model = beam_model(3, JointType::continuous, clamped_free_basis());
  const std::vector<double> q(model.size(), 0.0);
  const NaturalModes clamped = natural_modes(model, q, Joints::clamped);
  ASSERT_EQ(clamped.frequencies.size(), 3);
  for (int mode = 0; mode < 3; ++mode) {
    const double exact = unit_frequency * std::pow(clamped_free_root(mode), 2);
    EXPECT_NEAR(clamped.frequencies[mode] / exact, 1.0, 1e-11);
    EXPECT_EQ(clamped.shapes(0, mode), 0.0);
  }
}

TEST(BeamTheory, DampingRatioHoldsForEveryClampedMode) {
  BeamDescription given = test::beam(length, density, rigidity, 3);
  given.damping = 0.03;
  given.tip_mass = 2.0;
  ModelOptions no_gravity;
  no_gravity.gravity.setZero();
  const FlexibleModel model(Model(one_beam(given, JointType::fixed), no_gravity));
  const std::vector<double> q(3, 0.0);
  const Eigen::VectorXcd values = spinning_eigenvalues(model, q, ConstVector());
  for (const auto& value : values) EXPECT_NEAR(-value.real() / std::abs(value), 0.03, 1e-10);
}

// --- static deflection

TEST(BeamStatics, TipDeflectionMatchesClosedForm) {
  const double g = 9.81, mass = 1.4;
  const double own = density * g * std::pow(length, 4) / (8.0 * rigidity);
  const double tip = mass * g * std::pow(length, 3) / (3.0 * rigidity);
  for (const double load : {0.0, mass}) {
    const double exact = -(own + (load > 0.0 ? tip : 0.0));
    double last = 1.0;
    for (const auto& basis : {clamped_free_basis(), polynomial_basis()}) {
      for (int modes = 1; modes <= 6; ++modes) {
        const FlexibleModel model =
            beam_model(modes, JointType::fixed, basis, load, 0.0, {0.0, -g, 0.0});
        const std::vector<double> q(model.size(), 0.0);
        const Eigen::VectorXd rest = static_deflection(model, q);
        const double error = std::abs(deflection(model, rest, 0, length).y() / exact - 1.0);
        std::printf("%s, tip mass %g kg, %d modes: relative error of the tip deflection %.1e\n",
                    basis->name().c_str(), load, modes, error);
        if (basis->name() == "polynomial") {
          // uniform load: a quartic polynomial, contained in three shapes
          if (modes >= 3) {
            EXPECT_LT(error, 1e-11);
          }
        } else {
          EXPECT_LT(error, last);
          last = error;
        }
        // equilibrium: all accelerations are zero
        FlexibleWorkspace workspace(model);
        Eigen::VectorXd qdd(rest.size());
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(rest.size());
        forward_dynamics(model, workspace, rest, zero, std::vector<double>{}, qdd);
        EXPECT_LT(max_abs(qdd), 1e-9);
      }
      if (basis->name() != "polynomial") {
        EXPECT_LT(last, load > 0.0 ? 1e-4 : 1e-5);
      }
    }
  }
}

// --- spinning

/// Out-of-plane frequency of a cantilever spinning about its root, over unit_frequency, for
/// spin = Omega/unit_frequency: w'''' - spin^2/2 ((1 - x^2) w')' = f^2 w by power series.
double spinning_determinant(double f, double spin) {
  double end[2][2];
  for (int start = 0; start < 2; ++start) {
    std::vector<double> a(160, 0.0);
    a[2U + static_cast<std::size_t>(start)] = 1.0;
    double second = 0.0, third = 0.0;
    for (std::size_t k = 0; k + 4 < a.size(); ++k) {
      const auto n = static_cast<double>(k);
      // ((1 - x^2) w')' has the coefficients (n+2)(n+1) a_{n+2} - n (n+1) a_n
      const double tension = (n + 2.0) * (n + 1.0) * a[k + 2] - n * (n + 1.0) * a[k];
      a[k + 4] = (0.5 * spin * spin * tension + f * f * a[k]) /
                 ((n + 4.0) * (n + 3.0) * (n + 2.0) * (n + 1.0));
    }
    for (std::size_t k = 2; k < a.size(); ++k) {
      const auto n = static_cast<double>(k);
      second += n * (n - 1.0) * a[k];
      third += n * (n - 1.0) * (n - 2.0) * a[k];
    }
    end[start][0] = second;
    end[start][1] = third;
  }
  return end[0][0] * end[1][1] - end[0][1] * end[1][0];
}

double spinning_frequency(double spin) {
  for (double f = 1.0;; f += 0.01) {
    double low = f, high = f + 0.01;
    const bool positive = spinning_determinant(low, spin) > 0.0;
    if ((spinning_determinant(high, spin) > 0.0) == positive) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      ((spinning_determinant(middle, spin) > 0.0) == positive ? low : high) = middle;
    }
    return low;
  }
}

TEST(SpinningBeam, FrequenciesMatchPowerSeries) {
  // the published value for spin 10 (Wright and others 1982) is 11.2023
  EXPECT_NEAR(spinning_frequency(0.0), 3.5160153, 1e-6);
  EXPECT_NEAR(spinning_frequency(10.0), 11.2023, 1e-4);
  for (const bool out_of_plane : {true, false}) {
    for (const double spin : {1.0, 3.0, 6.0, 10.0}) {
      const double flap = spinning_frequency(spin);
      // in the plane of rotation the frequency is lower: w_c^2 = w_f^2 - Omega^2
      const double exact = out_of_plane ? flap : std::sqrt(flap * flap - spin * spin);
      BeamDescription given =
          test::beam(length, density, rigidity, out_of_plane ? 0 : 6, out_of_plane ? 6 : 0);
      ModelOptions no_gravity;
      no_gravity.gravity.setZero();
      const Model robot(one_beam(given, JointType::continuous), no_gravity);
      const std::vector<double> rate = {spin * unit_frequency};
      const std::vector<double> q(7, 0.0);
      double with = 0.0;
      for (const auto& basis : {clamped_free_basis(), polynomial_basis()}) {
        FlexibleOptions stiff;
        stiff.stiffening = true;
        stiff.basis = basis;
        const FlexibleModel model(robot, stiff);
        with = std::abs(spinning_eigenvalues(model, q, rate)[0].imag()) / unit_frequency;
        EXPECT_NEAR(with / exact, 1.0, basis == clamped_free_basis() ? 1e-3 : 5e-5);
      }
      const auto without = spinning_eigenvalues(FlexibleModel(robot), q, rate)[0];
      std::printf("%s, spin %4.1f: %.5f, exact %.5f, without stiffening %.5f%s\n",
                  out_of_plane ? "out of plane" : "in plane    ", spin, with, exact,
                  std::abs(without.imag()) / unit_frequency,
                  without.real() > 1e-6 ? " (unstable)" : "");
    }
  }
}

TEST(SpinningBeam, IsUnstableWithoutStiffeningAtHighSpeed) {
  BeamDescription given = test::beam(length, density, rigidity, 2);
  ModelOptions no_gravity;
  no_gravity.gravity.setZero();
  const FlexibleModel model(Model(one_beam(given, JointType::continuous), no_gravity));
  const std::vector<double> q(3, 0.0);
  const std::vector<double> slow = {3.4 * unit_frequency}, fast = {3.6 * unit_frequency};
  // in plane without foreshortening: w^2 = w_1^2 - Omega^2, unstable beyond the first frequency
  EXPECT_NEAR(std::abs(spinning_eigenvalues(model, q, slow)[0].imag()) / unit_frequency,
              std::sqrt(3.5160153 * 3.5160153 - 3.4 * 3.4), 1e-5);
  double growth = 0.0;
  for (const auto& value : spinning_eigenvalues(model, q, fast)) {
    growth = max_propagating_nan(growth, value.real());
  }
  EXPECT_GT(growth, 0.1 * unit_frequency);
}

// --- invalid beams

void expect_rejected(const std::function<void(LinkDescription&, FlexibleOptions&)>& modify,
                     const std::string& message) {
  RobotDescription robot =
      one_beam(test::beam(length, density, rigidity, 2), JointType::continuous);
  FlexibleOptions options;
  modify(robot.links.back(), options);
  try {
    const FlexibleModel model(Model(robot), options);
    FAIL() << "accepted; expected: " << message;
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("link 'beam'"));
    EXPECT_THAT(error.what(), testing::HasSubstr(message));
  }
}

TEST(InvalidBeams, AreRejectedWithTheLinkName) {
  using Link = LinkDescription;
  expect_rejected([](Link& l, auto&) { l.flexible->length = 0.0; }, "length is 0 m");
  expect_rejected([](Link& l, auto&) { l.flexible->rigidity_y = 0.0; }, "rigidity along y is 0");
  expect_rejected([](Link& l, auto&) { l.flexible->rigidity_y = std::nan(""); },
                  "rigidity along y");
  expect_rejected([](Link& l, auto&) { l.flexible->mass_per_length = -1.0; }, "mass per length");
  expect_rejected([](Link& l, auto&) { l.flexible->damping = -0.1; }, "damping ratio");
  expect_rejected([](Link& l, auto&) { l.flexible->modes_y = 7; }, "0 to 6");
  expect_rejected([](Link& l, auto&) { l.flexible->basis = "sine"; }, "clamped-free or polynomial");
  expect_rejected([](Link& l, auto&) { l.inertial->mass *= 1.01; }, "both must have the same mass");
  expect_rejected([](Link& l, auto&) { l.inertial.reset(); }, "both must have the same mass");
  expect_rejected(
      [](Link& l, FlexibleOptions& o) {
        l.flexible->modes_y = 6;
        o.quadrature_points = 8;
      },
      "more than 8 quadrature points resolve");
  class Free : public BeamBasis {
   public:
    std::string name() const override { return "free"; }
    BeamShape at(int, double x, double) const override { return {1.0 + x, 1.0, 0.0}; }
  };
  expect_rejected([](Link&, FlexibleOptions& o) { o.basis = std::make_shared<Free>(); },
                  "not clamped at the root");
  class NotFinite : public BeamBasis {
   public:
    std::string name() const override { return "logarithm"; }
    BeamShape at(int mode, double x, double span) const override {
      BeamShape shape = clamped_free_basis()->at(mode, x, span);
      if (x > 0.4 * span && x < 0.6 * span) shape.value = std::nan("");
      return shape;
    }
  };
  expect_rejected([](Link&, FlexibleOptions& o) { o.basis = std::make_shared<NotFinite>(); },
                  "a shape of the basis 'logarithm' is not finite");
}

TEST(InvalidBeams, DifferentCenterOfMassIsReported) {
  RobotDescription robot =
      one_beam(test::beam(length, density, rigidity, 2), JointType::continuous);
  robot.links.back().inertial->center.x() += 0.1;
  const FlexibleModel model((Model(robot)));
  ASSERT_EQ(model.notes().size(), 1U);
  EXPECT_THAT(model.notes()[0].message, testing::HasSubstr("the beam's is used"));
}

}  // namespace
}  // namespace dynamics
