import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import { createValidator } from '@bufbuild/protovalidate';
import { matches } from './patterns.ts';
import { operations, validationRegistry } from './registry.ts';

const patterns = new Set<string>();
const native = createValidator({
  registry: validationRegistry,
  regexMatch(pattern, text) {
    patterns.add(pattern);
    return matches(pattern, text);
  },
});
const reference = createValidator({ registry: validationRegistry });

const samples = [
  'tnt_01jd3m0000000000000000000a',
  'usr_01jd3m0000000000000000000a',
  'bot_81jd3m0000000000000000000a',
  'a@example.com',
  ' a.b+c@xn--bcher-kva.example ',
  'ü@bücher.example',
  'a@b',
  'a..b@c.de',
  '"a"@b.cd',
  'a@-b.cd',
  'a@b-.cd',
  'a@b--c.de',
  'a@b.cd.',
  'example.com',
  'bücher.example',
  'eng/backend',
  '/a/b/c',
  'eng//x',
  'app.reports.read',
  'app.*',
  '*',
  'a:b:*',
  'app.reports.*.x',
  'order.paid',
  'order.*',
  'user.x',
  'webhook_endpoint',
  'de',
  'pt-BR',
  'x-1',
  'openid',
  'my-slug',
  'Ada Lovelace',
  '\u3000 \t',
  '\u0085',
  '\u000b',
];
const parts = [
  ...Array.from('aZ09-_.:/*@ "\\[]()|^$~!\t\n\v\f\r'),
  '\0',
  '\x7f',
  '\x80',
  '\u00a0',
  '\u00ad',
  '\u061c',
  '\u1680',
  '\u200b',
  '\u2028',
  '\u3000',
  '\ud7ff',
  '\uf8ff',
  '\uf900',
  '\ufeff',
  '\uffff',
  '\u{10000}',
  '\u{e0000}',
  '\u{10ffff}',
  'é',
  'ß',
  '日',
];

let seed = 1;
const random = (below: number): number => {
  seed = (seed * 48271) % 2147483647;
  return seed % below;
};

/** A sample with up to two characters replaced, inserted or removed. */
function text(): string {
  const characters = Array.from(samples[random(samples.length)] ?? '');
  for (let changes = random(3); changes > 0; changes--)
    characters.splice(
      random(characters.length + 1),
      random(2),
      ...(random(4) ? [parts[random(parts.length)] ?? ''] : []),
    );
  return characters.join('');
}

/** A message whose texts are arbitrary. */
function filled(schema: DescMessage, depth = 0): Message {
  const init = Object.fromEntries(
    schema.fields.flatMap((field) => {
      const sample = valueFor(field, depth);
      return sample === undefined ? [] : [[field.localName, sample]];
    }),
  );
  return create(schema, init);
}

function valueFor(field: DescField, depth: number): unknown {
  if (field.fieldKind === 'message')
    return depth < 4 && !field.message.typeName.startsWith('google.')
      ? filled(field.message, depth + 1)
      : undefined;
  const isText = 'scalar' in field && String(field.scalar) === '9';
  if (!isText) return undefined;
  return field.fieldKind === 'list'
    ? [text(), text()]
    : field.fieldKind === 'scalar'
      ? text()
      : undefined;
}

test('every rule gives the same result with the patterns of the engine and with RE2', () => {
  for (const { name, method } of operations.values())
    for (let round = 0; round < 40; round++) {
      const message = filled(method.input);
      const [ours, theirs] = [native, reference].map((validator) => {
        const result = validator.validate(method.input, message);
        return result.kind === 'invalid'
          ? result.violations.map((one) => one.toString())
          : result.kind;
      });
      assert.deepEqual(ours, theirs, `${name} ${JSON.stringify(message)}`);
    }
  assert.ok(patterns.size > 15, `${patterns.size} patterns`);
});

/** In µs. A shorter time says nothing about how the time grows. */
const noise = 20_000;

/** The CPU time of matching, in µs. The least of three runs, unless it is short. */
function costOf(pattern: string, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least > noise; run++) {
    const start = process.cpuUsage();
    matches(pattern, text);
    least = Math.min(least, process.cpuUsage(start).user);
  }
  return least;
}

/** Whether a text of ten times the length takes much more than ten times the time. */
function growsTooFast(pattern: string, piece: string, end: string): boolean {
  const [short, long] = [3_000, 30_000] as const;
  const allowed = 30 * costOf(pattern, `${piece.repeat(short)}${end}`);
  return costOf(pattern, `${piece.repeat(long)}${end}`) > Math.max(allowed, noise);
}

test('no pattern takes more than linear time for a text that nearly matches', () => {
  const pieces = ['a', '-', 'a-', 'a.', '.a', 'a/', '/', ':a', ' ', '@', 'a@a.', 'é', '\u3000'];
  for (const pattern of patterns)
    for (const piece of pieces)
      for (const end of ['', '!', '\0', '@a', '*', '-'])
        assert.ok(!growsTooFast(pattern, piece, end), `${pattern} for ${piece} and ${end}`);
});

test('a pattern of quadratic time is noticed', () => {
  assert.ok(growsTooFast('^[a-z]*[a-y]*!$', 'a', ''));
  assert.ok(!growsTooFast('^[a-z]*!$', 'a', ''));
});

test('a pattern that the engines could read differently is refused', () => {
  for (const pattern of ['a.b', '\\bword', '(?i)a', '\\pL', '(?P<a>b)', 'a\\d'])
    assert.throws(() => matches(pattern, 'a'), /not supported/);
});
