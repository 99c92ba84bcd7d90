import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

// Prints the changelog's section for a tag, as the release's text. Fails if packages, chart or
// image name another version.
//
//   node deploy/release-notes.ts v0.1.0

const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');

/**
 * Returns the section of the changelog without its heading. @throws if the tag is not the version
 * of everything below `folder`
 */
export function releaseNotes(tag: string, folder: string): string {
  const version = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
  if (version === undefined) throw new Error(`${tag} is not a tag such as v1.2.3`);
  const problems = versionsIn(folder).flatMap(([place, named]) =>
    named === version ? [] : [`${place} has version ${named}`],
  );
  const notes = sectionOf(read(folder, 'CHANGELOG.md'), version);
  if (notes === undefined)
    problems.push(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with a line in it`);
  if (problems.length > 0)
    throw new Error(
      `${tag} cannot be released:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  return notes ?? '';
}

/** Every place that names the version. */
function versionsIn(folder: string): Array<[place: string, version: string]> {
  const manifests = globSync(
    [
      'package.json',
      '{proto,gateway,deploy,site}/package.json',
      'services/*/package.json',
      'packages/*/package.json',
    ],
    {
      cwd: folder,
    },
  );
  const chart = read(folder, 'helm/bailiwick/Chart.yaml');
  const find = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? 'none';
  return [
    ...manifests.map((file): [string, string] => [
      file,
      (JSON.parse(read(folder, file)) as { version?: string }).version ?? 'none',
    ]),
    ['helm/bailiwick/Chart.yaml', find(chart, /^version: (\S+)$/m)],
    ['helm/bailiwick/Chart.yaml, appVersion', find(chart, /^appVersion: (\S+)$/m)],
    ['deploy/Dockerfile', find(read(folder, 'deploy/Dockerfile'), /^ARG VERSION=(\S+)$/m)],
  ];
}

function sectionOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m);
  const own = sections.find(
    (section) =>
      section.startsWith(`[${version}] - `) && /^\S+ - \d{4}-\d{2}-\d{2}\n/.test(section),
  );
  const notes = own?.slice(own.indexOf('\n')).trim();
  return notes === '' ? undefined : notes;
}

if (import.meta.main) {
  try {
    console.log(releaseNotes(process.argv[2] ?? '', join(import.meta.dirname, '..')));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
