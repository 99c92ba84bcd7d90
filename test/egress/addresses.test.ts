import assert from 'node:assert/strict';
import { test } from 'node:test';
import { egressRules, isPublic, urlProblem } from '@bailiwick/egress';
import fc from 'fast-check';

// Tests the guard against a second implementation of the registries: addresses are numbers, ranges
// have a beginning and an end, and every spelling is written from the number.

const closed = egressRules({ hosts: [], cidrs: [], ports: [] });

type Range = readonly [first: number, bits: number];
const v4 = (text: string): number =>
  text.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
const v4Ranges: readonly Range[] = (
  [
    // "This network", private use, shared space, loopback, link-local (IANA IPv4 special-purpose address registry).
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    // IETF protocols, documentation, 6to4 relays, benchmarking, multicast, reserved.
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
    ['168.63.129.16', 32],
  ] as const
).map(([text, bits]) => [v4(text), bits]);
const isInside = (address: number): boolean =>
  v4Ranges.some(([first, bits]) => address >= first && address < first + 2 ** (32 - bits));

/** Numbers of all kinds: anywhere, in a range, at its ends and beside them. */
const v4Numbers = fc.oneof(
  fc.nat({ max: 0xffff_ffff }),
  fc
    .constantFrom(...v4Ranges)
    .chain(([first, bits]) =>
      fc.nat({ max: 2 ** (32 - bits) - 1 }).map((offset) => first + offset),
    ),
  fc
    .constantFrom(
      ...v4Ranges.flatMap(([first, bits]) => [
        first - 1,
        first,
        first + 2 ** (32 - bits) - 1,
        first + 2 ** (32 - bits),
      ]),
    )
    .filter((n) => n >= 0 && n <= 0xffff_ffff),
);

const bytesOf = (address: number): number[] =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256);
const dotted = (address: number): string => bytesOf(address).join('.');
const fullwidth = (text: string): string =>
  text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const circled = (text: string): string =>
  text
    .replace(/[1-9]/g, (digit) => String.fromCodePoint(0x245f + Number(digit)))
    .replaceAll('0', '⓪');
const percent = (text: string): string =>
  text.replace(/[\s\S]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

/** Every way to write an IPv4 address in a URL that the WHATWG parser accepts. */
const v4Spellings: ReadonlyArray<(address: number) => string> = [
  dotted,
  (address) => `${dotted(address)}.`,
  String,
  (address) => `0x${address.toString(16)}`,
  (address) => `0X${address.toString(16).toUpperCase()}`,
  (address) => `0${address.toString(8)}`,
  (address) =>
    bytesOf(address)
      .map((byte) => `0x${byte.toString(16)}`)
      .join('.'),
  (address) =>
    bytesOf(address)
      .map((byte) => `0${byte.toString(8).padStart(3, '0')}`)
      .join('.'),
  (address) => `${bytesOf(address)[0]}.${address % 2 ** 24}`,
  (address) => `${bytesOf(address)[0]}.0x${bytesOf(address)[1]?.toString(16)}.${address % 2 ** 16}`,
  (address) => fullwidth(dotted(address)),
  (address) => circled(dotted(address)),
  (address) => percent(dotted(address)),
  (address) => dotted(address).replaceAll('.', '。'),
  (address) => dotted(address).replaceAll('.', '.\u00ad'),
  (address) => `[::ffff:${dotted(address)}]`,
  (address) => `[0:0:0:0:0:FFFF:${groups(BigInt(address)).slice(6).join(':')}]`,
];

function groups(address: bigint): string[] {
  return Array.from({ length: 8 }, (_, index) =>
    ((address >> BigInt(16 * (7 - index))) & 0xffffn).toString(16),
  );
}

test('urlProblem accepts an IPv4 address if it is public, and rejects it otherwise, in every spelling', () => {
  let refused = 0;
  fc.assert(
    fc.property(v4Numbers, fc.constantFrom(...v4Spellings), (address, spell) => {
      const problem = urlProblem(`https://${spell(address)}/`, closed);
      assert.equal(
        problem,
        isInside(address) ? 'must be a public address' : undefined,
        `${spell(address)} is ${dotted(address)}`,
      );
      if (problem) refused++;
    }),
    { numRuns: 20_000 },
  );
  assert.ok(refused > 5000 && refused < 19_000, `${refused} refused`);
});

const prefix = (text: string, bits: number): readonly [bigint, number] => {
  const [head = [], tail = []] = text
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const all = [
    ...head,
    ...Array.from({ length: 8 - head.length - tail.length }, () => '0'),
    ...tail,
  ];
  return [all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n), bits];
};
/** IANA's IPv6 special-purpose address registry, and further reserved ranges. */
const v6Ranges = [
  // Unspecified, loopback, IPv4-compatible, mapped and translated; NAT64, local NAT64; discard.
  prefix('::', 96),
  prefix('::ffff:0:0:0', 96),
  prefix('64:ff9b::', 96),
  prefix('64:ff9b:1::', 48),
  prefix('100::', 64),
  // IETF protocols with Teredo, benchmarking and ORCHID; documentation; 6to4.
  prefix('2001::', 32),
  prefix('2001:2::', 48),
  prefix('2001:10::', 28),
  prefix('2001:20::', 28),
  prefix('2001:db8::', 32),
  prefix('2002::', 16),
  prefix('3fff::', 20),
  // Segment routing, unique local with the metadata of clouds, link-local, site-local, multicast.
  prefix('5f00::', 16),
  prefix('fc00::', 7),
  prefix('fe80::', 10),
  prefix('fec0::', 10),
  prefix('ff00::', 8),
] as const;
const sizeOf = (bits: number): bigint => 1n << BigInt(128 - bits);

