import type { RightsCache } from '@bailiwick/broker';
import { includes, isPlatformOnly, type SessionProof, sessionProof } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import type { Call, Handlers, Pager } from '@bailiwick/pipeline';
import type { Access } from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import { type Database, onPool } from '@bailiwick/store';
import { type Directory, findBotTenant, isBotId } from '../directory.ts';
import { narrow } from '../permissions/narrow.ts';
import { type CachedDeps, findEffective, permissionsOn } from './effective.ts';
import { explain } from './explain.ts';
import { listSubjects } from './holders/holders.ts';
import { rightsOf } from './rights.ts';
import { anySession } from './session.ts';

// The Access operations that decide: users, bots and applications ask which permissions a subject
// has.

type Deps = {
  database: Database;
  directory: Directory;
  rightsCache: RightsCache;
  pager: Pager;
};

export function decisionHandlers({
  database,
  ...others
}: Deps): Omit<Handlers<typeof Access>, 'plan'> {
  const run = onPool(database);
  const deps = { run, ...others };
  return {
    async check({ tenant, subject, permission, resource, checks }, call) {
      const questions = permission === '' ? checks : [{ permission, resource }, ...checks];
      const holds = await permissionCheck(deps, call, {
        tenant,
        subject,
        resources: ['', ...questions.map((one) => one.resource)],
      });
      const answers = questions.map((one) => ({
        permission: one.permission,
        resource: one.resource,
        allowed: holds(one.permission, one.resource),
      }));
      return {
        allowed: answers.every(({ allowed }) => allowed),
        results: permission === '' ? answers : answers.slice(1),
      };
    },

    async listPermissions({ tenant, subject, resource, platform }, call) {
      if (platform) return { permissions: await permissionsOnPlatform(deps, call, subject) };
      const subjectId = subjectOf(call, subject);
      if (subjectId === 'platform')
        return {
          permissions: (await rightsOf(run, call.caller, tenant)).inTenant
            .filter((one) => !isPlatformOnly(one))
            .toSorted(),
        };
      const effective = await findEffective(deps, call, {
        tenant,
        subject: subjectId,
        ...sessionFor(call, subjectId, tenant),
        resources: ['', resource],
      });
      const permissions = [...new Set(permissionsOn(effective, resource).flat())].filter(
        (one) => !isPlatformOnly(one),
      );
      return { permissions: narrow(permissions, narrowingOf(call, subjectId)).toSorted() };
    },

    listSubjects: (request, call) => listSubjects(deps, request, call),

    async explain({ tenant, subject, permission, resource }, call) {
      const subjectId = subjectOf(call, subject);
      return explain(deps, call, {
        subject: subjectId,
        tenant,
        ...sessionFor(call, subjectId, tenant),
        permission,
        resource,
        narrowedTo: narrowingOf(call, subjectId),
      });
    },
  };
}

/** The permissions of a subject on the platform. A caller without the right asks about itself. */
async function permissionsOnPlatform(
  { run, directory }: CachedDeps,
  call: Call,
  subject: string,
): Promise<string[]> {
  const { caller, allowedBy } = call;
  const isOwn = subject === '' || subject === caller.id;
  if (!isOwn && allowedBy?.kind !== 'platform') throw denied();
  const other = { type: isBotId(subject) ? 'bot' : 'user', id: subject, ...anySession('') };
  const findTenant = async () =>
    isOwn ? caller.tenant : await findBotTenant(directory, subject, call);
  const principal = isOwn ? caller : other;
  const botTenant = principal.type === 'bot' ? ((await findTenant()) ?? '') : '';
  const { onPlatform, narrowedTo } = await rightsOf(run, { ...principal, botTenant }, '');
  return narrow(onPlatform, narrowedTo).toSorted();
}

/** The subject of a question. A caller without the right to ask about others asks about itself. */
function subjectOf({ caller, allowedBy }: Call, subject: string): string {
  const own = caller.type === 'platform' ? 'platform' : caller.id;
  if (subject === '' || subject === own) return own;
  if (allowedBy?.kind !== 'tenant') throw denied();
  return subject;
}

/**
 * The narrowing of the bot key or access token that makes the call. A question about another user
 * or bot ignores their credentials.
 */
const narrowingOf = ({ caller }: Call, subject: string): readonly string[] =>
  subject === caller.id ? caller.narrowedTo : [];

/** The proof of the user's own session. A question about another user ignores sessions. */
const sessionFor = ({ caller }: Call, subject: string, tenant: string): SessionProof =>
  caller.type === 'user' && subject === caller.id ? sessionProof(caller) : anySession(tenant);

type Question = { tenant: string; subject: string; resources: readonly string[] };

async function permissionCheck(
  deps: CachedDeps,
  call: Call,
  { tenant, subject, resources }: Question,
): Promise<(permission: string, resource: string) => boolean> {
  const subjectId = subjectOf(call, subject);
  if (subjectId === 'platform') {
    const { inTenant } = await rightsOf(deps.run, call.caller, tenant);
    return (permission) => !isPlatformOnly(permission) && includes(inTenant, permission);
  }
  const effective = await findEffective(deps, call, {
    tenant,
    subject: subjectId,
    ...sessionFor(call, subjectId, tenant),
    resources: [...new Set(resources)],
  });
  const narrowedTo = narrowingOf(call, subjectId);
  return (permission, resource) =>
    !isPlatformOnly(permission) &&
    (narrowedTo.length === 0 || includes(narrowedTo, permission)) &&
    permissionsOn(effective, resource).some((granted) => includes(granted, permission));
}
