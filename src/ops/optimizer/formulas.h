// SPDX-License-Identifier: Apache-2.0
// What optimizers do to one element: step(parameter, states, gradient), on numbers of the working
// type. Operators on one parameter and on lists of them share these.
#pragma once

#include <array>
#include <cmath>

namespace mycel::ops {

template <class W>
W sign_of(W x) {
  return x > W(0) ? W(1) : (x < W(0) ? W(-1) : W(0));
}

// Pulls towards zero by l1, shrinks by l2.
template <class W>
W proximal(W q, W rate, double l1, double l2) {
  const W left = std::abs(q) - rate * static_cast<W>(l1);
  return sign_of(q) * (left > W(0) ? left : W(0)) / (W(1) + rate * static_cast<W>(l2));
}

// The share of a parameter that decay takes off; none must stay none for an infinite one too.
template <class W>
W taken_off(double shrink, W p) {
  return shrink == 0 ? W(0) : static_cast<W>(shrink) * p;
}

struct DescentStep {
  double rate;
  template <class W>
  void operator()(W& p, std::array<W, 0>&, W g) const {
    p -= static_cast<W>(rate) * g;
  }
};

struct ProximalDescentStep {
  double rate, l1, l2;
  template <class W>
  void operator()(W& p, std::array<W, 0>&, W g) const {
    const auto r = static_cast<W>(rate);
    p = proximal<W>(p - r * g, r, l1, l2);
  }
};

// v = keep v + share g; the step is v, or g + u v when it looks ahead.
struct MomentumStep {
  double rate, keep, share, u;
  bool ahead;
  template <class W>
  void operator()(W& p, std::array<W, 1>& s, W g) const {
    s[0] = static_cast<W>(keep) * s[0] + static_cast<W>(share) * g;
    p -= static_cast<W>(rate) * (ahead ? g + static_cast<W>(u) * s[0] : s[0]);
  }
};

struct Betas {
  double beta1, beta2, epsilon;
};

// Running means of the gradient and of its square.
template <class W>
void update_moments(const Betas& betas, W& m, W& v, W g) {
  m = static_cast<W>(betas.beta1) * m + static_cast<W>(1 - betas.beta1) * g;
  v = static_cast<W>(betas.beta2) * v + static_cast<W>(1 - betas.beta2) * g * g;
}

inline double corrected_rate(double rate, double beta1_power, double beta2_power) {
  return rate * std::sqrt(1 - beta2_power) / (1 - beta1_power);
}

// `shrink` takes a share off the parameter itself: decay apart from the gradient.
struct AdamStep {
  double rate, shrink;
  Betas betas;
  bool ahead;
  template <class W>
  void operator()(W& p, std::array<W, 2>& s, W g) const {
    update_moments(betas, s[0], s[1], g);
    const W next = static_cast<W>(betas.beta1) * s[0] + static_cast<W>(1 - betas.beta1) * g;
    const W root = std::sqrt(s[1]) + static_cast<W>(betas.epsilon);
    p -= static_cast<W>(rate) * (ahead ? next : s[0]) / root + taken_off(shrink, p);
  }
};

struct AmsgradStep {
  double rate, shrink;
  Betas betas;
  template <class W>
  void operator()(W& p, std::array<W, 3>& s, W g) const {
    update_moments(betas, s[0], s[1], g);
    s[2] = s[1] > s[2] ? s[1] : s[2];
    const W root = std::sqrt(s[2]) + static_cast<W>(betas.epsilon);
    p -= static_cast<W>(rate) * s[0] / root + taken_off(shrink, p);
  }
};

// The moments' step with a share of the gradient itself; `plain` leaves the root out.
struct MixedMomentStep {
  double of_gradient, of_mean, shrink;
  Betas betas;
  bool plain;
  template <class W>
  void operator()(W& p, std::array<W, 2>& s, W g) const {
    update_moments(betas, s[0], s[1], g);
    const W root = plain ? W(1) : std::sqrt(s[1]) + static_cast<W>(betas.epsilon);
    const W step = (static_cast<W>(of_gradient) * g + static_cast<W>(of_mean) * s[0]) / root;
    p -= step + taken_off(shrink, p);
  }
};

// Epsilon is added to the maximum, or to what competes for it.
struct AdaMaxStep {
  double rate;
  Betas betas;
  bool inside;
  template <class W>
  void operator()(W& p, std::array<W, 2>& s, W g) const {
    const auto epsilon = static_cast<W>(betas.epsilon);
    s[0] = static_cast<W>(betas.beta1) * s[0] + static_cast<W>(1 - betas.beta1) * g;
    const W decayed = static_cast<W>(betas.beta2) * s[1];
    const W size = std::abs(g) + (inside ? epsilon : W(0));
    s[1] = decayed > size ? decayed : size;
    p -= static_cast<W>(rate) * s[0] / (s[1] + (inside ? W(0) : epsilon));
  }
};

struct AdagradStep {
  double rate, epsilon;
  bool grows;
  template <class W>
  void operator()(W& p, std::array<W, 1>& s, W g) const {
    s[0] += grows ? g * g : W(0);
    p -= static_cast<W>(rate) * g / (std::sqrt(s[0]) + static_cast<W>(epsilon));
  }
};

struct ProximalAdagradStep {
  double rate, l1, l2;
  template <class W>
  void operator()(W& p, std::array<W, 1>& s, W g) const {
    s[0] += g * g;
    const W r = static_cast<W>(rate) / std::sqrt(s[0]);
    p = proximal<W>(p - r * g, r, l1, l2);
  }
};

struct AdadeltaStep {
  double rate, rho, epsilon;
  template <class W>
  void operator()(W& p, std::array<W, 2>& s, W g) const {
    const auto eps = static_cast<W>(epsilon);
    s[0] = static_cast<W>(rho) * s[0] + static_cast<W>(1 - rho) * g * g;
    const W d = std::sqrt(s[1] + eps) * g / std::sqrt(s[0] + eps);
    s[1] = static_cast<W>(rho) * s[1] + static_cast<W>(1 - rho) * d * d;
    p -= static_cast<W>(rate) * d;
  }
};

// States: mean square, momentum. Epsilon stands under the root and the rate in the momentum, or
// both outside.
struct RmsPropStep {
  double rate, rho, u, epsilon;
  bool outside;
  template <class W>
  W step(W root, W& moment, W g) const {
    const auto eps = static_cast<W>(epsilon);
    const W divisor = outside ? std::sqrt(root) + eps : std::sqrt(root + eps);
    moment = static_cast<W>(u) * moment + (outside ? g : static_cast<W>(rate) * g) / divisor;
    return outside ? static_cast<W>(rate) * moment : moment;
  }
  template <class W>
  void operator()(W& p, std::array<W, 2>& s, W g) const {
    s[0] = static_cast<W>(rho) * s[0] + static_cast<W>(1 - rho) * g * g;
    p -= step<W>(s[0], s[1], g);
  }
  // With the mean gradient first, whose square is taken off the mean square.
  template <class W>
  void operator()(W& p, std::array<W, 3>& s, W g) const {
    s[0] = static_cast<W>(rho) * s[0] + static_cast<W>(1 - rho) * g;
    s[1] = static_cast<W>(rho) * s[1] + static_cast<W>(1 - rho) * g * g;
    p -= step<W>(s[1] - s[0] * s[0], s[2], g);
  }
};

struct FtrlStep {
  double rate, l1, l2, power;
  template <class W>
  W root(W x) const {
    return power == 0.5 ? std::sqrt(x) : std::pow(x, static_cast<W>(power));
  }
  template <class W>
  void operator()(W& p, std::array<W, 2>& s, W g) const {
    const W grown = s[0] + g * g;
    const W now = root<W>(grown);
    s[1] += g - (now - root<W>(s[0])) / static_cast<W>(rate) * p;
    s[0] = grown;
    const W pulled = sign_of(s[1]) * static_cast<W>(l1) - s[1];
    const W taken = pulled / (now / static_cast<W>(rate) + static_cast<W>(2 * l2));
    p = std::abs(s[1]) <= static_cast<W>(l1) ? W(0) : taken;
  }
};

// States: the gradient before, the size of the step of each element.
struct RpropStep {
  double less, more, smallest, largest;
  template <class W>
  void operator()(W& p, std::array<W, 2>& s, W g) const {
    const W agreement = g * s[0];
    const W factor = agreement > W(0)   ? static_cast<W>(more)
                     : agreement < W(0) ? static_cast<W>(less)
                                        : W(1);
    const W grown = s[1] * factor;
    const W bounded = grown < static_cast<W>(smallest) ? static_cast<W>(smallest) : grown;
    s[1] = bounded > static_cast<W>(largest) ? static_cast<W>(largest) : bounded;
    s[0] = agreement < W(0) ? W(0) : g;
    p -= sign_of(s[0]) * s[1];
  }
};

// State: the average of the parameters; `share` of the new ones goes into it.
struct AveragedStep {
  double rate, shrink, share;
  template <class W>
  void operator()(W& p, std::array<W, 1>& s, W g) const {
    p -= taken_off(shrink, p) + static_cast<W>(rate) * g;
    s[0] += (p - s[0]) * static_cast<W>(share);
  }
};

}  // namespace mycel::ops
