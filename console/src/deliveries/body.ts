/** Longer bodies slow a browser down, and nobody reads them to their end. */
const mostCharacters = 50_000;

/** A message's body as text: indented if it is JSON, and cut if it is long. */
export function readBody(base64: string): { text: string; isCut: boolean } {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const text = indented(new TextDecoder().decode(bytes));
  return { text: text.slice(0, mostCharacters), isCut: text.length > mostCharacters };
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
