import type { Client } from '../../client/client.ts';
import { PermissionDeniedError } from '../../client/errors.ts';
import type { PermissionChange, PlannedChangeInput } from '../../client/gen/types.ts';
import type { Change } from './changes.ts';
import { findLockout } from './lockout.ts';

/** The effect of changes before they are made, as Access_Plan reports it. */
export type Preview = {
  Gained: PermissionChange[];
  Lost: PermissionChange[];
  /** Changes that would be rejected, with the reason. */
  refused: string[];
  /** Other warnings of the service, and the reason why the effect is not known completely. */
  notes: string[];
  /** Whether Gained and Lost are the effect of all changes. */
  complete: boolean;
};

/** Maximum number of changes in one Access_Plan call. */
const maxChanges = 200;

type Options = {
  /** The ID of the bot that will make the changes. This caller then needs no right to make them. */
  forBot?: string | undefined;
};

export async function previewChanges(
  client: Client,
  Tenant: string,
  changes: readonly Change[],
  { forBot }: Options = {},
): Promise<Preview> {
  const batch = changes.slice(0, maxChanges);
  const complete = batch.length === changes.length;
  const notes = complete
    ? []
    : [
        `gained and lost permissions are shown for the first ${maxChanges} of ${changes.length} changes`,
      ];
  const locksOut = await findLockout(client, Tenant, changes, forBot);
  if (batch.length === 0) return { Gained: [], Lost: [], refused: locksOut, notes, complete };
  const Changes = batch.map(
    ({ operation, request }): PlannedChangeInput => ({ [operation]: request }),
  );
  try {
    const request = { Tenant, Changes, ForBot: forBot };
    const { Gained, Lost, Warnings } = await client.call('Access_Plan', request);
    return {
      Gained,
      Lost,
      refused: [...locksOut, ...Warnings.map((warning) => withChangeText(warning, batch))],
      notes,
      complete,
    };
  } catch (error) {
    if (!(error instanceof PermissionDeniedError)) throw error;
    return {
      Gained: [],
      Lost: [],
      refused: locksOut,
      notes: ['gained and lost permissions are unknown: you lack iam.grants.read'],
      complete: false,
    };
  }
}

/** Replaces the number of a change by its text: "Changes[3].Grants_Add would be refused: …". */
function withChangeText(warning: string, changes: readonly Change[]): string {
  return warning.replace(
    /^Changes\[(\d+)\]\.\w+/,
    (place, index: string) => changes[Number(index)]?.text ?? place,
  );
}
