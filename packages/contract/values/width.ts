// The width mapping of PRECIS (RFC 8264 section 5.2.1): maps fullwidth and halfwidth code points to
// their Unicode decompositions, in one step. NFKC would go further: it also decomposes
// compatibility jamo and the macron.

/** Maps the code points from `first` to `last` to those from `target` on. */
const range = (first: number, last: number, target: number) =>
  Array.from(
    { length: last - first + 1 },
    (_, index) => [first + index, String.fromCodePoint(target + index)] as const,
  );

/** Maps the code points from `first` on to the characters of `targets`. */
const list = (first: number, targets: string) =>
  Array.from(targets, (target, index) => [first + index, target] as const);

const halfwidthKana =
  '。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u3099\u309a\u3164';

const decompositions: ReadonlyMap<number, string> = new Map([
  [0x3000, ' '],
  ...range(0xff01, 0xff5e, 0x0021),
  ...range(0xff5f, 0xff60, 0x2985),
  ...list(0xff61, halfwidthKana),
  ...range(0xffa1, 0xffbe, 0x3131),
  ...range(0xffc2, 0xffc7, 0x314f),
  ...range(0xffca, 0xffcf, 0x3155),
  ...range(0xffd2, 0xffd7, 0x315b),
  ...range(0xffda, 0xffdc, 0x3161),
  ...list(0xffe0, '¢£¬¯¦¥₩'),
  ...list(0xffe8, '│←↑→↓■○'),
]);

const wide = /[\u3000\uff01-\uffee]/g;

/** Maps the fullwidth and halfwidth code points of a text. Other characters stay unchanged. */
export const mapWidth = (text: string): string =>
  text.replace(wide, (character) => decompositions.get(character.charCodeAt(0)) ?? character);
