import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Material } from '@bailiwick/process';

// A Secret as Kubernetes mounts it: the files are links into a folder that is replaced as a whole.

export type Mount = ReturnType<typeof mountSecret>;

export function mountSecret(t: TestContext, files: Record<string, string>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-mount-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  let version = 0;

  function replace(content: Record<string, string>): void {
    const name = `..v${++version}`;
    mkdirSync(path.join(folder, name));
    for (const [file, text] of Object.entries(content))
      writeFileSync(path.join(folder, name, file), text);
    const link = path.join(folder, '..data_tmp');
    symlinkSync(name, link);
    renameSync(link, path.join(folder, '..data'));
  }

  replace(files);
  for (const file of Object.keys(files))
    symlinkSync(path.join('..data', file), path.join(folder, file));
  return { folder, replace, pathOf: (file: string) => path.join(folder, file) };
}

const filesOf = ({ cert, key, ca }: Material) => ({
  'tls.crt': cert,
  'tls.key': key,
  'ca.crt': ca,
});

/** The same with the files that a process needs for TLS. */
export function mountMaterial(t: TestContext, material: Material) {
  const { folder, replace, pathOf } = mountSecret(t, filesOf(material));
  return {
    folder,
    replace: (next: Material) => replace(filesOf(next)),
    settings: { tlsCert: pathOf('tls.crt'), tlsKey: pathOf('tls.key'), tlsCa: pathOf('ca.crt') },
    environment: {
      BAILIWICK_TLS_CERT_FILE: pathOf('tls.crt'),
      BAILIWICK_TLS_KEY_FILE: pathOf('tls.key'),
      BAILIWICK_TLS_CA_FILE: pathOf('ca.crt'),
    },
  };
}
