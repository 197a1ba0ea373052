/** `--smt2 DIR`: a proof as SMT-LIB 2 files, with what each says, and a script that asks a solver about all of them. */

import { readdirSync, statSync } from "node:fs";
import { plainError } from "../lib/errors.js";
import { contracts } from "../proofs/any/contracts.js";
import { toSmt } from "../proofs/any/formulas.js";
import { lemmaSteps, lemmaText } from "../proofs/any/lemmas.js";
import type { ProvedClaim } from "../proofs/prove.js";
import type { PlainShape } from "../proofs/shape.js";
import { type SmtFile, smtOfShape } from "../proofs/smt.js";
import type { AnyRecord } from "../verdicts/any-number.js";
import { textFile, writeFiles } from "./files.js";
import { version } from "./program.js";

/** What was proved of a shape. */
export const smtFilesOfShape = (
  shape: PlainShape,
  claims: readonly ProvedClaim[],
  pairs: boolean,
): SmtFile[] => [...smtOfShape(shape, claims, pairs)];

/** The steps of the inductions, over rounds and over samples. */
export function smtFilesOfAny({ obligations, verdicts }: AnyRecord): SmtFile[] {
  const given = new Set(verdicts.flatMap((one) => one.given));
  const steps = lemmaSteps.filter(({ contract }) => given.has(contracts[contract].statement));
  return [
    ...obligations.map((one) => ({ file: `${one.name}.smt2`, about: one.about, text: toSmt(one) })),
    ...steps.map((one) => ({ file: `sample-${one.name}.smt2`, about: one.about, text: lemmaText(one) })),
  ];
}

/** Asks a solver about every file of the folder that it is in; POSIX. */
const SCRIPT = `#!/bin/sh
# sh check.sh z3, or sh check.sh cvc5: asks the solver about every file; each must be unsat.
cd "$(dirname "$0")" || exit 2
solver=\${1:-z3}
command -v "$solver" >/dev/null || { echo "no $solver: sudo apt-get install $solver"; exit 2; }
bad=0
all=0
for file in *.smt2; do
  all=$((all + 1))
  answer=$("$solver" "$file" 2>&1 | tail -n 1)
  [ "$answer" = unsat ] || { echo "$file: $answer"; bad=$((bad + 1)); }
done
echo "$solver: $((all - bad)) of $all files are unsat"
[ "$bad" = 0 ]
`;

/** Before a long proof: files of another proof must not stand among those of this one. */
export function demandNewFolder(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw plainError(folder, "is no folder: --smt2 needs a new one");
  if (readdirSync(folder).length > 0) throw plainError(folder, "is not empty: --smt2 needs a new folder");
}

export function writeSmtFiles(folder: string, files: readonly SmtFile[], about: string): Promise<void> {
  const listed = files.map(({ file, about }) => ({ file, about, expect: "unsat" }));
  const manifest = { candor: version(), about, files: listed };
  return writeFiles(folder, [
    ...files.map(({ file, text }) => textFile(file, text)),
    textFile("check.sh", SCRIPT),
    // Last: where it stands all others do.
    textFile("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`),
  ]);
}
