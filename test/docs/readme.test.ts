import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { operations } from '@bailiwick/contract';
import { unknownNames } from '@bailiwick/deploy/local/environment.ts';
import { migrateSettings } from '@bailiwick/deploy/settings.ts';
import { processTables } from '@bailiwick/deploy/shapes.ts';
import { type Stack } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';

// Runs the commands in the documents and follows their links, so that they stay correct.

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const documents = globSync('**/*.md', {
  cwd: root,
  exclude: (name) => /(^|\/)(node_modules|\.git|\.local)$/.test(name),
}).sort();

/** The part of a document below a second-level heading. */
function section(document: string, heading: string): string {
  const part = document.split(/^## /m).find((candidate) => candidate.startsWith(`${heading}\n`));
  assert.ok(part, `there is no section "${heading}"`);
  return part;
}

/** The code blocks of one language. */
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\S*)\n(.*?)^```$/gms)].flatMap(([, fence, code = '']) =>
    fence === language ? [code] : [],
  );

const withoutCodeBlocks = (text: string): string => text.replace(/^```.*?^```$/gms, '');

/**
 * Runs the blocks in sequence in one shell, as a reader pastes them, and returns the output of
 * each.
 */
async function paste(code: readonly string[]): Promise<string[]> {
  const mark = '--8<--';
  const script = code.join(`\necho '${mark}'\n`);
  // A proxy of this host cannot reach a stack on the loopback interface.
  const options = { timeout: 60_000, env: { ...process.env, no_proxy: '127.0.0.1' } };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
  return stdout.split(`${mark}\n`);
}

describe('README.md', () => {
  const readme = read('README.md');
  let stack: Stack;
  before(async () => {
    stack = await sharedStack('one process');
  });
  after(() => stack?.stop());

  test('the first five minutes end with a signed event, and an error looks as documented', async () => {
    const story = blocks(section(readme, 'The first five minutes'), 'sh');
    const failure = section(readme, 'When something is refused');
    const code = [...story, ...blocks(failure, 'sh')].map((block) =>
      block
        .replaceAll('http://localhost:8080', stack.url)
        .replaceAll('http://127.0.0.1:8025', stack.inboxUrl),
    );
    const printed = await paste(code);

    const last = printed[story.length - 1] ?? '';
    assert.match(last, /^"x-webhook-event":"group\.created"$/m);
    assert.match(last, /^"SignatureValid":true$/m);
    assert.doesNotMatch(last, /"SignatureValid":false/);

    const refused = JSON.parse(printed.at(-1) ?? '') as Record<string, unknown>;
    const example = JSON.parse(blocks(failure, 'json')[0] ?? '') as Record<string, unknown>;
    assert.match(String(refused['RequestID']), /^[0-9a-f-]{36}$/);
    assert.deepEqual({ ...refused, RequestID: '' }, { ...example, RequestID: '' });
  });
});

test('README.md names every area of operations, and only existing ones', () => {
  const named = [
    ...section(read('README.md'), 'What there is').matchAll(/`(\w+?)_(?:\*|\w+)`/g),
  ].map(([, area = '']) => area);
  const areas = [...operations.values()]
    .filter((operation) => operation.public)
    .map(({ name }) => name.split('_')[0] ?? '');
  assert.deepEqual([...new Set(named)].sort(), [...new Set(areas)].sort());
});

test('README.md has at most 200 lines, and ARCHITECTURE.md 120', () => {
  const linesOf = (file: string) => read(file).trimEnd().split('\n').length;
  assert.ok(linesOf('README.md') <= 200);
  assert.ok(linesOf('ARCHITECTURE.md') <= 120);
});

test('the first five minutes use the local start’s own addresses', () => {
  const [first = ''] = blocks(section(read('README.md'), 'The first five minutes'), 'sh');
  assert.match(first, /^api=http:\/\/localhost:8080$/m);
  assert.match(first, /^inbox=http:\/\/127\.0\.0\.1:8025$/m);
});

test('every relative link in the documents has a target', () => {
  const broken = documents.flatMap((document) =>
    [...withoutCodeBlocks(read(document)).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(document, target))
      .map((target) => `${document}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

function leadsSomewhere(document: string, target: string): boolean {
  const [file = '', anchor] = target.split('#', 2);
  const targetFile =
    file === '' ? document : path.join(path.dirname(document), decodeURIComponent(file));
  if (!existsSync(path.join(root, targetFile))) return false;
  return anchor === undefined || headings(read(targetFile)).includes(anchor);
}

/** The anchors that a forge generates for a document's headings. */
function headings(document: string): string[] {
  const texts = [...withoutCodeBlocks(document).matchAll(/^#+ (.+)$/gm)].map(
    ([, text = '']) => text,
  );
  return texts.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

test('every file of this repository that the documents name exists', () => {
  const named = /`((?:proto|services|gateway|deploy|helm|test|docs)\/[\w./-]+)`/g;
  const missing = documents
    .filter((document) => document !== 'CHANGELOG.md')
    .flatMap((document) =>
      [...withoutCodeBlocks(read(document)).matchAll(named)].map(
        ([, file = '']) => [document, file] as const,
      ),
    )
    .filter(([, file]) => !existsSync(path.join(root, file)))
    .map((pair) => pair.join(': '));
  assert.deepEqual(missing, []);
});

test('every setting that the documents name exists', () => {
  for (const document of documents.filter((name) => name !== 'CHANGELOG.md')) {
    const names = [...read(document).matchAll(/\bBAILIWICK_[A-Z][A-Z0-9_]*/g)].map(
      ([name]) => [name, ''] as const,
    );
    assert.deepEqual(
      unknownNames([...processTables, migrateSettings], Object.fromEntries(names)),
      [],
      document,
    );
  }
});

test('every test that docs/security.md calls a proof exists', () => {
  const missing: string[] = [];
  let proofs = 0;
  // [file](path.ts) “title” “title” …
  for (const [, file = '', titles = ''] of read('docs/security.md').matchAll(
    /\]\(([^)]+\.ts)\)((?:\s*“[^”]+”)+)/g,
  )) {
    const source = read(path.join('docs', file)).replaceAll("\\'", "'");
    for (const [, title = ''] of titles.matchAll(/“([^”]+)”/g)) {
      proofs += 1;
      if (!source.includes(title.replaceAll('\\', ''))) missing.push(`${file}: ${title}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(proofs > 20, `only ${proofs} proofs were found`);
});
