import type { Client } from '../../client.ts';
import { PermissionDeniedError } from '../../errors.ts';
import type { PermissionChange, PlannedChangeInput } from '../../gen/types.ts';
import type { Change } from './changes.ts';
import { pathKey } from './file.ts';
import { findLockout } from './lockout.ts';

/** What Access_Plan says of changes before they are made. */
export type Foretold = {
  Gained: PermissionChange[];
  Lost: PermissionChange[];
  /** Changes that would be refused, and why. */
  refused: string[];
  /** What else the service says, and what could not be asked. */
  notes: string[];
};

/** The most that Access_Plan takes. */
const most = 50;

export async function foretell(
  client: Client,
  Tenant: string,
  changes: readonly Change[],
): Promise<Foretold> {
  const created = newGroups(changes);
  // A group's own fields give nobody anything.
  const telling = changes.filter(({ operation }) => operation !== 'Groups_Save');
  const askable = telling.filter((change) => isAskable(change, created));
  const asked = askable.slice(0, most);
  const notes = notesOn(telling.length, askable.length);
  const locksOut = await findLockout(client, Tenant, changes);
  if (asked.length === 0) return { Gained: [], Lost: [], refused: locksOut, notes };
  const Changes = asked.map(
    ({ operation, request }): PlannedChangeInput => ({ [operation]: request }),
  );
  try {
    const { Gained, Lost, Warnings } = await client.call('Access_Plan', { Tenant, Changes });
    const warnings = Warnings.map((warning) => inWords(warning, asked));
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
      notes: ['who would gain or lose what is not known: you may not ask (iam.grants.read)'],
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

/** Of a group that is not there yet nothing can be asked. */
function isAskable({ operation, request }: Change, created: ReadonlySet<string>): boolean {
  if (operation === 'Groups_AddMember') return !created.has(pathKey(request.Group));
  if (operation === 'GroupGrants_Add') return !created.has(pathKey(request.Grant.Group));
  return true;
}

function notesOn(all: number, askable: number): string[] {
  const left = all - askable;
  return [
    ...(askable > most
      ? [`who would gain or lose what is shown for the first ${most} of ${askable} changes`]
      : []),
    ...(left > 0
      ? [
          `who would gain or lose what by ${left === 1 ? '1 change' : `${left} changes`} to groups that are not there yet is known once they are`,
        ]
      : []),
  ];
}

/** "Changes[3].Grants_Add would be refused: …", with the change itself in place of its number. */
function inWords(warning: string, changes: readonly Change[]): string {
  return warning.replace(
    /^Changes\[(\d+)\]\.\w+/,
    (place, index: string) => changes[Number(index)]?.text ?? place,
  );
}
