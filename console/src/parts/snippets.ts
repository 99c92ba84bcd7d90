// The same call as the console makes, for a terminal and for a program.

/** A shell command. `$TOKEN` is a session token or the key of a bot. */
export const curlOf = (url: string, operation: string, request: object): string =>
  [
    `curl -sS ${quote(`${url}/${operation}`)}`,
    "-H 'Content-Type: application/json'",
    '-H "Authorization: Bearer $TOKEN"',
    `-d ${quote(JSON.stringify(request))}`,
  ].join(' \\\n  ');

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command of the command line, which takes secrets from the standard input only. */
export const cliOf = (url: string, operation: string, request: object): string => {
  const command = `bailiwick ${operation} --url ${quote(url)}`;
  const json = JSON.stringify(request, undefined, 2);
  return json === '{}' ? command : `${command} --data - <<'JSON'\n${json}\nJSON`;
};

/** A call of the typed client. */
export const typescriptOf = (url: string, operation: string, request: object): string =>
  [
    "import { createClient } from '@bailiwick/client';",
    '',
    `const bailiwick = createClient({ url: ${literal(url)}, token: process.env.TOKEN });`,
    `await bailiwick.call(${literal(operation)}, ${literal(request)});`,
  ].join('\n');

/** A value as a literal of JavaScript. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value))
    return `[${value.map((element) => literal(element, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const deeper = `${indent}  `;
  const lines = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${deeper}${nameOf(key)}: ${literal(item, deeper)},`);
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
}

const nameOf = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key));
