import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

export const loopback = '127.0.0.1';

/**
 * Below the system's range for outgoing connections: such a connection could take a port between
 * its choice and the server's listen.
 */
const range = { from: 20_000, to: 32_000 };

/** Distinct free ports. Holds all of them open until the last one is known. */
export async function freePorts(count: number): Promise<number[]> {
  const holders = await Promise.all(Array.from({ length: count }, holdAny));
  const ports = holders.map((holder) => holder.port);
  await Promise.all(holders.map((holder) => holder.release()));
  return ports;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port as number;
}

/**
 * Throws if `port` is in use. The message says what to do. `variable` is the environment variable
 * that chooses another port.
 */
export async function assertPortFree(port: number, what: string, variable: string): Promise<void> {
  if (port === 0) return;
  const reason = await whyTaken(port);
  if (reason === undefined) return;
  throw new Error(
    `port ${port} ${reason}, and ${what} needs it. Stop its process, or choose another: ${variable}=${port + 1} npm start`,
  );
}

async function whyTaken(port: number): Promise<string | undefined> {
  // Some systems allow binding 127.0.0.1 beside a listener on all addresses, so try to connect
  // first.
  if (await isAnswering(port)) return 'is taken';
  try {
    await (await hold(port)).release();
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EACCES' ? 'needs rights this user does not have' : 'is taken';
  }
}

function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Links lead to localhost, which may be ::1 too: another server there would get the calls.
    const socket = connect({ host: 'localhost', port });
    socket.setTimeout(500);
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

async function holdAny(): Promise<Holder> {
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await hold(randomInt(range.from, range.to));
    } catch (error) {
      if (attempts >= 100) throw error;
    }
  }
}

type Holder = { port: number; release(): Promise<void> };

function hold(port: number): Promise<Holder> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, loopback, () => {
      resolve({ port, release: () => new Promise((released) => server.close(() => released())) });
    });
  });
}
