import { Worker } from 'node:worker_threads';

export type Parsed = { problems: string[]; value?: unknown };

/** A text with 10,000 grants has half of this. */
const maxLength = 1024 * 1024;
/** Ten times what such a text takes. Some texts take the parser hours: 100,000 keys, or nested lists. */
const maxMs = 10_000;
const maxMegabytes = 512;

/** Parses YAML with limits of time and memory: a file from a pull request can be made to exhaust both. */
export function parseYaml(text: string): Promise<Parsed> {
  if (text.length > maxLength)
    return Promise.resolve({ problems: [`the file is longer than ${maxLength} characters`] });
  // The ending of the compiled files is another one.
  const file = new URL(import.meta.url.replace(/yaml(\.[jt]s)$/, 'yaml-worker$1'));
  const worker = new Worker(file, {
    workerData: text,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
  });
  return new Promise((resolve) => {
    const end = (parsed: Parsed) => {
      clearTimeout(timer);
      resolve(parsed);
      void worker.terminate();
    };
    const refuse = (problem: string) => end({ problems: [problem] });
    const timer = setTimeout(() => refuse('the file takes too long to parse'), maxMs);
    worker.once('message', end);
    worker.once('error', (error) => refuse((error as Error).message));
  });
}
