/** The count in the line KEY:COUNT of a text; 0 without such a line. */
export function countIn(text: string, key: string): number {
  const line = `\n${key}:`;
  const start = `\n${text}`.indexOf(line);
  if (start < 0) return 0;
  const count = Number.parseInt(text.slice(start + line.length - 1, start + line.length + 15), 10);
  return Number.isNaN(count) ? 0 : count;
}
