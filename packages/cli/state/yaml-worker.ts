import { parentPort, workerData } from 'node:worker_threads';
import { parseDocument } from 'yaml';
import type { Parsed } from './yaml.ts';

// Parses YAML in a thread of its own, so that yaml.ts can end it.

function parse(text: string): Parsed {
  const document = parseDocument(text);
  const problems = document.errors.map(({ message }) => message.split('\n')[0] ?? '');
  // Unknown or excessive aliases are detected only here.
  return { problems, value: problems.length === 0 ? document.toJS() : undefined };
}

parentPort?.postMessage(parse(workerData as string), []);