/** All groups, zeros shortened, upper case, the end as IPv4. */
const v6Spellings: ReadonlyArray<(address: bigint) => string> = [
  (address) => groups(address).join(':'),
  (address) =>
    groups(address)
      .map((group) => group.padStart(4, '0').toUpperCase())
      .join(':'),
  (address) =>
    groups(address)
      .join(':')
      .replace(/(^|:)0(:0)+(:|$)/, '::'),
  (address) => `${groups(address).slice(0, 6).join(':')}:${dotted(Number(address & 0xffff_ffffn))}`,
];

test('no IPv6 address of a special range is public, in any spelling', () => {
  const addresses = fc
    .constantFrom(...v6Ranges)
    .chain(([first, bits]) =>
      fc.bigInt({ min: 0n, max: sizeOf(bits) - 1n }).map((offset) => first + offset),
    );
  fc.assert(
    fc.property(addresses, fc.constantFrom(...v6Spellings), (address, spell) => {
      assert.equal(isPublic(spell(address)), false, spell(address));
      assert.equal(
        urlProblem(`https://[${spell(address)}]/`, closed),
        'must be a public address',
        spell(address),
      );
    }),
    { numRuns: 10_000 },
  );
});

test('no IPv6 address that embeds a private IPv4 address is public', () => {
  const inside = v4Numbers.filter(isInside);
  const host = fc.bigInt({ min: 0n, max: 0xffffn });
  const carriers: ReadonlyArray<(address: bigint, rest: bigint) => bigint> = [
    (address) => address,
    (address) => (0xffffn << 32n) | address,
    (address) => (0xffffn << 48n) | address,
    (address) => prefix('64:ff9b::', 96)[0] | address,
    (address, rest) => prefix('64:ff9b:1::', 48)[0] | (rest << 64n) | address,
    (address, rest) => prefix('2002::', 16)[0] | (address << 80n) | rest,
    (address) => prefix('2001::', 32)[0] | (address ^ 0xffff_ffffn),
    (address, rest) => prefix('2620::', 16)[0] | (rest << 64n) | (0x5efen << 32n) | address,
    (address, rest) => prefix('2a00::', 16)[0] | (rest << 64n) | (0x0200_5efen << 32n) | address,
  ];
  fc.assert(
    fc.property(
      inside,
      host,
      fc.constantFrom(...carriers),
      fc.constantFrom(...v6Spellings),
      (address, rest, carry, spell) => {
        const text = spell(carry(BigInt(address), rest));
        assert.equal(isPublic(text), false, `${text} carries ${dotted(address)}`);
        assert.equal(urlProblem(`https://[${text}]/`, closed), 'must be a public address', text);
      },
    ),
    { numRuns: 10_000 },
  );
});

test('IPv6 addresses of allocated networks are public', () => {
  const networks = [
    prefix('2400::', 12),
    prefix('2600::', 12),
    prefix('2800::', 12),
    prefix('2a00::', 12),
    prefix('2c00::', 12),
  ] as const;
  const addresses = fc
    .constantFrom(...networks)
    .chain(([first, bits]) =>
      fc.bigInt({ min: 0n, max: sizeOf(bits) - 1n }).map((offset) => first + offset),
    );
  const isIsatap = (address: bigint): boolean => ((address >> 32n) & 0xfdff_ffffn) === 0x5efen;
  fc.assert(
    fc.property(addresses, fc.constantFrom(...v6Spellings), (address, spell) =>
      assert.equal(isPublic(spell(address)), !isIsatap(address), spell(address)),
    ),
  );
});

test('a zone, trailing dots and look-alike letters do not lead to private addresses', () => {
  for (const host of [
    '[fe80::1%25eth0]',
    '[fe80::1%eth0]',
    '[::1%25lo]',
    'localhost.',
    'localhost..',
    '127.0.0.1.',
    '127.0.0.1..',
    'ⓛocalhost',
    'ＬＯＣＡＬＨＯＳＴ',
    'loc\u00adalhost',
    'local%68ost',
    'localhost%2e',
    'db。default。svc',
    'metadata.google.internal.',
    '.localhost',
    'a..local',
    'router.home.arpa',
  ]) {
    assert.notEqual(urlProblem(`https://${host}/`, closed), undefined, host);
  }
  for (const url of [
    'https:127.0.0.1',
    'https:/\\127.0.0.1/',
    'https:\\\\127.0.0.1',
    'https://127.0.0.1\\@example.com/',
    ' https://127.0.0.1',
    'ht\ntps://127.0.0.1',
  ]) {
    assert.notEqual(urlProblem(url, closed), undefined, url);
  }
  for (const zoned of ['fe80::1%eth0', '2606:4700::1111%eth0', '::ffff:127.0.0.1%lo'])
    assert.equal(isPublic(zoned), false, zoned);
});
