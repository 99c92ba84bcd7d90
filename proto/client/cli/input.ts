import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Refusal, UsageError } from './failure.ts';

// Where texts come from that are too long or too secret for a command line.

let stdinTaken = false;

/** All of the standard input, once: two readers would each get a part. */
async function readStdin(what: string): Promise<string> {
  if (stdinTaken) throw new UsageError(`${what}: the standard input is read already`);
  stdinTaken = true;
  return text(process.stdin);
}

export async function readText(file: string, what: string): Promise<string> {
  if (file === '-') return readStdin(what);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Refusal(
      `${what}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}

/** A text as it is, or @file, or - for the standard input. */
export async function readSource(source: string, what: string): Promise<string> {
  if (isOpen(source)) return source;
  return readText(source === '-' ? source : source.slice(1), what);
}

/** Whether a source is the text itself, which everybody on the host can read on the command line. */
export const isOpen = (source: string): boolean => source !== '-' && !source.startsWith('@');

/** A secret: never as it is. */
export async function readSecret(source: string, what: string): Promise<string> {
  if (isOpen(source))
    throw new UsageError(`${what} is a secret: give @file, or - for the standard input`);
  return (await readSource(source, what)).replace(/\r?\n$/, '');
}

/** Asks a person. The question goes to stderr: stdout is for answers of the service. */
export async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and Ctrl-D close it, and leave the question open for ever.
    const closed = new Promise<never>((_, reject) =>
      lines.once('close', () => reject(new Refusal('given up'))),
    );
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}

/** Asks for a secret without showing what is typed; where there is no terminal, the standard input is it. */
export async function askSecret(question: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) return (await readStdin(question)).replace(/\r?\n$/, '');
  // Before the question, so that nothing is shown of what is typed ahead of it.
  stdin.setRawMode(true);
  process.stderr.write(question);
  stdin.setEncoding('utf8');
  stdin.resume();
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (settle: () => void) => {
      stdin.setRawMode(false);
      stdin.pause();
      stdin.off('data', read);
      process.stderr.write('\n');
      settle();
    };
    const read = (chunk: string) => {
      for (const character of chunk) {
        if (character === '\r' || character === '\n') return end(() => resolve(typed));
        if (character === '\u0003' || character === '\u0004')
          return end(() => reject(new Refusal('given up')));
        typed =
          character === '\u007f' || character === '\b' ? typed.slice(0, -1) : typed + character;
      }
    };
    stdin.on('data', read);
  });
}
