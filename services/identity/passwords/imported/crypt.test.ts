import assert from 'node:assert/strict';
import { cpuUsage } from 'node:process';
import { test } from 'node:test';
import { phpass, phpassLog2, sha512Crypt } from './crypt.ts';

test('sha512Crypt gives the published results', async () => {
  // SHA-crypt.txt by U. Drepper, "Test vectors".
  for (const [salt, rounds, password, hash] of [
    [
      'saltstring',
      5000,
      'Hello world!',
      'svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
    ],
    [
      'saltstringsaltst',
      10_000,
      'Hello world!',
      'OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
    ],
    [
      'toolongsaltstrin',
      5000,
      'This is just a test',
      'lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0',
    ],
    [
      'short',
      77_777,
      'we have a short salt string but not a short password',
      'WuQyW2YR.hBNpjjRhpYD/ifIw05xdfeEyQoMxIXbkvr0gge1a1x3yRULJ5CCaUeOxFmtlcGZelFl5CxtgfiAc0',
    ],
  ] as const)
    assert.equal(await sha512Crypt(password, { salt, rounds }), hash);
});

test('phpass gives the published results', async () => {
  // test.php of phpass 0.3, and the tests of WordPress.
  assert.equal(phpassLog2('9'), 11);
  assert.equal(
    await phpass('test12345', { salt: 'IQRaTwmf', log2Rounds: phpassLog2('9') }),
    'eRo7ud9Fh4E2PdI0S3r.L0',
  );
});

test('a long comparison lets other work in between every millisecond or so', async () => {
  for (const compare of [
    () => sha512Crypt('x'.repeat(256), { salt: 'saltstring', rounds: 20_000 }),
    () => phpass('x'.repeat(256), { salt: 'saltsalt', log2Rounds: 15 }),
  ]) {
    let [turns, isDone] = [0, false];
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    // CPU time, because a busy machine lengthens any other.
    const began = cpuUsage();
    await compare();
    isDone = true;
    const { user, system } = cpuUsage(began);
    const ms = (user + system) / 1000 / turns;
    assert.ok(ms < 2, `${ms} ms`);
  }
});
