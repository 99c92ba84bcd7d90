import { failedPrecondition } from '@bailiwick/errors';
import type { Group } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { type GroupRow, scimSource } from './entities.ts';

const managed = (what: string) =>
  failedPrecondition(
    `a directory manages the group by SCIM: change ${what} there`,
    'DIRECTORY_GROUP',
  );

/** Throws for a group whose members a directory manages. */
export function assertNotScim({ source }: GroupRow): void {
  if (source === scimSource) throw managed('its members');
}

/** Throws if a change by hand would change what a directory manages. */
export function assertKeepsScim(stored: GroupRow, sent: Group): void {
  if (stored.source !== scimSource) return;
  if (sent.name !== undefined && sent.name !== stored.name) throw managed('its name');
  if (sent.externalId !== undefined && sent.externalId !== stored.externalId)
    throw managed('its external ID');
}
