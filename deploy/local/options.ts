import { resolve } from 'node:path';
import type { Shape } from '../shapes.ts';
import { root } from './paths.ts';
import { wantsContainers } from './providers.ts';

export type Options = {
  /** Which processes hold the services. */
  shape: Shape;
  /** Deno instead of Node. */
  deno: boolean;
  /** Restarts each process when a file of it changes. */
  watch: boolean;
  /** Fills a new data folder with a company and its history. */
  demo: boolean;
  dataDir: string;
  /** 0 takes a free port. */
  gatewayPort: number;
  inboxPort: number;
  /** Database and broker in containers, even if other providers are available. */
  containers: boolean;
  /** Replace the embedded database and the local broker. */
  databaseUrl?: string;
  natsUrl?: string;
};

export const usage = `usage: npm start [-- [--compact | --single] [--deno | --watch] [--demo]]

  --compact              two processes instead of five: all but notifications in one
  --single               one process instead of five
  --deno                 on Deno instead of Node
  --watch                restarts a process when its code changes (npm run dev)
  --demo                 fills a new data folder with a company and 30 days of its history

  PORT                   the gateway's port (8080; 0 takes a free one)
  BAILIWICK_INBOX_PORT   the inbox's port (8025; 0 takes a free one)
  BAILIWICK_DATA         the data folder (.local), safe to delete
  DATABASE_URL           a PostgreSQL to use instead of the embedded one
  NATS_URL               a NATS server with JetStream to use instead of an own one
  BAILIWICK_INFRA        containers: run both in containers, even if other providers are available`;

const flags: readonly string[] = ['--compact', '--single', '--deno', '--watch', '--demo'];

export class UsageError extends Error {}

export function readOptions(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Options {
  const unknown = args.filter((argument) => !flags.includes(argument));
  if (unknown.length > 0) throw new UsageError(`unknown argument ${unknown.join(' ')}\n\n${usage}`);
  if (args.includes('--watch') && args.includes('--deno'))
    throw new UsageError(`--watch needs Node\n\n${usage}`);
  const infra = environment['BAILIWICK_INFRA'] || undefined;
  if (infra !== undefined && infra !== 'containers')
    throw new UsageError(`BAILIWICK_INFRA can be containers, or unset; not "${infra}"`);
  const databaseUrl = readUrl(environment, 'DATABASE_URL', ['postgres:', 'postgresql:']);
  const natsUrl = readUrl(environment, 'NATS_URL', ['nats:', 'tls:', 'ws:', 'wss:']);
  return {
    shape: readShape(args),
    deno: args.includes('--deno'),
    watch: args.includes('--watch'),
    demo: args.includes('--demo'),
    dataDir: resolve(root, environment['BAILIWICK_DATA'] || '.local'),
    gatewayPort: readPort(environment, 'PORT', 8080),
    inboxPort: readPort(environment, 'BAILIWICK_INBOX_PORT', 8025),
    containers: wantsContainers(environment),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(natsUrl !== undefined && { natsUrl }),
  };
}

function readShape(args: readonly string[]): Shape {
  const [isCompact, isSingle] = [args.includes('--compact'), args.includes('--single')];
  if (isCompact && isSingle) throw new UsageError(`--compact or --single, not both\n\n${usage}`);
  if (isCompact) return 'compact';
  return isSingle ? 'single' : 'services';
}

function readPort(
  environment: Record<string, string | undefined>,
  name: string,
  fallback: number,
): number {
  const text = environment[name];
  if (text === undefined || text === '') return fallback;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`${name} must be a port number, not "${text}"`);
  return Number(text);
}

function readUrl(
  environment: Record<string, string | undefined>,
  name: string,
  protocols: readonly string[],
): string | undefined {
  const text = environment[name];
  if (text === undefined || text === '') return undefined;
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol))
    throw new UsageError(`${name} must be a URL that begins with ${protocols[0]}//`);
  return text;
}
