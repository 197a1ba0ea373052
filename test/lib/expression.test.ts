import fc from "fast-check";
import { evaluate } from "mathjs/number";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/lib/errors.js";
import { parseExpression, parseFormulas } from "../../src/lib/expression.js";

const variables = ["u", "re", "T"] as const;
const read = (text: string) => parseExpression(text, variables, "--cost");
const value = (text: string, scope = {}) => read(text)({ u: 0.25, re: 0.6, T: 10, ...scope });

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("no error");
}

describe("an expression", () => {
  it.each([
    ["re/3 + 1/15 + u/5", 0.6 / 3 + 1 / 15 + 0.05],
    ["-re^2", -0.36],
    ["2 re", 1.2],
    ["7 mod 3 + 7 % 3", 2],
    ["u < 0.5 ? 1 : T", 1],
    ["0.1 + 0.2 == 0.3 ? 1 : 2", 1],
    ["0 < u <= re ? 5 : 6", 5],
    ["10 * (u > 0.5) + (u != 1)", 1],
    ["min(1, re, u) + max(T)", 10.25],
    ["log(8, 2) + log2(8) + log10(1000)", 9],
    ["pow(2, 3) + sign(-4) + cbrt(27) + sqrt(16) + abs(-1)", 15],
    ["ceil(0.2) + floor(1.8) + round(2.5)", 5],
  ])("%s is arithmetic", (text, expected) => {
    expect(value(text)).toBeCloseTo(expected, 12);
  });

  it.each([
    ["x = 1", "x = 1"],
    ["f(x) = x", "f(x) = x"],
    ["1; 2", "several statements"],
    ["1\n2", "several statements"],
    ['"text"', '"text"'],
    ["[1, 2]", "[1, 2]"],
    ["1:3", "1:3"],
    ["{a: 1}", '{"a": 1}'],
    ["re.constructor", "re.constructor"],
    ["re[1]", "re[1]"],
    ["u!", "u!"],
    ["u and re", "u and re"],
    ["true", "true"],
    ["NaN", "NaN"],
    ["1e999", "Infinity"],
    ["constructor", 'the name "constructor"'],
    ["__proto__", 'the name "__proto__"'],
    ["toString()", 'the function "toString"'],
    ["constructor(1)", 'the function "constructor"'],
    ['import("fs")', 'the function "import"'],
    ['evaluate("1")', 'the function "evaluate"'],
    ["random()", 'the function "random"'],
    ["pi", 'the name "pi"'],
    ["re.toString()", 'the function "re.toString"'],
    ["u < foo < 1", 'the name "foo"'],
  ])("%j is not allowed", (text, offender) => {
    const message = messageOf(() => read(text));
    expect(message).toContain(`--cost: ${offender} is not allowed; `);
    expect(message).toContain(
      "allowed are numbers, + - * / ^ mod, comparisons, a ? b : c, parentheses, u, re, T, abs",
    );
    expect(message).not.toContain("\n");
  });

  it("guesses what a name was meant to be", () => {
    expect(messageOf(() => read("rr + 1"))).toContain('did you mean "re"?');
    expect(messageOf(() => read("sqr(2)"))).toContain('did you mean "sqrt"?');
    expect(messageOf(() => read("re(2)"))).toContain('"re" is a number: write re * (…)');
  });

  it("must be complete", () => {
    expect(messageOf(() => read("1 +"))).toBe(
      '--cost: cannot read "1 +": Unexpected end of expression (char 4)',
    );
    expect(messageOf(() => read("  "))).toBe("--cost: the expression is empty");
    expect(messageOf(() => read("log()"))).toBe("--cost: log(): log takes 1 or 2, not 0");
    expect(messageOf(() => read("abs(1, 2)"))).toBe("--cost: abs(1, 2): abs takes 1, not 2");
  });

  it("is refused shortly when it is too long or too deep", () => {
    expect(messageOf(() => read("1 + ".repeat(1e6)))).toBe(
      "--cost: the expression is longer than 1000 characters",
    );
    expect(messageOf(() => read(`${"(".repeat(499)}u${")".repeat(499)}`)).length).toBeLessThan(200);
  });

  it.each(["1/0", "log(u - 1)", "sqrt(-1)", "u/0 > 1 ? 1 : 0/0", "(0/0) < 1", "0/0 ? 1 : 2"])(
    "%s is no finite number",
    (text) => {
      expect(messageOf(() => value(text))).toMatch(
        /gives (NaN|Infinity) for u = 0.25, re = 0.6, T = 10; must be a finite/,
      );
    },
  );

  it("sees its own variables only, even on a scope with a prototype", () => {
    expect(messageOf(() => parseExpression("cost", ["u"], "--cost"))).toContain(
      'the name "cost" is not allowed',
    );
    expect(parseExpression("valueOf + 1", ["valueOf"], "x")({ valueOf: 2 })).toBe(3);
  });

  it("gives what mathjs itself gives", () => {
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom("u", "re", "T", "0.5", "2", "3", "0"),
        fc
          .tuple(
            fc.constantFrom("+", "-", "*", "/ 3 +", "mod", "<", "<=", ">", ">=", "==", "!="),
            tie("tree"),
            tie("tree"),
          )
          .map(([op, a, b]) => `(${a} ${op} ${b})`),
        fc
          .tuple(fc.constantFrom("abs", "ceil", "floor", "round", "sign", "-"), tie("tree"))
          .map(([f, a]) => `${f}(${a})`),
        fc
          .tuple(tie("tree"), tie("tree"), tie("tree"))
          .map(([a, b, c]) => `(${a} > 1 ? ${b} : max(${b}, ${c}))`),
      ),
    }));
    const scope = { u: 0.25, re: 0.6, T: 10 };
    fc.assert(
      fc.property(tree, (text) => {
        fc.pre(text.length <= 1000);
        expect(value(text)).toBeCloseTo(Number(evaluate(text, { ...scope })), 9);
      }),
    );
  });
});

describe("a list of formulas", () => {
  const bounds = {
    targets: ["price", "arrival"],
    variables: ["cost", "arrival"],
    source: "formula",
  } as const;

  it("maps names to expressions", () => {
    const formulas = parseFormulas("price = 1.2*cost; arrival = arrival == 3 ? 4 : arrival + 1;", bounds);
    expect([...formulas.keys()]).toEqual(["price", "arrival"]);
    expect(formulas.get("price")!({ cost: 2, arrival: 1 })).toBe(2.4);
    expect(formulas.get("arrival")!({ cost: 2, arrival: 3 })).toBe(4);
  });

  it.each([
    ["", "formula: no formula; write price or arrival = …"],
    ["prise = 1", 'formula: "prise = 1" must set price or arrival, as in "price = …"; did you mean "price"?'],
    ["1.2*cost", 'formula: "1.2*cost" must set price or arrival, as in "price = …"'],
    ["price == 2", 'formula: "price == 2" must set price or arrival, as in "price = …"'],
    ["price = 1; price = 2", 'formula: "price" is set twice'],
    ["price =", "formula: price: the expression is empty"],
  ])("%j is refused", (text, message) => {
    expect(messageOf(() => parseFormulas(text, bounds))).toBe(message);
  });

  it("names the formula that is wrong", () => {
    expect(messageOf(() => parseFormulas("price = rho", bounds))).toMatch(
      /^formula: price: the name "rho" is not allowed/,
    );
  });
});
