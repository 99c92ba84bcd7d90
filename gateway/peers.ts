import type { Host } from '@bailiwick/contract';
import type { Transport } from '@connectrpc/connect';

/** The services behind the gateway. */
export type Peers = Record<Host, Transport>;
