import type { Caller } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type {
  AddMembersRequest,
  Imports,
} from '@bailiwick/proto/gen/bailiwick/access/v1/imports_pb.ts';
import {
  addMembers,
  type ImportDeps,
  type NumberedMembership,
  type NumberedRefusal,
} from './add-members.ts';
import { createCheck } from './check.ts';

export function importsHandlers(deps: ImportDeps): Handlers<typeof Imports> {
  return { addMembers: (request, call) => addAll(deps, request, call) };
}

/** Tenants whose members are added at the same time. */
const atOnce = 4;

async function addAll(
  deps: ImportDeps,
  { memberships, validateOnly, importer }: AddMembersRequest,
  identityCall: Call,
): Promise<{ refusals: NumberedRefusal[] }> {
  if (!importer) throw invalid('Importer is required');
  const call = inNameOf(importer, identityCall);
  const refusals: NumberedRefusal[] = [];
  const check = createCheck(deps.database, importer);
  const byTenant = new Map<string, NumberedMembership[]>();
  for (const [index, membership] of memberships.entries()) {
    const refusal = await check(membership);
    if (refusal) refusals.push({ index, ...refusal });
    else
      byTenant.set(membership.tenant, [
        ...(byTenant.get(membership.tenant) ?? []),
        { index, membership },
      ]);
  }
  if (validateOnly) return { refusals };
  const waiting = [...byTenant];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      refusals.push(...(await addMembers(deps, ...next, call)));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { refusals };
}

/** The call as the audit shows it. identity has verified who imports. */
const inNameOf = (importer: Caller, call: Call): Call => ({
  ...call,
  operation: { ...call.operation, name: 'Users_Import' },
  caller: { ...importer, requestId: call.caller.requestId },
});
