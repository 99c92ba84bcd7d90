import { notFound } from '@bailiwick/errors';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { UserEntity, type UserRow } from './entities.ts';

/**
 * Returns an active user and locks it until the transaction ends. Every operation that uses or ends
 * a password, address, token or session takes this lock first: so no operation misses a concurrent
 * commit, and no two deadlock.
 */
export function lockActive(tx: Transaction, id: string): Promise<UserRow | null> {
  return tx.em.findOne(
    UserEntity,
    { id, status: 'active' },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
}

/**
 * Returns the user with this id, in any status, and locks it until the transaction ends. Throws
 * not_found if the user does not exist.
 */
export async function lockExisting(tx: Transaction, id: string): Promise<UserRow> {
  const user = await tx.em.findOne(UserEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!user) throw notFound('user');
  return user;
}
