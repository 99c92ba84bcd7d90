import { failedPrecondition } from '@bailiwick/errors';
import type { Group } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { type GroupRow, scimSource } from './entities.ts';

const directoryGroupError = (what: string) =>
  failedPrecondition(
    `a directory manages the group by SCIM: change ${what} there`,
    'DIRECTORY_GROUP',
  );

/** Throws for a group whose members a directory manages. */
export function assertNotScim({ source }: GroupRow): void {
  if (source === scimSource) throw directoryGroupError('its members');
}

/** Throws if a change by hand would change what a directory manages. */
export function assertKeepsScim(stored: GroupRow, input: Group): void {
  if (stored.source !== scimSource) return;
  if (input.name !== undefined && input.name !== stored.name) throw directoryGroupError('its name');
  if (input.externalId !== undefined && input.externalId !== stored.externalId)
    throw directoryGroupError('its external ID');
}
