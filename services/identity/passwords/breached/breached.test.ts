import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Log } from '@bailiwick/process';
import { createPasswordRules } from '../rules.ts';
import { openBreached } from './breached.ts';

const hashOf = (password: string): string =>
  createHash('sha1').update(password).digest('hex').toUpperCase();

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-breached-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A log that collects its errors as text. */
function collect() {
  const lines: string[] = [];
  const error = (message: string, fields: object) =>
    lines.push(`${message} ${JSON.stringify(fields)}`);
  return { lines, log: { error } as unknown as Log };
}
const { log } = collect();

async function open(location: string) {
  const isBreached = await openBreached(location, log);
  assert.ok(isBreached);
  return isBreached;
}

const passwords = Array.from({ length: 300 }, (_, index) => `password number ${index}`);
const others = Array.from({ length: 50 }, (_, index) => `another password ${index}`);

test('without a setting nothing is looked up', async () => {
  assert.equal(await openBreached('', log), undefined);
  assert.deepEqual(await createPasswordRules('standard')('correct horse'), []);
});

test('a folder of ranges is searched by the first five digits of the hash', async (t) => {
  for (const [extension, end] of [
    ['.txt', '\r\n'],
    ['', '\n'],
  ]) {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'README'), 'a note');
    const hash = hashOf('leaked');
    const suffix = hash.slice(5);
    const lines = [`${'0'.repeat(35)}:1`, `${suffix}:3`, `${'F'.repeat(35)}:2`];
    writeFileSync(join(folder, `${hash.slice(0, 5)}${extension}`), `${lines.join(end)}${end}`);
    const isBreached = await open(folder);
    assert.equal(await isBreached('leaked'), true);
    // Its file is missing.
    assert.equal(await isBreached('unknown'), false);
    // A line that only pads an answer of the public service counts nothing.
    writeFileSync(join(folder, `${hash.slice(0, 5)}${extension}`), `${suffix}:0${end}`);
    assert.equal(await isBreached('leaked'), false);
    writeFileSync(join(folder, `${hash.slice(0, 5)}${extension}`), `${suffix.toLowerCase()}:1`);
    assert.equal(await isBreached('leaked'), true);
  }
});

test('a folder may lose any of its files, as long as it has others', async (t) => {
  const folder = temporaryFolder(t);
  const write = (prefix: string) =>
    writeFileSync(join(folder, `${prefix}.txt`), `${'0'.repeat(35)}:1\n`);
  const free = ['00000', '11111', '22222'].filter(
    (prefix) => !hashOf('correct horse').startsWith(prefix),
  );
  const [first = '', ...later] = free;
  write(first);
  const isBreached = await open(folder);
  let last = first;
  for (const prefix of later) {
    write(prefix);
    rmSync(join(folder, `${last}.txt`));
    assert.equal(await isBreached('correct horse'), false);
    last = prefix;
  }
  rmSync(join(folder, `${last}.txt`));
  await assert.rejects(isBreached('correct horse'), { code: 'unavailable' });
});

test('a file in the order of its hashes has each of them, however its lines end', async (t) => {
  for (const end of ['\r\n', '\n']) {
    const file = join(temporaryFolder(t), 'hashes');
    const lines = passwords.map((password, index) => `${hashOf(password)}:${index * 37 + 1}`);
    writeFileSync(file, `${lines.sort().join(end)}${end}`);
    const isBreached = await open(file);
    for (const password of passwords) assert.equal(await isBreached(password), true, password);
    for (const password of others) assert.equal(await isBreached(password), false, password);
    // Without an end of the last line, and with one line only.
    for (const rest of [lines, lines.slice(0, 1)]) {
      writeFileSync(file, rest.join(end));
      for (const index of [0, rest.length - 1]) {
        const password = passwords.find((one) => rest[index]?.startsWith(hashOf(one)));
        assert.equal(await isBreached(password ?? ''), true);
      }
      assert.equal(await isBreached('another password'), false);
    }
  }
});

