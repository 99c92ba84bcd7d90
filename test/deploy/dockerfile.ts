import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { root } from '@bailiwick/deploy/local/paths.ts';
import {
  Copy,
  DockerfileParser,
  From,
  type Instruction,
  PropertyInstruction,
} from 'dockerfile-ast';

// Builds deploy/Dockerfile without an engine: it makes the stages in folders, by copying the paths
// of COPY and running the commands of RUN. The result is the file tree of the image, with this
// machine's programs instead of the base image's. CI also builds it with an engine.

export type Stage = { name: string; from: string; instructions: Instruction[] };

export const read = (file: string) => readFileSync(join(root, file), 'utf8');

export function readDockerfile() {
  const dockerfile = DockerfileParser.parse(read('deploy/Dockerfile'));
  const defaults = pairsOf(dockerfile.getInitialARGs());
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const instruction of dockerfile.getInstructions()) {
    if (instruction instanceof From) {
      const name = instruction.getBuildStage() ?? '';
      const from = instruction
        .getImage()
        ?.replace(/^\$\{(\w+)\}$/, (_, arg) => defaults[arg] ?? '');
      stages.set(name, (stage = { name, from: from ?? '', instructions: [] }));
    } else stage?.instructions.push(instruction);
  }
  return { defaults, stages };
}

export function stageIn(stages: ReadonlyMap<string, Stage>, name: string): Stage {
  const stage = stages.get(name);
  if (!stage) throw new Error(`deploy/Dockerfile has no stage ${name}`);
  return stage;
}

/** The texts after a keyword in a stage. */
export const textsOf = ({ instructions }: Stage, keyword: string): string[] =>
  instructions
    .filter((one) => one.getKeyword() === keyword)
    .map((one) => one.getArgumentsContent() ?? '');

/** The variables that a stage sets with that instruction. */
export const variablesOf = ({ instructions }: Stage, keyword: 'ARG' | 'ENV' | 'LABEL') =>
  pairsOf(instructions.filter((one) => one.getKeyword() === keyword));

const pairsOf = (instructions: readonly Instruction[]): Record<string, string> =>
  Object.fromEntries(
    instructions
      .flatMap((one) => (one instanceof PropertyInstruction ? one.getProperties() : []))
      .map((one) => [one.getName(), one.getValue() ?? '']),
  );

export type Copied = { stage: string | undefined; sources: string[]; target: string };

/** The paths that a stage copies. */
export const copiesOf = ({ instructions }: Stage): Copied[] =>
  instructions.filter((one) => one instanceof Copy).map(copied);

function copied(copy: Copy): Copied {
  const from = copy.getFlags().find((flag) => flag.getName() === 'from');
  const sources = copy.getArguments().map((one) => one.getValue());
  const target = sources.pop() ?? '';
  return { stage: from?.getValue() ?? undefined, sources, target };
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
    const stage = stageIn(stages, name);
    const place = join(folder, name);
    mkdirSync(place);
    if (stages.has(stage.from)) await link(await make(stage.from), place);
    const inner = join(place, workingFolder(stages, stage));
    mkdirSync(inner, { recursive: true });
    let user: number | undefined;
    for (const instruction of stage.instructions) {
      const text = instruction.getArgumentsContent() ?? '';
      if (instruction instanceof Copy) await copy(copied(instruction), place, inner);
      if (instruction.getKeyword() === 'USER') user = Number.parseInt(text, 10);
      if (instruction.getKeyword() === 'RUN') await run(text, { place, cwd: inner, user });
    }
    return place;
  }

  async function copy(
    { stage, sources, target }: Copied,
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
  return textsOf(stage, 'WORKDIR')[0] ?? (before ? workingFolder(stages, before) : '/');
}

/**
 * The programs that RUN finds in the base image: this Node, and the workspace's pnpm instead of the
 * one that npm would install. Nothing is installed on this machine, which may lack `strip`.
 */
function writePrograms(folder: string): string {
  mkdirSync(folder);
  const scripts = {
    npm: 'exit 0',
    'apt-get': 'exit 0',
    strip: 'exit 0',
    pnpm: `exec npx --yes pnpm@${readDockerfile().defaults['PNPM']} "$@" --prefer-offline`,
  };
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  symlinkSync(process.execPath, join(folder, 'node'));
  return folder;
}
