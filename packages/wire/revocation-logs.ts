import type { Host } from '@bailiwick/contract';
import { AccessRevocations } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { IdentityRevocations } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { NotificationsRevocations } from '@bailiwick/proto/gen/bailiwick/notifications/v1/internal_pb.ts';
import { SsoRevocations } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { createClient, type Transport } from '@connectrpc/connect';
import { asService } from './rpc.ts';

/** The service of each process that gives its log of revocations. */
export const revocationServices = {
  identity: IdentityRevocations,
  access: AccessRevocations,
  sso: SsoRevocations,
  notifications: NotificationsRevocations,
} as const;

type Request = { holder: string; after: string };
type Answer = {
  keys: readonly string[];
  snapshot: string;
  reset: boolean;
  deaf: boolean;
  complete: boolean;
};
type Follow = (request: Request) => Promise<Answer>;

const hosts = Object.keys(revocationServices) as Host[];

/**
 * Follows the logs of revocations of other services, as the service `name`. A call that takes longer
 * than `timeoutMs` fails, and so does one to a version without a log.
 */
export function createRevocationLogs(
  peers: Partial<Record<Host, Transport>>,
  name: string,
  timeoutMs: number,
): Partial<Record<Host, Follow>> {
  const logs: Partial<Record<Host, Follow>> = {};
  for (const host of hosts) {
    const transport = peers[host];
    if (!transport) continue;
    const client = createClient(revocationServices[host], asService(transport, name));
    logs[host] = (request) => client.follow(request, { timeoutMs });
  }
  return logs;
}
