import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Refusal, UsageError } from './failure.ts';

// Reads texts that are too long or too secret for a command line.

let stdinTaken = false;

/** Reads all of the standard input, only once: two readers would each get a part. */
async function readStdin(what: string): Promise<string> {
  if (stdinTaken) throw new UsageError(`${what}: the standard input has already been read`);
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

/** Reads a literal text, @file, or - for the standard input. */
export async function readSource(source: string, what: string): Promise<string> {
  if (isLiteral(source)) return source;
  return readText(source === '-' ? source : source.slice(1), what);
}

/** Whether a source is a literal text, which other users of the host can see on the command line. */
export const isLiteral = (source: string): boolean => source !== '-' && !source.startsWith('@');

/** Reads a secret from @file or the standard input, never from a literal. */
export async function readSecret(source: string, what: string): Promise<string> {
  if (isLiteral(source))
    throw new UsageError(`${what} is a secret: use @file, or - for the standard input`);
  return (await readSource(source, what)).replace(/\r?\n$/, '');
}

/** Asks the user. The question goes to stderr: stdout is for responses of the service. */
export async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and Ctrl-D close the interface without an answer.
    const closed = new Promise<never>((_, reject) =>
      lines.once('close', () => reject(new Refusal('cancelled'))),
    );
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}

/** Asks for a secret without echo. Without a terminal, reads it from the standard input. */
export async function askSecret(question: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) return (await readStdin(question)).replace(/\r?\n$/, '');
  // Set before the question, so that type-ahead is not echoed.
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
          return end(() => reject(new Refusal('cancelled')));
        typed =
          character === '\u007f' || character === '\b' ? typed.slice(0, -1) : typed + character;
      }
    };
    stdin.on('data', read);
  });
}
