/** From arguments to an exit code: finds the command, runs it, and turns whatever goes wrong into one line. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { didYouMean, InputError, plainError, showValue } from "../lib/errors.js";
import { checksumOfFile } from "./extension.js";
import { type Caller, INTERRUPTED, type Output, PipeClosed, Session } from "./session.js";
import { RunsUserCode } from "./user-code.js";

/** A command's module: adds arguments, options, help and action to the bare command. */
interface CommandModule {
  readonly define: (command: Command, session: Session) => void;
}

/** By name: a sentence on what it does, and its module, loaded only when it is called. */
export type Commands = Readonly<
  Record<string, readonly [summary: string, load: () => Promise<CommandModule>]>
>;

/** sysexits.h: a fault of the program, not of its input. */
const INTERNAL_ERROR = 70;
const BAD_INPUT = 2;

export async function runProgram(
  commands: Commands,
  typed: readonly string[],
  caller: Caller,
): Promise<number> {
  const session = new Session(caller);
  const args = withoutHelpCommand(typed);
  try {
    const program = await build(commands, args, session);
    await program.parseAsync(args, { from: "user" }).catch(unlessHelp);
    await session.finish();
    return session.exitCode;
  } catch (error) {
    if (error instanceof RunsUserCode) throw error;
    return session.signal.aborted && !(error instanceof InputError)
      ? INTERRUPTED
      : report(error, args, caller.output);
  } finally {
    session.close();
  }
}

async function build(commands: Commands, args: readonly string[], session: Session): Promise<Command> {
  const program = new Command("candor")
    .description("Does it pay to lie? A workbench for incentives in online budgeted auctions.")
    .version(version(), "--version", "print the version")
    .exitOverride()
    .helpCommand(false)
    .configureOutput({
      writeErr: () => {},
      writeOut: (text) => session.spool.write(text),
      getOutHelpWidth: () => session.columns,
    })
    .addHelpText(
      "after",
      "\nExample:\n  candor draw --workers 8 --budget 10 --rounds 4 | candor run - --trace",
    );
  const called = nameOf(Object.keys(commands), args);
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const command = program.command(name).description(summary);
    if (name !== called) continue;
    (await load()).define(command, session);
    refuseSecond(command);
  }
  return program;
}

/** Options that name what a command is about. */
const SUBJECTS = ["mechanism", "property", "regime", "family", "coalition", "bids"];

/** Repeating a subject option is an error; for settings, the last value wins. */
function refuseSecond(command: Command): void {
  for (const name of SUBJECTS) {
    let given = false;
    command.on(`option:${name}`, () => {
      if (given) throw plainError(`--${name}`, "may be given once");
      given = true;
    });
  }
}

/** The command that is called; none where an option such as --help comes first. */
function nameOf(names: readonly string[], [first]: readonly string[]): string | undefined {
  const known = `there are ${names.join(", ")}; candor --help says more`;
  if (first === undefined) throw plainError("no command", known);
  if (first.startsWith("-")) return undefined;
  if (names.includes(first)) return first;
  const guess = didYouMean(first, names);
  throw plainError(`unknown command ${showValue(first)}`, guess || known);
}

/** `help run` is `run --help`. */
function withoutHelpCommand([first, ...rest]: readonly string[]): string[] {
  if (first === undefined || first === "--") return rest;
  return first === "help" ? [...rest.slice(0, 1), "--help"] : [first, ...rest];
}

/** Help that was asked for ends the parsing, and is no error. */
function unlessHelp(error: unknown): void {
  if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
}

/** Says in one line what went wrong; returns the exit code. */
export function report(error: unknown, args: readonly string[], output: Output): number {
  if (error instanceof PipeClosed) return 0;
  if (error instanceof CommanderError) return complain(output, usage(error, args), BAD_INPUT);
  if (error instanceof InputError) return complain(output, error.message, BAD_INPUT);
  if (process.env.CANDOR_DEBUG === "1") console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  return complain(output, `internal error: ${message} (CANDOR_DEBUG=1 shows where)`, INTERNAL_ERROR);
}

/** One line, whatever the message holds. */
function complain(output: Output, message: string, exitCode: number): number {
  output.tell(`candor: ${message.trim().replace(/\s*\n\s*/g, " ")}\n`);
  return exitCode;
}

/** Commander's words with ours around them. */
function usage({ message }: CommanderError, [first = ""]: readonly string[]): string {
  const words = message.replace(/^error: /, "").replace("(Did you mean", "(did you mean");
  return `${first.startsWith("-") ? "" : `${first}: `}${words}`;
}

export const version = (): string =>
  JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")).version;

const DIGITS = 12;

let known: string | undefined;

/**
 * As in "0.1.0+3f2a90c1d7e4", the same for the same code wherever it is installed. Follows imports from the command line on:
 * a file that an earlier build left behind does not count.
 */
export function program(): string {
  const [built = "", main = ""] = ["../../", "./main.js"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  known ??= `${version()}+${checksumOfFile(main, built).slice(0, DIGITS)}`;
  return known;
}
