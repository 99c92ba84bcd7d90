import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findPython } from '../../support/python.ts';

// The programs of the guides to Python and Go, from their pages, with the libraries in the versions
// of the pages.

const run = promisify(execFile);
const docs = path.resolve(import.meta.dirname, '../../../docs');

/** The programs of a page: one that signs people in, and an API. */
export type Programs = Record<'signIn' | 'api', Command>;
export type Command = { command: string; args: readonly string[]; cwd: string };

export type Language = {
  name: string;
  /** Makes the programs in a folder. `address` is where a program listens, as host:port. */
  make(folder: string): Promise<(address: string) => Programs>;
  /** The reason why the programs cannot run here. */
  reason?: string | undefined;
};

export async function findLanguages(): Promise<Language[]> {
  return [await findPythonGuide(), await findGoGuide()];
}

async function findPythonGuide(): Promise<Language> {
  const page = readPage('protect-a-python-application.md');
  const [, packages = ''] = /^pip install (.*)$/m.exec(page) ?? [];
  const what = 'the programs of docs/protect-a-python-application.md';
  const { bin, reason } = await findPython(what, packages.split(' '));
  return {
    name: 'Python',
    reason,
    async make(cwd) {
      const [signIn, api] = blocksOf(page, 'python');
      writeFileSync(path.join(cwd, 'signin.py'), signIn);
      writeFileSync(path.join(cwd, 'api.py'), api);
      const serve = (module: string, address: string): Command => ({
        command: path.join(bin ?? '', 'python'),
        args: ['-m', 'flask', '--app', module, 'run', '--port', address.split(':')[1] ?? ''],
        cwd,
      });
      return (address) => ({ signIn: serve('signin', address), api: serve('api', address) });
    },
  };
}

async function findGoGuide(): Promise<Language> {
  const page = readPage('protect-a-go-application.md');
  const reason = await run('go', ['version']).then(
    () => undefined,
    () => 'NOT TESTED: the programs of docs/protect-a-go-application.md need Go 1.26',
  );
  return {
    name: 'Go',
    reason,
    async make(cwd) {
      const [signIn, api] = blocksOf(page, 'go');
      for (const file of ['go.mod', 'go.sum'])
        copyFileSync(path.join(import.meta.dirname, 'go', file), path.join(cwd, file));
      for (const [folder, code] of Object.entries({ signin: signIn, api })) {
        mkdirSync(path.join(cwd, folder));
        writeFileSync(path.join(cwd, folder, 'main.go'), code);
      }
      const unformatted = await run('gofmt', ['-l', '.'], { cwd });
      if (unformatted.stdout !== '') throw new Error(`not formatted: ${unformatted.stdout}`);
      await run('go', ['vet', './...'], { cwd });
      await run('go', ['build', '-o', 'bin/', './...'], { cwd });
      const serve = (name: string): Command => ({
        command: path.join(cwd, 'bin', name),
        args: [],
        cwd,
      });
      return () => ({ signIn: serve('signin'), api: serve('api') });
    },
  };
}

const readPage = (name: string): string => readFileSync(path.join(docs, name), 'utf8');

/** The two programs of a page. */
function blocksOf(page: string, mark: string): [string, string] {
  const pattern = new RegExp(`^\`\`\`${mark}\\n(.*?)^\`\`\`$`, 'gms');
  const [first, second, ...more] = Array.from(page.matchAll(pattern), ([, code = '']) => code);
  if (first === undefined || second === undefined || more.length > 0)
    throw new Error(`the page must have two programs in ${mark}`);
  return [first, second];
}

/** The versions of the Go page, as in its `go get`. */
export const goVersions = (): { page: string[]; module: string[] } => {
  const [, got = ''] = /^go get (.*)$/m.exec(readPage('protect-a-go-application.md')) ?? [];
  const file = readFileSync(path.join(import.meta.dirname, 'go/go.mod'), 'utf8');
  const [, required = ''] = /^require \(\n([^)]*)\)/m.exec(file) ?? [];
  return {
    page: got.split(' '),
    module: required
      .trim()
      .split(/\n\s*/)
      .map((line) => line.replace(' ', '@')),
  };
};
