import assert from 'node:assert/strict';
import { newTenant, type Person } from '../matrix/people.ts';
import { bodyOf, knownTo, readList } from '../support/answers.ts';
import { createBot, inDays } from '../support/bots.ts';
import type { Answer, Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { bot, type Change, users } from './history.ts';
import { type Grant, keyOfGrant, keyOfPath } from './model.ts';

// A tenant for one history. Histories use names for users.

const families = {
  user: { area: 'Grants', key: 'UserID' },
  group: { area: 'GroupGrants', key: 'Group' },
  bot: { area: 'BotGrants', key: 'Bot' },
} as const;

export type Way = {
  Grant: string;
  Group: string;
  InheritedFrom: string;
  Role: string;
  Permission: string;
};
export type Difference = { Subject: string; Permission: string; Resource: string };

export type Tenant = Awaited<ReturnType<typeof openTenant>>;

export async function openTenant(stack: Stack, owner: Person, people: readonly Person[]) {
  const id = await newTenant(stack, owner.id);
  const { ID: botId } = await createBot(stack, id, owner.token);
  const ids = new Map<string, string>([
    ...users.map((user, index) => [user, people[index]?.id ?? ''] as const),
    [bot, botId],
  ]);
  const names = new Map([...ids].map(([name, subject]) => [subject, name]));
  const idOf = (name: string) => ids.get(name) ?? name;
  const nameOf = (subject: string) => names.get(subject) ?? subject;
  const ask = async (operation: string, request: object) =>
    bodyOf(
      await stack.call(operation, knownTo(operation, { Tenant: id, ...request }), owner.token),
    );

  /** The operation and the request of a change. */
  function requestOf(
    change: Exclude<Change, { operation: 'expire' }>,
  ): [operation: string, request: object] {
    const { operation } = change;
    switch (operation) {
      case 'TenantMembers_Add':
      case 'TenantMembers_Remove':
        return [operation, { Tenant: id, UserID: idOf(change.user) }];
      case 'Groups_Save':
        return [operation, { Group: { Tenant: id, Path: change.path } }];
      case 'Groups_Delete':
        return [operation, { Tenant: id, Path: change.path }];
      case 'Groups_AddMember':
      case 'Groups_RemoveMember':
        return [operation, { Tenant: id, Group: change.path, UserID: idOf(change.user) }];
      case 'Roles_Save':
        return [
          operation,
          {
            Role: {
              Tenant: id,
              Slug: change.slug,
              Name: change.slug,
              Permissions: change.permissions,
            },
          },
        ];
      case 'Roles_Delete':
        return [operation, { Tenant: id, Slug: change.slug }];
      default: {
        const { area, key } = families[change.type];
        // An expiry must not change whether a live grant counts.
        const end = operation === 'Add' && change.resource === 'r1' ? { ExpiresAt: inDays(1) } : {};
        return [
          `${area}_${operation}`,
          {
            Grant: {
              Tenant: id,
              [key]: idOf(change.subject),
              Role: change.role,
              Resource: change.resource,
              ...end,
            },
          },
        ];
      }
    }
  }

  /**
   * Writes to the database, because the API refuses a grant that has expired already. Saving a role
   * then ends the cached decisions, which do not expect an earlier end of a grant.
   */
  async function expire({ type, subject, role, resource }: Omit<Grant, 'expired'>): Promise<void> {
    await rowsOf(
      stack,
      `update access.grant_entry set expires_at = now() - interval '1 second' where tenant = $1 and subject_type = $2 and subject = $3 and role = $4 and resource = $5`,
      [id, type, type === 'group' ? keyOfPath(subject) : idOf(subject), role, resource],
    );
    const Role = {
      Tenant: id,
      Slug: 'unused',
      Name: `at ${Date.now()}`,
      Permissions: ['app.unused'],
    };
    bodyOf(await stack.call('Roles_Save', { Role }, owner.token));
  }

  return {
    /** Makes a change. Returns the error code, or 'ok'. */
    async make(change: Change): Promise<string> {
      if (change.operation === 'expire') {
        await expire(change);
        return 'ok';
      }
      // An addition by the owner needs the user's consent; an addition by the platform does not.
      const token = change.operation === 'TenantMembers_Add' ? stack.platformKey : owner.token;
      const { status, body }: Answer = await stack.call(...requestOf(change), token);
      assert.ok(status < 500, JSON.stringify(body));
      return status === 200 ? 'ok' : String(body.Code);
    },

    async check(
      subject: string,
      checks: readonly { Permission: string; Resource: string }[],
    ): Promise<boolean[]> {
      const { Allowed, Results } = (await ask('Access_Check', {
        Subject: idOf(subject),
        Checks: checks,
      })) as unknown as {
        Allowed: boolean;
        Results: Array<{ Allowed: boolean }>;
      };
      const each = Results.map((result) => result.Allowed);
      assert.equal(Allowed, each.every(Boolean), 'Allowed means that all checks are allowed');
      return each;
    },

    checkOne: async (subject: string, Permission: string, Resource: string) =>
      (await ask('Access_Check', { Subject: idOf(subject), Permission, Resource }))[
        'Allowed'
      ] as boolean,

    permissions: async (subject: string, Resource: string) =>
      (await ask('Access_ListPermissions', { Subject: idOf(subject), Resource }))[
        'Permissions'
      ] as string[],

    explain: async (subject: string, Permission: string, Resource: string) =>
      (await ask('Access_Explain', {
        Subject: idOf(subject),
        Permission,
        Resource,
      })) as unknown as { Allowed: boolean; Paths: Way[]; Missing: string[] },

    async plan(
      changes: readonly Change[],
    ): Promise<{ gained: Difference[]; lost: Difference[]; warnings: string[] }> {
      const Changes = changes.flatMap((change) =>
        change.operation === 'expire' ? [] : [Object.fromEntries([requestOf(change)])],
      );
      const { Gained, Lost, Warnings } = (await ask('Access_Plan', { Changes })) as unknown as {
        Gained: Difference[];
        Lost: Difference[];
        Warnings: string[];
      };
      const readable = (all: Difference[]) =>
        all.map((difference) => ({ ...difference, Subject: nameOf(difference.Subject) }));
      return { gained: readable(Gained), lost: readable(Lost), warnings: Warnings };
    },

    /** All grants by ID, as keys of the model. The owner's own grant is not part of the model. */
    async grants(): Promise<Map<string, string>> {
      const grants = new Map<string, string>();
      for (const type of ['user', 'group', 'bot'] as const) {
        const { area, key } = families[type];
        const { items } = await readList<Record<string, string>>(
          stack,
          `${area}_ListByTenant`,
          { Tenant: id },
          owner.token,
        );
        for (const {
          ID = '',
          Role: role = '',
          Resource: resource = '',
          [key]: subject = '',
        } of items) {
          if (subject !== owner.id)
            grants.set(ID, keyOfGrant({ type, subject: nameOf(subject), role, resource }));
        }
      }
      return grants;
    },
  };
}
