import type { Transaction } from '@bailiwick/store';
import { ScimMemberEntity } from '../groups/entities.ts';
import { ScimUserEntity } from './entities.ts';

/** Deletes the people of directories who have a deleted user's account, and their memberships. */
export async function forgetPerson(tx: Transaction, tenant: string, userId: string): Promise<void> {
  for (const { id } of await tx.em.find(ScimUserEntity, { userId })) {
    await tx.em.nativeDelete(ScimMemberEntity, { tenant, scimUserId: id });
    await tx.em.nativeDelete(ScimUserEntity, { tenant, id });
  }
}
