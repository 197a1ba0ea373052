/** Mechanisms that users might write, by mistake or to deceive; each gets one clear line, or a correct answer. */

export interface Misuse {
  readonly name: string;
  readonly source: string;
  /** What the one line says; null where the program is answered for, correctly. */
  readonly refused: RegExp | null;
  /** It meddles with the process that it runs in: it is run in a process of its own only. */
  readonly apart?: true;
}

const HEAD = 'import { defineMechanism } from "candor";\n';

/** A program, after what stands at the top of its file. */
const program = (body: string, top = ""): string => `${HEAD}${top}
export default defineMechanism({ name: "mine", about: "Mine.", program(auction) {
  const { math, rules, workers } = auction;
  const buy = (worker, payment = worker.price) => {
    if (worker.selectedAt === null) auction.hire(worker, { round: 1, buys: 1, threshold: null }, payment);
  };
  const cheapest = () => auction.byPrice()[0];
  ${body}
} });
`;

const outcome = `const outcome = (rules, bids, of) => ({ started: true, startDelay: 0, thresholds: [], budgetEvents: [],
  workers: [...bids].sort((a, b) => a.id - b.id).map(({ id, price }) => ({ id, selectedAt: null, rounds: 0, payment: 0, ...of({ id, price }) })) });`;

/** A plain decision, after what stands at the top of its file. */
const decision = (body: string, top = ""): string => `${outcome}
${top}
export default { name: "mine", about: "Mine.", decide(rules, bids) {
  ${body}
} };
`;

const DIFFERENTLY = /differently|must be the same when asked twice/;

