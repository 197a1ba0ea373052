/** Training is tested on real data: MNIST comes with npm, Fashion-MNIST with Debian. */

import { ensure } from "./debian.mjs";

ensure({
  path: "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz",
  package: "dataset-fashion-mnist",
  why: "training",
});
