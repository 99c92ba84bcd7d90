import { notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Bot } from '@bailiwick/proto/gen/bailiwick/identity/v1/bots_pb.ts';
import type { Directory as DirectoryService } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { User } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import type { PeerClient } from '@bailiwick/wire';

/** Client of identity's directory. Call it before a transaction, never inside one. */
export type Directory = PeerClient<typeof DirectoryService>;

export async function findUser(
  directory: Directory,
  id: string,
  call: Call,
): Promise<User | undefined> {
  const { users } = await directory.getUsers({ ids: [id] }, call, { signal: call.signal });
  return users.find((candidate) => candidate.id === id);
}

export const isBotId = (subject: string): boolean => subject.startsWith('bot_');

/** The name of a user for others: without one, the local part of the address, which is no link. */
export const shownName = ({ name, email }: User): string =>
  name || email.slice(0, email.lastIndexOf('@'));

/** Like findUser. Throws not_found if the user does not exist. */
export async function assertUser(directory: Directory, id: string, call: Call): Promise<User> {
  const user = await findUser(directory, id, call);
  if (!user) throw notFound('user');
  return user;
}

/** The tenant that has verified the domain of the user's verified address; "" = none. */
export async function findDomainTenant(
  directory: Directory,
  userId: string,
  call: Call,
): Promise<string> {
  const { tenant } = await directory.findDomainTenant({ userId }, call, { signal: call.signal });
  return tenant;
}

export async function findUserByEmail(
  directory: Directory,
  email: string,
  call: Call,
): Promise<User | undefined> {
  const { user } = await directory.findUserByEmail({ email }, call, { signal: call.signal });
  return user;
}

/** Which of these bots exist: in the tenant, or in any tenant if it is "". */
export async function findBots(
  directory: Directory,
  tenant: string,
  ids: readonly string[],
  call: Call,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { bots } = await directory.getBots({ tenant, ids: [...ids] }, call, {
    signal: call.signal,
  });
  return new Set(bots.map(({ id }) => id));
}

/** Throws not_found unless this bot exists: in the tenant, or in any tenant if it is "". */
export async function assertBot(
  directory: Directory,
  tenant: string,
  id: string,
  call: Call,
): Promise<void> {
  if (!(await findBots(directory, tenant, [id], call)).has(id)) throw notFound('bot');
}

/** The bot of this id, in any tenant. */
export async function findBot(
  directory: Directory,
  id: string,
  call: Call,
): Promise<Bot | undefined> {
  const { bots } = await directory.getBots({ tenant: '', ids: [id] }, call, {
    signal: call.signal,
  });
  return bots[0];
}

/** The tenant of a bot; undefined if the bot does not exist. */
export const findBotTenant = async (
  directory: Directory,
  id: string,
  call: Call,
): Promise<string | undefined> => (await findBot(directory, id, call))?.tenant;
