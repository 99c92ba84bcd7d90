import { spawn } from 'node:child_process';
import process from 'node:process';
import { eventually } from '../../support/harness.ts';
import { takePort } from '../../support/ports.ts';
import type { Command, Programs } from './languages.ts';

export type Program = { url: string; stop(): void };

/** Starts a program of a guide on a port of its own, and waits until it answers. */
export async function startProgram(
  programs: (address: string) => Programs,
  name: keyof Programs,
  environment: Record<string, string>,
  port?: number,
): Promise<Program> {
  const address = `127.0.0.1:${port ?? (await takePort())}`;
  return startCommand(name, programs(address)[name], address, environment);
}

/** Starts a program that listens at an address, and waits until it answers. */
export async function startCommand(
  name: string,
  { command, args, cwd }: Command,
  address: string,
  environment: Record<string, string>,
): Promise<Program> {
  // The runner's own variables would make a program in Node report as a test.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { ...inherited, NO_PROXY: '127.0.0.1,localhost', LISTEN: address, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk.toString()}`.slice(-4000);
  });
  const url = `http://${address}`;
  await eventually(`${name} to answer`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${errors}`);
    return fetch(url).then(
      () => true,
      () => false,
    );
  });
  return { url, stop: () => void child.kill('SIGKILL') };
}

/** A browser's visits to a program: it keeps cookies, and follows no redirect. */
export function visitProgram({ url: site }: Pick<Program, 'url'>) {
  const jar = new Map<string, string>();
  return async (address: string | URL, method = 'GET', form?: Record<string, string>) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(address, site), {
      method,
      headers: { cookie },
      redirect: 'manual',
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return {
      status: response.status,
      location: response.headers.get('location') ?? '',
      challenge: response.headers.get('www-authenticate') ?? '',
      text: await response.text(),
    };
  };
}
