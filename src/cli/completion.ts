/** `candor completion`: the words that a shell can complete, from the commands' own options and from what can be named. */

import { Command, type Option } from "commander";
import { everything } from "./list.js";
import type { Commands } from "./program.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const help = `
Examples:
  source <(candor completion bash)                                    # in ~/.bashrc
  source <(candor completion zsh)                                     # in ~/.zshrc
  candor completion fish > ~/.config/fish/completions/candor.fish`;

export const completionOf = (commands: Commands) => (command: Command, session: Session) =>
  command
    .argument("<shell>", "bash, zsh or fish", option.wordArgument("completion", Object.keys(scripts)))
    .addHelpText("after", help)
    .action(async (shell: keyof typeof scripts) => {
      const lists = (await everything()).map(([kind, items]) => [kind, items.map(({ name }) => name)]);
      const names = Object.fromEntries(lists);
      const all: Completed[] = [];
      for (const [name, [summary, load]] of Object.entries(commands)) {
        const one = new Command(name).description(summary);
        (await load()).define(one, session);
        all.push(completed(one, names));
      }
      session.spool.write(scripts[shell](all));
    });

type Names = Readonly<Record<string, readonly string[]>>;
type Completed = ReturnType<typeof completed>;

/** What may follow a command: no words for its arguments where they are files, null for an option that takes no value. */
function completed(command: Command, names: Names) {
  const name = command.name();
  const valued: Names = {
    "--mechanism": names.mechanisms!,
    "--agent": names.agents!,
    "--trainer": names.trainers!,
  };
  const shown = command.options.filter(({ hidden }) => !hidden);
  const options = shown.map((option) => ({
    flag: option.long!,
    about: option.description.split(/[;(]/)[0]!.trim(),
    values: option.required ? (valued[option.long!] ?? wordsOf(option)) : null,
  }));
  const listable: Names = { analyze: names.analyses!, list: Object.values(names).flat() };
  const own = command.registeredArguments.flatMap(wordsOf);
  const words = own.length > 0 ? own : (listable[name] ?? []);
  return { command: name, summary: command.description(), words, options };
}

/** The few words that there are, where the value's parser knows them. */
const wordsOf = ({ parseArg }: Pick<Option, "parseArg">): readonly string[] =>
  (parseArg as { words?: readonly string[] } | undefined)?.words ?? [];

/** The cases of a shell's `case` in which there are words to offer. */
function cases(all: readonly Completed[], line: (pattern: string, words: readonly string[]) => string) {
  const lines = (part: readonly (readonly [string, readonly string[]])[]) =>
    part.flatMap(([pattern, words]) => (words.length === 0 ? [] : [line(pattern, words)])).join("\n");
  return {
    values: lines(
      all.flatMap(({ command, options }) =>
        options.map(({ flag, values }) => [`"${command} ${flag}"`, values ?? []] as const),
      ),
    ),
    flags: lines(all.map(({ command, options }) => [command, options.map(({ flag }) => flag)])),
    words: lines(all.map(({ command, words }) => [command, words])),
  };
}

function bash(all: readonly Completed[]): string {
  const { values, flags, words } = cases(
    all,
    (pattern, list) => `    ${pattern}) words="${list.join(" ")}" ;;`,
  );
  return `_candor() {
  local command="\${COMP_WORDS[1]}" current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  case "$command $before" in
${values}
    *) if [ "$COMP_CWORD" -eq 1 ]; then words="${all.map(({ command }) => command).join(" ")}"
    elif [[ "$current" == -* ]]; then case "$command" in
${flags}
    esac
    else case "$command" in
${words}
    esac; fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _candor candor
`;
}

function zsh(all: readonly Completed[]): string {
  const { values, flags, words } = cases(
    all,
    (pattern, list) => `    (${pattern}) compadd -- ${list.join(" ")} ;;`,
  );
  return `#compdef candor
_candor() {
  local command="\${words[2]}" before="\${words[CURRENT-1]}"
  case "$command $before" in
${values}
    (*) if (( CURRENT == 2 )); then compadd -- ${all.map(({ command }) => command).join(" ")}
    elif [[ "$PREFIX" == -* ]]; then case "$command" in
${flags}
    esac
    else case "$command" in
${words}
    (*) _files ;;
    esac; fi ;;
  esac
}
compdef _candor candor
`;
}

function fish(all: readonly Completed[]): string {
  const inQuotes = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const lines = all.flatMap(({ command, summary, words, options }) => {
    const after = `complete -c candor -n "__fish_seen_subcommand_from ${command}"`;
    return [
      `complete -c candor -n __fish_use_subcommand -f -a ${command} -d ${inQuotes(summary)}`,
      ...(words.length > 0 ? [`${after} -f -a ${inQuotes(words.join(" "))}`] : []),
      ...options.map(({ flag, about, values }) => {
        const value =
          values === null ? "" : values.length > 0 ? ` -x -a ${inQuotes(values.join(" "))}` : " -r";
        return `${after} -l ${flag.slice(2)}${value} -d ${inQuotes(about)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

const scripts = { bash, zsh, fish } as const;