test('a password is found as it was typed and as it is stored', async (t) => {
  const file = join(temporaryFolder(t), 'hashes');
  writeFileSync(file, `${[hashOf('ﬁnancial ①'), hashOf('plain 1')].sort().join(':1\n')}:1\n`);
  const isBreached = await open(file);
  for (const password of ['ﬁnancial ①', 'plain 1', 'plain ①'])
    assert.equal(await isBreached(password), true, password);
  assert.equal(await isBreached('financial 1'), false);
});

test('files that cannot be read or have another form are refused at the start', async (t) => {
  const folder = temporaryFolder(t);
  const write = (name: string, text: string) => {
    const place = join(folder, name);
    mkdirSync(join(place, '..'), { recursive: true });
    writeFileSync(place, text);
    return place;
  };
  const refused = async (location: string, problem: RegExp) => {
    await assert.rejects(openBreached(location, log), ({ message }: Error) => {
      assert.match(message, /BAILIWICK_BREACHED_PASSWORDS names /);
      assert.match(message, problem);
      return true;
    });
  };
  const hashes = passwords.map(hashOf);
  await refused(join(folder, 'none'), /cannot be read \(ENOENT\)/);
  await refused(write('empty', ''), /does not begin with a SHA-1 hash and a count/);
  await refused(write('ntlm', `${'A'.repeat(32)}:1\n`), /does not begin with a SHA-1 hash/);
  await refused(write('by-count', hashes.join(':1\n')), /is not in the order of its hashes/);
  const long = `${hashes[0]}:1\n${'0'.repeat(100_000)}`;
  await refused(write('long', long), /has a line without a SHA-1 hash and a count/);
  write('other/notes.txt', 'nothing');
  await refused(join(folder, 'other'), /has no file that is named after five hexadecimal digits/);
  write('ntlm-ranges/00000.txt', `${'A'.repeat(27)}:1\r\n`);
  await refused(join(folder, 'ntlm-ranges'), /00000\.txt, which does not begin with 35 digits/);
});

test('a lookup that fails refuses the password, and logs neither it nor its hash', async (t) => {
  const { lines, log: collected } = collect();
  const folder = join(temporaryFolder(t), 'ranges');
  mkdirSync(folder);
  const hash = hashOf('my secret words');
  const range = join(folder, `${hash.slice(0, 5)}.txt`);
  writeFileSync(range, `${'0'.repeat(35)}:1\n`);
  const isBreached = (await openBreached(folder, collected)) ?? assert.fail();
  const rules = createPasswordRules('standard', isBreached);
  assert.deepEqual(await rules('my secret words'), []);
  // A large file, a folder in its place, and a volume that is gone.
  writeFileSync(range, randomBytes(2 * 1024 * 1024));
  await assert.rejects(rules('my secret words'), { code: 'unavailable' });
  rmSync(range);
  mkdirSync(range);
  await assert.rejects(rules('my secret words'), { code: 'unavailable' });
  rmSync(range, { recursive: true });
  await assert.rejects(rules('something else'), { code: 'unavailable' });
  renameSync(folder, `${folder}-gone`);
  await assert.rejects(rules('my secret words'), { code: 'unavailable' });
  assert.equal(lines.length, 4);
  for (const line of lines)
    for (const secret of ['my secret words', hash.slice(0, 5), hash.slice(0, 5).toLowerCase()])
      assert.equal(line.includes(secret), false, line);
});

test('a password from a breach is refused with one message', async (t) => {
  const file = join(temporaryFolder(t), 'hashes');
  const passwords = ['password123', 'correct horse'];
  writeFileSync(file, passwords.map(hashOf).sort().join(':9\n').concat(':9\n'));
  const rules = createPasswordRules('standard', await open(file));
  const texts = async (password: string) => (await rules(password)).map(({ text }) => text);
  assert.deepEqual(await texts('correct horse'), ['Password is known from a data breach']);
  assert.deepEqual(await texts('password123'), ['Password is one of the most common passwords']);
  assert.deepEqual(await rules('another horse'), []);
});
