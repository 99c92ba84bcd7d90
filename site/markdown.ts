/** The anchor of a heading, as forges write it: links between documents work in both places. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

export const withoutCodeBlocks = (text: string): string => text.replace(/^```.*?^```$/gms, '');
