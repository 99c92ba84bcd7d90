import { opendir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { countIn } from './lines.ts';

// A folder with a file for each five digits with which a SHA-1 hash begins, named after them, such
// as 21BD1.txt. Its lines are the other 35 digits and a count.

/** A file of the public download has about 2,000 lines and 80 KB. */
const maxRangeBytes = 1024 * 1024;

/**
 * Opens a folder. The result says how often a hash occurred in breaches; 0 = it is in no file.
 * @throws if it has no file, or if a file has another form
 */
export async function openFolder(folder: string): Promise<(hash: string) => Promise<number>> {
  let sample = await findRange(folder);
  if (!/^[0-9A-F]{35}:\d+\r?(\n|$)/.test(await readRange(join(folder, sample))))
    throw new Error(`has the file ${sample}, which does not begin with 35 digits and a count`);
  return async (hash) => {
    const prefix = hash.slice(0, 5);
    for (const name of [`${prefix}.txt`, prefix]) {
      const text = await readRange(join(folder, name)).catch(unlessMissing);
      if (text !== undefined) return countIn(text, hash.slice(5));
    }
    // The folder may lack this file. A volume that is gone lacks all others too.
    if (!(await stat(join(folder, sample)).catch(unlessMissing))) sample = await findRange(folder);
    return 0;
  };
}

/** The first file of the folder, in the order of the system. @throws if the folder has none */
async function findRange(folder: string): Promise<string> {
  for await (const { name } of await opendir(folder))
    if (/^[0-9A-F]{5}(\.txt)?$/.test(name)) return name;
  throw new Error('has no file that is named after five hexadecimal digits, such as 21BD1.txt');
}

async function readRange(path: string): Promise<string> {
  if ((await stat(path)).size > maxRangeBytes) throw new Error('has a file of more than 1 MiB');
  return (await readFile(path, 'latin1')).toUpperCase();
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
