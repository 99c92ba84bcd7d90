import type { Client } from '@connectrpc/connect';
import type { Directory as DirectoryService } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { User } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import { serviceCaller } from '@bailiwick/shared/caller.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { notFound } from '@bailiwick/shared/errors.ts';
import { contextFor } from '@bailiwick/shared/rpc.ts';

/** What identity answers about users. Asked before a transaction, never inside one. */
export type Directory = Client<typeof DirectoryService>;

/** The user with this id. Throws not_found where there is none. */
export async function assertUser(directory: Directory, id: string, call: Call): Promise<User> {
  const { users } = await directory.getUsers({ ids: [id] }, { signal: call.signal, contextValues: contextFor(serviceCaller('access', call.caller.requestId)) });
  const user = users.find((candidate) => candidate.id === id);
  if (!user) throw notFound('user');
  return user;
}
