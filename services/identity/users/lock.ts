import { notFound } from '@bailiwick/shared/errors.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { LockMode } from '@mikro-orm/core';
import { UserEntity, type UserRow } from './entities.ts';

/**
 * An active user, locked until the transaction ends. Whatever depends on a password or an address, or ends what does,
 * takes this lock before it touches tokens and sessions: then none of it slips through while the other commits, and
 * no two wait for each other.
 */
export function lockActive(em: EntityManager, id: string): Promise<UserRow | null> {
  return em.findOne(UserEntity, { id, status: 'active' }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** The user with this id, whatever its status, locked until the transaction ends. Throws not_found where there is none. */
export async function lockExisting(em: EntityManager, id: string): Promise<UserRow> {
  const user = await em.findOne(UserEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!user) throw notFound('user');
  return user;
}