export const misuses: readonly Misuse[] = [
  // What cannot be done with an amount.
  [
    "an untyped comparison",
    program("for (const w of workers) if (w.price <= 0.45) buy(w);"),
    /an amount as a number/,
  ],
  ["an operator", program("for (const w of workers) buy(w, w.price * 2);"), /an amount as a number/],
  [
    "a template string",
    program("for (const w of workers) if (`$" + "{w.price}` < '1') buy(w);"),
    /an amount as a text/,
  ],
  [
    "JSON of an amount",
    program("for (const w of workers) if (JSON.stringify(w.price) === '1') buy(w);"),
    /an amount as JSON/,
  ],
  [
    "JSON of a worker",
    program("for (const w of workers) if (JSON.stringify(w).includes('1')) buy(w, 5);"),
    null,
  ],
  [
    "sorting without a comparator",
    program("const [p] = workers.map((w) => w.price).sort(); buy(workers[0], p);"),
    /an amount as a/,
  ],
  [
    "an amount as an index",
    program("const pays = { 1: 3 }; for (const w of workers) buy(w, pays[w.price] ?? 1);"),
    /an amount as a text/,
  ],
  ["Math.max", program("for (const w of workers) buy(w, Math.max(w.price, 1));"), /an amount as a number/],
  [
    "isNaN and Number",
    program("for (const w of workers) if (Number(w.price) < 2) buy(w);"),
    /an amount as a number/,
  ],
  [
    "a date of an amount",
    program("for (const w of workers) if (new Date(w.price).getTime() < 2) buy(w);"),
    /an amount as a/,
  ],
  ["loose equality", program("for (const w of workers) if (w.price == 1) buy(w);"), /an amount as a number/],
  [
    "a cloned amount",
    program("for (const w of workers) buy(w, structuredClone(w.price));"),
    /uses an object as an amount/,
  ],
  // What JavaScript cannot trap is alike in every arithmetic.
  ["strict equality", program("for (const w of workers) if (w.price !== 1) buy(w, 3);"), null],
  [
    "switch",
    program("for (const w of workers) switch (w.price) { case 1: buy(w, 4); break; default: buy(w, 2); }"),
    null,
  ],
  ["includes", program("for (const w of workers) if (![1, 2].includes(w.price)) buy(w, 2);"), null],
  [
    "typeof and truth",
    program("for (const w of workers) if (!w.price || typeof w.price === 'number') buy(w); else buy(w, 1);"),
    null,
  ],
  [
    "keys and tags on amounts",
    program(
      "for (const w of workers) { w.price.tag = w.id; if (Object.keys(w.price).length > 0) buy(w, 2); }",
    ),
    null,
  ],
  [
    "Object.is and sets",
    program(
      "if (new Set(workers.map((w) => w.price)).size === workers.length) for (const w of workers) buy(w, 2);",
    ),
    null,
  ],
  [
    "an own valueOf on an amount",
    program(
      "for (const w of workers) { w.price.valueOf = () => 0; w.price[Symbol.toPrimitive] = () => 0; if (w.price <= 0.45) buy(w); }",
    ),
    /writes to what it may only read/,
  ],
  // Looking where there is nothing to see.
  ["a clock that is private", program("for (const w of workers) if (!(w.clock > 1)) buy(w);"), null],
  [
    "an arrival that is read",
    program("for (const w of workers) if (w.arrival <= 1) buy(w); else buy(w, 1);"),
    null,
  ],
  [
    "an arrival by the prototype's getter",
    program(
      "for (const w of workers) { const { get } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(w), 'arrival'); if (get.call(w) <= 1) buy(w, 2); }",
    ),
    null,
  ],
  [
    "an arrival by a sample",
    program(
      "const { taken } = auction.sample().share({ by: 1, buys: 1, budget: 3 }); for (const w of taken) buy(w, 1);",
    ),
    null,
  ],
  ["the last arrival", program("if (auction.lastArrival <= 1) for (const w of workers) buy(w, 2);"), null],
  [
    "an arithmetic's value",
    program("for (const w of workers) if (math.value(w.price) < 1) buy(w);"),
    /math\.value is not a function.*\(mine\.ts:\d+\)/,
  ],
  [
    "an arithmetic's source",
    program(
      "if (/floating|number|line/i.test(math.atMost.toString())) for (const w of workers) buy(w, 2); else for (const w of workers) buy(w);",
    ),
    null,
  ],
  [
    "an arithmetic's name",
    program(
      "if (math.constructor.name === 'Lines') for (const w of workers) buy(w); else buy(workers[0], 2);",
    ),
    null,
  ],
  [
    "the stack",
    program(
      "const stack = new Error().stack; const who = /prove|verify|pieces|lines|forms|best-response/.test(stack); for (const w of workers) who ? buy(w, 2) : buy(w);",
    ),
    null,
  ],
  [
    "the stack, taken apart",
    program(
      "Error.prepareStackTrace = (_, frames) => frames.map(String).join(); const who = /prove|verify|pieces|best-response/.test(new Error().stack); for (const w of workers) who ? buy(w, 2) : buy(w);",
    ),
    null,
  ],
  [
    "the command line",
    program(
      "for (const w of workers) who ? buy(w, 2) : buy(w);",
      'import { workerData } from "node:worker_threads";\nconst who = /prove|check|best-response/.test(JSON.stringify([process.argv, workerData ?? null, process.env.npm_lifecycle_script ?? ""]));',
    ),
    null,
  ],
  [
    "a typo in a block",
    program("for (const w of auction.byCost()) buy(w);"),
    /auction\.byCost is not a function.*\(mine\.ts:\d+\)/,
  ],
  [
    "a variable that is not there",
    program("for (const w of wrokers) buy(w);"),
    /wrokers is not defined.*\(mine\.ts:\d+\)/,
  ],
  [
    "a property that is not there",
    program("for (const w of workers) buy(w, w.prize.toFixed(2));"),
    /Cannot read properties of undefined.*\(mine\.ts:\d+\)/,
  ],
  [
    "an amount that is not there",
    program("for (const w of workers) buy(w, w.prise ?? undefined_ ?? 1);", "const undefined_ = null;"),
    null,
  ],
  [
    "an amount that is text",
    program("for (const w of workers) buy(w, '2');"),
    /uses "2" as an amount.*\(mine\.ts:\d+\)/,
  ],
  // The same question has the same answer.
  [
    "a random number",
    program("for (const w of workers) if (Math.random() < 0.5) buy(w);"),
    /calls Math\.random/,
  ],
  [
    "a random number drawn at the top",
    program("for (const w of workers) buy(w, draw);", "const draw = Math.random();"),
    DIFFERENTLY,
  ],
  ["the clock", program("if (Date.now() % 2 === 0) for (const w of workers) buy(w);"), /calls Date\.now/],
  [
    "a new date",
    program("if (new Date().getTime() % 2 === 0) for (const w of workers) buy(w);"),
    /calls new Date\(\)/,
  ],
  [
    "a mark of performance",
    program("if (performance.mark('x').startTime % 2 < 1) for (const w of workers) buy(w);"),
    /calls performance\.mark/,
  ],
  [
    "crypto",
    program("if (crypto.getRandomValues(new Uint8Array(1))[0] < 99) for (const w of workers) buy(w);"),
    /calls crypto\.getRandomValues/,
  ],
  [
    "crypto of Node",
    program(
      "for (const w of workers) if (randomInt(2) === 0) buy(w);",
      'import { randomInt } from "node:crypto";',
    ),
    /calls crypto\.randomInt|differently|the same when asked twice/,
  ],
  [
    "a count of calls",
    program("for (const w of workers) if (calls++ % 7 < 3) buy(w);", "let calls = 0;"),
    DIFFERENTLY,
  ],
  [
    "the first call",
    program("for (const w of workers) first ? buy(w) : buy(w, 2); first = false;", "let first = true;"),
    DIFFERENTLY,
  ],
  [
    "the fiftieth call",
    program("calls++; for (const w of workers) calls < 50 ? buy(w, 2) : buy(w);", "let calls = 0;"),
    DIFFERENTLY,
  ],
  [
    "a cache by ids",
    program(
      "const key = workers.map((w) => w.id).join(); if (!cache.has(key)) cache.set(key, cheapest().id); buy(auction.candidate(cache.get(key)), 2);",
      "const cache = new Map();",
    ),
    DIFFERENTLY,
  ],
  [
    "a cache by ids, of a decision",
    program(
      "const key = workers.map((w) => w.id).join(); if (!cache.has(key)) cache.set(key, workers.map((w) => math.atMost(w.price, 1))); for (const [k, w] of workers.entries()) if (cache.get(key)[k]) buy(w, 2);",
      "const cache = new Map();",
    ),
    DIFFERENTLY,
  ],
  [
    "a cache by object",
    program(
      "if (!cache.has(rules)) cache.set(rules, cheapest()); buy(cache.get(rules), 2);",
      "const cache = new WeakMap();",
    ),
    null,
  ],
  [
    "a plain decision that caches",
    decision(
      "const key = bids.map(({ id }) => id).join(); if (!cache.has(key)) cache.set(key, [...bids].sort((a, b) => a.price - b.price)[0].id); return outcome(rules, bids, ({ id }) => id === cache.get(key) ? { selectedAt: 1, rounds: 1, payment: 3 } : {});",
      "const cache = new Map();",
    ),
    DIFFERENTLY,
  ],
  [
    "a purse for all runs",
    program(
      "for (const w of workers) auction.offer(w, { round: 1, buys: 1, purse, threshold: 3 });",
      "const purse = { limit: 5, spent: 0 };",
    ),
    /uses an amount of another run/,
  ],
  [
    "a purse for all runs, in numbers",
    program("for (const w of workers) if (left-- > 0) buy(w, 2);", "let left = 7;"),
    DIFFERENTLY,
  ],
  [
    "workers of an earlier run",
    program(
      "for (const w of before) { w.rounds = 0; w.selectedAt = null; w.payment = 0; } for (const w of workers) buy(w, 3); before = workers;",
      "let before = [];",
    ),
    /an auction that is over/,
  ],
  [
    "hiring workers of an earlier run",
    program(
      "for (const w of before) buy(w, 3); before = before.length > 0 ? before : workers;",
      "let before = [];",
    ),
    /an auction that is over|not one of auction\.workers/,
  ],
  [
    "hiring later",
    program("buy(workers[0], 2); Promise.resolve().then(() => { workers[0].payment = 0; });"),
    /an auction that is over/,
    "apart",
  ],
  [
    "drawing that says so",
    `export default { name: "mine", about: "Mine.", stochastic: true, decide(rules, bids, trace, random) { const lucky = Math.floor(random.next() * bids.length); return { started: true, startDelay: 0, thresholds: [], budgetEvents: [], workers: [...bids].sort((a, b) => a.id - b.id).map(({ id }, k) => k === lucky ? { id, selectedAt: 1, rounds: 1, payment: 3 } : { id, selectedAt: null, rounds: 0, payment: 0 }) }; } };`,
    null,
  ],
  // Money and rounds.
  [
    "a purse that two share",
    program(
      "const purse = auction.purse(math.over(rules.budget, 2)); for (const w of auction.byDensity()) auction.offer(w, { round: 1, buys: 1, purse, threshold: 2 });",
    ),
    null,
  ],
  [
    "two purses that are one",
    program(
      "const purse = { limit: rules.budget, spent: 0 }; for (const w of workers) auction.offer(w, { round: 1, buys: 1, purse: w.group === 0 ? purse : { ...purse }, threshold: null });",
    ),
    null,
  ],
  [
    "an offer made twice",
    program(
      "const purse = auction.purse(rules.budget); for (const w of workers) for (const round of [1, 2]) auction.offer(w, { round, buys: 1, purse, threshold: 2 });",
    ),
    null,
  ],
  [
    "an admission that is priced",
    program(
      "const purse = auction.purse(rules.budget); for (const w of workers) auction.admit(w, { round: 1, buys: 1, purse, threshold: null }, math.plus(w.price, 1));",
    ),
    null,
  ],
  [
    "hiring beyond the last round",
    program(
      "for (const w of workers) for (const k of [1, 2, 3]) auction.hire(w, { round: 1, buys: 1, threshold: null }, 1);",
    ),
    /works 3 rounds: must be from 1 to 2/,
  ],
  [
    "hiring for no round",
    program("for (const w of workers) auction.hire(w, { round: 1, buys: 0, threshold: null }, 1);"),
    /works 0 rounds/,
  ],
  [
    "half a round",
    program("for (const w of workers) auction.hire(w, { round: 1, buys: 0.5, threshold: null }, 1);"),
    /rounds must be an integer.*\(mine\.ts:\d+\)/,
  ],
  [
    "a round in text",
    program("for (const w of workers) auction.hire(w, { round: '1', buys: 1, threshold: null }, 1);"),
    /selectedAt must be null or a round/,
  ],
  [
    "paying without selecting",
    program("for (const w of workers) w.payment = 1;"),
    /is paid, but not selected/,
  ],
  ["a gain without bound", program("const [a, b] = auction.byPrice(); buy(a, (b ?? a).price);"), null],
  ["pay your bid", program("for (const w of workers) buy(w);"), null],
  ["twice the bid", program("for (const w of workers) buy(w, math.times(w.price, 2));"), null],
  [
    "a product of two prices",
    program("const [a, b] = workers; if (b && math.atMost(math.times(a.price, b.price), 2)) buy(a, 2);"),
    null,
  ],
  [
    "a product that is caught",
    program(
      "let squared = null; try { squared = math.times(workers[0].price, workers[0].price); } catch { buy(workers[0], 2); } if (squared !== null) buy(workers[0]);",
    ),
    null,
  ],
  [
    "an error that is caught",
    program("try { math.over(1, 0); } catch { for (const w of workers) buy(w, 2); }"),
    /divides an amount by zero/,
  ],
  ["a negative payment", program("for (const w of workers) buy(w, -1);"), null],
  ["a payment that is no number", program("for (const w of workers) buy(w, NaN);"), /uses NaN as an amount/],
  [
    "an infinite payment",
    program("for (const w of workers) buy(w, Infinity);"),
    /uses Infinity as an amount/,
  ],
  [
    "thresholds that are none",
    program("auction.recordThresholds(1, 'low', 'high');"),
    /uses "low" as an amount/,
  ],
  [
    "an event that is none",
    program("auction.record(workers[0], 1, 'banana');"),
    /records an event that is none of/,
  ],
  [
    "an event in a round that is none",
    program("auction.record(workers[0], 99, 'refused');"),
    /a round that is no integer from 1 to 2/,
  ],
  // Failing and ending.
  ["throwing a text", program("throw 'no';"), /its program failed: no/],
  ["throwing nothing", program("throw null;"), /its program failed: null/],
  [
    "throwing what cannot be shown",
    program("throw { toString() { throw 1; } };"),
    /its program failed: something that cannot be shown/,
  ],
  [
    "throwing a proxy",
    program("throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 1; } });"),
    /its program failed: something that cannot be shown/,
  ],
  ["throwing many lines", program("throw new Error('one\\ntwo\\nthree');"), /its program failed: one/],
  ["endless recursion", program("const f = () => f(); f();"), /Maximum call stack/],
  ["an exit while it decides", program("process.exit(0);"), /process\.exit was called/, "apart"],
  [
    "an exit that is caught",
    program("try { process.exit(0); } catch {} for (const w of workers) buy(w, 2);"),
    null,
    "apart",
  ],
  ["a real exit", program("process.reallyExit(0);"), /process\.exit was called/, "apart"],
  [
    "an exit at the top",
    program("buy(workers[0], 2);", "process.exit(0);"),
    /cannot be loaded: process\.exit was called/,
    "apart",
  ],
  [
    "an exit in a timer",
    program("buy(workers[0], 2);", "setTimeout(() => process.exit(0), 0);"),
    /where nothing waits for it: process\.exit was called/,
    "apart",
  ],
  [
    "an exit by the port",
    program(
      "process.exit(1);",
      'import { parentPort } from "node:worker_threads";\nparentPort?.postMessage({ kind: "ended", code: 0 });',
    ),
    /process\.exit was called/,
    "apart",
  ],
  ["an exit code", program("for (const w of workers) buy(w, 2);", "process.exitCode = 0;"), null, "apart"],
  [
    "a top level that never settles",
    program("buy(workers[0], 2);", "await new Promise(() => {});"),
    /awaits at its top level never comes/,
    "apart",
  ],
  [
    "a rejection that nothing handles",
    program("for (const w of workers) buy(w, 2);", "Promise.reject(new Error('boom'));"),
    /boom \(mine\.ts:\d+\)/,
    "apart",
  ],
  [
    "a throw in a timer",
    program("for (const w of workers) buy(w, 2);", "setTimeout(() => { throw new Error('boom'); }, 0);"),
    /boom \(mine\.ts:\d+\)/,
    "apart",
  ],
  [
    "a timer that goes on",
    program("for (const w of workers) buy(w, 2);", "setInterval(() => {}, 1000);"),
    null,
    "apart",
  ],
  ["an import that is not there", program("", 'import "./nothing.js";'), /cannot be loaded/],
  ["a syntax error", program("for (const w of workers { buy(w); }"), /cannot be loaded/],
  [
    "printing",
    program(
      "console.log('noise', workers[0]?.price); process.stdout.write('noise'); for (const w of workers) buy(w, 2);",
      "console.log('top');",
    ),
    null,
    "apart",
  ],
  // What is handed to it stays as it is.
  [
    "changing the rules",
    program("rules.budget = 5; buy(workers[0], 2);"),
    /its program writes to what it may only read/,
  ],
  [
    "another worker in the list",
    program("workers.push(workers[0]);"),
    /its program writes to what it may only read/,
  ],
  [
    "another price",
    program("workers[0].price = 1; buy(workers[0]);"),
    /its program writes to what it may only read/,
  ],
  [
    "another price by a definition",
    program("Object.defineProperty(workers[0], 'price', { value: 1 }); buy(workers[0]);"),
    /its program writes to what it may only read/,
  ],
  [
    "another block",
    program("Object.getPrototypeOf(auction).hire = () => {}; buy(workers[0]);"),
    /its program writes to what it may only read/,
  ],
  [
    "another arithmetic",
    program("math.atMost = () => true; buy(workers[0]);"),
    /its program writes to what it may only read/,
  ],
  [
    "bids that are changed",
    decision("bids[0].price = 0; return outcome(rules, bids, () => ({}));"),
    /writes to what it may only read/,
  ],
  [
    "Array.prototype.map",
    program("buy(workers[0], 2);", "Array.prototype.map = () => [];"),
    /read only property 'map'/,
    "apart",
  ],
  [
    "Array.prototype.some, while it decides",
    program("Array.prototype.some = () => false; for (const w of workers) buy(w);"),
    /writes to what it may only read|read only/,
    "apart",
  ],
  [
    "Math.max for all",
    program("for (const w of workers) buy(w);", "Math.max = () => 0;"),
    /read only property 'max'/,
    "apart",
  ],
  [
    "a field for all objects",
    program("buy(workers[0], 2);", "Object.prototype.only = [];"),
    /not extensible/,
    "apart",
  ],
  [
    "another Map",
    program("buy(workers[0], 2);", "globalThis.Map = class {};"),
    /read only property 'Map'/,
    "apart",
  ],
  [
    "another Number.isFinite",
    program("buy(workers[0], NaN);", "Number.isFinite = () => true;"),
    /read only property 'isFinite'/,
    "apart",
  ],
  [
    "another JSON.stringify",
    program(
      "for (const w of workers) if (calls++ % 7 < 3) buy(w);",
      "let calls = 0; JSON.stringify = () => '';",
    ),
    /read only property 'stringify'/,
    "apart",
  ],
  [
    "candor's own registry",
    program(
      "for (const w of workers) buy(w);",
      'import { mechanisms } from "candor";\nmechanisms.online.decide = () => null;',
    ),
    /read only property|not extensible/,
    "apart",
  ],
  // What it is handed itself.
  [
    "workers of its own",
    program(
      "let looks = 0; const mine = workers.map((w) => ({ id: w.id, density: w.density, reputation: w.reputation, get arrival() { looks++; return 1; } })); auction.sample(mine).share({ by: 1, buys: 1, budget: rules.budget }); for (const w of workers) looks > workers.length ? buy(w, 2) : buy(w);",
    ),
    /a worker that is not one of auction\.workers/,
  ],
  [
    "a worker of its class",
    program(
      "const W = workers[0].constructor; const w = new W({ id: 0, arrival: 1, reputation: workers[0].reputation, price: workers[0].price, density: workers[0].density, payment: auction.zero, amountOf: (x) => x }); auction.hire(w, { round: 1, buys: 1, threshold: null }, 2);",
    ),
    /a worker that is not one of auction\.workers/,
  ],
  [
    "a list that names a worker twice",
    program(
      "const { taken } = auction.sample([workers[0], workers[0]]).share({ buys: 1, budget: 3 }); for (const w of taken) buy(w, 2);",
    ),
    /names a worker twice/,
  ],
  [
    "a clock tick that counts",
    program(
      "let looks = 0; const by = { valueOf() { looks++; return 1; } }; auction.sample().share({ by, buys: 1, budget: rules.budget }); for (const w of workers) looks > workers.length ? buy(w, 2) : buy(w);",
    ),
    /a clock tick that is no number/,
  ],
  [
    "terms that count",
    program(
      "let looks = 0; const purse = auction.purse(rules.budget); for (const w of workers) auction.offer(w, { round: 1, buys: 1, purse, get threshold() { return 2 + (looks++ % 2); } });",
    ),
    null,
  ],
  [
    "a purse that counts",
    program(
      "let looks = 0; const purse = { limit: rules.budget, get spent() { looks++; return 0; }, set spent(x) {} }; for (const w of workers) auction.offer(w, { round: 1, buys: 1, purse, threshold: 2 }); if (looks % 2 === 1) buy(workers[0]);",
    ),
    null,
  ],
  [
    "keys with effects",
    program(
      "let asked = 0; const order = math.sorted(workers, (w) => { asked++; return w.price; }); if (asked === workers.length) buy(order[0], order[1]?.price ?? 2);",
    ),
    null,
  ],
  [
    "items that share an id",
    program(
      "const order = math.sorted(workers.map((w) => ({ id: 0, w })), ({ w }) => w.price); buy(order[0].w, order[1]?.w.price ?? 2);",
    ),
    /share an id|items of the same id/,
  ],
  [
    "an async program",
    program("buy(workers[0], 2);").replace("program(", "async program("),
    /returns a promise/,
  ],
  ["a generator", program("buy(workers[0], 2);").replace("program(", "*program("), /is a generator/],
  ["a thenable", program("return { then() {} };"), /returns a promise/],
  [
    "a then that throws",
    program("return { get then() { throw new Error('no'); } };"),
    /its program failed: no/,
  ],
  [
    "a proxy of a mechanism",
    `${program("for (const w of workers) buy(w, 2);").replace("export default", "const made =")}
let looks = 0;
export default new Proxy(made, { get: (target, key) => { looks++; return Reflect.get(target, key); } });`,
    null,
  ],
  [
    "a program that changes when it is read",
    `${HEAD}const made = (pay) => defineMechanism({ name: "mine", about: "Mine.", program(auction) { for (const w of auction.workers) auction.hire(w, { round: 1, buys: 1, threshold: null }, pay ? w.price : 2); } });
const [one, other] = [made(true), made(false)];
let looks = 0;
export default { name: "mine", about: "Mine.", get decide() { return one.decide; }, get program() { return looks++ % 2 === 0 ? one.program : other.program; } };`,
    null,
  ],
  [
    "a program that is not what decides",
    `${HEAD}const made = defineMechanism({ name: "mine", about: "Mine.", program(auction) { for (const w of auction.workers) auction.hire(w, { round: 1, buys: 1, threshold: null }, 2); } });
${outcome}
export default { ...made, decide: (rules, bids) => outcome(rules, bids, ({ price }) => ({ selectedAt: 1, rounds: 1, payment: price })) };`,
    null,
  ],
  [
    "a promise of truthfulness",
    `${HEAD}export default { ...defineMechanism({ name: "mine", about: "Mine.", program(auction) { for (const w of auction.workers) auction.hire(w, { round: 1, buys: 1, threshold: null }, w.price); } }), truthful: "Believe me.", keepsBudget: () => true };`,
    null,
  ],
  // Amounts at the ends of what numbers hold.
  [
    "nothing over nothing",
    program(
      "for (const w of workers) buy(w, math.over(math.minus(w.price, w.price), math.minus(rules.budget, rules.budget)));",
    ),
    /divides an amount by zero/,
  ],
  [
    "a tie in fractions and not in numbers",
    program(
      "const most = math.times(math.over(1, 3), 3); for (const w of workers) math.atMost(1, most) ? buy(w, 2) : buy(w);",
    ),
    null,
  ],
  [
    "a payment a little below the price",
    program("for (const w of workers) buy(w, math.minus(w.price, 1e-13));"),
    null,
  ],
  [
    "a gain that floating point does not see",
    program("for (const w of workers) math.atMost(w.price, 1.1) ? buy(w, 2) : buy(w, math.plus(2, 1e-13));"),
    null,
  ],
  [
    "what only prices beyond all markets show",
    program("for (const w of workers) math.atMost(w.price, 1e13) ? buy(w, 2) : buy(w, 3e13);"),
    null,
  ],
  // Blocks called as they were not meant to be.
  [
    "one purse for both groups, and raises from it",
    program(
      "const purse = auction.purse(math.over(rules.budget, 2)); for (const w of auction.byReputation()) for (let round = 1; round <= rules.rounds; round++) { if (w.arrival > round) continue; const terms = { round, buys: rules.rounds - round + 1, purse, threshold: round, group: w.group }; w.selectedAt === null ? auction.offer(w, terms) : auction.raise(w, terms); }",
    ),
    null,
  ],
  [
    "a purse that begins below nothing",
    program(
      "const purse = auction.purse(rules.budget); purse.spent = math.minus(0, 5); for (const w of workers) auction.offer(w, { round: 1, buys: 1, purse, threshold: 3 });",
    ),
    null,
  ],
  [
    "a purse that is frozen",
    program(
      "const purse = Object.freeze(auction.purse(rules.budget)); for (const w of workers) auction.offer(w, { round: 1, buys: 1, purse, threshold: 3 });",
    ),
    /writes to what it may only read/,
  ],
  [
    "a hire within an offer",
    program(
      "let once = true; const purse = auction.purse(rules.budget); for (const w of workers) auction.offer(w, { round: 1, buys: 1, threshold: 2, get purse() { if (once) { once = false; auction.hire(workers[0], { round: 1, buys: 1, threshold: null }, 1); } return purse; } });",
    ),
    null,
  ],
  [
    "a generator of workers",
    program("for (const w of auction.byPrice((function* () { yield* workers; })())) buy(w, 2);"),
    null,
  ],
  [
    "rounds that convert themselves",
    program(
      "let asked = 0; const buys = { [Symbol.toPrimitive]: () => (asked++, 1) }; for (const w of workers) auction.hire(w, { round: 1, buys, threshold: null }, 2); if (asked > 2 * workers.length) workers[0].payment = 9;",
    ),
    null,
  ],
  [
    "rounds that are taken back",
    program(
      "for (const w of workers) { auction.hire(w, { round: 1, buys: 2, threshold: null }, 3); auction.hire(w, { round: 1, buys: -1, threshold: null }, 0); }",
    ),
    null,
  ],
  [
    "a selection that is taken back",
    program(
      "for (const w of workers) { buy(w, 2); w.selectedAt = null; w.rounds = 0; w.payment = math.minus(w.price, w.price); }",
    ),
    null,
  ],
  [
    "the density of another as a threshold",
    program(
      "for (const w of workers) auction.offer(w, { round: 1, buys: 1, purse: auction.purse(rules.budget), threshold: workers.at(-1).density });",
    ),
    null,
  ],
  [
    "events that never happened",
    program("for (const w of workers) { buy(w, w.price); auction.record(w, 1, 'denied'); }"),
    null,
  ],
  [
    "as many rounds as others arrive late",
    program(
      "const late = workers.filter((w) => w.arrival > 1).length; for (const w of workers) late > 0 ? buy(w, 2) : buy(w, 1);",
    ),
    null,
  ],
  [
    "what another mechanism's program does, and more",
    `${HEAD}import { mechanisms } from "candor";
export default defineMechanism({ name: "mine", about: "Mine.", program(auction) {
  mechanisms.online.program(auction);
  for (const w of auction.workers) if (w.selectedAt !== null) w.payment = auction.math.plus(w.payment, w.price);
} });`,
    null,
  ],
  // What differs from one process, or moment, to the next.
  [
    "the process",
    program("for (const w of workers) process.pid % 2 === 0 ? buy(w) : buy(w, 2);"),
    /reads process\.pid/,
    "apart",
  ],
  [
    "the time an event has",
    program("for (const w of workers) new Event('x').timeStamp % 2 < 1 ? buy(w) : buy(w, 2);"),
    /calls new Event/,
  ],
  [
    "the time in words",
    program(
      "for (const w of workers) Intl.DateTimeFormat('en').format().endsWith('1') ? buy(w) : buy(w, 2);",
    ),
    /calls Intl\.DateTimeFormat/,
  ],
  [
    "a file that is read again and again",
    program(
      "for (const w of workers) statSync('mine.ts').atimeMs % 2 < 1 ? buy(w) : buy(w, 2);",
      'import { statSync } from "node:fs";',
    ),
    /calls fs\.statSync/,
    "apart",
  ],
  [
    "how long the machine is up",
    program(
      "for (const w of workers) uptime() % 2 < 1 ? buy(w) : buy(w, 2);",
      'import { uptime } from "node:os";',
    ),
    /calls os\.uptime/,
    "apart",
  ],
  // Objects that are no plain ones.
  [
    "a class",
    `${outcome}
class Mine { get name() { return "mine"; } about = "Mine."; #pay = 2; decide(rules, bids) { return outcome(rules, bids, () => ({ selectedAt: 1, rounds: 1, payment: this.#pay })); } }
export default new Mine();`,
    null,
  ],
  [
    "a class with a program",
    `${HEAD}class Mine { name = "mine"; about = "Mine."; #pay = 2; program(auction) { for (const w of auction.workers) auction.hire(w, { round: 1, buys: 1, threshold: null }, this.#pay); } }
export default defineMechanism(new Mine());`,
    null,
  ],
  [
    "an outcome with a JSON of its own",
    decision(
      "return Object.assign(Object.create({ toJSON: () => 1 }), outcome(rules, bids, ({ price }) => ({ selectedAt: 1, rounds: 1, payment: price })));",
    ),
    null,
  ],
  // Plain decisions.
  [
    "an async decision",
    decision("return outcome(rules, bids, () => ({}));").replace("decide(", "async decide("),
    /must return an outcome, not a promise/,
  ],
  [
    "a decision that generates",
    decision("return outcome(rules, bids, () => ({}));").replace("decide(", "*decide("),
    /must be true or false|an outcome/,
  ],
  [
    "another worker's rounds",
    decision("return outcome(rules, bids, () => ({ selectedAt: 2, rounds: 2, payment: 1 }));"),
    /rounds: must be an integer from 1 to 1/,
  ],
  [
    "a worker named twice",
    decision(
      "const made = outcome(rules, bids, () => ({})); made.workers.push(made.workers[0]); return made;",
    ),
    /everybody once/,
  ],
  [
    "paying the unselected",
    decision("return outcome(rules, bids, () => ({ payment: 1 }));"),
    /payment: must be 0, for it is not selected/,
  ],
  [
    "a payment of NaN",
    decision("return outcome(rules, bids, () => ({ selectedAt: 1, rounds: 1, payment: NaN }));"),
    /payment: must be a finite number, got NaN/,
  ],
  [
    "a negative charge",
    decision("return outcome(rules, bids, () => ({ selectedAt: 1, rounds: 1, payment: -2 }));"),
    null,
  ],
  [
    "paying the bid, plainly",
    decision(
      "return outcome(rules, bids, ({ price }) => price <= 3 ? { selectedAt: 1, rounds: 1, payment: price } : {});",
    ),
    null,
  ],
  [
    "an outcome that changes when it is read",
    decision(
      "return outcome(rules, bids, () => ({ selectedAt: 1, rounds: 1, get payment() { return looks++ % 7 === 0 ? 9 : 1; } }));",
      "let looks = 0;",
    ),
    DIFFERENTLY,
  ],
  [
    "an outcome that cannot be read",
    decision("return new Proxy({}, { get() { throw new Error('no'); } });"),
    /its outcome cannot be read: no/,
  ],
  [
    "reading nothing",
    decision("return outcome(rules, bids, () => null.x);"),
    /Cannot read properties of null.*\(mine\.ts:\d+\)/,
  ],
].map(([name, source, refused, apart]) => ({
  name: name as string,
  source: source as string,
  refused: refused as RegExp | null,
  ...(apart === "apart" && { apart: true }),
}));
