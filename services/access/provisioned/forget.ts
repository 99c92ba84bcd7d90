import type { EntityManager } from '@bailiwick/store';
import { ScimMemberEntity } from '../groups/entities.ts';
import { ScimUserEntity } from './entities.ts';

/** Deletes the people of directories who have a deleted user's account, and their memberships. */
export async function forgetPerson(
  em: EntityManager,
  tenant: string,
  userId: string,
): Promise<void> {
  for (const { id } of await em.find(ScimUserEntity, { userId })) {
    await em.nativeDelete(ScimMemberEntity, { tenant, scimUserId: id });
    await em.nativeDelete(ScimUserEntity, { tenant, id });
  }
}
