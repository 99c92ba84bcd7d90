import type { Wiring } from './environment.ts';

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Whether no other machine reaches the installation. */
export const isLoopbackOnly = (
  { host, publicUrl }: Pick<Wiring, 'host' | 'publicUrl'>,
  { BAILIWICK_HOST = host }: NodeJS.ProcessEnv,
): boolean =>
  loopbackNames.includes(BAILIWICK_HOST) && loopbackNames.includes(new URL(publicUrl).hostname);
