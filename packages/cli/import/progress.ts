import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { say } from '../output.ts';
import { type FileState, noFile } from './failed.ts';

/** How far an import has come. It is stored beside the file, so that the next run continues there. */
export type Progress = {
  /** A digest of the options, and the size of the file: the state of another import does not count. */
  job: string;
  size: number;
  /** Random: names this import in its calls. */
  id: string;
  done: number;
  created: number;
  existing: number;
  failed: number;
  failedFile: FileState;
  /** Created users without a password, by the reason, and how many of them have got a reset mail. */
  withoutPassword: Record<string, number>;
  withoutPasswordFile: FileState;
  mailed: number;
};

export const stateFile = (file: string): string => `${file}.import.json`;

/** A digest of all that decides what an import does with a user. */
export const jobKey = (options: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(options)).digest('hex');

export const newProgress = (job: string, size: number): Progress => ({
  job,
  size,
  id: randomUUID(),
  done: 0,
  created: 0,
  existing: 0,
  failed: 0,
  failedFile: noFile,
  withoutPassword: {},
  withoutPasswordFile: noFile,
  mailed: 0,
});

/** The progress of an interrupted import of this file with these options; undefined without one. */
export function readProgress(file: string, job: string, size: number): Progress | undefined {
  try {
    const stored = JSON.parse(readFileSync(stateFile(file), 'utf8')) as Partial<Progress>;
    if (stored.job === job && stored.size === size) return { ...newProgress(job, size), ...stored };
  } catch {
    // No import was interrupted. Users who were imported before are found again by their IDs.
    return undefined;
  }
  say('an interrupted import had other options or another file: this one begins at the first user');
  return undefined;
}

export function storeProgress(file: string, progress: Progress): void {
  const next = `${stateFile(file)}.next`;
  writeFileSync(next, JSON.stringify(progress));
  renameSync(next, stateFile(file));
}

export const forgetProgress = (file: string): void => rmSync(stateFile(file), { force: true });

const width = 30;
/** Rows between two lines where no terminal shows a bar. */
const linesEvery = 10_000;

/** Shows progress: a bar on a terminal, else a line now and then. `share`: of the file, 0 to 1. */
export function showProgress(
  share: number,
  { done: users, failed }: Progress,
  before: number,
): void {
  const percent = `${Math.floor(share * 100)} %`;
  const counts = `${users} users${failed > 0 ? `, ${failed} failed` : ''}`;
  if (process.stderr.isTTY) {
    const full = Math.round(share * width);
    process.stderr.write(
      `\r[${'#'.repeat(full)}${' '.repeat(width - full)}] ${percent}  ${counts} `,
    );
  } else if (Math.floor(users / linesEvery) > Math.floor(before / linesEvery))
    say(`${percent}  ${counts}`);
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\n');
}
