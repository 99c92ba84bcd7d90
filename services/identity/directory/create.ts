import { createId, normaliseEmail } from '@bailiwick/contract';
import { alreadyExists } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { type Database, lockName } from '@bailiwick/store';
import type { Passwords } from '../passwords/passwords.ts';
import { rowOf } from '../rows.ts';
import { newUser, UserEntity, type UserRow, userRecord } from '../users/entities.ts';
import { consumeRivals, settleEmail } from '../users/queries.ts';
import { recordUser } from '../users/records.ts';

type Deps = { database: Database; passwords: Passwords };

export function creationHandler({
  database,
  passwords,
}: Deps): Pick<Handlers<typeof Users>, 'create'> {
  return {
    async create({ user: draft, password }, call) {
      const email = await settleEmail(database, normaliseEmail(draft?.email ?? ''));
      const passwordHash = password === undefined ? null : await passwords.hash(password);
      const user: UserRow = {
        ...newUser(createId('usr'), email, passwordHash, new Date()),
        name: draft?.name ?? '',
        givenName: draft?.givenName ?? '',
        familyName: draft?.familyName ?? '',
        picture: draft?.picture ?? '',
        locale: draft?.locale ?? '',
        externalId: draft?.externalId ?? '',
        metadata: draft?.metadata?.items ?? {},
      };
      await database.transaction(
        { call, tenant: null, row: rowOf.account(email.key) },
        async (tx) => {
          await lockName(tx, rowOf.account(email.key));
          if (await tx.em.findOne(UserEntity, { emailKey: email.key }))
            throw alreadyExists('User.Email already has an account');
          // Voids pending registrations of the address.
          await consumeRivals(tx, [email.key]);
          tx.em.persist(tx.em.create(UserEntity, user));
          recordUser(tx, 'user.registered', user);
        },
      );
      return { user: userRecord(user) };
    },
  };
}
