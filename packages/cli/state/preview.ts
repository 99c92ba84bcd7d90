import type { Client } from '../../client/client.ts';
import { PermissionDeniedError } from '../../client/errors.ts';
import type { PermissionChange, PlannedChangeInput } from '../../client/gen/types.ts';
import type { Change } from './changes.ts';
import { pathKey } from './file.ts';
import { findLockout } from './lockout.ts';

/** The effect of changes before they are made, as Access_Plan reports it. */
export type Preview = {
  Gained: PermissionChange[];
  Lost: PermissionChange[];
  /** Changes that would be rejected, with the reason. */
  refused: string[];
  /** Other warnings of the service, and changes that could not be previewed. */
  notes: string[];
};

/** Maximum number of changes in one Access_Plan call. */
const maxChanges = 50;

export async function previewChanges(
  client: Client,
  Tenant: string,
  changes: readonly Change[],
): Promise<Preview> {
  const created = newGroups(changes);
  // Fields of a group do not affect permissions.
  const relevant = changes.filter(({ operation }) => operation !== 'Groups_Save');
  const previewable = relevant.filter((change) => isPreviewable(change, created));
  const asked = previewable.slice(0, maxChanges);
  const notes = notesOn(relevant.length, previewable.length);
  const locksOut = await findLockout(client, Tenant, changes);
  if (asked.length === 0) return { Gained: [], Lost: [], refused: locksOut, notes };
  const Changes = asked.map(
    ({ operation, request }): PlannedChangeInput => ({ [operation]: request }),
  );
  try {
    const { Gained, Lost, Warnings } = await client.call('Access_Plan', { Tenant, Changes });
    const warnings = Warnings.map((warning) => withChangeText(warning, asked));
    const isRefusal = (warning: string) => warning.includes('would be refused');
    return {
      Gained,
      Lost,
      refused: [...locksOut, ...warnings.filter(isRefusal)],
      notes: [...notes, ...warnings.filter((warning) => !isRefusal(warning))],
    };
  } catch (error) {
    if (!(error instanceof PermissionDeniedError)) throw error;
    return {
      Gained: [],
      Lost: [],
      refused: locksOut,
      notes: ['gained and lost permissions are unknown: you lack iam.grants.read'],
    };
  }
}

function newGroups(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(
    changes.flatMap(({ operation, request }) =>
      operation === 'Groups_Save' && request.IfUpdatedAt === undefined
        ? [pathKey(request.Group.Path)]
        : [],
    ),
  );
}

/** Access_Plan cannot preview changes to a group that does not exist yet. */
function isPreviewable({ operation, request }: Change, created: ReadonlySet<string>): boolean {
  if (operation === 'Groups_AddMember') return !created.has(pathKey(request.Group));
  if (operation === 'GroupGrants_Add') return !created.has(pathKey(request.Grant.Group));
  return true;
}

function notesOn(all: number, previewable: number): string[] {
  const left = all - previewable;
  return [
    ...(previewable > maxChanges
      ? [
          `gained and lost permissions are shown for the first ${maxChanges} of ${previewable} changes`,
        ]
      : []),
    ...(left > 0
      ? [
          `gained and lost permissions of ${left === 1 ? '1 change' : `${left} changes`} to new groups cannot be shown before the groups exist`,
        ]
      : []),
  ];
}

/** Replaces the number of a change by its text: "Changes[3].Grants_Add would be refused: …". */
function withChangeText(warning: string, changes: readonly Change[]): string {
  return warning.replace(
    /^Changes\[(\d+)\]\.\w+/,
    (place, index: string) => changes[Number(index)]?.text ?? place,
  );
}
