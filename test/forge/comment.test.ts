import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { createCli } from '../cli/cli.ts';
import { authors, type ForgeServer, startForge, writer } from './server.ts';

// bailiwick comment against recorded forges.

const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-comment-'));
const cli = createCli('http://127.0.0.1:1');
after(() => {
  cli.remove();
  rmSync(folder, { recursive: true });
});
const event = path.join(folder, 'event.json');
writeFileSync(event, JSON.stringify({ pull_request: { number: 5, title: '"; $(exit 1)' } }));

type Kind = 'github' | 'gitlab';
const variables = (kind: Kind, { url }: ForgeServer, token: string): Record<string, string> =>
  kind === 'github'
    ? {
        GITHUB_API_URL: url,
        GITHUB_REPOSITORY: 'acme/access',
        GITHUB_EVENT_PATH: event,
        GITHUB_TOKEN: token,
      }
    : {
        CI_API_V4_URL: url,
        CI_MERGE_REQUEST_PROJECT_ID: '20',
        CI_MERGE_REQUEST_IID: '5',
        BAILIWICK_GITLAB_TOKEN: token,
      };

const comment = (kind: Kind, forge: ForgeServer, text: string, token = writer, name = 'a.yaml') =>
  cli.run(['comment', '--forge', kind, '--file', '-', '--name', name], {
    input: text,
    env: variables(kind, forge, token),
  });

for (const kind of ['github', 'gitlab'] as const) {
  test(`${kind}: comment creates one comment, and replaces it among many of others`, async (t) => {
    const forge = await startForge(kind);
    t.after(forge.stop);
    const first = await comment(kind, forge, 'one');
    assert.deepEqual([first.code, first.stderr], [0, 'the comment was created\n']);
    const [own] = forge.comments;
    assert.match(own?.body ?? '', /^<!-- bailiwick [0-9a-f]{32} -->\none$/);
    const marker = own?.body.split('\n')[0] ?? '';
    // A stranger copies the marker, and the comments fill three pages.
    forge.comments.length = 0;
    forge.comments.push({ id: 1, body: `${marker}\nfake`, author: '9' });
    for (let id = 2; id <= 250; id++) forge.comments.push({ id, body: 'hello', author: '9' });
    forge.comments.push({ id: 251, body: `${marker}\none`, author: authors[kind] });
    const second = await comment(kind, forge, 'two');
    assert.deepEqual([second.code, second.stderr], [0, 'the comment was updated\n']);
    assert.equal(forge.comments.length, 251);
    assert.equal(forge.comments[0]?.body, `${marker}\nfake`);
    assert.equal(forge.comments[250]?.body, `${marker}\ntwo`);
    const pages = forge.recorded.filter(({ path: url }) => url.includes('per_page=100&page='));
    assert.equal(pages.length, 4);
    await comment(kind, forge, 'other', writer, 'b.yaml');
    assert.equal(forge.comments.length, 252, 'a comment of another name');
  });

  test(`${kind}: a lost response is not a second comment, and 5xx and 429 are retried`, async (t) => {
    const forge = await startForge(kind);
    t.after(forge.stop);
    forge.failures.push({ status: 502 }, { status: 429, after: '0' });
    assert.equal((await comment(kind, forge, 'one')).code, 0);
    forge.comments.length = 0;
    forge.losesNext = true;
    assert.equal((await comment(kind, forge, 'two')).code, 0);
    assert.equal(forge.comments.length, 1);
    const down = Array.from({ length: 4 }, () => ({ status: 500, after: '0' }));
    forge.failures.push(...down);
    const failed = await comment(kind, forge, 'three');
    assert.deepEqual([failed.code, forge.comments[0]?.body.endsWith('two')], [5, true]);
    assert.match(failed.stderr, /answered GET .* with 500: try later/);
  });

  test(`${kind}: without the permission the message says what the job needs, and no token`, async (t) => {
    const forge = await startForge(kind);
    t.after(forge.stop);
    const { code, stderr } = await comment(kind, forge, 'one', 'read-only-token');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /403: Resource not accessible by integration\n.*the job needs .*(write|api)/,
    );
    assert.doesNotMatch(stderr, /read-only-token/);
    assert.equal(forge.recorded.filter(({ method }) => method !== 'GET').length, 1);
  });
}

test('comment names a missing variable, a wrong forge and a text that is too long', async (t) => {
  const forge = await startForge('github');
  t.after(forge.stop);
  const run = (args: string[], env: Record<string, string>, input = 'x') =>
    cli.run(['comment', '--file', '-', ...args], { input, env });
  const all = variables('github', forge, writer);
  const push = path.join(folder, 'push.json');
  writeFileSync(push, '{"ref":"refs/heads/main"}');
  for (const [args, env, reason] of [
    [['--forge', 'other'], all, /--forge is github or gitlab/],
    [['--forge', 'gitlab'], {}, /CI_API_V4_URL is missing/],
    [['--forge', 'github'], { ...all, GITHUB_TOKEN: '' }, /GITHUB_TOKEN is missing/],
    [['--forge', 'github'], { ...all, GITHUB_EVENT_PATH: push }, /not about a pull request/],
  ] as const) {
    const { code, stderr } = await run([...args], env);
    assert.equal(code, 2, stderr);
    assert.match(stderr, reason);
  }
  const { code } = await run(['--forge', 'github'], all, 'x'.repeat(65_001));
  assert.deepEqual([code, forge.recorded.length], [2, 0]);
});
