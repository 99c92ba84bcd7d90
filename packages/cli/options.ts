import { parseArgs } from 'node:util';
import { type Command, commonOptions } from './command.ts';
import { UsageError } from './failure.ts';
import type { Values } from './fields.ts';
import { hintOf, similarNames } from './similar.ts';
import { printable } from './text.ts';

type Options = Command['options'];

/** Reads the options and positional arguments of a command. @throws UsageError */
export function parseOptions(
  args: readonly string[],
  { options: own, flags = [] }: Pick<Command, 'options' | 'flags'>,
): { values: Values; positionals: string[] } {
  const options = { ...own, ...commonOptions };
  const filled = withValues(args, flags);
  refuseUnknown(filled, options);
  try {
    return parseArgs({ args: filled, options, allowPositionals: true });
  } catch (error) {
    if (error instanceof TypeError && 'code' in error)
      throw new UsageError(printable(error.message));
    throw error;
  }
}

/** Sets flags without a value to true. */
function withValues(args: readonly string[], flags: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) => {
    const next = args[index + 1];
    const isBare =
      (end === -1 || index < end) &&
      flags.some((flag) => arg === `--${flag}`) &&
      (next === undefined || next.startsWith('-'));
    return isBare ? `${arg}=true` : arg;
  });
}

function refuseUnknown(args: string[], options: Options): void {
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || !token.rawName.startsWith('--')) continue;
    if (Object.hasOwn(options, token.name)) continue;
    const similar = similarNames(token.name, Object.keys(options)).map((name) => `--${name}`);
    throw new UsageError(`there is no option --${printable(token.name)}${hintOf(similar)}`);
  }
}
