/**
 * Whether the text of a program keeps nothing of its own. A run against a crowd calls a program once where an auction calls it
 * for every worker and every round: that is the same only for a text that cannot count, remember or tell arithmetics
 * apart. What is allowed is listed; anything else is a flaw.
 */

export interface Flaw {
  readonly line: number;
  readonly what: string;
}

interface Token {
  readonly text: string;
  readonly kind: "name" | "number" | "string" | "sign";
  readonly line: number;
}

const TOKEN =
  /(?<space>\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<name>[\p{ID_Start}$_#][\p{ID_Continue}$]*)|(?<number>\d[\w.]*)|(?<string>"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|`(?:[^`\\$]|\\[\s\S])*`)|(?<sign>=>|===|!==|==|!=|<=|>=|&&=|\|\|=|\?\?=|\*\*=|>>>?=|<<=|[-+*/%&|^]=|&&|\|\||\?\?|\?\.|\.\.\.|\+\+|--|\*\*|[-+*%<>!=?:;,.(){}[\]&|^~@])/uy;

/** Fields of what an auction hands out, and methods that change nothing. */
const fields = new Set(
  (
    "math rules workers zero sample present eachRound startWhen progress byReputation byDensity byPrice purse offer raise pass " +
    "buyAtOnce buyShare learn shareAt threshold share announceRound recordThresholds startDelay lastArrival candidate admit hire " +
    "record known plus minus times over atMost sorted budget rounds firstRoundRatio minWorkers reading firstStep delay id group " +
    "reputation price density arrival selectedAt round clock buys limit spent filter forEach map"
  ).split(" "),
);

const keywords = new Set(
  (
    "let var function* class new this super delete typeof instanceof in eval arguments with while do switch try catch throw yield " +
    "async await constructor prototype __proto__ require module exports globalThis window self global process debugger label"
  ).split(" "),
);

/** Names that every program has, whatever it declares, but for those that hold nothing. */
const known = new Set(
  Object.getOwnPropertyNames(globalThis).filter((name) => !["undefined", "NaN", "Infinity"].includes(name)),
);

/** The first thing in a file's text that could keep, count or tell something; null where there is none. */
export function flawOf(text: string): Flaw | null {
  const tokens: Token[] = [];
  let line = 1;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (found === null) return { line, what: "something that is not looked into" };
    const { space, name, number, string, sign } = found.groups!;
    if (space === undefined) {
      const kind = name ? "name" : number ? "number" : string ? "string" : "sign";
      tokens.push({ text: (name ?? number ?? string ?? sign)!, kind, line });
    }
    line += found[0].split("\n").length - 1;
  }
  for (const [k, token] of tokens.entries()) {
    const what = flawAt(tokens, k);
    if (what !== null) return { line: token.line, what };
  }
  return null;
}

function flawAt(tokens: readonly Token[], k: number): string | null {
  const { text, kind } = tokens[k]!;
  const before = tokens[k - 1];
  const after = tokens[k + 1];
  const isField = before?.text === "." || before?.text === "?.";
  if (kind === "name") {
    if (isField) return fields.has(text) ? null : `.${text}`;
    if (text.startsWith("#") || keywords.has(text)) return text;
    if (text === "import") return importFlaw(tokens, k);
    if (text === "function" && after?.text === "*") return "function*";
    const isKey = after?.text === ":" && (before?.text === "{" || before?.text === ",");
    return known.has(text) && !isKey ? text : null;
  }
  if (kind !== "sign") return null;
  if (text === "=") return isDeclaration(tokens, k) ? null : "an assignment";
  if (["++", "--", "...", "@", "~"].includes(text) || (text.endsWith("=") && !comparisons.has(text)))
    return text;
  if (["===", "!==", "==", "!="].includes(text))
    return isPlainComparison(tokens, k) ? null : `a comparison by ${text}`;
  if (text === "[" && before !== undefined && isValue(before)) return indexFlaw(tokens, k);
  return null;
}

const comparisons = new Set(["=", "==", "===", "!=", "!==", "<=", ">="]);

/** Only the package, and only what it exports. */
function importFlaw(tokens: readonly Token[], k: number): string | null {
  const end = tokens.slice(k, k + 60).find(({ kind }) => kind === "string");
  if (tokens[k + 1]?.text === "(" || tokens[k + 1]?.text === ".") return "import";
  return end !== undefined && /^["'](candor)["']$/.test(end.text)
    ? null
    : `an import from ${end?.text ?? "elsewhere"}`;
}

/** Whether an = is the one of a const. */
function isDeclaration(tokens: readonly Token[], k: number): boolean {
  let depth = 0;
  for (let at = k - 1; at >= 0; at--) {
    const { text } = tokens[at]!;
    if (text === "const") return depth === 0;
    if (text === "=" || text === ";" || text === "=>") return false;
    if ([")", "]", "}"].includes(text)) depth++;
    if (["(", "[", "{"].includes(text) && --depth < 0) return false;
  }
  return false;
}

/** With null, with a text, or of a worker's group and a number: what is the same in every arithmetic. */
function isPlainComparison(tokens: readonly Token[], k: number): boolean {
  const [before, after, next] = [tokens[k - 1], tokens[k + 1], tokens[k + 2]];
  if (next?.text === "." || next?.text === "[" || next?.text === "(") return false;
  const plain = (token: Token | undefined) => token?.kind === "string" || token?.text === "null";
  const isGroup = before?.text === "group" && tokens[k - 2]?.text === ".";
  return plain(before) || plain(after) || (isGroup && after?.kind === "number" && next?.kind === "sign");
}

/** A bracket behind one of these begins a list, or a type. */
const noValues = new Set(["readonly", "return", "as", "of", "const"]);

const isValue = ({ kind, text }: Token): boolean =>
  !noValues.has(text) && (kind === "name" || [")", "]", "?."].includes(text));

/** By a number, or by a group. */
function indexFlaw(tokens: readonly Token[], k: number): string | null {
  for (let at = k + 1; at < tokens.length && tokens[at]!.text !== "]"; at++) {
    const { text, kind } = tokens[at]!;
    if (kind === "number" || ["-", "."].includes(text) || text === "group" || text === "worker") continue;
    return `an index by ${text}`;
  }
  const closing = tokens.findIndex(({ text }, at) => at > k && text === "]");
  return tokens[closing + 1]?.text === "(" ? "a call by index" : null;
}
