import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { password, signUp } from '../support/people.ts';
import { withoutChromium } from './chromium.ts';
import { consoleSuite, openSignedIn } from './console-page.ts';

// The scripts and styles of the console, as they are built.

const dist = path.join(root, 'console/dist');
const mostBytes = 300 * 1024;

describe('the files of the console', { skip: withoutChromium }, () => {
  const suite = consoleSuite();

  test('the first load is at most 300 KB of gzip, and a missing file is a 404', async (t) => {
    const { url } = suite.stack();
    const { email } = await signUp(suite.stack());
    const page = await suite.newPage();
    const files = new Set<string>();
    page.on('request', (request) => {
      const [, file] = /\/console\/(assets\/.*)$/.exec(request.url()) ?? [];
      if (file) files.add(file);
    });
    await openSignedIn(page, `${url}/console`, email, password);
    assert.ok(files.size > 3, [...files].join());
    // The overview loads its plot when it is opened.
    assert.ok(![...files].some((file) => /activity|plot/.test(file)), [...files].join());
    const sizes = [...files].map((file) => statSync(path.join(dist, `${file}.gz`)).size);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    t.diagnostic(`${total} bytes in ${files.size} files`);
    assert.ok(total <= mostBytes, `${total} bytes`);
    assert.equal((await fetch(`${url}/console/assets/missing-12345678.js`)).status, 404);
  });

  test('each component that the console uses has its styles', () => {
    const classesIn = (...files: string[]) =>
      new Set(
        files.flatMap((file) => readFileSync(file, 'utf8').match(/\bm_[0-9a-f]{6,8}\b/g) ?? []),
      );
    const assets = (ending: string) => globSync(path.join(dist, `assets/*.${ending}`));
    const all = classesIn(path.join(root, 'console/node_modules/@mantine/core/styles.css'));
    const styled = classesIn(...assets('css'));
    const used = [...classesIn(...assets('js'))].filter((name) => all.has(name));
    assert.ok(used.length > 100, `${used.length} classes`);
    assert.deepEqual(
      used.filter((name) => !styled.has(name)),
      [],
    );
  });
});
