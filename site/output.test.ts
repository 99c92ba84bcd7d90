import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { manifestFile } from '@bailiwick/gateway/http/static-files.ts';
import { brokenLinks, writeManifest } from './output.ts';

function siteFolder(t: TestContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-output-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

test('a link is broken without its file, without its anchor, and above the site', (t) => {
  const hrefs = [
    '/docs/guides/api/',
    './api/index.html#save',
    '#here',
    '/docs/guides/..',
    'https://example.com/x',
    'data:,',
    '/docs/guides/gone.html',
    'api/index.html#gone',
    '#gone',
    '/login',
  ];
  const links = hrefs.map((href) => `<a class="x" href="${href}">x</a>`).join('');
  const folder = siteFolder(t, {
    'index.html': `<h1 id="here">x</h1>${links}<img src="gone.png">`,
    'api/index.html': '<h2 id="save">x</h2>',
  });
  assert.deepEqual(
    brokenLinks(folder),
    ['/docs/guides/gone.html', 'api/index.html#gone', '#gone', '/login', 'gone.png'].map(
      (href) => `index.html: ${href}`,
    ),
  );
});

test('the list of files has the hash of each inline script and style once', (t) => {
  const html = '<script src="a.js"></script><script>x</script><p style="y">z</p>';
  const folder = siteFolder(t, { 'a.html': html, 'b/c.html': html });
  writeManifest(folder);
  const { files, scripts, styles } = JSON.parse(
    readFileSync(join(folder, manifestFile), 'utf8'),
  ) as Record<string, object>;
  assert.deepEqual(Object.keys(files ?? {}), ['a.html', 'b/c.html']);
  assert.deepEqual(scripts, ['sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=']);
  assert.deepEqual(styles, ['sha256-ofzkNjhU/4iM/0uOeHXWAMJoI5BBKoz3mzfQsRFIsPo=']);
});
