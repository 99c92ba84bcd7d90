import { existsSync, readFileSync } from 'node:fs';

// Files of the package, which are next to this one, or two folders up after compilation.

export function readPackageFile(name: string): string {
  const beside = new URL(name, import.meta.url);
  return readFileSync(
    existsSync(beside) ? beside : new URL(`../../${name}`, import.meta.url),
    'utf8',
  );
}
