import process from 'node:process';

/** Writes whole lines to the terminal, each with the name of its process. */
export type Console = {
  say(line: string): void;
  relay(name: string, line: string): void;
  print(text: string): void;
};

const nameWidth = 13;
const colours = [36, 33, 35, 32, 34, 31];

export function createConsole(stream: NodeJS.WriteStream = process.stdout): Console {
  const isColoured = stream.isTTY && process.env['NO_COLOR'] === undefined;
  const paint = (code: number, text: string): string =>
    isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
  const names: string[] = [];
  // The reader of the output may end (`npm start | head`). The orderly shutdown must still run.
  stream.on('error', () => {});
  const write = (text: string): void => void stream.write(text);
  return {
    say: (line) => write(`${line}\n`),
    print: write,
    relay(name, line) {
      if (!names.includes(name)) names.push(name);
      const colour = colours[names.indexOf(name) % colours.length] ?? 36;
      write(`${paint(colour, name.padEnd(nameWidth))} ${readable(line)}\n`);
    },
  };
}

/**
 * The services log JSON for machines. The terminal shows readable lines; the files keep the JSON.
 */
export function readable(line: string): string {
  const entry = parse(line);
  if (typeof entry?.['message'] !== 'string') return line;
  const { time: _time, level, service: _service, message, ...fields } = entry;
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(
      ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
  const rank = typeof level === 'string' && level !== 'info' ? `${level}: ` : '';
  return `${rank}${message}${rest.join('')}`;
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
