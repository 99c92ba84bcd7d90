import type { Command } from './command.ts';
import { exitCodes, UsageError } from './failure.ts';
import { operations } from './gen/help.ts';
import { print } from './output.ts';

// Shells call the tool for completion: `bailiwick __complete <words so far>` prints the candidates for the last word.

const scripts: Readonly<Record<string, string>> = {
  bash: `_bailiwick() {
  local IFS=$'\\n'
  COMPREPLY=($(bailiwick __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _bailiwick bailiwick`,
  zsh: `#compdef bailiwick
_bailiwick() {
  local -a found
  found=("\${(@f)$(bailiwick __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -a found || _files
}
compdef _bailiwick bailiwick`,
  fish: `complete -c bailiwick -f -a '(bailiwick __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
complete -c bailiwick -s f -l file -r -F
complete -c bailiwick -l token-file -r -F`,
};

export const completion: Command = {
  takes: 'bash|zsh|fish',
  summary:
    'Prints a script that completes operations, commands and flags in a shell: source <(bailiwick completion bash)',
  options: {},
  help: [],
  run({ rest: [shell = '', ...more] }) {
    const script = Object.hasOwn(scripts, shell) && more.length === 0 ? scripts[shell] : undefined;
    if (script === undefined) throw new UsageError('completion is for bash, zsh or fish');
    print(script);
    return Promise.resolve(exitCodes.ok);
  },
};

/** The completion candidates for the last word. */
export function candidates(
  words: readonly string[],
  commands: readonly string[],
  commandOf: (name: string) => Command | undefined,
  common: readonly string[],
): string[] {
  const current = words.at(-1) ?? '';
  const startsAlike = (word: string) => word.startsWith(current);
  if (words.length <= 1) return [...commands, ...Object.keys(operations)].filter(startsAlike);
  const [name = ''] = words;
  const before = words.at(-2) ?? '';
  const field = operations[name]?.fields.find(({ path }) => before === `--${path}`);
  if (field !== undefined)
    return field.kind === 'flag' ? ['true', 'false'].filter(startsAlike) : [];
  if (name === 'help') return Object.keys(operations).filter(startsAlike);
  if (name === 'completion') return Object.keys(scripts).filter(startsAlike);
  if (!current.startsWith('-')) return [];
  return [...Object.keys(commandOf(name)?.options ?? {}), ...common]
    .map((option) => `--${option}`)
    .filter(startsAlike);
}
