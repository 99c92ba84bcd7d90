import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { root } from '@bailiwick/deploy/local/paths.ts';

// Builds deploy/Dockerfile without an engine: it makes the stages in folders, by copying the paths
// of COPY and running the commands of RUN. The result is the file tree of the image, with this
// machine's programs instead of the base image's.

export type Instruction = { word: string; text: string };
export type Stage = { name: string; from: string; instructions: Instruction[] };
type Dockerfile = { defaults: Record<string, string>; stages: Map<string, Stage> };

export const read = (file: string) => readFileSync(join(root, file), 'utf8');

export function readDockerfile(): Dockerfile {
  const text = read('deploy/Dockerfile')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ');
  const defaults: Record<string, string> = {};
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    const [, from, name] = (word === 'FROM' && /^(\S+) AS (\S+)$/.exec(rest)) || [];
    if (from !== undefined && name !== undefined)
      stages.set(name, (stage = { name, from: substitute(from, defaults), instructions: [] }));
    else if (stage) stage.instructions.push({ word, text: rest });
    else Object.assign(defaults, argument(rest));
  }
  return { defaults, stages };
}

const argument = (text: string): Record<string, string> => ({
  [text.split('=')[0] ?? '']: text.slice(text.indexOf('=') + 1),
});
const substitute = (text: string, values: Record<string, string>) =>
  text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** The variables that a stage sets with that instruction. */
export function variablesOf(stage: Stage, word: 'ARG' | 'ENV' | 'LABEL'): Record<string, string> {
  const texts = stage.instructions.filter((one) => one.word === word).map(({ text }) => text);
  const pairs = texts.flatMap((text) => [...text.matchAll(/(\S+?)=("[^"]*"|\S+)/g)]);
  return Object.fromEntries(
    pairs.map(([, name = '', value = '']) => [name, value.replaceAll('"', '')]),
  );
}

export type Copy = { stage: string | undefined; sources: string[]; target: string };

export function readCopy(text: string): Copy {
  const words = text.split(/\s+/);
  const paths = words.filter((word) => !word.startsWith('--'));
  return {
    stage: words.find((word) => word.startsWith('--from='))?.slice('--from='.length),
    target: paths.pop() ?? '',
    sources: paths,
  };
}

/** Docker's rule: the last line that matches a path or a folder above it decides. */
export function isIgnored(path: string): boolean {
  // Docker treats names with a leading dot like any other; matchesGlob does not.
  const names = path.split('/').map((name) => name.replace(/^\./, '_'));
  const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
  return ignoreLines.reduce(
    (ignored, line) =>
      above.some((one) => matchesGlob(one, line.replace('!', '')))
        ? !line.startsWith('!')
        : ignored,
    false,
  );
}
const ignoreLines = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/**
 * Builds the stages' file trees below `folder`, each once, with the stages that it depends on.
 * `given` replaces files that a stage copies from an image.
 */
export function createAssembly(folder: string, given: Record<string, string> = {}) {
  const { stages } = readDockerfile();
  const made = new Map(
    Object.entries(given).map(([name, place]) => [name, Promise.resolve(place)]),
  );
  const programs = writePrograms(join(folder, '.programs'));

  const make = (name: string): Promise<string> => {
    const begun = made.get(name) ?? build(name);
    made.set(name, begun);
    return begun;
  };

  async function build(name: string): Promise<string> {
    const stage = stages.get(name) ?? { name, from: '', instructions: [] };
    const place = join(folder, name);
    mkdirSync(place);
    if (stages.has(stage.from)) await link(await make(stage.from), place);
    const inner = join(place, workingFolder(stages, stage));
    mkdirSync(inner, { recursive: true });
    let user: number | undefined;
    for (const { word, text } of stage.instructions) {
      if (word === 'COPY') await copy(readCopy(text), place, inner);
      if (word === 'USER') user = Number.parseInt(text, 10);
      if (word === 'RUN') await run(text, { place, cwd: inner, user });
    }
    return place;
  }

  async function copy(
    { stage, sources, target }: Copy,
    place: string,
    inner: string,
  ): Promise<void> {
    const into = target.startsWith('/') ? join(place, target) : join(inner, target);
    for (const source of sources) {
      const path = stage === undefined ? join(root, source) : join(await make(stage), source);
      const isFolder = statSync(path).isDirectory();
      if (stage !== undefined) await link(path, into);
      else
        cpSync(path, target.endsWith('/') && !isFolder ? join(into, basename(source)) : into, {
          recursive: true,
          filter: (file) => !isIgnored(relative(root, file)),
        });
    }
  }

  /** Replaces absolute paths by paths in the stage's folder. */
  const run = (
    text: string,
    { place, cwd, user }: { place: string; cwd: string; user: number | undefined },
  ) =>
    execute('sh', ['-ec', text.replaceAll(/(?<=[ =])\/(app|runtime)\b/g, `${place}/$1`)], {
      cwd,
      ...(user === undefined ? {} : { uid: user, gid: user }),
      env: { ...process.env, PATH: `${programs}:${place}/usr/local/bin:${process.env['PATH']}` },
      maxBuffer: 1 << 26,
    });

  return { make };
}

const execute = promisify(execFile);

/** Files are never changed in place, so hard links suffice. They take a tenth of the time. */
const link = async (from: string, to: string) => {
  const isFolder = statSync(from).isDirectory();
  mkdirSync(isFolder ? to : dirname(to), { recursive: true });
  await execute('cp', [
    '--archive',
    '--link',
    '--force',
    ...(isFolder ? ['--no-target-directory'] : []),
    from,
    to,
  ]);
};

function workingFolder(stages: ReadonlyMap<string, Stage>, stage: Stage): string {
  const before = stages.get(stage.from);
  return (
    stage.instructions.find(({ word }) => word === 'WORKDIR')?.text ??
    (before ? workingFolder(stages, before) : '/')
  );
}

/**
 * The programs that RUN finds in the base image: this Node, and the workspace's pnpm instead of the
 * one that npm would install.
 */
function writePrograms(folder: string): string {
  mkdirSync(folder);
  const install = readDockerfile().stages.get('install') ?? {
    name: '',
    from: '',
    instructions: [],
  };
  const scripts = {
    npm: 'exit 0',
    pnpm: `exec npx --yes pnpm@${variablesOf(install, 'ARG')['PNPM']} "$@" --prefer-offline`,
  };
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  symlinkSync(process.execPath, join(folder, 'node'));
  return folder;
}
