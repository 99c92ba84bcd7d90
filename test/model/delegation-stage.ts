import {
  accountOf,
  type Directory,
  newDirectory,
  type Resource,
} from '../operations/access/scim-calls.ts';
import { bodyOf } from '../support/answers.ts';
import { type Bot, createBot, createKey } from '../support/bots.ts';
import type { Answer, Stack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { type Giver, giverNames, type Role, roles } from './delegation-model.ts';

// A tenant with a giver of each kind and a directory of each giver, and fresh holders of each role.

export type Stage = Awaited<ReturnType<typeof openStage>>;

let last = 0;
/** A name that no other record of the run has. */
export const fresh = (name: string): string => `${name}-${++last}`;

export async function openStage(stack: Stack) {
  const people = Object.fromEntries(
    await Promise.all(giverNames.map(async (name) => [name, await signUp(stack)] as const)),
  ) as Record<Giver, Awaited<ReturnType<typeof signUp>>>;
  const directory = await newDirectory(stack, people.owner);
  const { Tenant } = directory;
  const asOwner = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, people.owner.token));
  // Only an owner who has accepted counts as another owner.
  await asOwner('TenantMembers_Accept', { Tenant });
  for (const Slug of ['helper', 'payer', 'chief'] as const)
    await asOwner('Roles_Save', {
      Role: { Tenant, Slug, Name: Slug, Permissions: [...roles[Slug]] },
    });
  for (const giver of ['chief', 'admin'] as const) {
    const UserID = people[giver].id;
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey));
    await asOwner('Grants_Add', { Grant: { Tenant, UserID, Role: giver } });
  }
  const keys = {} as Record<Giver, string>;
  for (const giver of giverNames) {
    const bot = await createBot(stack, Tenant, people.owner.token, { Name: giver });
    await asOwner('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'scim-directory' } });
    keys[giver] = (await createKey(stack, bot, people[giver].token)).Secret;
  }
  const call = (giver: Giver, operation: string, body: object): Promise<Answer> =>
    stack.call(operation, body, people[giver].token);
  return { stack, people, directory, Tenant, asOwner, call, scim: scimOf(directory, keys) };
}

/** Requests of the directory that a giver has connected. */
const scimOf =
  ({ call }: Directory, keys: Record<Giver, string>) =>
  (giver: Giver, method: string, path: string, body?: object) =>
    call(method, path, body, { authorization: `Bearer ${keys[giver]}` });

/** A new member without roles beyond the default one, known to the directory. */
export async function newMember({ directory }: Stage): Promise<{ id: string; scim: string }> {
  const person = await directory.create(fresh('person'));
  return { id: accountOf(person), scim: person.id };
}

/** A group by hand that gives a role; below it if the path has more segments. */
export async function groupWith({ asOwner, Tenant }: Stage, role: Role): Promise<string> {
  const Path = fresh('group');
  await asOwner('Groups_Save', { Group: { Tenant, Path } });
  await asOwner('GroupGrants_Add', { Grant: { Tenant, Group: Path, Role: role } });
  return Path;
}

/** A group of the directory, with members, that gives a role. */
export async function scimGroupWith(
  { directory, asOwner, Tenant }: Stage,
  role: Role,
  members: readonly string[] = [],
): Promise<{ id: string; path: string }> {
  const path = fresh('managed');
  const { id } = await directory.get<Resource>(
    'POST',
    'Groups',
    { displayName: path, members: members.map((member) => ({ value: member })) },
    201,
  );
  await asOwner('GroupGrants_Add', { Grant: { Tenant, Group: path, Role: role } });
  return { id, path };
}

/** A new member who holds a role. */
export async function holderOf(stage: Stage, role: Role): Promise<{ id: string; scim: string }> {
  const member = await newMember(stage);
  const { asOwner, Tenant } = stage;
  await asOwner('Grants_Add', { Grant: { Tenant, UserID: member.id, Role: role } });
  return member;
}

export async function botWith({ stack, people, asOwner, Tenant }: Stage, role: Role): Promise<Bot> {
  const bot = await createBot(stack, Tenant, people.owner.token, { Name: fresh('bot') });
  await asOwner('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: role } });
  return bot;
}

export type Outcome = { status: number; body: unknown };
export type Path = {
  name: string;
  /** Makes what the attempt needs, as the owner, and returns the attempt of the giver. */
  prepare: (stage: Stage, giver: Giver, role: Role) => Promise<() => Promise<Outcome>>;
  allows: (giver: Giver, role: Role) => boolean;
  /** The roles that the path can give; absent = all. */
  only?: readonly Role[];
};

/** The roles of the tenant itself. */
export const customRoles = ['helper', 'payer', 'chief'] as const;
