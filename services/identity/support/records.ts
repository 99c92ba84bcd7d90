import { type EntityManager } from '@bailiwick/database';
import { type Change, recordChange } from '@bailiwick/events';
import { SessionSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/session_pb.ts';
import { encodeJson, type JsonObject } from '@bailiwick/proto/json/encode.ts';
import { type Call } from '@bailiwick/rpc';
import { create, type MessageInitShape } from '@bufbuild/protobuf';

type Recorded = Pick<Change, 'tasks'> & {
  type: 'session.support_started' | 'session.support_ended';
  session: MessageInitShape<typeof SessionSchema>;
  /** The address of the user. */
  email: string;
  /** The tenants of the user. */
  tenants: readonly string[];
};

/**
 * Records the start or the end of support access in the platform's audit and in the audit of each
 * tenant of the user: what the operator can do concerns them all.
 */
export function recordSupport(
  em: EntityManager,
  call: Call,
  { type, session, email, tenants, tasks = [] }: Recorded,
): void {
  const data: JsonObject = encodeJson(SessionSchema, create(SessionSchema, session));
  const targets = [
    { Type: 'user', ID: session.userId ?? '', Name: email },
    { Type: 'session', ID: session.id ?? '', Name: '' },
  ];
  const previous = { Reason: null };
  recordChange(em, call, { tenant: '', type, data, previous, targets, tasks });
  for (const tenant of tenants) recordChange(em, call, { tenant, type, data, previous, targets });
}
