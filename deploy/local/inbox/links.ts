const inText = /\bhttps?:\/\/[^\s<>"'`{}|\\^]+/gi;
const inHtml = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/**
 * The http and https links of a mail, each once, in order: first those in the text, then those only
 * in the HTML.
 */
export function findLinks(text: string, html: string): string[] {
  const plain = [...text.matchAll(inText)].map(([url]) => trimPunctuation(url));
  const hrefs = [...html.matchAll(inHtml)].map((match) =>
    decodeEntities(match[1] ?? match[2] ?? match[3] ?? '').trim(),
  );
  return [...new Set([...plain, ...hrefs.filter((url) => /^https?:\/\//i.test(url))])];
}

/** Punctuation or a bracket after a link does not belong to it. */
function trimPunctuation(url: string): string {
  let end = url.length;
  for (;;) {
    const last = url.charAt(end - 1);
    const opening = last === ')' ? '(' : last === ']' ? '[' : undefined;
    const head = url.slice(0, end);
    const isUnmatched =
      opening !== undefined && head.split(last).length > head.split(opening).length;
    if (!'.,;:!?*_'.includes(last) && !isUnmatched) return head;
    end -= 1;
  }
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
